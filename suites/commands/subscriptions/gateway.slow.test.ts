// A gateway with a configuration directory: routes that change, settings that stay, and `gateway run`.

import { type Gateway, type GatewayOptions, startGateway } from 'flowdouble'
import {
  provesCli,
  type CommandLine,
  enabled,
  hmac,
  postTo,
  runGateway,
  type RunningCommand,
  subscriptionsName,
  startReceiving,
  expectEnd,
} from '../../support/command-line.ts'
import { expect } from '../../judge/expect.ts'

/** A gateway with this subscriptions file, and what it has logged. */
type WatchedGateway = {
  readonly gateway: Gateway
  readonly lines: string[]
}

async function withGateway(
  cli: CommandLine,
  use: (watched: WatchedGateway) => Promise<void>,
  options: GatewayOptions = {},
): Promise<void> {
  const lines: string[] = []
  const gateway = await startGateway({
    port: 0,
    clock: 'manual',
    subscriptionsFile: cli.path(subscriptionsName),
    onEntry: ({ effects }) => {
      for (const effect of effects)
        if (effect.kind === 'log') lines.push(`${effect.level} ${effect.text}`)
    },
    ...options,
  })
  try {
    await use({ gateway, lines })
  } finally {
    await gateway.close()
  }
}

provesCli('subscriptions/reload', (cli) =>
  withGateway(cli, async ({ gateway: { url } }) => {
    expect(await postTo(url, 'ci', 's')).toBe(404)
    await cli.run('webhook', 'subscribe', 'ci', '--secret', 's')
    expect(await postTo(url, 'ci', 's')).toBe(202)
    await cli.run('webhook', 'subscribe', 'ci', '--secret', 't')
    expect([await postTo(url, 'ci', 's'), await postTo(url, 'ci', 't')]).toEqual([401, 202])
  }),
)

provesCli('subscriptions/not-loaded', async (cli) => {
  const routes = {
    empty: { secret: '' },
    none: {},
    open: { secret: 'INSECURE_NO_AUTH' },
    direct: { secret: 's', deliver_only: true },
    'to log': { secret: 's', deliver_only: true, deliver: 'log' },
    'to none': { secret: 's', deliver_only: true, deliver: '' },
    good: { secret: 's' },
  }
  cli.write(subscriptionsName, JSON.stringify(routes))
  await withGateway(cli, async ({ gateway: { url }, lines }) => {
    for (const name of Object.keys(routes).slice(0, -1)) {
      expect([name, await postTo(url, name, 's')]).toEqual([name, 404])
      expect(lines.filter((line) => line.includes(`"${name}"`))).toHaveLength(1)
    }
    expect(await postTo(url, 'good', 's')).toBe(202)
  })
  // The list says so, too.
  const { stdout } = await cli.run('webhook', 'list')
  expect(stdout.match(/Note: /g)).toHaveLength(6)
})

/** The end of a `gateway run` that never listens. */
const failing = (cli: CommandLine) => cli.run('gateway', 'run', '--port', '0')

provesCli(['subscriptions/static-checked', 'subscriptions/run-fails'], async (cli) => {
  const routes = [
    '{secret: ""}',
    '{}',
    '{secret: INSECURE_NO_AUTH}',
    '{secret: hidden-one, deliver_only: true}',
    '{secret: hidden-one, deliver_only: true, deliver: log}',
    '{secret: hidden-one, deliver_only: true, deliver: ""}',
  ]
  for (const route of routes) {
    cli.write('config.yaml', enabled(`routes: {good: {secret: s}, bad: ${route}}`))
    expectEnd(await failing(cli), {
      code: 1,
      stdout: '',
      stderr: /^The static route "bad" /,
      hides: 'hidden-one',
    })
  }
  const { port } = await startReceiving({ status: 200, body: '' })
  cli.write('config.yaml', enabled())
  expectEnd(await cli.run('gateway', 'run', '--port', String(port)), {
    code: 1,
    stderr: new RegExp(`Port ${port} is in use`),
  })
  cli.write('config.yaml', '')
  expectEnd(await failing(cli), { code: 1, stderr: /not enabled/ })
})

provesCli('subscriptions/read-once', async (cli) => {
  const statuses = async ({ url }: RunningCommand) => [
    await postTo(url, 'one', 'first'),
    await postTo(url, 'one', 'second'),
    await postTo(url, 'two', 'second'),
  ]
  cli.write('config.yaml', enabled('routes: {one: {}}'))
  cli.write('.env', 'WEBHOOK_SECRET=first')
  const running = await runGateway(cli)
  expect(await statuses(running)).toEqual([202, 401, 404])
  cli.write('config.yaml', enabled('routes: {one: {}, two: {}}'))
  cli.write('.env', 'WEBHOOK_SECRET=second')
  expect(await statuses(running)).toEqual([202, 401, 404])
  await running.stop()
  const again = await runGateway(cli)
  expect(await statuses(again)).toEqual([401, 202, 202])
  await again.stop()
})

provesCli('subscriptions/remove', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 's')
  await cli.run('webhook', 'subscribe', 'other', '--secret', 's')
  const running = await runGateway(cli)
  expect(await postTo(running.url, 'ci', 's')).toBe(202)
  const { code, stdout } = await cli.run('webhook', 'remove', 'ci', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([0, { name: 'ci', removed: true }])
  expect(await postTo(running.url, 'ci', 's')).toBe(404)
  expect(await postTo(running.url, 'other', 's')).toBe(202)
  expect(Object.keys(cli.routes())).toEqual(['other'])
  await running.stop()
})

provesCli(
  'subscriptions/run',
  async (cli) => {
    await cli.run('webhook', 'subscribe', 'dynamic', '--secret', 'secret-of-ci')
    const running = await runGateway(cli)
    expect(running.said()).toMatch(/fixed, dynamic/)
    expect(running.said()).toContain(`${running.url}/webhooks/dynamic`)
    const health = await fetch(`${running.url}/health`)
    expect(await health.json()).toMatchObject({ status: 'ok', platform: 'webhook' })
    const { port } = new URL(running.url)
    await cli.run('gateway', 'setup', '--port', port, '--yes')
    expect((await cli.run('webhook', 'test', 'dynamic')).stdout).toContain('(202)')
    // Runs and journal are not served unless an option says so: a tunnel also calls from this machine.
    expect((await fetch(`${running.url}/_flowdouble/runs`)).status).toBe(404)
    expectEnd(await running.stop(), {
      code: 0,
      stdout: /flowdouble gateway/,
      stderr: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}Subscriptions loaded/m,
      hides: 'secret-of-ci',
    })
    await expect(fetch(running.url)).rejects.toThrow()

    // Rejected entries are not listed as routes, and neither are those that a static route hides.
    const { dynamic } = cli.routes()
    const routes = { open: { secret: '' }, fixed: { secret: 'other' }, dynamic }
    cli.write(subscriptionsName, JSON.stringify(routes))
    const flags = ['--json', '--control', '--ready-file', cli.path('ready')]
    const controlled = await runGateway(cli, {}, ...flags)
    expect((await fetch(`${controlled.url}/_flowdouble/runs`)).status).toBe(200)
    expect(await postTo(controlled.url, 'fixed', 's')).toBe(202)
    expect(await postTo(controlled.url, 'fixed', 'other')).toBe(401)
    const line = JSON.parse(controlled.said())
    expect(line).toMatchObject({
      url: controlled.url,
      routes: ['fixed', 'dynamic'],
      pid: process.pid,
    })
    expect(JSON.parse(cli.read('ready'))).toEqual(line)
    expect((await controlled.stop()).stdout.trim().split('\n')).toHaveLength(1)
  },
  enabled('routes: {fixed: {secret: s}}'),
)

provesCli('subscriptions/run-wall-time', async (cli) => {
  await cli.run('webhook', 'subscribe', 'ci', '--secret', 's')
  const running = await runGateway(cli)
  const statusAt = async (offsetSeconds: number): Promise<number> => {
    const time = String(Math.floor(Date.now() / 1000) + offsetSeconds)
    const id = `msg${offsetSeconds}`
    const headers = {
      'svix-id': id,
      'svix-timestamp': time,
      'svix-signature': `v1,${hmac('s', `${id}.${time}.{}`, 'base64')}`,
    }
    const url = `${running.url}/webhooks/ci`
    return (await fetch(url, { method: 'POST', headers, body: '{}' })).status
  }
  expect([await statusAt(0), await statusAt(-240), await statusAt(240)]).toEqual([202, 202, 202])
  expect([await statusAt(-360), await statusAt(360)]).toEqual([401, 401])
  await running.stop()
})
