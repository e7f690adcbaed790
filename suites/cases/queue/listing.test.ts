// The queue: what it lists, in which order, and when a run leaves it for its worker.

import { hostedQueueListing, queueListing } from '../../../spec/server/queue.ts'
import { node, slow, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { keepBusy } from '../../judge/hosted/busy-account.ts'
import { detailOf, fitting, submitAll } from '../../judge/hosted/jobs.ts'
import { busy, submitFor, uniqueNumber } from '../../judge/own-runs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { listedIds } from '../../judge/responses.ts'

const listings = { local: queueListing, hosted: hostedQueueListing } as const

proves('queue/listing', async (subject) => {
  const { held, pend } = await busy(subject)
  const ours = await pend('one', 'two')
  const own = [held.prompt_id, ...ours]
  fitting(listings[subject.deployment], await subject.get('/queue'))
  const listed = await listedIds(subject)
  expect(own.filter((id) => listed.running.includes(id))).toEqual([held.prompt_id])
  expect(own.filter((id) => listed.pending.includes(id))).toEqual(ours)
  await held.stop()
  await subject.idle()
  const { running, pending } = await listedIds(subject)
  expect(own.filter((id) => [...running, ...pending].includes(id))).toEqual([])
  if (subject.isOwn)
    expect((await subject.get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
})

/** So many more nodes that nobody forgets to list some of them. */
const others = Array.from({ length: 12 }, (_, at) => `more ${at}`)

proves('queue/item', async (subject) => {
  const { session, held } = await busy(subject)
  const { clientId: client_id } = session
  const text = subject.unique('item')
  const shown = ['1', '10', 'b', '9', ...others]
  const graph = {
    ...Object.fromEntries(shown.map((id) => [id, node('PreviewAny', { source: `${text} ${id}` })])),
    '2': node('SaveImage'),
  }
  const extra_data = { note: [1, { deep: null }] }
  const reply = await subject.submit(graph, { client_id, extra_data })
  const { prompt_id, number, node_errors } = reply.json()
  expect(Object.keys(node_errors)).toEqual(['2'])
  const { queue_running, queue_pending } = fitting(queueListing, await subject.get('/queue'))
  const itemOf = (items: readonly any[][], id: string) =>
    items.find((item) => item[1] === id)?.slice(0, 5)
  const waiting = itemOf(queue_pending, prompt_id)
  const working = itemOf(queue_running, held.prompt_id)
  expect(waiting).toEqual([
    number,
    prompt_id,
    graph,
    subject.isOwn
      ? { ...extra_data, client_id }
      : expect.objectContaining({ ...extra_data, client_id }),
    expect.toSatisfy((ids: string[]) => ids.toSorted().join() === shown.toSorted().join()),
  ])
  expect(working).toEqual([
    expect.any(Number),
    held.prompt_id,
    held.graph,
    expect.objectContaining({ client_id }),
    [expect.any(String)],
  ])
  await held.stop()
  await subject.idle()
  // What waited and what was at work is what the history lists, with the outputs in the same order.
  for (const item of [waiting, working]) {
    const entry = await subject.finished(item?.[1])
    expect(item?.slice(2)).toEqual([entry?.graph, entry?.extra_data, entry?.targets])
  }
})

proves('queue/hosted-item', async (subject) => {
  const busyIds = await keepBusy(subject)
  const graph = {
    ...solid(uniqueNumber(subject, 'item')),
    '3': node('PreviewAny', { source: 'a' }),
  }
  const extra_data = { extra_pnginfo: { workflow: { mine: 1 } } }
  const ids = await submitAll(subject, [graph, graph], { extra_data })
  const listing = fitting(hostedQueueListing, await subject.get('/queue'))
  const itemsOf = (own: readonly string[], ...parts: readonly unknown[]) =>
    Promise.all(
      own.map(async (id, index) => {
        const { create_time } = await detailOf(subject, id)
        return [index + 1, id, ...parts, { create_time }]
      }),
    )
  const pending = await itemsOf(ids, subject.placed(graph), ['2', '3'])
  const own = listing.queue_pending.filter(([, id]: [number, string]) => ids.includes(id))
  expect(own).toEqual(pending.map(([, ...parts]) => [expect.any(Number), ...parts]))
  expect(own[1][0]).toBeGreaterThan(own[0][0])
  if (subject.isOwn) {
    const running = await itemsOf(busyIds, slow(), ['1'])
    expect(listing).toEqual({ queue_running: running, queue_pending: pending })
  }
})

proves('queue/by-number', async (subject) => {
  const { session, held } = await busy(subject)
  const ids: Record<string, string> = {}
  const add = async (name: string, fields: object): Promise<number> => {
    const graph = talking(subject.unique(name))
    const reply = (await subject.submit(graph, { client_id: session.clientId, ...fields })).json()
    ids[name] = reply.prompt_id
    return reply.number
  }
  const zero = await add('zero', {})
  await add('z', {})
  await add('late', { number: zero + 100_000 })
  await add('half', { number: `${zero + 0.5}` })
  await add('a', { number: zero + 0.5 })
  await add('front', { front: true })
  await add('last front', { front: true })
  const order = ['last front', 'front', 'zero', 'half', 'a', 'z', 'late'].map((name) => ids[name]!)
  expect((await listedIds(subject)).pending.filter((id) => order.includes(id))).toEqual(order)
  await held.stop()
  await subject.idle()
  expect((await subject.history()).filter((id) => order.includes(id))).toEqual(order)
})

provesQuirk(
  'queue.heap-order',
  async (subject) => {
    const { post, submit } = subject
    // The result of heapq: pushed one by one, then one removed and the list made a heap again.
    for (const number of [5, 3, 8, 1, 9, 2])
      await submit(talking(), { prompt_id: `n${number}`, number })
    const pending = async () => (await listedIds(subject)).pending
    expect(await pending()).toEqual(['n1', 'n3', 'n2', 'n5', 'n9', 'n8'])
    await post('/queue', { delete: ['n3'] })
    expect(await pending()).toEqual(['n1', 'n2', 'n5', 'n9', 'n8'])
    await submit(talking(), { prompt_id: 'z', number: 9 })
    await submit(talking(), { prompt_id: 'a', number: 9 })
    await subject.idle()
    expect(await subject.history()).toEqual(['n1', 'n2', 'n5', 'n8', 'a', 'n9', 'z'])
  },
  ownWorld,
)

for (const gone of ['removed', 'overtaken']) {
  proves(
    'queue/start-delay',
    async (subject) => {
      const { emulator, post, submit } = subject
      await submit(talking(), { prompt_id: 'one' })
      await emulator?.advance(20)
      await submit(talking(), { prompt_id: 'two', front: gone === 'overtaken' })
      if (gone === 'removed') await post('/queue', { delete: ['one'] })
      await emulator?.advance(24)
      expect((await listedIds(subject)).running).toEqual([])
      await emulator?.advance(1)
      expect((await listedIds(subject)).running).toEqual(['two'])
    },
    { ...ownWorld, deployment: 'local' },
  )
}

proves(
  'queue/start-delay',
  async (subject) => {
    const session = await subject.connect('me')
    const id = await submitFor(subject, session, talking())
    await subject.emulator?.advance(2)
    expect(await listedIds(subject)).toEqual({ running: [], pending: [id] })
    await subject.emulator?.advance(1)
    expect(await listedIds(subject)).toEqual({ running: [id], pending: [] })
  },
  { ...ownWorld, startDelayMs: 3 },
)
