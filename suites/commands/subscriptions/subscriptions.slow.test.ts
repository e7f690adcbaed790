// Commands that manage subscriptions: what they write, print and reject.

import { targets } from '../../../spec/gateway/deliveries.ts'
import { configDirectory, subscribed, writtenMembers } from '../../../spec/gateway/subscriptions.ts'
import { join } from 'node:path'
import {
  type CommandLine,
  provesCli,
  commandLineAt,
  enabled,
  runCommand,
  subscriptionsName,
  provesCliQuirk,
  expectEnd,
} from '../../support/command-line.ts'
import { violations } from '../../judge/judge.ts'
import { expect } from '../../judge/expect.ts'

provesCli('subscriptions/file', async (cli) => {
  const { secret } = (await cli.run('webhook', 'subscribe', 'ci', '--json')).json()
  expect(cli.routes()).toEqual({ ci: expect.objectContaining({ secret }) })
  expect(Object.keys(cli.routes().ci)).toEqual(writtenMembers.slice(0, 7))
  // Another directory has other subscriptions, also if the variable names it.
  const other = commandLineAt(join(cli.dir, 'deeper', 'down'))
  const env = { WEBHOOK_ENABLED: '1', [configDirectory.variable]: other.dir }
  expect((await runCommand({ env }, ['webhook', 'subscribe', 'elsewhere'])).code).toBe(0)
  expect(Object.keys(other.routes())).toEqual(['elsewhere'])
  const home = { env: { WEBHOOK_ENABLED: '1', HOME: cli.dir } }
  expect((await runCommand(home, ['webhook', 'subscribe', 'at-home'])).code).toBe(0)
  const atHome = commandLineAt(join(cli.dir, configDirectory.folder))
  expect(Object.keys(atHome.routes())).toEqual(['at-home'])
  expect(Object.keys(cli.routes())).toEqual(['ci'])
})

provesCli('subscriptions/unknown-members', async (cli) => {
  cli.write(
    subscriptionsName,
    '{"version": {"of": 7}, "9": {"secret": "s9", "filters": [1.0, 12345678901234567890]}, "1": {"secret": "s1", "note": {"a": null}, "prompt": "old"}}',
  )
  expect((await cli.run('webhook', 'subscribe', 'new')).code).toBe(0)
  expect((await cli.run('webhook', 'subscribe', '1', '--prompt', 'p')).code).toBe(0)
  expect((await cli.run('webhook', 'remove', 'new')).code).toBe(0)
  const text = cli.read(subscriptionsName)
  // The order of integer-like names and the spelling of numbers are preserved.
  expect(text.replace(/\s+/g, '')).toMatch(
    /^\{"version":\{"of":7\},"9":\{"secret":"s9","filters":\[1\.0,12345678901234567890\]\},"1":\{.*"note":\{"a":null\}\}\}$/,
  )
  expect(cli.routes()['1']).toMatchObject({ secret: 's1', prompt: 'p', note: { a: null } })
})

provesCli('subscriptions/subscribe', async (cli) => {
  const argv = ['--prompt', 'Push to {repo}', '--events', 'push, Merge Request Hook']
  const more = ['--description', 'About CI', '--skills', 'review', '--deliver', 'discord']
  const last = ['--deliver-chat-id', '42', '--deliver-only', '--secret', 'abc']
  const { code } = await cli.run('webhook', 'subscribe', 'ci', ...argv, ...more, ...last)
  expect(code).toBe(0)
  const { ci } = cli.routes()
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
  expect((await cli.run('webhook', 'add', 'other')).code).toBe(0)
  expect(Object.keys(cli.routes())).toEqual(['ci', 'other'])
})

provesCli('subscriptions/subscribe-prints', async (cli) => {
  const { stdout, stderr } = await cli.run('webhook', 'subscribe', 'ci', '--events', 'push')
  const { secret } = cli.routes().ci
  expect(stdout).toContain('http://127.0.0.1:8644/webhooks/ci\n')
  expect(stdout).toContain(secret)
  expect(stderr).toBe('')
  const again = await cli.run('webhook', 'subscribe', 'ci', '--json')
  expect(violations(subscribed, again.json())).toEqual([])
  const webhook_url = 'http://127.0.0.1:8644/webhooks/ci'
  expect(again.stdout).toBe(`${JSON.stringify({ name: 'ci', webhook_url, secret })}\n`)
})

provesCli('subscriptions/names', async (cli) => {
  expect((await cli.run('webhook', 'subscribe', '  My Hook_2 ', '--json')).json().name).toBe(
    'my-hook_2',
  )
  for (const name of ['', 'a.b', 'a/b', 'é', '-a', '_a', 'a\u0000']) {
    expectEnd(await cli.run('webhook', 'subscribe', '--', name), {
      code: 1,
      stderr: /valid route name/,
    })
  }
  expect(Object.keys(cli.routes())).toEqual(['my-hook_2'])
  expect((await cli.run('webhook', 'remove', 'MY hook_2')).code).toBe(0)
  expect(cli.routes()).toEqual({})
})

provesCli('subscriptions/lists', async (cli) => {
  await cli.run('webhook', 'add', 'ci', '--events', ' a,, b ,', '--skills', ',')
  expect(cli.routes().ci).toMatchObject({ events: ['a', 'b'], skills: [] })
  cli.write(subscriptionsName, '{"ci": {"secret": "s", "events": "x, y,", "skills": [" z ", ""]}}')
  const [ci] = (await cli.run('webhook', 'list', '--json')).json()
  expect(ci).toMatchObject({ events: ['x', 'y'], skills: ['z'] })
})

provesCli('subscriptions/defaults', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--deliver', '')
  expect(cli.routes().ci).toMatchObject({
    description: 'Agent-created subscription: ci',
    events: [],
    prompt: '',
    skills: [],
    deliver: 'log',
  })
  expect(cli.routes().ci).not.toHaveProperty('deliver_only')
  expect(cli.routes().ci).not.toHaveProperty('deliver_extra')
})

provesCli('subscriptions/real-target', async (cli) => {
  for (const argv of [[], ['--deliver', 'log'], ['--deliver', '']]) {
    const { code, stderr } = await cli.run('webhook', 'add', 'ci', '--deliver-only', ...argv)
    expect([code, stderr]).toEqual([1, expect.stringContaining('telegram')])
  }
  expect(cli.has(subscriptionsName)).toBe(false)
  for (const target of targets.filter((one) => one !== 'log')) {
    expectEnd(await cli.run('webhook', 'add', target, '--deliver-only', '--deliver', target), {
      code: 0,
    })
  }
})

provesCli('subscriptions/known-target', async (cli) => {
  for (const target of ['telegramm', 'Telegram', 'telegram:1', ' log']) {
    const { code, stderr } = await cli.run('webhook', 'add', 'ci', '--deliver', target)
    expect(code).toBe(1)
    for (const known of targets) expect(stderr).toContain(known)
  }
  expect(cli.has(subscriptionsName)).toBe(false)
})

provesCli('subscriptions/origin', async (cli) => {
  const argv = ['--deliver', 'origin', '--origin', 'matrix:!room:example.org']
  expect((await cli.run('webhook', 'subscribe', 'ci', ...argv, '--deliver-only')).code).toBe(0)
  expect(cli.routes().ci).toMatchObject({
    deliver: 'origin',
    origin: { platform: 'matrix', chat_id: '!room:example.org' },
  })
  for (const place of ['matrix', 'matrix:', 'nowhere:1', ':1']) {
    expect((await cli.run('webhook', 'subscribe', 'x', '--origin', place)).code).toBe(2)
  }
  // Without it the place is not stored: only secret and time are.
  await cli.run('webhook', 'subscribe', 'ci', '--deliver', 'origin')
  expect(cli.routes().ci).not.toHaveProperty('origin')
})

const aged = (cli: CommandLine): void => {
  const routes = cli.routes()
  routes.ci.created_at = '2020-01-02T03:04:05Z'
  cli.write(subscriptionsName, JSON.stringify(routes))
}

provesCli('subscriptions/update', async (cli) => {
  const options = ['--prompt', 'p', '--events', 'e', '--skills', 's', '--description', 'd']
  const target = ['--deliver', 'slack', '--deliver-only', '--deliver-chat-id', '1']
  await cli.run('webhook', 'add', 'ci', ...options, ...target)
  aged(cli)
  const routes = cli.routes()
  cli.write(subscriptionsName, JSON.stringify({ ci: { ...routes.ci, enabled: false } }))
  const update = await cli.run('webhook', 'add', 'ci')
  expect(update.stdout).toContain('Updated')
  const kept = { secret: routes.ci.secret, created_at: '2020-01-02T03:04:05Z' }
  expect(cli.routes().ci).toEqual({
    description: 'Agent-created subscription: ci',
    events: [],
    prompt: '',
    skills: [],
    deliver: 'log',
    ...kept,
  })
  await cli.run('webhook', 'add', 'ci', '--secret', 'mine')
  expect(cli.routes().ci).toMatchObject({ secret: 'mine', created_at: kept.created_at })
  await cli.run('webhook', 'add', 'ci', '--new-secret')
  expect(cli.routes().ci.secret).toMatch(/^[\w-]{43}$/)
  expect(cli.routes().ci).toMatchObject({ created_at: kept.created_at })
  expect((await cli.run('webhook', 'add', 'ci', '--new-secret', '--secret', 'x')).code).toBe(2)
  // A secret that validates nothing is not kept.
  cli.write(subscriptionsName, '{"ci": {"secret": ""}}')
  await cli.run('webhook', 'add', 'ci')
  expect(cli.routes().ci.secret).toMatch(/^[\w-]{43}$/)
})

provesCliQuirk('webhooks.update-rotates-secret', async (cli) => {
  await cli.run('webhook', 'add', 'ci', '--secret', 'first')
  aged(cli)
  await cli.run('webhook', 'add', 'ci', '--quirk', 'webhooks.update-rotates-secret')
  expect(cli.routes().ci.secret).toMatch(/^[\w-]{43}$/)
  expect(cli.routes().ci.created_at).not.toBe('2020-01-02T03:04:05Z')
})

const withStatic = enabled("routes: { ci: { secret: 'static-secret' } }")

provesCli(
  'subscriptions/shadowed',
  async (cli) => {
    const { code, stderr } = await cli.run('webhook', 'subscribe', 'CI')
    expect([code, stderr]).toEqual([1, expect.stringContaining('static route "ci"')])
    expect(stderr).not.toContain('static-secret')
    expect(cli.has(subscriptionsName)).toBe(false)
    expect((await cli.run('webhook', 'subscribe', 'ci2')).code).toBe(0)
  },
  withStatic,
)

provesCliQuirk(
  'webhooks.subscribe-shadowed',
  async (cli) => {
    const quirk = ['--quirk', 'webhooks.subscribe-shadowed']
    const { code, stdout } = await cli.run('webhook', 'subscribe', 'ci', ...quirk)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Created')])
    expect(Object.keys(cli.routes())).toEqual(['ci'])
    expect((await cli.run('webhook', 'list')).stdout).toContain('a static route has the same name')
  },
  withStatic,
)

provesCliQuirk('webhooks.events-as-written', async (cli) => {
  const written = async (list: string) => {
    const quirk = ['--quirk', 'webhooks.events-as-written']
    await cli.run('webhook', 'add', 'ci', '--events', list, '--skills', list, ...quirk)
    const { events, skills } = cli.routes().ci
    expect(skills).toEqual(events)
    return events as unknown
  }
  expect(await written(' a,,b ')).toEqual(['a', '', 'b'])
  expect(await written(',')).toEqual(['', ''])
  expect(await written('')).toEqual([])
})
