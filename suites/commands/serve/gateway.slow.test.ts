// `serve --with-gateway`: one command with two servers, whose addresses are printed together and whose clock is shared.

import { gatewayAddress } from '../../../spec/gateway/address.ts'
import { checkGatewayFlags, type ClockGroup, startBeside } from '../../../dist/emulator/internal.js'
import { startEmulator, startGateway } from 'flowdouble'
import { withCli, enabled, postTo } from '../../support/command-line.ts'
import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { test } from '../../judge/proves.ts'
import { serving, start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'

const asked = (url: string, path: string, body: unknown) =>
  fetch(`${url}/_flowdouble/${path}`, { method: 'POST', body: JSON.stringify(body) })

test('serve/gateway The first line and the ready file list a gateway, and it stops with the server', async () => {
  const { gateway, stop } = await serving('--with-gateway', '--gateway-port', '0')
  expect(await (await fetch(`${gateway}/health`)).json()).toMatchObject({ status: 'ok' })
  // Routes are kept in memory, and are created through paths that only programs on this machine may use.
  const route = { secret: SECRET, prompt: 'x' }
  expect((await asked(gateway, 'subscriptions', { name: 'ci', route })).status).toBe(200)
  expect(await postTo(gateway, 'ci', SECRET)).toBe(202)
  const removed = await asked(gateway, 'subscriptions', { name: 'ci', route: null })
  expect(await removed.json()).toEqual({ removed: true })
  expect(await postTo(gateway, 'ci', SECRET)).toBe(404)
  const wrong = [
    {},
    { name: 'ci' },
    { name: 'ci', route: 5 },
    { name: 'ci', route: { secret: '' } },
  ]
  for (const body of wrong) expect((await asked(gateway, 'subscriptions', body)).status).toBe(400)
  await stop()
  await expect(fetch(gateway)).rejects.toThrow()
})

test('serve/gateway-banner The banner names it; wrong flags and a port in use are reported, with exit code 2', async () => {
  const command = start('serve', '--port', '0', '--with-gateway', '--gateway-port', '0')
  const said = await command.says(/Stop with/)
  const port = /Webhooks {3}http:\/\/127\.0\.0\.1:(\d+)\/webhooks\/NAME/.exec(said)?.[1] ?? ''
  const second = start('serve', '--port', '0', '--with-gateway', '--gateway-port', port)
  // The server's port is a different one, and free.
  const says = `Port ${port} is in use.* with --gateway-port, or let --gateway-port 0 pick`
  expect(await second.ends).toMatchObject({ code: 2, stderr: expect.stringMatching(says) })
  await command.stop('SIGINT')
  const wrong = [
    { withGateway: false, gatewayPort: '1' },
    { withGateway: false, configDir: 'x' },
    { withGateway: true, gatewayPort: '65536' },
    { withGateway: true, configDir: '' },
  ]
  for (const flags of wrong) expect(() => checkGatewayFlags(flags)).toThrow(/^--(gateway|config)/)
})

test('serve/gateway-clock One manual clock moves both, whichever of them receives the request', async () => {
  const clocks: ClockGroup = { members: [] }
  const server = await startEmulator({ clock: 'manual', clocks })
  const { options } = server
  const io = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: '/' }
  const flags = { withGateway: true, gatewayPort: '0' }
  const gateway = await startBeside(flags, options, options.epoch, clocks, io)
  try {
    gateway.subscribe('note', direct('x'))
    const timeOf = async (url: string) => Date.parse((await fetch(url)).headers.get('date') ?? '')
    const times = async () =>
      [await timeOf(`${server.url}/queue`), await timeOf(`${gateway.url}/health`)].map(
        (time) => time - 1767225600000,
      )
    await server.advance(5000)
    expect(await times()).toEqual([5000, 5000])
    expect((await asked(gateway.url, 'advance', { ms: 2000 })).status).toBe(200)
    expect(await times()).toEqual([7000, 7000])
    // Advancing to the next event of one of them moves the other as well.
    const slow = { prompt: { 1: { class_type: 'FlowdoubleSlow', inputs: { seconds: 30 } } } }
    const sent = { method: 'POST', body: JSON.stringify(slow) }
    expect((await fetch(`${server.url}/prompt`, sent)).status).toBe(200)
    await gateway.until('idle')
    const [own, other] = await times()
    expect([own, (own ?? 0) > 30_000]).toEqual([other, true])
  } finally {
    await gateway.close()
    await server.close()
  }
})

test('serve/gateway-config With a configuration directory it has its settings and subscriptions', async () => {
  await withCli(
    async ({ dir, run }) => {
      await run('webhook', 'subscribe', 'ci', '--secret', SECRET)
      const server = await startEmulator()
      const io = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: '/' }
      const flags = { withGateway: true, configDir: dir }
      const gateway = await startBeside(flags, server.options, undefined, { members: [] }, io)
      expect(await postTo(gateway.url, 'ci', SECRET)).toBe(202)
      expect(await postTo(gateway.url, 'fixed', 'of-config')).toBe(202)
      // Its port, too, comes from the settings unless a flag sets it: here a free one.
      expect(gateway.port).not.toBe(gatewayAddress.port)
      await gateway.close()
      await server.close()
    },
    enabled('port: 0', 'routes: {fixed: {secret: of-config}}'),
  )()
})

test('serve/gateway-options An invalid gateway option is named', async () => {
  const wrong = {
    host: '',
    port: 65_536,
    seed: '',
    clock: 'manul',
    epoch: Number.NaN,
    rateLimit: -1,
    agentsAtOnce: 0,
    quirk: ['history.completed-on-error'],
  }
  for (const [name, value] of Object.entries(wrong)) {
    const started = startGateway({ port: 0, [name]: value }).then((gateway) => gateway.close())
    await expect(started).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(name),
    })
  }
})

test('serve/gateway-alone A gateway without a server has a separate clock', async () => {
  const [one, other] = [
    await startGateway({ port: 0, clock: 'manual' }),
    await startGateway({ port: 0, clock: 'manual', epoch: 1_767_225_600_000 }),
  ]
  await one.advance(5000)
  await expect(one.until(() => false)).rejects.toThrow(
    /no effect has matched\. No event has been accepted yet\./,
  )
  const date = (await fetch(`${other.url}/health`)).headers.get('date')
  expect(Date.parse(date ?? '')).toBe(1767225600000)
  await one.close()
  await other.close()
})
