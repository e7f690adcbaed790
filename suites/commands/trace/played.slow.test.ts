// Sessions that `check` plays on worlds keep every law, and what breaks one on a world with a quirk names that quirk.

import { test } from 'vitest'
import { type Recording, writeHar } from '../../../dist/emulator/internal.js'
import { both, type Deployment } from '../../../spec/language.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import { recordOf } from '../../check/sessions/counterexample.ts'
import { sessionOf } from '../../check/sessions/generate.ts'
import { play } from '../../check/sessions/play.ts'
import { expect } from '../../judge/expect.ts'
import { startSubject } from '../../judge/subject.ts'
import { newFiles } from '../../support/files.ts'

/** The session of a seed, as it was played on a world. */
async function played(
  deployment: Deployment,
  seed: number,
  quirk: readonly QuirkId[] = [],
): Promise<Recording> {
  const subject = await startSubject({ deployment, quirk })
  try {
    return recordOf(seed, await play(subject, sessionOf(seed), 'salt')).recording
  } finally {
    // A quirk can break the schemas that the subject looks at.
    await subject.close().catch(() => undefined)
  }
}

test.each(both)('trace/played Two clients on %s keep all laws, whatever they do.', async (on) => {
  const { write, check } = newFiles()
  const files = ['a.har', 'b.har', 'c.har']
  for (const [at, name] of files.entries()) write(name, writeHar(await played(on, at + 1)))
  const { code, cases } = await check('--trace', ...files, '--json')
  const failed = cases().flatMap(({ failure }) => failure?.message ?? [])
  expect({ code, failed }).toEqual({ code: 0, failed: [] })
})

test.each([
  ['history.completed-on-error', 'local'],
  ['hosted.executing-null', 'hosted'],
  ['hosted.history-as-map', 'hosted'],
] as const)('trace/quirk %s on %s is named, and accepted.', async (quirk, on) => {
  const { write, check } = newFiles()
  write('a.har', writeHar(await played(on, 1, [quirk])))
  const { cases } = await check('--trace', 'a.har', '--json')
  const failures = cases().filter(({ failure }) => failure !== undefined)
  expect(new Set(failures.map((one) => one.quirk))).toEqual(new Set([quirk]))
  expect((await check('--trace', 'a.har', '--accept', quirk)).code).toBe(0)
})
