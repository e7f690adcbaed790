// Judges the traffic of a case by all laws, whatever the case itself looks at.

import type { Recording } from '../../dist/emulator/internal.js'
import { type Generation, holdsIn } from '../../spec/generations.ts'
import { rules } from '../../spec/index.ts'
import type { Rule } from '../../spec/language.ts'
import type { RuleId } from '../../spec/rules.ts'
import { brokenBy } from '../../spec/truth/broken-by.ts'
import type { QuirkId } from '../../spec/truth/quirks.ts'
import { RECORDED_HOST } from '../judge/connection/recorder.ts'
import { traceAt } from './build.ts'
import { laws } from './index.ts'
import { judged } from './law.ts'

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

/** What a case has sent and received, and the laws that it breaks on purpose. */
type Traffic = {
  readonly recording: () => Recording
  readonly broken: ReadonlySet<RuleId>
}

/**
 * The laws that the traffic of a case breaks, of those that hold at its place and in a generation.
 * @param quirks those that the server shows on purpose.
 */
export function* brokenLaws(
  { recording, broken: onPurpose }: Traffic,
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
    if (!law.on.includes(place) || law.rules.some((id) => broken.has(id))) continue
    if (!law.rules.every((id) => holdsIn(generation, rules[id] as Rule))) continue
    const [first] = judged(law, trace).findings
    if (first !== undefined) yield new BrokenLaw(law.rules, first.says)
  }
}

/** Throws the first law that the traffic of a case breaks. */
export function judgeTraffic(...traffic: Parameters<typeof brokenLaws>): void {
  for (const error of brokenLaws(...traffic)) throw error
}
