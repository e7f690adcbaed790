// Reduces a recording to the few exchanges and messages that still show something: whole runs are left out first, then sockets
// and exchanges, then messages.

import type { Recording } from '../../../dist/emulator/internal.js'
import {
  type Trace,
  type TracedExchange,
  type TracedSocket,
  traceOf,
} from '../../../dist/emulator/session/index.js'
import type { Place } from '../../../spec/language.ts'
import type { Finding, Law, Spot } from '../../laws/law.ts'
import { laws } from '../../laws/index.ts'

/** Whether a smaller recording still shows it. */
export type Shows = (recording: Recording) => boolean | Promise<boolean>

/**
 * The fewest of some items that are found, by leaving out parts: halves first, then smaller ones.
 * @param suffices whether some of them still do.
 */
export async function fewest<T>(
  items: readonly T[],
  suffices: (kept: readonly T[]) => boolean | Promise<boolean>,
): Promise<readonly T[]> {
  let kept = items
  let parts = 1
  while (kept.length > 0) {
    const size = Math.ceil(kept.length / parts)
    let isSmaller = false
    for (let from = 0; from < kept.length; from += size) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (!(await suffices(without))) continue
      kept = without
      isSmaller = true
      // The next part has moved to this place.
      from -= size
    }
    if (size === 1 && !isSmaller) return kept
    parts = size === 1 ? kept.length : Math.min(kept.length, parts * 2)
  }
  return kept
}

type Message = Recording['sockets'][number]['messages'][number]

/** The exchanges and messages that are about one run alone. */
type Unit = ReadonlySet<object>

/** What is about each run, and nothing else. */
function runUnits(recording: Recording): readonly Unit[] {
  const trace = traceOf(recording, '')
  return (trace?.runs ?? []).map(({ submit, received, entries, jobs }) => {
    const listed = [...entries, ...jobs]
      .map(({ exchange }) => exchange)
      .filter(({ parts }) => parts.length > 0)
    const messages = received.flatMap(({ socket, items }) =>
      items.flatMap(({ index }) => socket.recorded.messages[index] ?? []),
    )
    return new Set<object>([
      ...(submit === undefined ? [] : [submit.recorded]),
      ...listed.map(({ recorded }) => recorded),
      ...messages,
    ])
  })
}

/** A recording without some of its exchanges and messages. */
function without(recording: Recording, left: ReadonlySet<object>): Recording {
  return {
    ...recording,
    exchanges: recording.exchanges.filter((one) => !left.has(one)),
    sockets: recording.sockets.map((socket) =>
      socket.messages.some((one) => left.has(one))
        ? { ...socket, messages: socket.messages.filter((one) => !left.has(one)) }
        : socket,
    ),
  }
}

async function fewestRuns(recording: Recording, shows: Shows): Promise<Recording> {
  const units = runUnits(recording)
  const withRuns = (kept: readonly Unit[]): Recording => {
    const own = new Set(kept)
    return without(recording, new Set(units.flatMap((unit) => (own.has(unit) ? [] : [...unit]))))
  }
  return withRuns(await fewest(units, (kept) => shows(withRuns(kept))))
}

async function fewestSockets(recording: Recording, shows: Shows): Promise<Recording> {
  const sockets = await fewest(recording.sockets, (kept) => shows({ ...recording, sockets: kept }))
  return { ...recording, sockets }
}

async function fewestExchanges(recording: Recording, shows: Shows): Promise<Recording> {
  const exchanges = await fewest(recording.exchanges, (kept) =>
    shows({ ...recording, exchanges: kept }),
  )
  return { ...recording, exchanges }
}

async function fewestMessages(recording: Recording, shows: Shows): Promise<Recording> {
  let smaller = recording
  for (const index of recording.sockets.keys()) {
    const withMessages = (messages: readonly Message[]): Recording => ({
      ...smaller,
      sockets: smaller.sockets.map((one, at) => (at === index ? { ...one, messages } : one)),
    })
    const own = smaller.sockets[index]?.messages ?? []
    smaller = withMessages(await fewest(own, (kept) => shows(withMessages(kept))))
  }
  return smaller
}

/** How many exchanges, sockets and messages a recording has. */
export const sizeOf = ({ exchanges, sockets }: Recording) => ({
  exchanges: exchanges.length,
  sockets: sockets.length,
  messages: sockets.reduce((sum, { messages }) => sum + messages.length, 0),
})

const totalOf = (recording: Recording): number =>
  Object.values(sizeOf(recording)).reduce((sum, one) => sum + one, 0)

/** The smallest recording that was found. The whole one must show it. */
export async function shrinkRecording(recording: Recording, shows: Shows): Promise<Recording> {
  let best = recording
  for (;;) {
    const before = totalOf(best)
    best = await fewestRuns(best, shows)
    best = await fewestSockets(best, shows)
    best = await fewestExchanges(best, shows)
    best = await fewestMessages(best, shows)
    if (totalOf(best) === before) return best
  }
}

/** What a finding is about, as the recording holds it: leaving others out keeps it. */
function subjectOf(at: Spot): unknown {
  if ('exchange' in at) return (at as { exchange: TracedExchange }).exchange.recorded
  if (!('socket' in at)) return undefined
  const { socket, item } = at as Extract<Spot, { readonly socket: TracedSocket }>
  return item === undefined ? socket.recorded.url : socket.recorded.messages[item.index]
}

/** A reason without what changes when others are left out: positions and counts. */
const reasonOf = ({ says }: Finding): string => says.replaceAll(/\d+/g, '#')

type Broken = { readonly law: Law; readonly finding: Finding }

function brokenIn(trace: Trace | undefined, own: readonly Law[]): readonly Broken[] {
  if (trace === undefined) return []
  return own
    .filter(({ on }) => on.includes(trace.place))
    .flatMap((law) => law.judge(trace).findings.map((finding) => ({ law, finding })))
}

/** The laws that name a rule. */
export const lawsOf = (rule: string): readonly Law[] =>
  laws.filter(({ rules }) => rules.some((id) => id === rule))

/**
 * Whether a part of a recording still breaks a rule as the whole does: at the same exchange or message, for the same reason.
 * Undefined if the whole does not break it.
 */
export function breaking(recording: Recording, rule: string): Shows | undefined {
  const whole = traceOf(recording, '')
  const [first] = brokenIn(whole, lawsOf(rule))
  if (whole === undefined || first === undefined) return undefined
  const { place }: { place: Place } = whole
  const [subject, reason] = [subjectOf(first.finding.at), reasonOf(first.finding)]
  return (part) =>
    brokenIn(traceOf(part, '', place), [first.law]).some(
      ({ finding }) => subjectOf(finding.at) === subject && reasonOf(finding) === reason,
    )
}
