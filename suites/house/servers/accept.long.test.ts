// Each quirk, judged by an operator who accepts it: what it breaks is a note that names it, and nothing fails.

import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { rules } from '../../../spec/index.ts'
import type { Deployment, Place, Rule } from '../../../spec/language.ts'
import { brokenBy } from '../../../spec/truth/broken-by.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import { quirks } from '../../../spec/truth/quirks.ts'
import type { CheckEvent } from '../../check/events.ts'
import { expect } from '../../judge/expect.ts'
import { start } from '../../support/spawned.ts'

const accounts = [
  { user: 'one', keys: ['test-key'] },
  { user: 'two', keys: ['other-key'] },
  { user: 'three', keys: ['free-key'], tier: 'free' },
] as const
const keys = ['--key', 'test-key', '--second-key', 'other-key', '--free-key', 'free-key']

const holdsOn = (place: Place, id: keyof typeof rules): boolean =>
  (rules[id] as Rule).on.includes(place)

/** It shows in a run that costs money. */
const unseen: ReadonlySet<QuirkId> = new Set(['hosted.partner-key-is-api-key'])

/** Each quirk of a server that breaks rules, with a deployment that has it. */
const pairs = Object.entries(brokenBy).flatMap(([id, ids]) =>
  (['local', 'hosted'] as const)
    .filter((one) => (quirks[id as QuirkId].on as readonly Place[]).includes(one))
    .map((one) => [id as QuirkId, one, ids.filter((rule) => holdsOn(one, rule))] as const),
)

/** What a check of a server with a quirk says about some rules. */
async function checked(quirk: QuirkId, deployment: Deployment, ids: readonly string[]) {
  const own = deployment === 'hosted' ? { accounts } : { manager: true }
  const { url, close } = await startEmulator({ port: 0, deployment, quirk: [quirk], ...own })
  const flags = ['--allow', 'all', '--accept', quirk, ...(deployment === 'hosted' ? keys : [])]
  const selected = ids.flatMap((id) => ['--only', id])
  try {
    const { stdout } = await start('check', url, '--json', ...flags, ...selected).ends
    const events = stdout.split('\n').filter(Boolean)
    return events.map((line) => JSON.parse(line) as CheckEvent)
  } finally {
    await close()
  }
}

test.each(pairs)('%s [%s] is accepted by name', async (quirk, deployment, ids) => {
  const events = await checked(quirk, deployment, ids)
  const cases = events.flatMap((one) => (one.event === 'case' ? [one] : []))
  const named = cases.filter((one) => one.quirk === quirk)
  expect(cases.filter(({ verdict }) => verdict === 'fail' || verdict === 'fault')).toEqual([])
  expect(named.length > 0).toBe(!unseen.has(quirk))
})
