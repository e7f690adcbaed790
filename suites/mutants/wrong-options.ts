// What makes the world of a case wrong.

import type { Place } from '../../spec/language.ts'
import type { CaseOptions } from '../judge/proves.ts'
import { guarded, type TamperRecord } from './guarded.ts'
import { isGateway, type Mutant } from './tamper.ts'

/** The options with which a case at a place starts a mutant; `record` notes what its tampering does. */
export function wrongOptions(mutant: Mutant, place: Place, record: TamperRecord): CaseOptions {
  if (isGateway(mutant)) {
    const { tamper, options = {} } = mutant
    return { gateway: tamper ? { ...options, tamper: guarded(tamper(), record) } : options }
  }
  const { tamper, options = {} } = mutant
  if (tamper === undefined || place === 'gateway') return { server: options }
  return { server: { ...options, tamper: guarded(tamper(place), record) } }
}
