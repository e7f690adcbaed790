// Compares values with what somebody expects of them: whether they match, and where they differ.

/** Where a value differs from what is expected, and how. */
export type Difference = {
  /** The path of the member, such as `body.prompt.3.inputs.seed`. */
  readonly at: string
  readonly expected: unknown
  /** Undefined if there is no such member. */
  readonly received: unknown
}

/** Whether a value matches; objects may have additional members at any depth. */
export const isMatch = (value: unknown, expected: unknown): boolean =>
  differences(value, expected).length === 0

/** Where a value differs from what is expected. Objects may have additional members at any depth. */
export function differences(value: unknown, expected: unknown, at = ''): readonly Difference[] {
  const here = (): readonly Difference[] => [{ at, expected, received: value }]
  if (typeof expected !== 'object' || expected === null) return value === expected ? [] : here()
  if (typeof value !== 'object' || value === null) return here()
  const isList = Array.isArray(expected)
  if (isList !== Array.isArray(value)) return here()
  if (isList && (value as readonly unknown[]).length !== expected.length) return here()
  const members: Readonly<Record<string, unknown>> = { ...value }
  return Object.entries(expected).flatMap(([name, member]) =>
    differences(Object.hasOwn(members, name) ? members[name] : undefined, member, join(at, name)),
  )
}

const join = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)
