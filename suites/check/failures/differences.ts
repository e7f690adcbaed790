// Where two values differ, in words: a line for each place, few of them, so that a failure can be read at a glance.

/** How many places are named. */
const MAX_LINES = 8
/** The longest text of a value, in characters. */
const MAX_VALUE = 300

/** Lines that say where a received value differs from the expected one. */
export function differencesOf(expected: unknown, received: unknown): readonly string[] {
  const lines: string[] = []
  collect('', expected, received, lines)
  const more = lines.length - MAX_LINES
  if (more <= 0) return lines
  return [...lines.slice(0, MAX_LINES), `and ${more} more ${more === 1 ? 'place' : 'places'}`]
}

function collect(path: string, expected: unknown, received: unknown, lines: string[]): void {
  if (isMatcher(expected) && expected.asymmetricMatch(received)) return
  if (Object.is(expected, received)) return
  if (!isTree(expected) || !isTree(received)) {
    lines.push(
      `${path === '' ? '' : `${path}: `}expected ${shortText(expected)}, received ${shortText(received)}`,
    )
    return
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(received)])
  for (const key of keys)
    collect(path === '' ? key : `${path}.${key}`, expected[key], received[key], lines)
}

type Matcher = {
  readonly asymmetricMatch: (value: unknown) => boolean
  readonly toString: () => string
}
const isMatcher = (value: unknown): value is Matcher =>
  typeof (value as Partial<Matcher> | null | undefined)?.asymmetricMatch === 'function'

/** Whether a value has members that can be compared one by one. */
const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !isMatcher(value) &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

/** A value as text, of a bounded length. */
export function shortText(value: unknown): string {
  const text = textOf(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return JSON.stringify(value, (_, inner: unknown) => plain(inner)) ?? typeof value
}

/** What JSON cannot write, as text; a set as a list. */
function plain(value: unknown): unknown {
  if (value instanceof RegExp) return `${value}`
  if (isMatcher(value)) return value.toString()
  return value instanceof Set ? [...value] : value
}
