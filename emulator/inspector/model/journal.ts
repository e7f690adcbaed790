// Reads the journal of a machine as its control API returns it: lines of JSON, the options first, then each input with its
// effects.

import { membersOf, type Members } from '../../lib/loose.ts'

/** An input with its effects, in the order in which they left. */
export type Entry = {
  /** Its number in the journal. */
  readonly n: number
  /** The time of the world, in milliseconds since its start. */
  readonly at: number
  readonly input: Members
  readonly effects: readonly Members[]
}

export type Journal = {
  readonly isGateway: boolean
  readonly options: Members
  /** The number of the first entry from which on none is missing, and of the one that comes next. */
  readonly first: number
  readonly next: number
  /** What the server knows of the entries before, if it no longer has them all. */
  readonly earlier: Earlier | null
  readonly entries: readonly Entry[]
}

/** The number of requests and of runs since the start, and the places of runs among them. */
export type Earlier = {
  readonly requests: number
  readonly runs: number
  readonly places: Readonly<Record<string, number>>
  /** The number of the first entry that is not counted. */
  readonly next: number
}

export function readJournal(text: string): Journal {
  const [head = '{}', ...lines] = text.trimEnd().split('\n')
  const { flowdouble, first = 0, options = {}, earlier = null } = JSON.parse(head) as Members
  const entries = lines.map((line, index): Entry => {
    const { input, effects } = JSON.parse(line) as { input: Members; effects: readonly Members[] }
    return { n: Number(first) + index, at: Number(input['atMs']), input, effects }
  })
  const next = Number(first) + entries.length
  const kept = (membersOf(earlier)['entries'] ?? []) as readonly Omit<Entry, 'at'>[]
  return {
    isGateway: String(flowdouble).startsWith('gateway'),
    options: options as Members,
    first: Number(first),
    next,
    earlier: earlier === null ? null : ({ ...membersOf(earlier), next } as Earlier),
    entries: [
      ...kept.map(({ n, input, effects }) => ({ n, at: Number(input['atMs']), input, effects })),
      ...withBodies(entries, Number(first)),
    ],
  }
}

/** A journal with the news that follow it; entries can be missing between them. */
export function joined(known: Journal, news: Journal): Journal {
  const last = known.entries.at(-1)?.n ?? -1
  const isWhole = news.first <= known.next
  return {
    ...news,
    first: isWhole ? known.first : news.first,
    earlier: news.earlier ?? known.earlier,
    entries: [...known.entries, ...news.entries.filter(({ n }) => n > last)],
  }
}

/** Puts large bodies back where a line refers to an earlier one. */
function withBodies(entries: readonly Entry[], first: number): readonly Entry[] {
  const bodyOf = (effect: Members): unknown => {
    const { sameAs } = membersOf(effect['body'])
    const earlier = typeof sameAs === 'number' ? entries[sameAs - first] : undefined
    const isLarge = (one: Members): boolean =>
      typeof one['body'] === 'string' && one['body'].length > 100
    return earlier?.effects.find(isLarge)?.['body'] ?? effect['body']
  }
  return entries.map((entry) => {
    if (!entry.effects.some((one) => 'sameAs' in membersOf(one['body']))) return entry
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
