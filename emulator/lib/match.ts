// Compares values with what somebody expects of them: whether they match, and where they differ.

/** Whether a value matches; objects may have additional members at any depth. */
export const isMatch = (value: unknown, expected: unknown): boolean =>
  differences(value, expected).length === 0

/**
 * Where a value differs from what is expected: the paths of members, such as `body.prompt.3.inputs.seed`. Objects may have
 * additional members at any depth.
 */
export function differences(value: unknown, expected: unknown, at = ''): readonly string[] {
  if (typeof expected !== 'object' || expected === null) return value === expected ? [] : [at]
  if (typeof value !== 'object' || value === null) return [at]
  const isList = Array.isArray(expected)
  if (isList !== Array.isArray(value)) return [at]
  if (isList && (value as readonly unknown[]).length !== expected.length) return [at]
  const members: Readonly<Record<string, unknown>> = { ...value }
  return Object.entries(expected).flatMap(([name, member]) =>
    differences(Object.hasOwn(members, name) ? members[name] : undefined, member, join(at, name)),
  )
}

const join = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)
