// The guard of the control paths, of a server and of a gateway.

import { networkInterfaces } from 'node:os'
import { type EmulatorOptions, type GatewayOptions, startEmulator, startGateway } from 'flowdouble'
import { expect } from '../../judge/expect.ts'
import { exchange, exchangeBytes } from '../../judge/wire.ts'
import { test } from '../../judge/proves.ts'

type CommonOptions = Pick<EmulatorOptions & GatewayOptions, 'host' | 'controlToken'>
type RunningServer = {
  readonly url: string
  readonly port: number
  readonly close: () => Promise<void>
}

const machines: readonly (readonly [string, (options: CommonOptions) => Promise<RunningServer>])[] =
  [
    ['local', (options) => startEmulator({ clock: 'manual', ...options })],
    ['hosted', (options) => startEmulator({ clock: 'manual', deployment: 'hosted', ...options })],
    ['gateway', (options) => startGateway({ port: 0, clock: 'manual', control: true, ...options })],
  ]

const ways = [
  ['GET', '/_flowdouble/journal', ''],
  ['POST', '/_flowdouble/advance', '{"ms": 1000}'],
] as const

/** The address of this machine that is not loopback; undefined without one. */
const elsewhere = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

for (const [name, start] of machines) {
  const on =
    (options: CommonOptions, body: (running: RunningServer) => Promise<void>) =>
    async (): Promise<void> => {
      const running = await start(options)
      try {
        await body(running)
      } finally {
        await running.close()
      }
    }
  /** Status and error of each control path, for a caller with these headers. */
  const ask = async (url: string, headers: Readonly<Record<string, string>>) => {
    const answers = []
    for (const [method, path, body] of ways) {
      const reply = await exchange(url, method, path, headers, body)
      answers.push({ status: reply.status, error: reply.body })
    }
    return answers
  }
  const refusedWith = (why: RegExp) =>
    ways.map(() => ({ status: 403, error: expect.stringMatching(why) }))

  test(`control/guard-pages [${name}] A page of another origin is rejected, and moves no clock`, () =>
    on({}, async ({ url }) => {
      const own = new URL(url).host
      const pages = [
        { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'null' },
        { Origin: 'http://evil.example' },
        { Origin: 'http://127.0.0.1:1' },
        { Origin: `http://evil.example/${own}` },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ]
      for (const headers of pages) {
        expect([headers, await ask(url, headers)]).toEqual([headers, refusedWith(/another origin/)])
      }
      const journal = await exchange(url, 'POST', '/_flowdouble/advance', {}, '{"ms": 0}')
      expect(JSON.parse(journal.body)).toMatchObject({ nowMs: 0 })
      for (const headers of [
        { Origin: `http://${own}`, 'Sec-Fetch-Site': 'same-origin' },
        { 'Sec-Fetch-Site': 'none' },
      ]) {
        const statuses = (await ask(url, headers)).map(({ status }) => status)
        expect({ headers, statuses }).toEqual({ headers, statuses: [200, 200] })
      }
    })())

  test(`control/guard-host [${name}] An unexpected host name is rejected, as DNS rebinding uses it`, () =>
    on({}, async ({ url, port }) => {
      for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1.example', '']) {
        expect([Host, await ask(url, { Host })]).toEqual([
          Host,
          refusedWith(/127\.0\.0\.1 or local/),
        ])
      }
      const twice = `GET /_flowdouble/journal HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n`
      expect((await exchangeBytes(url, twice)).status).toBe(403)
      for (const Host of ['localhost', `LOCALHOST:${port}`, '[::1]', '127.0.0.2:80']) {
        const statuses = (await ask(url, { Host })).map(({ status }) => status)
        expect({ Host, statuses }).toEqual({ Host, statuses: [200, 200] })
      }
    })())

  test(`control/guard-tunnel [${name}] A request through a proxy is rejected without the control token`, () =>
    on({ controlToken: 'of-the-tester' }, async ({ url }) => {
      const others = [
        { 'X-Forwarded-For': '127.0.0.1' },
        { 'X-Real-IP': '127.0.0.1' },
        { Forwarded: 'for=127.0.0.1' },
        { Via: '1.1 tunnel' },
        { 'X-Forwarded-Proto': 'https' },
        { 'X-Client-IP': '127.0.0.1' },
        { 'True-Client-IP': '127.0.0.1' },
        { 'CF-Connecting-IP': '127.0.0.1' },
        { 'Fastly-Client-IP': '127.0.0.1' },
        { 'Fly-Client-IP': '127.0.0.1' },
        { 'X-Envoy-External-Address': '127.0.0.1' },
        { 'X-Cluster-Client-IP': '127.0.0.1' },
        { 'X-Forwarded': 'for=127.0.0.1' },
        { 'X-Original-Forwarded-For': '127.0.0.1' },
        { 'X-Azure-ClientIP': '127.0.0.1' },
        { 'X-Remote-Addr': '127.0.0.1' },
        { 'CDN-Loop': 'network' },
      ]
      const wrong = [{}, { Authorization: 'Bearer other' }, { 'X-API-Key': 'test-key' }]
      for (const via of others) {
        for (const more of wrong) {
          const headers = { ...via, ...more }
          const answers = await ask(url, headers)
          expect({ headers, answers }).toEqual({
            headers,
            answers: refusedWith(/Authorization: Bearer/),
          })
        }
        const headers = { ...via, Host: 'double.example', Authorization: 'Bearer of-the-tester' }
        const statuses = (await ask(url, headers)).map(({ status }) => status)
        expect({ headers, statuses }).toEqual({ headers, statuses: [200, 200] })
        const page = { ...headers, Origin: 'https://evil.example' }
        expect(await ask(url, page)).toEqual(refusedWith(/another origin/))
      }
    })())

  if (elsewhere !== undefined) {
    test(`control/guard-elsewhere [${name}] A caller that is not on loopback needs the control token`, async () => {
      const url = (port: number): string => `http://${elsewhere}:${port}`
      await on({ host: '0.0.0.0' }, async ({ port }) => {
        expect(await ask(url(port), {})).toEqual(refusedWith(/--control-token/))
        expect(await ask(`http://127.0.0.1:${port}`, {})).toMatchObject([
          { status: 200 },
          { status: 200 },
        ])
      })()
      await on({ host: '0.0.0.0', controlToken: 'of-the-tester' }, async ({ port }) => {
        expect(await ask(url(port), {})).toEqual(refusedWith(/Authorization: Bearer/))
        const headers = { Authorization: 'Bearer of-the-tester' }
        const statuses = (await ask(url(port), headers)).map(({ status }) => status)
        expect(statuses).toEqual([200, 200])
      })()
    })
  }
}

test('control/guard-accounts On hosted no account opens the control paths, and none is required', async () => {
  const server = await startEmulator({ clock: 'manual', deployment: 'hosted' })
  for (const headers of [{}, { 'X-API-Key': 'test-key' }, { 'X-API-Key': 'wrong' }]) {
    const reply = await exchange(server.url, 'GET', '/_flowdouble/journal', headers)
    expect(reply.status).toBe(200)
    const far = await exchange(server.url, 'GET', '/_flowdouble/journal', { ...headers, Via: 'x' })
    expect(far.status).toBe(403)
  }
  await server.close()
})

test('control/guard-cors A page of the origin that --cors names moves the clock; if any origin is allowed, none does', async () => {
  const page = { Origin: 'https://pages.example', 'Sec-Fetch-Site': 'cross-site' }
  const found = []
  for (const cors of ['https://pages.example', '*']) {
    const server = await startEmulator({ clock: 'manual', cors })
    const reply = await exchange(server.url, 'POST', '/_flowdouble/advance', page, '{"ms": 1}')
    const preflight = await exchange(server.url, 'OPTIONS', '/_flowdouble/advance', page)
    const allowed = reply.header('access-control-allow-origin')
    found.push({ status: reply.status, allowed, preflight: preflight.status })
    await server.close()
  }
  expect(found).toEqual([
    { status: 200, allowed: 'https://pages.example', preflight: 200 },
    { status: 403, allowed: undefined, preflight: 200 },
  ])
})
