// The wrong servers as commands play them, bundled separately: no command loads them without --mutant.

import type { Deployment, Place, Rule } from '../../spec/language.ts'
import { rules } from '../../spec/rules.ts'
import { guarded } from './guarded.ts'
import { mutants } from './index.ts'
import type { Mutant } from './tamper.ts'

/** What makes a server or a gateway wrong. A tampering that breaks down leaves its effects as they are. */
function faultOf(mutant: Mutant) {
  if ('gateway' in mutant) {
    const { tamper, options } = mutant.gateway
    return { gateway: { options, tamper: tamper && (() => guarded(tamper())) } }
  }
  const { tamper, options } = mutant
  return {
    server: { options, tamper: tamper && ((place: Deployment) => guarded(tamper(place))) },
  }
}

export const served = mutants.map(([name, mutant]) => {
  const breaks = mutant.breaks.map((id) => ({ id, says: rules[id].says }))
  const on = mutant.breaks.flatMap((id): readonly Place[] => (rules[id] as Rule).on)
  return Object.assign({ name, on: [...new Set(on)], breaks }, faultOf(mutant))
})
