// Registers a case for one or more rules: its title is made of them, and it gets a subject of its own.

import type { EmulatorOptions } from 'flowdouble'
import { test } from 'vitest'
import type { Rule } from '../spec/language.ts'
import { quirks, type RuleId, rules } from '../spec/index.ts'
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

/** A case for the behaviour that a quirk switches on; `options` are further ones of its world. */
export function switched(
  id: keyof typeof quirks,
  body: (subject: Subject) => Promise<void>,
  options: EmulatorOptions = {},
): void {
  test.skipIf(isForeign)(`quirks/${id} [local] ${quirks[id].quirk}`, async () => {
    const subject = await startSubject({ ...options, quirk: [id, ...(options.quirk ?? [])] })
    try {
      await body(subject)
    } finally {
      await subject.close()
    }
  })
}
