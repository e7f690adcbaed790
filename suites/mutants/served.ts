// The wrong servers as commands play them, bundled separately: no command loads them without --mutant.

import type { Deployment, Rule } from '../../spec/language.ts'
import { rules } from '../../spec/rules.ts'
import { serverOfGeneration } from '../../spec/truth/servers.ts'
import { guarded } from './guarded.ts'
import { mutants } from './index.ts'
import { isGateway, type Mutant, placesOf } from './tamper.ts'

/** The options of a server that is of the first generation in which the rules hold, unless that is the usual one. */
function likeOf(broken: readonly Rule[]): { readonly like?: string } {
  const since = broken.flatMap((rule) => rule.since ?? [])[0]
  const like = since === undefined ? undefined : serverOfGeneration(since)
  return like === undefined ? {} : { like }
}

/** What makes a server or a gateway wrong. A tampering that breaks down leaves its effects as they are. */
function faultOf(mutant: Mutant, broken: readonly Rule[]) {
  if (isGateway(mutant)) {
    const { tamper, options } = mutant
    return { gateway: { options, tamper: tamper && (() => guarded(tamper())) } }
  }
  const { tamper, options } = mutant
  return {
    server: {
      options: { ...likeOf(broken), ...options },
      tamper: tamper && ((place: Deployment) => guarded(tamper(place))),
    },
  }
}

export const served = mutants.map(([name, mutant]) => {
  const broken = mutant.breaks.map((id): Rule => rules[id])
  const breaks = mutant.breaks.map((id) => ({ id, says: rules[id].says }))
  return Object.assign({ name, on: placesOf(mutant), breaks }, faultOf(mutant, broken))
})
