// Changes the script of a server while it runs: loads rules and faults, adds or removes one fault.

import type { Fault } from '../../spec/scenario/faults.ts'
import type { ScriptChange } from '../../spec/scenario/scenario.ts'
import { setTimer, type Timers } from '../lib/timers.ts'
import type { TimerTarget } from './state/runs.ts'
import type { ScriptState } from './state/scenario.ts'

export function changeScript(
  script: ScriptState,
  timers: Timers<TimerTarget>,
  change: ScriptChange,
): void {
  if ('add' in change) addFault(script, timers, change.add)
  else if ('remove' in change)
    script.faults = script.faults.filter(({ id }) => id !== change.remove)
  else {
    const { runs, nodes, faults } = change.load
    Object.assign(script, { runs, nodes, faults: [] })
    for (const fault of faults) addFault(script, timers, fault)
  }
}

/** A fault replaces an earlier one with its id; without an id it gets a number. One with a time gets a timer. */
function addFault(script: ScriptState, timers: Timers<TimerTarget>, fault: Fault): void {
  const serial = ++script.lastFault
  const id = fault.id ?? `fault ${serial}`
  const others = script.faults.filter((one) => one.id !== id)
  script.faults = [...others, { id, serial, fault, matched: 0, applied: 0 }]
  const { atMs } = fault.when
  if (atMs !== undefined) setTimer(timers, atMs, { kind: 'time', serial })
}
