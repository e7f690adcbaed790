// The local form of the server: where it listens, how its socket opens, and how --like changes its defaults.

import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { startEmulator, startGateway } from 'flowdouble'
import { completeOptions, completeGatewayOptions } from '../../../dist/emulator/internal.js'
import { profiles } from '../../../spec/index.ts'
import { talking, node, solid } from '../../generate/graphs.ts'
import { proves, test } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { servers } from '../../../spec/truth/servers.ts'

/** How a connection to this address ends: `open`, or the error code of the system. */
async function knock(host: string, port: number): Promise<string> {
  const socket: Socket = connect(port, host)
  const outcome = await once(socket, 'connect').then(
    () => 'open',
    (error: NodeJS.ErrnoException) => error.code ?? '',
  )
  socket.destroy()
  return outcome
}

proves('deployments/local-address', async ({ emulator, url, get }) => {
  const port = emulator!.port
  expect(url).toBe(`http://127.0.0.1:${port}`)
  // A server that listens on all addresses would be reached at these too.
  expect(await knock('::1', port)).not.toBe('open')
  if (process.platform === 'linux') expect(await knock('127.0.0.2', port)).not.toBe('open')
  // The default port can be read from the options only: another server may be using it now.
  const options = completeOptions({})
  expect(options).toMatchObject({ port: profiles.local.port, host: '127.0.0.1' })
  expect(options.port).toBe(8188)
  const taken = startEmulator({ port, clock: 'manual' })
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  expect((await get('/queue')).status).toBe(200)
})

proves('deployments/local-socket', async ({ connect, submit, reach, idle }) => {
  const mine = await connect('4c2f8ad1-5a2b-4f64-9f0b-0d6e9a1b7c11')
  const other = await connect('any text, ü & more')
  expect(mine.messages()[0]?.data).toMatchObject({ sid: mine.clientId })
  expect(other.messages()[0]?.data).toMatchObject({ sid: other.clientId })
  const { prompt_id } = (await submit(talking(), { client_id: other.clientId })).json()
  const end = await reach(other, ({ type }) => type === 'execution_success')
  expect(end.data['prompt_id']).toBe(prompt_id)
  await idle()
  await mine.settled()
  expect(mine.messages().filter(({ type }) => type !== 'status')).toEqual([])
})

const real = 'comfyui-0.3.64'

proves(
  'deployments/like-local',
  async ({ emulator, get, submit }) => {
    const statistics = await get('/system_stats')
    expect(statistics.headers['server']).toBe(servers[real].serverHeader)
    expect(statistics.json()).toMatchObject({
      system: { comfyui_version: '0.3.64', ...servers[real].statistics.system },
      devices: [servers[real].statistics.device],
    })
    const refused = await submit({ '1': node('NoSuchNode', {}) })
    expect(refused.json()).toMatchObject({ node_errors: {} })
    await submit(solid())
    const running = async (): Promise<unknown> => (await get('/queue')).json()
    await emulator?.advance(2)
    expect(await running()).toMatchObject({ queue_running: [], queue_pending: [{}] })
    await emulator?.advance(1)
    expect(await running()).toMatchObject({ queue_running: [{}], queue_pending: [] })
  },
  { like: real, clock: 'manual', deployment: 'local' },
)

test('serve/like Explicit options override those of the named server, and quirks can be turned off.', async () => {
  const { quirk, preview, startDelayMs } = completeOptions({
    like: real,
    preview: 'png',
    quirk: ['local.notification'],
    noQuirk: ['local.zombie-socket'],
  })
  expect({ preview, startDelayMs }).toEqual({ preview: 'png', startDelayMs: 3 })
  const others = servers[real].quirks.filter((id) => id !== 'local.zombie-socket')
  expect(quirk).toEqual([...others, 'local.notification'])
  expect(completeOptions({}).quirk).toEqual([])
  // Complete options can be passed on.
  const { options, close } = await startEmulator({ like: real })
  await close()
  const again = await startEmulator({ ...options, port: 0 })
  expect(again.options.quirk).toEqual(options.quirk)
  await again.close()
})

test('serve/like A name that is unknown, or known elsewhere, is rejected with the nearest.', async () => {
  expect(() => completeOptions({ like: 'comfyui-0.3.46' })).toThrow(/Did you mean comfyui-0\.3\.64/)
  expect(() => completeOptions({ like: 'other' })).toThrow(
    /Known servers: comfyui-0\.3\.64, comfyui-0\.27, comfyui-0\.33, comfyui-0\.38\.$/,
  )
  expect(() => completeOptions({ like: 'hermes-2026.07' })).toThrow(/is a gateway, not a local/)
  expect(() => completeOptions({ like: real, deployment: 'hosted' })).toThrow(/is a local server/)
  expect(() => completeGatewayOptions({ like: real })).toThrow(/is a local server/)
  await expect(startGateway({ like: 'hermes-2026.7' })).rejects.toThrow(
    /Did you mean hermes-2026\.07/,
  )
  const both = { quirk: ['local.notification'], noQuirk: ['local.notification'] }
  expect(() => completeOptions(both)).toThrow('is both on and off')
})
