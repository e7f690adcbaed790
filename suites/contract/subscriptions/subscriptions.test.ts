// Commands that manage subscriptions: what they write, what they print, what they refuse.

import { targets } from '../../../spec/gateway/deliveries.ts'
import { configDirectory, subscribed, writtenMembers } from '../../../spec/gateway/subscriptions.ts'
import { join } from 'node:path'
import {
  atDesk,
  deskAt,
  enabled,
  runCommand,
  subscriptionsName,
  switchedAtDesk,
} from '../../support/command-line.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'subscriptions/file',
  atDesk(async (desk) => {
    const { secret } = (await desk.run('webhook', 'subscribe', 'ci', '--json')).json()
    expect(desk.routes()).toEqual({ ci: expect.objectContaining({ secret }) })
    expect(Object.keys(desk.routes().ci)).toEqual(writtenMembers.slice(0, 7))
    // Another directory has other subscriptions, also where the variable names it.
    const other = deskAt(join(desk.dir, 'deeper', 'down'))
    const env = { WEBHOOK_ENABLED: '1', [configDirectory.variable]: other.dir }
    expect((await runCommand({ env }, ['webhook', 'subscribe', 'elsewhere'])).code).toBe(0)
    expect(Object.keys(other.routes())).toEqual(['elsewhere'])
    const home = { env: { WEBHOOK_ENABLED: '1', HOME: desk.dir } }
    expect((await runCommand(home, ['webhook', 'subscribe', 'at-home'])).code).toBe(0)
    const atHome = deskAt(join(desk.dir, configDirectory.folder))
    expect(Object.keys(atHome.routes())).toEqual(['at-home'])
    expect(Object.keys(desk.routes())).toEqual(['ci'])
  }),
)

proves(
  'subscriptions/unknown-members',
  atDesk(async (desk) => {
    desk.write(
      subscriptionsName,
      '{"version": {"of": 7}, "9": {"secret": "s9", "filters": [1.0, 12345678901234567890]}, "1": {"secret": "s1", "note": {"a": null}, "prompt": "old"}}',
    )
    expect((await desk.run('webhook', 'subscribe', 'new')).code).toBe(0)
    expect((await desk.run('webhook', 'subscribe', '1', '--prompt', 'p')).code).toBe(0)
    expect((await desk.run('webhook', 'remove', 'new')).code).toBe(0)
    const text = desk.read(subscriptionsName)
    // The order of integer-like names and the spelling of numbers stay, too.
    expect(text.replace(/\s+/g, '')).toMatch(
      /^\{"version":\{"of":7\},"9":\{"secret":"s9","filters":\[1\.0,12345678901234567890\]\},"1":\{.*"note":\{"a":null\}\}\}$/,
    )
    expect(desk.routes()['1']).toMatchObject({ secret: 's1', prompt: 'p', note: { a: null } })
  }),
)

proves(
  'subscriptions/subscribe',
  atDesk(async (desk) => {
    const argv = ['--prompt', 'Push to {repo}', '--events', 'push, Merge Request Hook']
    const more = ['--description', 'About CI', '--skills', 'review', '--deliver', 'discord']
    const last = ['--deliver-chat-id', '42', '--deliver-only', '--secret', 'abc']
    const { code } = await desk.run('webhook', 'subscribe', 'ci', ...argv, ...more, ...last)
    expect(code).toBe(0)
    const { ci } = desk.routes()
    expect(ci).toEqual({
      description: 'About CI',
      events: ['push', 'Merge Request Hook'],
      secret: 'abc',
      prompt: 'Push to {repo}',
      skills: ['review'],
      deliver: 'discord',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      deliver_only: true,
      deliver_extra: { chat_id: '42' },
    })
    expect(Math.abs(Date.parse(ci.created_at) - Date.now())).toBeLessThan(60_000)
    expect((await desk.run('webhook', 'add', 'other')).code).toBe(0)
    expect(Object.keys(desk.routes())).toEqual(['ci', 'other'])
  }),
)

proves(
  'subscriptions/subscribe-prints',
  atDesk(async (desk) => {
    const { stdout, stderr } = await desk.run('webhook', 'subscribe', 'ci', '--events', 'push')
    const { secret } = desk.routes().ci
    expect(stdout).toContain('http://127.0.0.1:8644/webhooks/ci\n')
    expect(stdout).toContain(secret)
    expect(stderr).toBe('')
    const again = await desk.run('webhook', 'subscribe', 'ci', '--json')
    expect(violations(subscribed, again.json())).toEqual([])
    const webhook_url = 'http://127.0.0.1:8644/webhooks/ci'
    expect(again.stdout).toBe(`${JSON.stringify({ name: 'ci', webhook_url, secret })}\n`)
  }),
)

proves(
  'subscriptions/names',
  atDesk(async (desk) => {
    expect((await desk.run('webhook', 'subscribe', '  My Hook_2 ', '--json')).json().name).toBe(
      'my-hook_2',
    )
    for (const name of ['', 'a.b', 'a/b', 'é', '-a', '_a', 'a\u0000']) {
      const { code, stderr } = await desk.run('webhook', 'subscribe', '--', name)
      expect([name, code, stderr]).toEqual([
        name,
        1,
        expect.stringContaining('not a valid route name'),
      ])
    }
    expect(Object.keys(desk.routes())).toEqual(['my-hook_2'])
    expect((await desk.run('webhook', 'remove', 'MY hook_2')).code).toBe(0)
    expect(desk.routes()).toEqual({})
  }),
)

proves(
  'subscriptions/lists',
  atDesk(async (desk) => {
    await desk.run('webhook', 'add', 'ci', '--events', ' a,, b ,', '--skills', ',')
    expect(desk.routes().ci).toMatchObject({ events: ['a', 'b'], skills: [] })
    desk.write(
      subscriptionsName,
      '{"ci": {"secret": "s", "events": "x, y,", "skills": [" z ", ""]}}',
    )
    const [ci] = (await desk.run('webhook', 'list', '--json')).json()
    expect(ci).toMatchObject({ events: ['x', 'y'], skills: ['z'] })
  }),
)

proves(
  'subscriptions/defaults',
  atDesk(async (desk) => {
    await desk.run('webhook', 'subscribe', 'ci', '--deliver', '')
    expect(desk.routes().ci).toMatchObject({
      description: 'Agent-created subscription: ci',
      events: [],
      prompt: '',
      skills: [],
      deliver: 'log',
    })
    expect(desk.routes().ci).not.toHaveProperty('deliver_only')
    expect(desk.routes().ci).not.toHaveProperty('deliver_extra')
  }),
)

proves(
  'subscriptions/secret-generated',
  atDesk(async (desk) => {
    const secrets = new Set<string>()
    for (let at = 0; at < 20; at++) {
      const { secret } = (await desk.run('webhook', 'subscribe', `r${at}`, '--json')).json()
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
      secrets.add(secret)
    }
    expect(secrets.size).toBe(20)
  }, enabled("secret: 'the global one'")),
)

proves(
  'subscriptions/secret-given',
  atDesk(async (desk) => {
    const subscribe = (...argv: string[]) => desk.run('webhook', 'subscribe', ...argv, '--json')
    expect((await subscribe('a', '--secret', 'It is a secret')).json().secret).toBe(
      'It is a secret',
    )
    desk.write('key', 'from a file\n')
    expect((await subscribe('b', '--secret-file', desk.path('key'))).json().secret).toBe(
      'from a file',
    )
    const piped = { stdin: 'from a pipe\r\n', isTerminal: true }
    const read = await desk.runIn(piped, 'webhook', 'subscribe', 'c', '--secret', '-', '--json')
    expect([read.json().secret, read.stderr]).toEqual(['from a pipe', ''])
    // On a terminal the value in the list of processes is worth a warning, which does not repeat it.
    const typed = { isTerminal: true }
    const warned = await desk.runIn(typed, 'webhook', 'subscribe', 'd', '--secret', 'typed-one')
    expect(warned.code).toBe(0)
    expect(warned.stderr).toMatch(/--secret - or --secret-file/)
    expect(warned.stderr).not.toContain('typed-one')
    const missing = await subscribe('e', '--secret-file', desk.path('no-such-file'))
    const two = await subscribe('e', '--secret-file', desk.path('key'), '--secret', 'hidden-one')
    expect([missing.code, two.code]).toEqual([2, 2])
    expect(two.stderr).not.toContain('hidden-one')
    expect(Object.keys(desk.routes())).toEqual(['a', 'b', 'c', 'd'])
  }),
)

proves(
  'subscriptions/secret-refused',
  atDesk(async (desk) => {
    desk.write('empty', '\n')
    const refused = [
      ['--secret', ''],
      ['--secret', 'INSECURE_NO_AUTH'],
      ['--secret', 'two\nlines'],
      ['--secret-file', desk.path('empty')],
      ['--secret', '-'],
    ]
    for (const argv of refused) {
      const { code, stdout } = await desk.run('webhook', 'subscribe', 'ci', ...argv)
      expect([argv, code, stdout]).toEqual([argv, 1, ''])
    }
    expect(desk.has(subscriptionsName)).toBe(false)
  }),
)

proves(
  'subscriptions/real-target',
  atDesk(async (desk) => {
    for (const argv of [[], ['--deliver', 'log'], ['--deliver', '']]) {
      const { code, stderr } = await desk.run('webhook', 'add', 'ci', '--deliver-only', ...argv)
      expect([code, stderr]).toEqual([1, expect.stringContaining('telegram')])
    }
    expect(desk.has(subscriptionsName)).toBe(false)
    for (const target of targets.filter((one) => one !== 'log')) {
      const { code } = await desk.run(
        'webhook',
        'add',
        target,
        '--deliver-only',
        '--deliver',
        target,
      )
      expect([target, code]).toEqual([target, 0])
    }
  }),
)

proves(
  'subscriptions/known-target',
  atDesk(async (desk) => {
    for (const target of ['telegramm', 'Telegram', 'telegram:1', ' log']) {
      const { code, stderr } = await desk.run('webhook', 'add', 'ci', '--deliver', target)
      expect(code).toBe(1)
      for (const known of targets) expect(stderr).toContain(known)
    }
    expect(desk.has(subscriptionsName)).toBe(false)
  }),
)

proves(
  'subscriptions/origin',
  atDesk(async (desk) => {
    const argv = ['--deliver', 'origin', '--origin', 'matrix:!room:example.org']
    expect((await desk.run('webhook', 'subscribe', 'ci', ...argv, '--deliver-only')).code).toBe(0)
    expect(desk.routes().ci).toMatchObject({
      deliver: 'origin',
      origin: { platform: 'matrix', chat_id: '!room:example.org' },
    })
    for (const place of ['matrix', 'matrix:', 'nowhere:1', ':1']) {
      expect((await desk.run('webhook', 'subscribe', 'x', '--origin', place)).code).toBe(2)
    }
    // Without it the place is not kept: only secret and time are.
    await desk.run('webhook', 'subscribe', 'ci', '--deliver', 'origin')
    expect(desk.routes().ci).not.toHaveProperty('origin')
  }),
)

const aged = (desk: Parameters<Parameters<typeof atDesk>[0]>[0]): void => {
  const routes = desk.routes()
  routes.ci.created_at = '2020-01-02T03:04:05Z'
  desk.write(subscriptionsName, JSON.stringify(routes))
}

proves(
  'subscriptions/update',
  atDesk(async (desk) => {
    const options = ['--prompt', 'p', '--events', 'e', '--skills', 's', '--description', 'd']
    const target = ['--deliver', 'slack', '--deliver-only', '--deliver-chat-id', '1']
    await desk.run('webhook', 'add', 'ci', ...options, ...target)
    aged(desk)
    const routes = desk.routes()
    desk.write(subscriptionsName, JSON.stringify({ ci: { ...routes.ci, enabled: false } }))
    const update = await desk.run('webhook', 'add', 'ci')
    expect(update.stdout).toContain('Updated')
    const kept = { secret: routes.ci.secret, created_at: '2020-01-02T03:04:05Z' }
    expect(desk.routes().ci).toEqual({
      description: 'Agent-created subscription: ci',
      events: [],
      prompt: '',
      skills: [],
      deliver: 'log',
      ...kept,
    })
    await desk.run('webhook', 'add', 'ci', '--secret', 'mine')
    expect(desk.routes().ci).toMatchObject({ secret: 'mine', created_at: kept.created_at })
    await desk.run('webhook', 'add', 'ci', '--new-secret')
    expect(desk.routes().ci.secret).toMatch(/^[\w-]{43}$/)
    expect(desk.routes().ci).toMatchObject({ created_at: kept.created_at })
    expect((await desk.run('webhook', 'add', 'ci', '--new-secret', '--secret', 'x')).code).toBe(2)
    // A secret that validates nothing is not worth keeping.
    desk.write(subscriptionsName, '{"ci": {"secret": ""}}')
    await desk.run('webhook', 'add', 'ci')
    expect(desk.routes().ci.secret).toMatch(/^[\w-]{43}$/)
  }),
)

switchedAtDesk('webhooks.update-rotates-secret', async (desk) => {
  await desk.run('webhook', 'add', 'ci', '--secret', 'first')
  aged(desk)
  await desk.run('webhook', 'add', 'ci', '--quirk', 'webhooks.update-rotates-secret')
  expect(desk.routes().ci.secret).toMatch(/^[\w-]{43}$/)
  expect(desk.routes().ci.created_at).not.toBe('2020-01-02T03:04:05Z')
})

const withStatic = enabled("routes: { ci: { secret: 'static-secret' } }")

proves(
  'subscriptions/shadowed',
  atDesk(async (desk) => {
    const { code, stderr } = await desk.run('webhook', 'subscribe', 'CI')
    expect([code, stderr]).toEqual([1, expect.stringContaining('static route "ci"')])
    expect(stderr).not.toContain('static-secret')
    expect(desk.has(subscriptionsName)).toBe(false)
    expect((await desk.run('webhook', 'subscribe', 'ci2')).code).toBe(0)
  }, withStatic),
)

switchedAtDesk(
  'webhooks.subscribe-shadowed',
  async (desk) => {
    const quirk = ['--quirk', 'webhooks.subscribe-shadowed']
    const { code, stdout } = await desk.run('webhook', 'subscribe', 'ci', ...quirk)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Created')])
    expect(Object.keys(desk.routes())).toEqual(['ci'])
    expect((await desk.run('webhook', 'list')).stdout).toContain('a static route has the same name')
  },
  withStatic,
)
