// The server itself: statistics, freeing memory, features, the length of the queue, the start page.

import request from 'supertest'
import { featureFlags } from '../../../spec/server/messages.ts'
import { queueLength, systemStats } from '../../../spec/server/system.ts'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const isEnd = ({ type, data }: Message) => type === 'executing' && data['node'] === null
const cachedIn = (messages: readonly Message[]) =>
  messages.find(({ type }) => type === 'execution_cached')?.data['nodes']

proves('system/statistics', async ({ get }) => {
  const reply = await get('/system_stats')
  expect(reply.status).toBe(200)
  const { system, devices } = reply.json()
  expect(system.comfyui_version).toMatch(/^\d+\.\d+\.\d+/)
  expect(system.ram_total).toBeGreaterThanOrEqual(system.ram_free)
  expect(devices[0].vram_total).toBeGreaterThanOrEqual(devices[0].vram_free)
  expect(violations(systemStats, reply.json())).toEqual([])
})

proves('system/statistics-fields', async ({ get }) => {
  const { system, devices } = (await get('/system_stats')).json()
  expect(Object.keys(system).toSorted()).toEqual(
    Object.keys(systemStats.properties.system.properties).toSorted(),
  )
  expect(devices).toHaveLength(1)
  expect(Object.keys(devices[0]).toSorted()).toEqual(
    Object.keys(systemStats.properties.devices.items.properties).toSorted(),
  )
  expect(['posix', 'nt']).toContain(system.os)
  const { ram_total, ram_free } = system
  const { vram_total, vram_free, torch_vram_total, torch_vram_free } = devices[0]
  const sizes = [ram_total, ram_free, vram_total, vram_free, torch_vram_total, torch_vram_free]
  expect(sizes.filter((size) => !Number.isSafeInteger(size) || size < 0)).toEqual([])
})

proves('system/memory-of-models', async ({ connect, get, post, reach, run, submit, idle }) => {
  const session = await connect('me')
  const free = async (): Promise<{ ram: number; vram: number }> => {
    const { system, devices } = (await get('/system_stats')).json()
    return { ram: system.ram_free, vram: devices[0].vram_free }
  }
  await post('/free', { unload_models: true, free_memory: true })
  const before = await free()
  await run(session, solid())
  expect(await free()).toEqual(before)
  await run(session, textToImage())
  const held = await free()
  expect(held.ram).toBeLessThan(before.ram)
  expect(held.vram).toBeLessThan(before.vram)
  // Loading the same models again takes no memory, and they stay after the run.
  await run(session, textToImage(2))
  expect(await free()).toEqual(held)
  await post('/free', { unload_models: false, free_memory: true })
  expect(await free()).toEqual(held)
  await post('/free', { unload_models: true })
  expect(await free()).toEqual(before)
  // They stay while a run needs them, and are freed when it ends.
  await submit({ ...textToImage(3), slow: slow()['1']! }, { client_id: 'me' })
  await reach(session, ({ type, data }) => type === 'progress' && data['node'] === 'slow')
  await post('/free', { free_memory: true })
  expect(await free()).toEqual(held)
  await idle()
  expect(await free()).toEqual(before)
})

proves(
  'system/free',
  async ({ post, request }) => {
    const bodies = [{}, { unload_models: true }, { free_memory: true }]
    for (const body of [...bodies, { unload_models: true, free_memory: true }]) {
      expect((await post('/free', body)).status).toBe(200)
    }
    for (const broken of ['', 'no JSON', '[]', 'true']) {
      expect({ broken, status: (await request('POST', '/free', broken)).status }).toEqual({
        broken,
        status: 500,
      })
    }
  },
  { deployment: 'local' },
)

proves('system/free-empties-cache', async ({ connect, post, reach, run, submit }) => {
  const session = await connect('me')
  expect(cachedIn((await run(session, solid())).messages)).toEqual([])
  await post('/free', { unload_models: true, free_memory: false })
  expect(cachedIn((await run(session, solid())).messages)).toEqual(['1', '2'])
  await post('/free', { free_memory: true })
  expect(cachedIn((await run(session, solid())).messages)).toEqual([])
  expect(cachedIn((await run(session, solid())).messages)).toEqual(['1', '2'])
  await submit({ ...solid(), '3': slow()['1']! }, { client_id: 'me' })
  await reach(session, ({ type }) => type === 'progress')
  await post('/free', { free_memory: true })
  expect(cachedIn((await run(session, solid())).messages)).toEqual([])
})

proves('system/free-reply', async ({ connect, idle, post }) => {
  const session = await connect('me')
  const before = session.messages().length
  const reply = await post('/free', { unload_models: true, free_memory: true })
  expect(reply).toMatchObject({ status: 200, text: '' })
  expect({
    contentType: reply.headers['content-type'],
    contentLength: reply.headers['content-length'],
  }).toEqual({ contentType: undefined, contentLength: '0' })
  await idle()
  await session.settled()
  expect(session.messages()).toHaveLength(before)
})

proves(
  'system/queue-length',
  async ({ connect, get, post, reach, submit }) => {
    const session = await connect('me')
    const lengthNow = async () => (await get('/prompt')).json()
    const length = (queue_remaining: number) => ({ exec_info: { queue_remaining } })
    expect(await lengthNow()).toEqual(length(0))
    await submit(slow(), { prompt_id: 'a', client_id: 'me' })
    await submit(slow(), { prompt_id: 'b' })
    await submit(slow(), { prompt_id: 'c' })
    expect(await lengthNow()).toEqual(length(3))
    await reach(session, ({ type }) => type === 'progress')
    expect(await lengthNow()).toEqual(length(3))
    await post('/queue', { delete: ['b'] })
    expect(await lengthNow()).toEqual(length(2))
    await reach(session, isEnd)
    expect(await lengthNow()).toEqual(length(1))
    expect(violations(queueLength, await lengthNow())).toEqual([])
  },
  { deployment: 'local' },
)

proves('system/features', async ({ connect, get }) => {
  const flags = (await get('/features')).json()
  expect(violations(featureFlags, flags)).toEqual([])
  expect(flags).toMatchObject({ supports_preview_metadata: true })
  expect(Number.isInteger(flags.max_upload_size)).toBe(true)
  const session = await connect()
  session.send('{"type": "feature_flags", "data": {}}')
  expect((await session.next(({ type }) => type === 'feature_flags')).data).toEqual(flags)
})

proves('system/home', async ({ url }) => {
  await request(url)
    .get('/')
    .expect(200, /^<!doctype html>/i)
    .expect('cache-control', 'no-cache')
    .expect('pragma', 'no-cache')
    .expect('expires', '0')
    .expect('content-type', /^text\/html/)
})
