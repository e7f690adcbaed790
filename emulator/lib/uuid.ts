// Recognises the canonical form of a UUID: lower case, with hyphens.

/** Whether a value is a UUID of any version in its canonical form. */
export const isCanonicalUuid = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value)
