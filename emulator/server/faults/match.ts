// Finds the faults that apply: counts their matches, draws their probabilities, and joins those that apply together.

import type { FaultThen, FaultWhen, Watched } from '../../../spec/scenario/faults.ts'
import { next32 } from '../../lib/random.ts'
import type { Effect } from '../../machine.ts'
import type { Hit } from '../state/faults.ts'
import type { ActiveFault, ScriptState } from '../state/scenario.ts'

/** What a fault watches. The reader of scenarios rejects faults that watch several things. */
function watched(when: FaultWhen): Watched {
  if (when.socket !== undefined) return 'handshakes'
  if (when.message !== undefined) return 'messages'
  return when.atMs === undefined ? 'requests' : 'time'
}

/** Counts a match of each fault that watches this and whose `when` matches; returns those that apply to it. */
export function findDue(
  script: ScriptState,
  what: Watched,
  matches: (when: FaultWhen) => boolean,
): readonly ActiveFault[] {
  return script.faults.filter((active) => {
    const { when } = active.fault
    if (watched(when) !== what || !matches(when)) return false
    active.matched++
    return isDue(script, active)
  })
}

/** Whether a fault applies to the match that was just counted [faults/nth]. */
function isDue({ random }: ScriptState, { fault, matched, applied }: ActiveFault): boolean {
  const { nth, probability } = fault.when
  if (nth !== undefined && !(Array.isArray(nth) ? nth.includes(matched) : nth === matched))
    return false
  if (fault.times !== undefined && applied >= fault.times) return false
  return probability === undefined || next32(random) / 2 ** 32 < probability
}

/** What faults do together: the first one decides, and the first one with a delay delays it [faults/first]. */
export function joined(due: readonly ActiveFault[]): Hit | undefined {
  const deciding = due.find(({ fault }) => doesMore(fault.then))
  const delaying = due.find(({ fault }) => fault.then.delayMs !== undefined)
  const faults = due.filter((active) => active === deciding || active === delaying)
  if (faults.length === 0) return undefined
  return { faults, then: deciding?.fault.then ?? {}, delayMs: delaying?.fault.then.delayMs ?? 0 }
}

/** Whether a fault does more than delay. */
const doesMore = (then: FaultThen): boolean => Object.keys(then).some((name) => name !== 'delayMs')

/** Counts and reports the faults that apply. */
export function report(effects: Effect[], faults: Iterable<ActiveFault>): void {
  for (const active of new Set(faults)) {
    active.applied++
    effects.push({ kind: 'fault', id: active.id })
  }
}
