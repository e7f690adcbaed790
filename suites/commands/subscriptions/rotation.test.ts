// New secrets beside old ones: what the commands write, print and remove, and what a running gateway accepts.

import {
  type CommandLine,
  enabled,
  expectEnd,
  postTo,
  provesCli,
  runGateway,
  subscriptionsName,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const HOUR_MS = 3_600_000

/** Replaces the secret of `ci`, and keeps the old one for a time. */
const rotate = (cli: CommandLine, time: string, ...argv: readonly string[]) =>
  cli.run('webhook', 'subscribe', 'ci', '--new-secret', '--keep-old', time, '--json', ...argv)

/** Sets the time of each old secret of `ci` to one that is over. */
const expire = (cli: CommandLine): void => {
  const routes = cli.routes()
  for (const old of routes.ci.old_secrets) old.valid_until = '2020-01-02T03:04:05Z'
  cli.write(subscriptionsName, JSON.stringify(routes))
}

provesCli('subscriptions/keep-old', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'first-secret', '--events', 'push')
  const first = (await rotate(cli, '24h')).json()
  const { secret, old_secrets } = cli.routes().ci
  expect(first).toMatchObject({ secret: expect.stringMatching(/^[\w-]{43}$/) })
  expect(secret).toBe(first.secret)
  expect(old_secrets).toEqual([{ secret: 'first-secret', valid_until: first.old_secret_until }])
  expect(first.old_secret_until).toMatch(SECOND)
  const leftMs = Date.parse(first.old_secret_until) - Date.now()
  expect(Math.abs(leftMs - 24 * HOUR_MS)).toBeLessThan(60_000)
  // A further one keeps both, and a supplied secret replaces as well.
  await rotate(cli, '30m')
  const given = ['--secret', 'of-the-sender', '--keep-old', '7d']
  const { stdout } = await cli.run('webhook', 'subscribe', 'ci', ...given)
  expect(stdout.match(/the old secret counts until/g)).toHaveLength(3)
  const kept = cli.routes().ci.old_secrets.map((old: { secret: string }) => old.secret)
  expect(kept).toEqual(['first-secret', secret, expect.stringMatching(/^[\w-]{43}$/)])
  for (const time of ['', '24', 'h', '0h', '-1h', '1.5h', '1w', '1h30m'])
    expectEnd(await rotate(cli, time), { code: 2, stderr: /--keep-old/ })
  expectEnd(await cli.run('webhook', 'subscribe', 'ci', '--keep-old', '1h'), {
    code: 2,
    stderr: /--new-secret/,
  })
  // A new route has no old secret.
  const fresh = await cli.run('webhook', 'add', 'new', '--new-secret', '--keep-old', '1h', '--json')
  expect(fresh.json()).not.toHaveProperty('old_secret_until')
  expect(cli.routes().new).not.toHaveProperty('old_secrets')
})

provesCli('subscriptions/rotate', async (cli) => {
  const route = ['--prompt', 'Build {status}', '--deliver', 'telegram', '--deliver-chat-id', '42']
  await cli.run('webhook', 'subscribe', 'ci', '--as', 'svix', '--in-order', ...route)
  const { secret: first, ...before } = cli.routes().ci
  await rotate(cli, '24h')
  const { secret, old_secrets, ...after } = cli.routes().ci
  expect(after).toEqual(before)
  expect(secret).toMatch(/^whsec_/)
  expect(old_secrets).toMatchObject([{ secret: first }])
  // One that describes the route replaces it.
  await rotate(cli, '24h', '--prompt', 'Other')
  expect(cli.routes().ci).toMatchObject({ prompt: 'Other', deliver: 'log' })
})

provesCli(
  'subscriptions/keep-old',
  async (cli) => {
    // An entry without a secret has had the global one.
    cli.write(subscriptionsName, '{"ci": {}}')
    await rotate(cli, '1h')
    expect(cli.routes().ci.old_secrets).toMatchObject([{ secret: 'global-secret' }])
  },
  enabled('secret: global-secret'),
)

provesCli('subscriptions/old-ended', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci')
  await rotate(cli, '1h')
  const { secret, old_secrets } = cli.routes().ci
  for (const same of [[], ['--secret', secret], ['--secret', secret, '--keep-old', '1h']]) {
    await cli.run('webhook', 'subscribe', 'ci', ...same)
    expect(cli.routes().ci).toMatchObject({ secret, old_secrets })
  }
  await cli.run('webhook', 'subscribe', 'ci', '--new-secret')
  expect(cli.routes().ci).not.toHaveProperty('old_secrets')
})

provesCli('subscriptions/old-listed', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'first-secret')
  const { old_secret_until: until } = (await rotate(cli, '1h')).json()
  expect((await cli.run('webhook', 'list')).stdout).toContain(`old secret counts until ${until}`)
  const open = (await cli.run('webhook', 'list', '--json')).json()
  expect(open[0].old_secrets).toEqual([{ secret: 'first-secret', valid_until: until }])
  for (const flag of ['--no-secrets', '--quirk=webhooks.list-hides-secrets']) {
    const closed = await cli.run('webhook', 'list', '--json', flag)
    expectEnd(closed, { code: 0, hides: 'first-secret' })
    expect(closed.json()[0].old_secrets).toEqual([{ valid_until: until }])
    const text = await cli.run('webhook', 'list', flag)
    expectEnd(text, { code: 0, stdout: new RegExp(until), hides: 'first-secret' })
  }
  expire(cli)
  expect((await cli.run('webhook', 'list')).stdout).not.toContain('old secret')
  expect((await cli.run('webhook', 'list', '--json')).json()[0]).not.toHaveProperty('old_secrets')
})

provesCli('subscriptions/old-dropped', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci')
  await rotate(cli, '1h')
  await cli.run('webhook', 'subscribe', 'other')
  expect(cli.routes().ci.old_secrets).toHaveLength(1)
  expire(cli)
  const routes = cli.routes()
  const odd = [{ secret: 'a', valid_until: 'tomorrow' }, 'b']
  cli.write(
    subscriptionsName,
    JSON.stringify({ ...routes, odd: { secret: 's', old_secrets: odd } }),
  )
  expect((await cli.run('webhook', 'remove', 'other')).code).toBe(0)
  expect(cli.routes().ci).not.toHaveProperty('old_secrets')
  // What has no time is left to its author.
  expect(cli.routes().odd.old_secrets).toEqual(odd)
})

provesCli(['subscriptions/keep-old', 'signatures/old-secret', 'signatures/hidden'], async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 'first-secret')
  const gateway = await runGateway(cli)
  const { secret, old_secret_until: until } = (await rotate(cli, '1h')).json()
  const statuses = async () => [
    await postTo(gateway.url, 'ci', 'first-secret'),
    await postTo(gateway.url, 'ci', secret),
    await postTo(gateway.url, 'ci', 'another-secret'),
  ]
  expect(await statuses()).toEqual([202, 202, 401])
  expire(cli)
  expect(await statuses()).toEqual([401, 202, 401])
  const said = (await gateway.stop()).stderr
  expect(said).toContain(`A post to ci has an old secret, which counts until ${until}.`)
  expect(said).not.toContain('first-secret')
})
