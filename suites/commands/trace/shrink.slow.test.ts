// `shrink` reduces a recording to what still shows a broken rule, or makes a command fail.

import { test } from 'vitest'
import { readHar, shrinkCommand, writeHar } from '../../../dist/emulator/internal.js'
import { breaking, shrinkRecording, sizeOf } from '../../check/trace/shrink.ts'
import { expect } from '../../judge/expect.ts'
import { breaks } from './breaks.ts'
import { type Output, refusals, titled } from '../../support/in-process.ts'
import { newFiles } from '../../support/files.ts'
import { dropped, reply } from './edit.ts'
import { goodSession } from './sessions.ts'

test('trace/shrink-all What breaks a law is reduced to a part that still breaks it.', async () => {
  for (const { law, on, edit } of breaks) {
    const recording = edit(await goodSession(on[0] ?? 'local'))
    const [rule = ''] = law.split(' ')
    const shows = breaking(recording, rule)
    const smallest = shows && (await shrinkRecording(recording, shows))
    expect([law, smallest !== undefined && (await shows?.(smallest))]).toEqual([law, true])
    const { exchanges, sockets } = sizeOf(smallest ?? recording)
    expect([law, exchanges <= 3, sockets <= 2]).toEqual([law, true, true])
  }
})

test('trace/shrink-rule The command writes the part that breaks a rule.', async () => {
  const { write, read, run } = newFiles()
  write('a.har', writeHar(dropped('executing')(await goodSession('local'))))
  const { code, stdout } = await run(shrinkCommand, 'a.har', '--rule', 'messages/order')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^a\.small\.har has [01] of \d+ exchanges, 1 of 3 sockets and \d+ of \d+/)
  const { sockets } = readHar(read('a.small.har'), 'a')
  expect(sockets[0]?.messages.length).toBeLessThan(10)
})

test('trace/shrink-command A command decides by its exit code.', async () => {
  const { write, read, run } = newFiles()
  const broken = reply('GET /queue', (body) => ({ ...body, odd: 'needle' }))
  write('a.har', writeHar(broken(await goodSession('gateway').then(() => goodSession('local')))))
  const { code } = await run(
    shrinkCommand,
    'a.har',
    '--command',
    '! grep -q needle "$1"',
    '--out',
    'b.har',
  )
  expect(code).toBe(0)
  expect(sizeOf(readHar(read('b.har'), 'b'))).toEqual({ exchanges: 1, sockets: 0, messages: 0 })
})

/** Shrinks a recording that keeps the rules of a gateway. */
async function shrinkGood(...argv: readonly string[]): Promise<Output> {
  const { write, run } = newFiles()
  write('a.har', writeHar(await goodSession('gateway')))
  return run(shrinkCommand, 'a.har', ...argv)
}

const wrong: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
  [['--rule', 'webhooks/duplicate'], /a\.har does not break webhooks\/duplicate\./],
  [['--rule', 'webhooks/odd'], /matches no law/],
  [[], /shrink needs --rule or --command\./],
  [['--command', 'true'], /The command ends with 0/],
]
refusals(shrinkGood, titled('trace/shrink-refused', wrong))
