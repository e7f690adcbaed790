// Judges the traffic of a case by all laws, whatever the case itself looks at.

import type { Generation } from '../../spec/generations.ts'
import type { RuleId } from '../../spec/rules.ts'
import { brokenBy } from '../../spec/truth/broken-by.ts'
import type { QuirkId } from '../../spec/truth/quirks.ts'
import { traceAt } from '../../dist/emulator/session/index.js'
import { laws } from './index.ts'
import { holdsAt, judged } from './law.ts'
import { RECORDED_HOST, type Traffic } from './recorder.ts'

/** Thrown when the traffic of a case breaks a law. */
export class BrokenLaw extends Error {
  override readonly name = 'AssertionError'
  /** The rules of the law. */
  readonly ids: readonly RuleId[]
  constructor(ids: readonly RuleId[], says: string) {
    super(`The law ${ids.join(' + ')} is broken: ${says}`)
    this.ids = ids
  }
}

/** Areas whose cases make a world break rules on purpose: by faults, scenarios and what happens to worlds from outside. */
const breaking = /^(?:control|faults|inspector|scenario)\//

/** Whether the laws judge the traffic of a case about these rules. */
export const isLawful = (ids: readonly string[]): boolean => !ids.some((id) => breaking.test(id))

/**
 * The laws that the traffic of a case breaks, of those that hold at its place and in a generation.
 * @param quirks those that the server shows on purpose.
 */
export function* brokenLaws(
  { recording, broken: onPurpose }: Pick<Traffic, 'recording' | 'broken'>,
  generation: Generation,
  quirks: readonly string[] = [],
): Iterable<BrokenLaw> {
  const taken = recording()
  const place = taken.info?.place
  if (place === undefined) return
  const trace = traceAt(taken, 'case', { place, host: RECORDED_HOST })
  const broken = new Set([
    ...onPurpose,
    ...quirks.flatMap((quirk) => brokenBy[quirk as QuirkId] ?? []),
  ])
  for (const law of laws) {
    if (!holdsAt(law, place, generation) || law.rules.some((id) => broken.has(id))) continue
    const [first] = judged(law, trace).findings
    if (first !== undefined) yield new BrokenLaw(law.rules, first.says)
  }
}

/** Throws the first law that the traffic of a case breaks. */
export function judgeTraffic(...traffic: Parameters<typeof brokenLaws>): void {
  for (const error of brokenLaws(...traffic)) throw error
}
