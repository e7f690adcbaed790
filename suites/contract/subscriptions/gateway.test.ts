// What a gateway makes of its configuration directory: routes that come and go, settings that stay, `gateway run`.

import { utimesSync } from 'node:fs'
import { type Gateway, type GatewayOptions, startGateway } from 'flowdouble'
import {
  atDesk,
  type Desk,
  enabled,
  hmac,
  postTo,
  runGateway,
  type Running,
  subscriptionsName,
  withReceiving,
} from '../../support/command-line.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

/** What a gateway of the desk's subscriptions file logged, and how often it was given the file. */
type Watched = { readonly gateway: Gateway; readonly lines: string[]; readonly loads: () => number }

async function withGateway(
  desk: Desk,
  use: (watched: Watched) => Promise<void>,
  options: GatewayOptions = {},
): Promise<void> {
  const lines: string[] = []
  let loads = 0
  const gateway = await startGateway({
    port: 0,
    clock: 'manual',
    subscriptionsFile: desk.path(subscriptionsName),
    onEntry: ({ input, effects }) => {
      if (input.kind === 'file') loads++
      for (const effect of effects)
        if (effect.kind === 'log') lines.push(`${effect.level} ${effect.text}`)
    },
    ...options,
  })
  try {
    await use({ gateway, lines, loads: () => loads })
  } finally {
    await gateway.close()
  }
}

/** Writes a subscriptions file with one route, modified so many seconds after 2020 began. */
function writeRoute(desk: Desk, name: string, modifiedSeconds: number): void {
  desk.write(subscriptionsName, JSON.stringify({ [name]: { secret: 's' } }))
  const time = Date.UTC(2020) / 1000 + modifiedSeconds
  utimesSync(desk.path(subscriptionsName), time, time)
}

proves(
  'subscriptions/reload',
  atDesk((desk) =>
    withGateway(desk, async ({ gateway: { url } }) => {
      expect(await postTo(url, 'ci', 's')).toBe(404)
      await desk.run('webhook', 'subscribe', 'ci', '--secret', 's')
      expect(await postTo(url, 'ci', 's')).toBe(202)
      await desk.run('webhook', 'subscribe', 'ci', '--secret', 't')
      expect([await postTo(url, 'ci', 's'), await postTo(url, 'ci', 't')]).toEqual([401, 202])
    }),
  ),
)

proves(
  'subscriptions/reload-on-change',
  atDesk((desk) =>
    withGateway(desk, async ({ gateway: { url }, loads }) => {
      writeRoute(desk, 'a', 1000)
      for (let post = 0; post < 3; post++) expect(await postTo(url, 'a', 's')).toBe(202)
      expect(loads()).toBe(1)
      for (const [at, name] of ['older', 'newer'].entries()) {
        writeRoute(desk, name, at === 0 ? 10 : 2000)
        expect([await postTo(url, name, 's'), await postTo(url, 'a', 's')]).toEqual([202, 404])
        expect(loads()).toBe(2 + at)
      }
    }),
  ),
)

proves(
  'subscriptions/not-loaded',
  atDesk(async (desk) => {
    const routes = {
      empty: { secret: '' },
      none: {},
      open: { secret: 'INSECURE_NO_AUTH' },
      direct: { secret: 's', deliver_only: true },
      good: { secret: 's' },
    }
    desk.write(subscriptionsName, JSON.stringify(routes))
    await withGateway(desk, async ({ gateway: { url }, lines }) => {
      for (const name of ['empty', 'none', 'open', 'direct']) {
        expect([name, await postTo(url, name, 's')]).toEqual([name, 404])
        expect(lines.filter((line) => line.includes(`"${name}"`))).toHaveLength(1)
      }
      expect(await postTo(url, 'good', 's')).toBe(202)
    })
    // The list says so, too.
    const { stdout } = await desk.run('webhook', 'list')
    expect(stdout.match(/Note: /g)).toHaveLength(4)
  }),
)

proves(
  'subscriptions/static-wins',
  atDesk(async (desk) => {
    desk.write(subscriptionsName, '{"fixed": {"secret": "dynamic"}, "other": {"secret": "s"}}')
    const running = await runGateway(desk)
    expect(await postTo(running.url, 'fixed', 'of-config')).toBe(202)
    expect(await postTo(running.url, 'fixed', 'dynamic')).toBe(401)
    expect(await postTo(running.url, 'other', 's')).toBe(202)
    await running.stop()
  }, enabled('routes: {fixed: {secret: of-config}}')),
)

/** The end of a `gateway run` that does not come to listen. */
const failing = (desk: Desk) => desk.run('gateway', 'run', '--port', '0')

proves(
  ['subscriptions/static-checked', 'subscriptions/run-fails'],
  atDesk(async (desk) => {
    const routes = [
      '{secret: ""}',
      '{}',
      '{secret: INSECURE_NO_AUTH}',
      '{secret: hidden-one, deliver_only: true}',
      '{secret: hidden-one, deliver_only: true, deliver: log}',
    ]
    for (const route of routes) {
      desk.write('config.yaml', enabled(`routes: {good: {secret: s}, bad: ${route}}`))
      const { code, stdout, stderr } = await failing(desk)
      expect([route, code, stdout, stderr]).toEqual([
        route,
        1,
        '',
        expect.stringContaining('"bad"'),
      ])
      expect(stderr).not.toContain('hidden-one')
    }
    await withReceiving({ status: 200, body: '' }, async ({ port }) => {
      desk.write('config.yaml', enabled())
      const { code, stderr } = await desk.run('gateway', 'run', '--port', String(port))
      expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${port} is in use`)])
    })
    desk.write('config.yaml', '')
    const { code, stderr } = await failing(desk)
    expect([code, stderr]).toEqual([1, expect.stringContaining('not enabled')])
  }),
)

proves(
  'subscriptions/read-once',
  atDesk(async (desk) => {
    const statuses = async ({ url }: Running) => [
      await postTo(url, 'one', 'first'),
      await postTo(url, 'one', 'second'),
      await postTo(url, 'two', 'second'),
    ]
    desk.write('config.yaml', enabled('routes: {one: {}}'))
    desk.write('.env', 'WEBHOOK_SECRET=first')
    const running = await runGateway(desk)
    expect(await statuses(running)).toEqual([202, 401, 404])
    desk.write('config.yaml', enabled('routes: {one: {}, two: {}}'))
    desk.write('.env', 'WEBHOOK_SECRET=second')
    expect(await statuses(running)).toEqual([202, 401, 404])
    await running.stop()
    const again = await runGateway(desk)
    expect(await statuses(again)).toEqual([401, 202, 202])
    await again.stop()
  }),
)

proves(
  'subscriptions/remove',
  atDesk(async (desk) => {
    await desk.run('webhook', 'subscribe', 'ci', '--secret', 's')
    await desk.run('webhook', 'subscribe', 'other', '--secret', 's')
    const running = await runGateway(desk)
    expect(await postTo(running.url, 'ci', 's')).toBe(202)
    const { code, stdout } = await desk.run('webhook', 'remove', 'ci', '--json')
    expect([code, JSON.parse(stdout)]).toEqual([0, { name: 'ci', removed: true }])
    expect(await postTo(running.url, 'ci', 's')).toBe(404)
    expect(await postTo(running.url, 'other', 's')).toBe(202)
    expect(Object.keys(desk.routes())).toEqual(['other'])
    await running.stop()
  }),
)

proves(
  'subscriptions/run',
  atDesk(async (desk) => {
    await desk.run('webhook', 'subscribe', 'dynamic', '--secret', 'secret-of-ci')
    const running = await runGateway(desk)
    expect(running.said()).toMatch(/fixed, dynamic/)
    expect(running.said()).toContain(`${running.url}/webhooks/dynamic`)
    const health = await fetch(`${running.url}/health`)
    expect(await health.json()).toMatchObject({ status: 'ok', platform: 'webhook' })
    const { port } = new URL(running.url)
    await desk.run('gateway', 'setup', '--port', port, '--yes')
    expect((await desk.run('webhook', 'test', 'dynamic')).stdout).toContain('(202)')
    // Nobody asks for runs and journal unless it was told so: a tunnel calls from this machine, too.
    expect((await fetch(`${running.url}/_flowdouble/runs`)).status).toBe(404)
    const { code, stdout, stderr } = await running.stop()
    expect([code, stdout]).toEqual([0, expect.stringContaining('flowdouble gateway')])
    expect(stderr).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}Subscriptions loaded/m)
    expect(stdout + stderr).not.toContain('secret-of-ci')
    await expect(fetch(running.url)).rejects.toThrow()

    // What is left out is told as no route, and neither is what a static route hides.
    const { dynamic } = desk.routes()
    const routes = { open: { secret: '' }, fixed: { secret: 'other' }, dynamic }
    desk.write(subscriptionsName, JSON.stringify(routes))
    const told = await runGateway(
      desk,
      {},
      '--json',
      '--control',
      '--ready-file',
      desk.path('ready'),
    )
    expect((await fetch(`${told.url}/_flowdouble/runs`)).status).toBe(200)
    const line = JSON.parse(told.said())
    expect(line).toMatchObject({ url: told.url, routes: ['fixed', 'dynamic'], pid: process.pid })
    expect(JSON.parse(desk.read('ready'))).toEqual(line)
    expect((await told.stop()).stdout.trim().split('\n')).toHaveLength(1)
  }, enabled('routes: {fixed: {secret: s}}')),
)

proves(
  'subscriptions/run-wall-time',
  atDesk(async (desk) => {
    await desk.run('webhook', 'subscribe', 'ci', '--secret', 's')
    const running = await runGateway(desk)
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
  }),
)
