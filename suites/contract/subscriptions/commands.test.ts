// What the commands of subscriptions print, and how they end.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { subscriptionList } from '../../../spec/gateway/subscriptions.ts'
import {
  atDesk,
  enabled,
  runCommand,
  subscriptionsName,
  switchedAtDesk,
} from '../../support/command-line.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const fitsList = new Ajv2020({ strict: true }).compile(subscriptionList)

proves(
  'subscriptions/url',
  atDesk(async (desk) => {
    const urlWith = async (config: string, ...argv: string[]): Promise<string> => {
      desk.write('config.yaml', config)
      return (await desk.run('webhook', 'add', 'ci', '--json', ...argv)).json().webhook_url
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
    expect((await desk.run('webhook', 'list', '--json')).json()[0].webhook_url).toBe(
      'https://hooks.example/in/webhooks/ci',
    )
    expect((await desk.run('webhook', 'add', 'ci', '--webhook-base-url', 'ftp://x')).code).toBe(2)
  }),
)

proves(
  'subscriptions/list',
  atDesk(async (desk) => {
    expect((await desk.run('webhook', 'list')).stdout).toContain('no webhook subscriptions')
    expect((await desk.run('webhook', 'list', '--json')).json()).toEqual([])
    await desk.run('webhook', 'add', 'a', '--secret', 'secret-a', '--events', 'push,ping')
    await desk.run('webhook', 'add', 'b', '--deliver', 'slack', '--deliver-only')
    const routes = desk.routes()
    desk.write(subscriptionsName, JSON.stringify({ ...routes, c: { prompt: 'by hand' } }))
    const { code, stdout } = await desk.run('webhook', 'ls')
    expect(code).toBe(0)
    for (const text of ['secret-a', routes.b.secret, 'secret-global', 'push, ping', '(all)'])
      expect(stdout).toContain(text)
    const listed = await desk.run('webhook', 'list', '--json')
    expect(fitsList(listed.json())).toBe(true)
    expect(listed.json()).toMatchObject([
      { name: 'a', secret: 'secret-a', events: ['push', 'ping'], deliver_only: false },
      { name: 'b', secret: routes.b.secret, deliver: 'slack', deliver_only: true },
      // Without a secret of its own a route has the global one.
      { name: 'c', secret: 'secret-global', prompt: 'by hand', deliver: 'log' },
    ])
  }, enabled('secret: secret-global')),
)

proves(
  'subscriptions/list-without-secrets',
  atDesk(async (desk) => {
    await desk.run('webhook', 'add', 'a', '--secret', 'secret-a')
    for (const argv of [[], ['--json']]) {
      const { code, stdout } = await desk.run('webhook', 'list', '--no-secrets', ...argv)
      expect([code, stdout]).toEqual([0, expect.stringContaining('/webhooks/a')])
      expect(stdout).not.toMatch(/secret/i)
    }
  }),
)

switchedAtDesk('webhooks.list-hides-secrets', async (desk) => {
  await desk.run('webhook', 'add', 'a', '--secret', 'secret-a')
  const { code, stdout } = await desk.run(
    'webhook',
    'list',
    '--quirk',
    'webhooks.list-hides-secrets',
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining('/webhooks/a')])
  expect(stdout).not.toMatch(/secret/i)
})

// The commands have the quirks of a known gateway, but for those that are taken out.
proves(
  'webhooks/like',
  atDesk(async (desk) => {
    await desk.run('webhook', 'add', 'a', '--secret', 'secret-a')
    const list = async (...flags: readonly string[]) =>
      (await desk.run('webhook', 'list', '--like', 'hermes-2026.07', ...flags)).stdout
    expect(await list()).not.toContain('secret-a')
    expect(await list('--no-quirk', 'webhooks.list-hides-secrets')).toContain('secret-a')
    const { code, stderr } = await desk.run('webhook', 'list', '--like', 'hermes-2026.70')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean hermes-2026.07?')])
  }),
)

proves(
  'subscriptions/unknown-name',
  atDesk(async (desk) => {
    for (const command of ['remove', 'rm', 'test']) {
      const { code, stderr } = await desk.run('webhook', command, 'nobody')
      expect([code, stderr]).toEqual([1, expect.stringContaining('Unknown subscription "nobody"')])
    }
    expect(desk.has(subscriptionsName)).toBe(false)
  }),
)

proves(
  'subscriptions/unenabled',
  atDesk(async (desk) => {
    const commands = [['subscribe', 'a'], ['list'], ['remove', 'a'], ['test', 'a']]
    for (const config of [
      null,
      enabled().replace('true', 'false'),
      'platforms: {webhook: null}\n',
    ]) {
      if (config !== null) desk.write('config.yaml', config)
      for (const [command = '', ...argv] of commands) {
        const { code, stdout, stderr } = await desk.run('webhook', command, ...argv)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr).toMatch(
          /not enabled[\s\S]*gateway setup[\s\S]*enabled: true[\s\S]*WEBHOOK_ENABLED/,
        )
        const told = await desk.run('webhook', command, ...argv, '--json')
        expect(told.json()).toEqual({ error: expect.stringContaining('not enabled') })
      }
    }
    expect(desk.has(subscriptionsName)).toBe(false)
  }, null),
)

proves(
  'subscriptions/exit-codes',
  atDesk(async (desk) => {
    expect((await desk.run('webhook', 'subscribe', 'ci')).code).toBe(0)
    expect((await desk.run('webhook', 'remove', 'other')).code).toBe(1)
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
      const { code, stderr } = await desk.run(...argv)
      expect([argv, code, stderr]).toEqual([argv, 2, expect.stringContaining('--help')])
    }
    for (const group of ['webhook', 'gateway']) {
      expect((await runCommand({}, [group])).code).toBe(2)
      const help = await runCommand({}, [group, '--help'])
      expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Exit codes')])
    }
  }),
)
