// The queue: listing, order, clearing and deleting, and the messages after a removal.

import { queueListing } from '../../../spec/server/queue.ts'
import type { Session } from '../../judge/client.ts'
import { slow, solid, talking } from '../../generate/graphs.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const isStart = ({ type }: Message) => type === 'execution_start'
const remaining = (count: number): Message => ({
  type: 'status',
  data: { status: { exec_info: { queue_remaining: count } } },
})

/** The ids that the queue lists. */
async function idsIn(get: Subject['get']): Promise<{ running: string[]; pending: string[] }> {
  const { queue_running, queue_pending } = (await get('/queue')).json()
  const ids = (runs: [number, string][]) => runs.map(([, id]) => id)
  return { running: ids(queue_running), pending: ids(queue_pending) }
}

/** What the server sends because of an action. */
async function sentBy(session: Session, action: () => Promise<unknown>): Promise<Message[]> {
  await session.settled()
  const before = session.messages().length
  await action()
  await session.settled()
  return session.messages().slice(before)
}

proves(
  'queue/listing',
  async ({ get, submit, connect, reach, idle }) => {
    const session = await connect('me')
    await submit(slow(), { prompt_id: 'first', client_id: 'me' })
    await submit(solid(), { prompt_id: 'second' })
    expect(await idsIn(get)).toEqual({ running: [], pending: ['first', 'second'] })
    await reach(session, isStart)
    expect(await idsIn(get)).toEqual({ running: ['first'], pending: ['second'] })
    expect(violations(queueListing, (await get('/queue')).json())).toEqual([])
    await idle()
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  'queue/item',
  async ({ get, submit, connect, reach }) => {
    const session = await connect('me')
    const graph = { ...slow(), '2': { class_type: 'SaveImage', inputs: {} } }
    const extra_data = { note: [1, { deep: null }] }
    const reply = await submit(graph, { prompt_id: 'a', client_id: 'me', extra_data })
    expect(Object.keys(reply.json().node_errors)).toEqual(['2'])
    const item = [0, 'a', graph, { ...extra_data, client_id: 'me' }, ['1']]
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [item] })
    await reach(session, isStart)
    expect((await get('/queue')).json()).toEqual({ queue_running: [item], queue_pending: [] })
  },
  ownWorld,
)

provesQuirk(
  'queue.heap-order',
  async ({ get, post, submit, idle }) => {
    // The result of heapq: pushed one by one, then one removed and the list made a heap again.
    for (const number of [5, 3, 8, 1, 9, 2])
      await submit(talking(), { prompt_id: `n${number}`, number })
    const pending = async () => (await idsIn(get)).pending
    expect(await pending()).toEqual(['n1', 'n3', 'n2', 'n5', 'n9', 'n8'])
    await post('/queue', { delete: ['n3'] })
    expect(await pending()).toEqual(['n1', 'n2', 'n5', 'n9', 'n8'])
    await submit(talking(), { prompt_id: 'z', number: 9 })
    await submit(talking(), { prompt_id: 'a', number: 9 })
    await idle()
    const order = ['n1', 'n2', 'n5', 'n8', 'a', 'n9', 'z']
    expect(Object.keys((await get('/history')).json())).toEqual(order)
  },
  { ...ownWorld, deployment: 'local' },
)

for (const gone of ['removed', 'overtaken']) {
  proves(
    'queue/start-delay',
    async ({ emulator, get, post, submit }) => {
      await submit(talking(), { prompt_id: 'one' })
      await emulator?.advance(20)
      await submit(talking(), { prompt_id: 'two', front: gone === 'overtaken' })
      if (gone === 'removed') await post('/queue', { delete: ['one'] })
      await emulator?.advance(24)
      expect((await idsIn(get)).running).toEqual([])
      await emulator?.advance(1)
      expect((await idsIn(get)).running).toEqual(['two'])
    },
    { ...ownWorld, deployment: 'local' },
  )
}

proves(
  'queue/start-delay',
  async ({ emulator, get, submit }) => {
    await submit(talking(), { prompt_id: 'one' })
    await emulator?.advance(2)
    expect((await idsIn(get)).running).toEqual([])
    await emulator?.advance(1)
    expect((await idsIn(get)).running).toEqual(['one'])
  },
  { ...ownWorld, deployment: 'local', startDelayMs: 3 },
)

proves(
  'queue/clear',
  async ({ get, post, submit, connect, reach, idle }) => {
    const session = await connect('me')
    await submit(slow(), { prompt_id: 'running', client_id: 'me' })
    await reach(session, isStart)
    await submit(solid(), { prompt_id: 'one' })
    await submit(solid(), { prompt_id: 'two' })
    await post('/queue', { clear: false })
    expect((await idsIn(get)).pending).toEqual(['one', 'two'])
    const reply = await post('/queue', { clear: true })
    expect({
      status: reply.status,
      text: reply.text,
      contentType: reply.headers['content-type'],
    }).toEqual({ status: 200, text: '', contentType: undefined })
    expect(await idsIn(get)).toEqual({ running: ['running'], pending: [] })
    await submit(solid(), { prompt_id: 'after' })
    await idle()
    expect(Object.keys((await get('/history')).json())).toEqual(['running', 'after'])
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  'queue/clear-and-delete',
  async ({ get, post, submit, connect }) => {
    const session = await connect()
    for (const prompt_id of ['a', 'b', 'c']) await submit(solid(), { prompt_id })
    // Deleting first would report two that are left.
    const both = { delete: ['b'], clear: true }
    expect(await sentBy(session, () => post('/queue', both))).toEqual([remaining(0)])
    expect(await idsIn(get)).toEqual({ running: [], pending: [] })
    await submit(solid(), { prompt_id: 'b' })
    await submit(solid(), { prompt_id: 'd' })
    await post('/queue', { clear: 0, delete: ['b'] })
    expect((await idsIn(get)).pending).toEqual(['d'])
  },
  ownWorld,
)

proves(
  'queue/running-is-spared',
  async ({ get, post, submit, connect, reach, idle }) => {
    const session = await connect('me')
    await submit(slow(), { prompt_id: 'running', client_id: 'me' })
    await reach(session, isStart)
    await submit(solid(), { prompt_id: 'pending' })
    expect((await post('/queue', { delete: ['running', 'unknown'] })).status).toBe(200)
    expect(await idsIn(get)).toEqual({ running: ['running'], pending: ['pending'] })
    expect((await post('/queue', { clear: true, delete: ['running'] })).status).toBe(200)
    expect(await idsIn(get)).toEqual({ running: ['running'], pending: [] })
    await idle()
    expect((await get('/history/running')).json().running.status.status_str).toBe('success')
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  'queue/removed-leaves-nothing',
  async ({ get, post, submit, connect, run }) => {
    const session = await connect('me')
    await submit(solid(), { prompt_id: 'deleted', client_id: 'me' })
    await submit(solid(), { prompt_id: 'cleared', client_id: 'me' })
    await post('/queue', { delete: ['deleted'] })
    await post('/queue', { clear: true })
    const { prompt_id } = await run(session, solid())
    const received = session.messages().filter(({ data }) => 'prompt_id' in data)
    expect(new Set(received.map(({ data }) => data['prompt_id']))).toEqual(new Set([prompt_id]))
    expect(Object.keys((await get('/history')).json())).toEqual([prompt_id])
    expect((await get('/history/deleted')).json()).toEqual({})
  },
  ownWorld,
)

proves(
  'queue/removal-status',
  async ({ post, submit, connect, reach }) => {
    const session = await connect()
    const remove = (...ids: string[]) => sentBy(session, () => post('/queue', { delete: ids }))
    const clear = () => sentBy(session, () => post('/queue', { clear: true }))
    for (const prompt_id of ['a', 'b', 'c', 'd']) await submit(slow(), { prompt_id })
    expect(await remove('a')).toEqual([remaining(3)])
    expect(await remove('unknown', 'a')).toEqual([])
    expect(await remove('b', 'c')).toEqual([remaining(2), remaining(1)])
    expect(await remove('d')).toEqual([remaining(0), remaining(0)])
    expect(await clear()).toEqual([remaining(0)])
    await submit(slow(), { prompt_id: 'running' })
    await reach(session, ({ type }) => type === 'progress')
    for (const prompt_id of ['e', 'f', 'g']) await submit(slow(), { prompt_id })
    expect(await remove('running')).toEqual([])
    expect(await remove('e')).toEqual([remaining(3)])
    expect(await clear()).toEqual([remaining(1)])
    await submit(slow(), { prompt_id: 'h' })
    expect(await remove('h')).toEqual([remaining(1), remaining(1)])
  },
  ownWorld,
)

provesQuirk('queue.poison-kills-worker', async ({ get, submit, idle }) => {
  const poison = { '1': { class_type: 'FlowdoubleText', inputs: { text: '', extra: ['77', 0] } } }
  await submit(talking(), { prompt_id: 'before' })
  expect((await submit(poison, { prompt_id: 'poison' })).status).toBe(200)
  await submit(talking(), { prompt_id: 'after' })
  await idle()
  await submit(talking(), { prompt_id: 'later' })
  await idle()
  expect(await idsIn(get)).toEqual({ running: ['poison'], pending: ['after', 'later'] })
  expect(Object.keys((await get('/history')).json())).toEqual(['before'])
})

const keys = { api_key_comfy_org: 'key-1', auth_token_comfy_org: 'key-2', other: 'kept' }
const shownKeys = async ({ queue, finished, submit, idle }: Subject) => {
  const { prompt_id } = (await submit(talking(), { extra_data: keys })).json()
  const [listed] = (await queue()).pending
  await idle()
  return [listed?.extra_data, (await finished(prompt_id))?.extra_data]
}

proves(
  'access/partner-key-hidden',
  async (subject) => {
    expect(await shownKeys(subject)).toEqual([{ other: 'kept' }, { other: 'kept' }])
  },
  ownWorld,
)

provesQuirk('local.queue-shows-partner-key', async (subject) => {
  expect(await shownKeys(subject)).toEqual([keys, { other: 'kept' }])
})
