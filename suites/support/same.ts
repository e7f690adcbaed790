// Compares long values, such as transcripts and recordings, so that a failure says what differs and where, in few lines.

/** How many differences a message shows, and how much of a value. */
const MOST = 5
const WIDTH = 100

type Difference = { readonly at: string; readonly expected: string; readonly received: string }

/**
 * Throws unless two values are equal: texts, bytes, or what is made of lists and objects of them.
 *
 * @param what names the received value in the message.
 */
export function expectSame(what: string, received: unknown, expected: unknown): void {
  const found = [...differences(expected, received, '')]
  if (found.length === 0) return
  const shown = found
    .slice(0, MOST)
    .map((one) => `${one.at}\n  expected: ${one.expected}\n  received: ${one.received}`)
  const more = found.length > MOST ? [`and ${found.length - MOST} more`] : []
  const error = new Error([`${what} differs:`, ...shown, ...more].join('\n'))
  // The place of the comparison is of interest, which is that of the caller.
  Error.captureStackTrace(error, expectSame)
  throw error
}

function* differences(expected: unknown, received: unknown, at: string): Iterable<Difference> {
  if (Object.is(expected, received)) return
  if (typeof expected === 'string' && typeof received === 'string') {
    yield* ofTexts(expected, received, at)
  } else if (expected instanceof Uint8Array && received instanceof Uint8Array) {
    const byte = firstUnlike(expected, received)
    if (byte < Math.max(expected.length, received.length))
      yield {
        at: `${at} byte ${byte}`,
        expected: hex(expected, byte),
        received: hex(received, byte),
      }
  } else if (isParted(expected) && isParted(received) && isList(expected) === isList(received)) {
    const dot = isList(expected) ? (key: string) => `[${key}]` : (key: string) => `.${key}`
    for (const key of new Set([...Object.keys(expected), ...Object.keys(received)]))
      yield* differences(expected[key], received[key], at + dot(key))
  } else yield { at, expected: shortened(expected), received: shortened(received) }
}

type Parted = Readonly<Record<string, unknown>>
/** Other objects, such as maps, are equal to themselves alone. */
const isParted = (value: unknown): value is Parted =>
  isList(value) ||
  (typeof value === 'object' &&
    value !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null))
const isList = (value: unknown): boolean => Array.isArray(value)

/** Lines that are new or gone do not make those after them differ. */
function* ofTexts(expected: string, received: string, at: string): Iterable<Difference> {
  const [old, now] = [expected.split('\n'), received.split('\n')]
  const head = firstUnlike(old, now)
  const tail = firstUnlike(old.slice(head).toReversed(), now.slice(head).toReversed())
  const [gone, come] = [old, now].map((lines) => lines.slice(head, lines.length - tail))
  for (let line = 0; line < Math.max(gone!.length, come!.length); line++) {
    const [before, after] = [gone![line], come![line]]
    if (before === after) continue
    const column = firstUnlike(before ?? '', after ?? '')
    const place =
      old.length === 1 && now.length === 1 ? `column ${column + 1}` : `line ${head + line + 1}`
    yield {
      at: `${at} ${place}`.trim(),
      expected: windowOf(before, column),
      received: windowOf(after, column),
    }
  }
}

/** The place of the first item that differs, or the end of the shorter one. */
function firstUnlike(one: ArrayLike<unknown>, other: ArrayLike<unknown>): number {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

/** What a line has around a column. */
function windowOf(line: string | undefined, column: number): string {
  if (line === undefined) return '(no such line)'
  const start = line.length <= WIDTH ? 0 : Math.max(0, column - 20)
  const part = line.slice(start, start + WIDTH)
  return `${start > 0 ? '…' : ''}${part}${start + WIDTH < line.length ? '…' : ''}`
}

const hex = (bytes: Uint8Array, at: number): string =>
  `${Buffer.from(bytes.subarray(at, at + 8)).toString('hex')} of ${bytes.length} bytes`

const shortened = (value: unknown): string => windowOf(JSON.stringify(value) ?? 'nothing', 0)
