// Registers a case for one or more rules: its title is made of them, and it gets a subject of its own.

import type { EmulatorOptions } from 'flowdouble'
import { test } from 'vitest'
import type { Rule } from '../spec/language.ts'
import { type RuleId, rules } from '../spec/index.ts'
import { isForeign, startSubject, type Subject } from './subject.ts'

/**
 * A case that proves rules: it has to fail on a server that breaks them.
 * @param options of the world that it needs; a foreign server cannot have them, and the case is skipped there.
 */
export function proves(
  ruleIds: RuleId | readonly RuleId[],
  body: (subject: Subject) => Promise<void>,
  options: EmulatorOptions = {},
): void {
  const ids: readonly RuleId[] = typeof ruleIds === 'string' ? [ruleIds] : ruleIds
  const title = ids.map((id) => `${id} [local] ${(rules[id] as Rule).says}`).join(' + ')
  test.skipIf(isForeign && Object.keys(options).length > 0)(title, async () => {
    const subject = await startSubject(options)
    try {
      await body(subject)
    } finally {
      await subject.close()
    }
  })
}
