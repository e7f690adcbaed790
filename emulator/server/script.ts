// Changes the script of a server while it runs: loads its parts, adds or removes one fault.

import type { Fault } from '../../spec/scenario/faults.ts'
import type { ScriptChange } from '../../spec/scenario/scenario.ts'
import { setTimer } from '../lib/timers.ts'
import type { ScriptState } from './state/scenario.ts'
import type { ServerState } from './state/server.ts'

type Scripted = Pick<ServerState, 'script' | 'timers' | 'nowMs'>

export function changeScript(state: Scripted, change: ScriptChange): void {
  const { script } = state
  if ('add' in change) addFault(state, change.add)
  else if ('remove' in change)
    script.faults = script.faults.filter(({ id }) => id !== change.remove)
  else {
    const { runs, nodes, faults, answers = [], messages = [], models = [] } = change.load
    if (change.load.modelTypes !== undefined) script.modelTypes = change.load.modelTypes
    script.models = models.map((rule) => ({ rule, matched: 0 }))
    script.answers = answers.map((answer) => ({ answer, applied: 0 }))
    Object.assign(script, { runs, nodes, messages, faults: [] })
    for (const fault of faults) addFault(state, fault)
  }
}

/**
 * A fault replaces an earlier one with its id; without an id it gets a number that no other has. One with a time gets a
 * timer, unless that time is over.
 */
function addFault({ script, timers, nowMs }: Scripted, fault: Fault): void {
  const serial = ++script.lastFault
  const id = fault.id ?? freeId(script, serial)
  const others = script.faults.filter((one) => one.id !== id)
  script.faults = [...others, { id, serial, fault, matched: 0, applied: 0 }]
  const { atMs } = fault.when
  if (atMs === undefined) return
  const dueMs = script.startedMs + atMs
  if (dueMs >= nowMs) setTimer(timers, dueMs, { kind: 'time', serial })
}

function freeId({ faults }: ScriptState, from: number): string {
  let number = from
  while (faults.some(({ id }) => id === `fault ${number}`)) number++
  return `fault ${number}`
}
