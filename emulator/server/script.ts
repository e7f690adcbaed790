// Changes the script of a server while it runs: loads rules and faults, adds or removes one fault.

import type { Fault } from '../../spec/scenario/faults.ts'
import type { ScriptChange } from '../../spec/scenario/scenario.ts'
import type { ScriptState } from './state/scenario.ts'

export function changeScript(script: ScriptState, change: ScriptChange): void {
  if ('add' in change) addFault(script, change.add)
  else if ('remove' in change)
    script.faults = script.faults.filter(({ id }) => id !== change.remove)
  else {
    const { runs, nodes, faults } = change.load
    Object.assign(script, { runs, nodes, faults: [] })
    for (const fault of faults) addFault(script, fault)
  }
}

/** A fault replaces an earlier one with its id; without an id it gets a number. */
function addFault(script: ScriptState, fault: Fault): void {
  script.lastFault++
  const id = fault.id ?? `fault ${script.lastFault}`
  const others = script.faults.filter((one) => one.id !== id)
  script.faults = [...others, { id, fault, matched: 0, applied: 0 }]
}
