// The quirks that explain what has changed: those whose rules one of the two servers keeps, and the other breaks.

import { quirks } from '../../../../spec/index.ts'
import type { Quirks } from '../../../../spec/language.ts'
import { quirksBehind, quirksOf } from '../../shown-quirks.ts'
import { judgeTraces } from '../judge-traces.ts'
import { laws } from '../../../laws/index.ts'
import type { Trace } from '../../../../dist/emulator/session/index.js'

/** A quirk, and whether the operator accepts it. */
export type Explanation = {
  readonly quirk: string
  readonly says: string
  readonly isAccepted: boolean
}

type Accepted = { readonly accept: readonly string[]; readonly like?: string }

const brokenIn = (trace: Trace | undefined): ReadonlySet<string> =>
  new Set(
    judgeTraces(trace === undefined ? [] : [trace], laws)
      .filter(({ found }) => found.length > 0)
      .flatMap(({ ids }) => ids),
  )

const areaOf = (id: string): string => id.split('/')[0] ?? ''

/** Areas that say the same of runs in several places. */
const aboutRuns: ReadonlySet<string> = new Set(['runs', 'messages', 'history', 'jobs', 'frames'])

/** Explains a change by the rules of what has changed. */
export function explainerOf(
  then: Trace,
  now: Trace | undefined,
  { accept, like }: Accepted,
): (rules: readonly string[]) => Explanation | undefined {
  const [before, after] = [brokenIn(then), brokenIn(now)]
  const changed = [...before, ...after].filter((id) => before.has(id) !== after.has(id))
  const accepted = new Set([...accept, ...(like === undefined ? [] : quirksOf(like))])
  return (rules) => {
    const areas = new Set(rules.map(areaOf))
    const isNear = (id: string): boolean =>
      rules.includes(id) ||
      areas.has(areaOf(id)) ||
      (aboutRuns.has(areaOf(id)) && [...areas].some((area) => aboutRuns.has(area)))
    const found = quirksBehind(changed.filter(isNear), then.place, [])
    const quirk = found.find((id) => accepted.has(id)) ?? found[0]
    if (quirk === undefined) return undefined
    const says = (quirks as Quirks)[quirk as keyof Quirks]?.quirk ?? quirk
    return { quirk, says, isAccepted: accepted.has(quirk) }
  }
}
