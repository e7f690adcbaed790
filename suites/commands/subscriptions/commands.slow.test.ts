// The output and the exit codes of the commands for subscriptions, and the secrets that they take.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { subscriptionList } from '../../../spec/gateway/subscriptions.ts'
import {
  provesCli,
  enabled,
  runCommand,
  subscriptionsName,
  provesCliQuirk,
  expectEnd,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

const fitsList = new Ajv2020({ strict: true }).compile(subscriptionList)

provesCli('subscriptions/url', async (cli) => {
  const urlWith = async (config: string, ...argv: string[]): Promise<string> => {
    cli.write('config.yaml', config)
    return (await cli.run('webhook', 'add', 'ci', '--json', ...argv)).json().webhook_url
  }
  expect(await urlWith(enabled('port: 9000', 'host: 10.0.0.7'))).toBe(
    'http://10.0.0.7:9000/webhooks/ci',
  )
  expect(await urlWith(enabled('host: 0.0.0.0'))).toBe('http://localhost:8644/webhooks/ci')
  expect(await urlWith(enabled("host: '::'"))).toBe('http://localhost:8644/webhooks/ci')
  expect(await urlWith(enabled("host: '::1'"))).toBe('http://[::1]:8644/webhooks/ci')
  const tunnel = enabled('base_url: https://hooks.example/in/')
  expect(await urlWith(tunnel)).toBe('https://hooks.example/in/webhooks/ci')
  expect(await urlWith(tunnel, '--webhook-base-url', 'http://other.example')).toBe(
    'http://other.example/webhooks/ci',
  )
  expect((await cli.run('webhook', 'list', '--json')).json()[0].webhook_url).toBe(
    'https://hooks.example/in/webhooks/ci',
  )
  expect((await cli.run('webhook', 'add', 'ci', '--webhook-base-url', 'ftp://x')).code).toBe(2)
})

provesCli(
  'subscriptions/list',
  async (cli) => {
    expect((await cli.run('webhook', 'list')).stdout).toContain('no webhook subscriptions')
    expect((await cli.run('webhook', 'list', '--json')).json()).toEqual([])
    await cli.run('webhook', 'add', 'a', '--secret', 'secret-a', '--events', 'push,ping')
    await cli.run('webhook', 'add', 'b', '--deliver', 'slack', '--deliver-only')
    const routes = cli.routes()
    cli.write(subscriptionsName, JSON.stringify({ ...routes, c: { prompt: 'by hand' } }))
    const { code, stdout } = await cli.run('webhook', 'ls')
    expect(code).toBe(0)
    for (const text of ['secret-a', routes.b.secret, 'secret-global', 'push, ping', '(all)'])
      expect(stdout).toContain(text)
    const listed = await cli.run('webhook', 'list', '--json')
    expect(fitsList(listed.json())).toBe(true)
    expect(listed.json()).toMatchObject([
      { name: 'a', secret: 'secret-a', events: ['push', 'ping'], deliver_only: false },
      { name: 'b', secret: routes.b.secret, deliver: 'slack', deliver_only: true },
      // Without a secret in its entry a route uses the global one.
      { name: 'c', secret: 'secret-global', prompt: 'by hand', deliver: 'log' },
    ])
  },
  enabled('secret: secret-global'),
)

provesCli('subscriptions/list-without-secrets', async (cli) => {
  await cli.run('webhook', 'add', 'a', '--secret', 'secret-a')
  for (const argv of [[], ['--json']]) {
    expectEnd(await cli.run('webhook', 'list', '--no-secrets', ...argv), {
      code: 0,
      stdout: /\/webhooks\/a/,
      hides: /secret/i,
    })
  }
})

provesCliQuirk('webhooks.list-hides-secrets', async (cli) => {
  cli.write('config.yaml', enabled('routes: {fixed: {secret: secret-of-fixed}}'))
  await cli.run('webhook', 'add', 'a', '--secret', 'secret-a')
  expectEnd(await cli.run('webhook', 'list', '--quirk', 'webhooks.list-hides-secrets'), {
    code: 0,
    stdout: /\/webhooks\/a/,
    hides: /secret|fixed/i,
  })
})

// The commands have the quirks of a known gateway, except those that are turned off.
provesCli('webhooks/like', async (cli) => {
  await cli.run('webhook', 'add', 'a', '--secret', 'secret-a')
  const list = async (...flags: readonly string[]) =>
    (await cli.run('webhook', 'list', '--like', 'hermes-2026.07', ...flags)).stdout
  expect(await list()).not.toContain('secret-a')
  expect(await list('--no-quirk', 'webhooks.list-hides-secrets')).toContain('secret-a')
  expectEnd(await cli.run('webhook', 'list', '--like', 'hermes-2026.70'), {
    code: 2,
    stderr: /Did you mean hermes-2026\.07\?/,
  })
})

provesCli('subscriptions/unknown-name', async (cli) => {
  for (const command of ['remove', 'rm', 'test']) {
    expectEnd(await cli.run('webhook', command, 'nobody'), {
      code: 1,
      stderr: /Unknown subscription "nobody"/,
    })
  }
  expect(cli.has(subscriptionsName)).toBe(false)
})

provesCli(
  'subscriptions/unenabled',
  async (cli) => {
    const commands = [['subscribe', 'a'], ['list'], ['remove', 'a'], ['test', 'a']]
    for (const config of [
      null,
      enabled().replace('true', 'false'),
      'platforms: {webhook: null}\n',
    ]) {
      if (config !== null) cli.write('config.yaml', config)
      for (const [command = '', ...argv] of commands) {
        const says = /not enabled[\s\S]*gateway setup[\s\S]*enabled: true[\s\S]*WEBHOOK_ENABLED/
        const ended = await cli.run('webhook', command, ...argv)
        expectEnd(ended, { code: 1, stdout: '', stderr: says })
        const result = await cli.run('webhook', command, ...argv, '--json')
        expect(result.json()).toEqual({ error: expect.stringContaining('not enabled') })
      }
    }
    expect(cli.has(subscriptionsName)).toBe(false)
  },
  null,
)

provesCli('subscriptions/exit-codes', async (cli) => {
  expect((await cli.run('webhook', 'subscribe', 'ci')).code).toBe(0)
  expect((await cli.run('webhook', 'remove', 'other')).code).toBe(1)
  const wrong = [
    ['webhook', 'subscribe'],
    ['webhook', 'subscribe', 'a', 'b'],
    ['webhook', 'subscribe', 'a', '--colour', 'red'],
    ['webhook', 'subscribe', 'a', '--prompt'],
    ['webhook', 'list', 'a'],
    ['webhook', 'remove'],
    ['webhook', 'test', 'ci', '--as', 'nobody'],
    ['webhook', 'rename', 'a'],
    ['webhook', 'list', '--quirk', 'queue.poison-kills-worker'],
    ['gateway', 'run', '--port', '70000'],
    ['gateway', 'stop'],
    ['gateway', 'setup', '--enable', '--disable', '--yes'],
  ]
  for (const argv of wrong) {
    expectEnd(await cli.run(...argv), { code: 2, stderr: /--help/ })
  }
  for (const group of ['webhook', 'gateway']) {
    expect((await runCommand({}, [group])).code).toBe(2)
    const help = await runCommand({}, [group, '--help'])
    expect({ code: help.code, stdout: help.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('Exit codes'),
    })
  }
})

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
