// A server that behaves like a known one: how --like changes the defaults, and that flags override it.

import { startEmulator, startGateway } from 'flowdouble'
import { servers } from '../../../spec/truth/servers.ts'
import { completeGatewayOptions, completeOptions } from '../../../dist/emulator/internal.js'
import { node, solid } from '../../generate/graphs.ts'
import { proves, test } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

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
