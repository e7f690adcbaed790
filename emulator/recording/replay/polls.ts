// Which of the recorded answers to a poll holds now. Moments of runs, and requests that are not GETs, divide the recording:
// an answer holds between the same two moments as then, or after the same moments in another order.

import type { Moment, Script } from './script.ts'
import { exchangeAt, type Instance, momentMs, type ReplayWorld } from './state.ts'

/** The position of the last moment that has come, of one run or of all; -1 before the first. */
function lastMoment(world: ReplayWorld, run: Instance | null): number {
  const { script, state } = world
  let last = -1
  let lastMs = -Infinity
  for (const at of positionsFor(script, run)) {
    const dueMs = momentMs(world, script.moments[at] as Moment, run)
    if (dueMs === undefined || dueMs > state.nowMs || dueMs < lastMs) continue
    // Of those at the same time, the last of the recording.
    last = dueMs === lastMs ? Math.max(last, at) : at
    lastMs = dueMs
  }
  return last
}

/**
 * The moments that change the answers to polls of a run, or of all. A request that submits no run concerns any: it can
 * delete their entries. What only replies show has no exact time; but the end of a run changes what is said about it.
 */
function positionsFor(
  { moments, momentsOf, exchanges }: Script,
  run: Instance | null,
): readonly number[] {
  if (run === null) return momentsOf.all
  const own = momentsOf.runs.get(exchanges[run.exchange]?.run ?? '') ?? []
  const isExact = (at: number): boolean => !(moments[at]?.isLate && moments[at].state === 'started')
  return [...momentsOf.others, ...own.filter(isExact)]
}

/** The position of the last moment before a recorded response, of these; -1 before the first. */
function momentBefore(
  { momentsBefore }: Script,
  exchange: number,
  positions: readonly number[],
): number {
  const end = momentsBefore[exchange] ?? 0
  let last = -1
  for (const at of positions) if (at < end && at > last) last = at
  return last
}

/**
 * The recorded answers from after exactly the moments that have come, in whatever order: a run can be over before a request
 * that was faster then. Not if runs were submitted more often than then: what has come may be of an earlier one.
 */
function afterSame(
  { script, state }: ReplayWorld,
  group: readonly number[],
  positions: readonly number[],
  hasCome: (at: number) => boolean,
): readonly number[] {
  if (state.runs.size > script.submits.size) return []
  const come = new Set(positions.filter(hasCome))
  return group.filter((one) => {
    const end = script.momentsBefore[one] ?? 0
    return positions.every((at) => at < end === come.has(at))
  })
}

/**
 * The recorded answer to a poll that holds now: of those from between the same moments, the first, until the time of the
 * next has come. Undefined if the recording has none from there.
 */
export function pollAnswer(
  world: ReplayWorld,
  key: string,
  group: readonly number[],
  run: Instance | null,
): number | undefined {
  const { script, state } = world
  const positions = positionsFor(script, run)
  const latest = lastMoment(world, run)
  const inOrder = group.filter((one) => momentBefore(script, one, positions) === latest)
  const hasCome = (at: number): boolean =>
    (momentMs(world, script.moments[at] as Moment, run) ?? Infinity) <= state.nowMs
  const all = inOrder.length > 0 ? inOrder : afterSame(world, group, positions, hasCome)
  const last = all[0] === undefined ? latest : momentBefore(script, all[0], positions)
  // An entry that exists does not vanish: an answer without it was still on its way.
  const filled = all.filter((one) => exchangeAt(script, one).response.body.length > 2)
  const from = run !== null && filled.length > 0 ? filled : all
  const moment = script.moments[last]
  if (moment === undefined) {
    const uses = state.uses.get(key) ?? 0
    state.uses.set(key, uses + 1)
    return from[Math.min(uses, from.length - 1)]
  }
  const momentAtMs = momentMs(world, moment, run) as number
  const sinceMs = state.nowMs - momentAtMs + Math.floor(moment.offsetMs)
  const { startMs } = exchangeAt(script, moment.exchange)
  const passed = from.filter(
    (one) => Math.floor(exchangeAt(script, one).endMs - startMs) <= sinceMs,
  )
  return passed.at(-1) ?? from.slice(0, 1).find((one) => run !== null || !isLate(script, last, one))
}

/** Whether a reply shows a state that came between a moment and that reply: it does not hold from the moment on. */
const isLate = ({ moments, momentsBefore }: Script, moment: number, exchange: number): boolean =>
  moments.slice(moment + 1, momentsBefore[exchange]).some((one) => one.isLate)

/** The last recorded answer from before the last moment that has come, else the first of all. */
export function earlierAnswer(world: ReplayWorld, group: readonly number[]): number {
  const { script } = world
  const last = lastMoment(world, null)
  const positions = positionsFor(script, null)
  const passed = group.filter((one) => momentBefore(script, one, positions) <= last)
  return passed.at(-1) ?? (group[0] as number)
}
