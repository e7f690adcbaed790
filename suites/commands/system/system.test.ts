// The server itself: statistics, freeing memory, features, the length of the queue, the start page.

import request from 'supertest'
import { queueLength } from '../../../spec/server/system.ts'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const isEnd = ({ type, data }: Message) => type === 'executing' && data['node'] === null
const cachedIn = (messages: readonly Message[]) =>
  messages.find(({ type }) => type === 'execution_cached')?.data['nodes']

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

proves('system/home', async ({ url }) => {
  await request(url)
    .get('/')
    .expect(200, /^<!doctype html>/i)
    .expect('cache-control', 'no-cache')
    .expect('pragma', 'no-cache')
    .expect('expires', '0')
    .expect('content-type', /^text\/html/)
})
