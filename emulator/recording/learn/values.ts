// Reads values of unknown shape: bodies and messages of a recorded server, which can be anything.

export type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

/** The items of a list; none of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const decoder = new TextDecoder()

/** The JSON value of a text or a body; undefined if it is none. */
export function jsonOf(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : decoder.decode(text))
  } catch {
    return undefined
  }
}

/** A link of a workflow to an output of another node; undefined for any other value. */
export function linkOf(value: unknown): readonly [id: string, output: number] | undefined {
  const [id, output] = listOf(value)
  const isLink = listOf(value).length === 2 && typeof id === 'string' && Number.isInteger(output)
  return isLink ? [id, output as number] : undefined
}

/** The middle of numbers; of an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (low + high) / 2
}

/** A time to a tenth of a millisecond: recordings say no more. */
export const roundedMs = (ms: number): number => Math.max(0, Math.round(ms * 10) / 10)

/** Appends to the list of a key. */
export function addTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** A text, or a number as text; empty for any other value. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
