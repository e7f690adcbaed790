// Loads what names the rules behind replies, which most servers do not need.

import type * as ruleHeaders from '../../journal/rule-headers.ts'

export type RuleHeaders = typeof ruleHeaders

/** What adds the rules to replies; null unless the option `explain` is on. */
export const loadRuleHeaders = async (explain: boolean): Promise<RuleHeaders | null> =>
  explain ? import('../../journal/rule-headers.ts') : null
