// The secret of a subscription: generated, or given by an option, a file or standard input.

import { enabled, subscriptionsName, provesCli, expectEnd } from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

provesCli(
  'subscriptions/secret-generated',
  async (cli) => {
    const secrets = new Set<string>()
    for (let at = 0; at < 20; at++) {
      const { secret } = (await cli.run('webhook', 'subscribe', `r${at}`, '--json')).json()
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
      secrets.add(secret)
    }
    expect(secrets.size).toBe(20)
  },
  enabled("secret: 'the global one'"),
)

provesCli('subscriptions/secret-given', async (cli) => {
  const subscribe = (...argv: string[]) => cli.run('webhook', 'subscribe', ...argv, '--json')
  expect((await subscribe('a', '--secret', 'It is a secret')).json().secret).toBe('It is a secret')
  cli.write('key', 'from a file\n')
  expect((await subscribe('b', '--secret-file', cli.path('key'))).json().secret).toBe('from a file')
  const piped = { stdin: 'from a pipe\r\n', isTerminal: true }
  const read = await cli.runIn(piped, 'webhook', 'subscribe', 'c', '--secret', '-', '--json')
  expect([read.json().secret, read.stderr]).toEqual(['from a pipe', ''])
  // On a terminal the command warns of a secret in the process list, and does not repeat it.
  const typed = { isTerminal: true }
  const warned = await cli.runIn(typed, 'webhook', 'subscribe', 'd', '--secret', 'typed-one')
  expect(warned.code).toBe(0)
  expect(warned.stderr).toMatch(/--secret - or --secret-file/)
  expect(warned.stderr).not.toContain('typed-one')
  const missing = await subscribe('e', '--secret-file', cli.path('no-such-file'))
  const two = await subscribe('e', '--secret-file', cli.path('key'), '--secret', 'hidden-one')
  expect([missing.code, two.code]).toEqual([2, 2])
  expect(two.stderr).not.toContain('hidden-one')
  expect(Object.keys(cli.routes())).toEqual(['a', 'b', 'c', 'd'])
})

provesCli('subscriptions/secret-refused', async (cli) => {
  cli.write('empty', '\n')
  const refused = [
    ['--secret', ''],
    ['--secret', 'INSECURE_NO_AUTH'],
    ['--secret', 'two\nlines'],
    ['--secret-file', cli.path('empty')],
    ['--secret', '-'],
  ]
  for (const argv of refused) {
    expectEnd(await cli.run('webhook', 'subscribe', 'ci', ...argv), { code: 1, stdout: '' })
  }
  expect(cli.has(subscriptionsName)).toBe(false)
})
