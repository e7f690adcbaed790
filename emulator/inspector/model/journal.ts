// Reads the journal of a machine as its control API returns it: lines of JSON, the options first, then each input with its
// effects.

export type Value = Readonly<Record<string, unknown>>

/** An input with its effects, in the order in which they left. */
export type Entry = {
  /** Its number in the journal. */
  readonly n: number
  /** The time of the world, in milliseconds since its start. */
  readonly at: number
  readonly input: Value
  readonly effects: readonly Value[]
}

export type Journal = {
  readonly isGateway: boolean
  readonly options: Value
  /** The number of the first entry. */
  readonly first: number
  readonly entries: readonly Entry[]
}

export function readJournal(text: string): Journal {
  const [head = '{}', ...lines] = text.trimEnd().split('\n')
  const { flowdouble, first = 0, options = {} } = JSON.parse(head) as Value
  const entries = lines.map((line, index): Entry => {
    const { input, effects } = JSON.parse(line) as { input: Value; effects: readonly Value[] }
    return { n: Number(first) + index, at: Number(input['atMs']), input, effects }
  })
  return {
    isGateway: String(flowdouble).startsWith('gateway'),
    options: options as Value,
    first: Number(first),
    entries: withBodies(entries, Number(first)),
  }
}

/** Puts large bodies back where a line refers to an earlier one. */
function withBodies(entries: readonly Entry[], first: number): readonly Entry[] {
  const bodyOf = (effect: Value): unknown => {
    const { sameAs } = objectOf(effect['body'])
    const earlier = typeof sameAs === 'number' ? entries[sameAs - first] : undefined
    const isLarge = (one: Value): boolean =>
      typeof one['body'] === 'string' && one['body'].length > 100
    return earlier?.effects.find(isLarge)?.['body'] ?? effect['body']
  }
  return entries.map((entry) => {
    if (!entry.effects.some((one) => 'sameAs' in objectOf(one['body']))) return entry
    return { ...entry, effects: entry.effects.map((one) => ({ ...one, body: bodyOf(one) })) }
  })
}

/** The entries since the last reset, restore or fork: the time of the world can begin again there. */
export function sinceStart(entries: readonly Entry[]): readonly Entry[] {
  const start = entries.findLastIndex(
    ({ input }) => input['kind'] === 'world' && input['do'] !== 'snapshot',
  )
  return entries.slice(start + 1)
}

/** A value as an object; an empty one for anything else. */
export const objectOf = (value: unknown): Value =>
  typeof value === 'object' && value !== null ? (value as Value) : {}

/** JSON text as a value; the text itself if it is not JSON. */
export function valueOf(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
