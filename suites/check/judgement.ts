// The verdict on a broken rule: it depends on where the rule comes from, and on what this server is known to do otherwise.

import { quirks, rules } from '../../spec/index.ts'
import type { Rule } from '../../spec/language.ts'
import type { Case } from '../judge/proves.ts'
import type { RuleInfo, Verdict } from './events.ts'

/** The rules of a case, as reports name them. */
export const ruleInfosOf = ({ ids }: Case): readonly RuleInfo[] =>
  ids.map((id) => {
    const rule = (rules as Readonly<Record<string, Rule>>)[id]
    if (rule !== undefined) return { id, says: rule.says, basis: rule.basis }
    const quirk = quirks[id.replace('quirks/', '') as keyof typeof quirks]
    return { id, says: quirk.quirk, basis: 'observed' }
  })

/** The verdict on a case that an error has ended. */
export function judgementOf(one: Case, error: unknown): { readonly verdict: Verdict } {
  if (error instanceof ReferenceError) return { verdict: 'fault' }
  const isChosen = ruleInfosOf(one).every(({ basis }) => basis === 'chosen')
  return { verdict: isChosen ? 'note' : 'fail' }
}
