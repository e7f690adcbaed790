// The queue of any local server, which others may use at the same time: each case looks at its own runs only.

import { queueListing } from '../../../spec/server/queue.ts'
import { node, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { busy, listedIds, messagesAbout, onlyOurs, watchCounts } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { empty, shape } from '../../judge/reply.ts'
import { endsRun } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'

const local = { deployment: 'local' } as const

/** Those of these runs that the history has, in its order. */
async function ended({ get }: Subject, ours: readonly string[]): Promise<string[]> {
  return Object.keys((await get('/history')).json()).filter((id) => ours.includes(id))
}

proves(
  'queue/listing',
  async (subject) => {
    const { held, pend } = await busy(subject)
    const ours = await pend('one', 'two')
    fitting(queueListing, await subject.get('/queue'))
    const { running, pending } = await listedIds(subject)
    expect(running).toContain(held.prompt_id)
    expect(pending).not.toContain(held.prompt_id)
    for (const id of ours) expect(pending).toContain(id)
    for (const id of ours) expect(running).not.toContain(id)
    await held.stop()
    await subject.idle()
    const after = await listedIds(subject)
    const still = [...after.running, ...after.pending]
    expect(still.filter((id) => [held.prompt_id, ...ours].includes(id))).toEqual([])
  },
  local,
)

/** So many more nodes that nobody forgets to list some of them. */
const others = Array.from({ length: 12 }, (_, at) => `more ${at}`)

proves('queue/item', async (subject) => {
  const { session, held } = await busy(subject)
  const said = subject.unique('item')
  const more = Object.fromEntries(
    ['10', 'b', '9', ...others].map((id) => [id, node('PreviewAny', { source: `${said} ${id}` })]),
  )
  const graph = { ...talking(said), '2': node('SaveImage'), ...more }
  const extra_data = { note: [1, { deep: null }] }
  const reply = await subject.submit(graph, { client_id: session.clientId, extra_data })
  const { prompt_id, number, node_errors } = reply.json()
  expect(Object.keys(node_errors)).toEqual(['2'])
  const client_id = session.clientId
  const { queue_running, queue_pending } = fitting(queueListing, await subject.get('/queue'))
  const itemOf = (items: readonly any[][], id: string) =>
    items.find((item) => item[1] === id)?.slice(0, 5)
  const [waiting, working] = [
    itemOf(queue_pending, prompt_id),
    itemOf(queue_running, held.prompt_id),
  ]
  expect(waiting).toEqual([
    number,
    prompt_id,
    graph,
    expect.objectContaining({ ...extra_data, client_id }),
    expect.toSatisfy(
      (ids: string[]) =>
        ids.toSorted().join() === ['1', '10', '9', 'b', ...others].toSorted().join(),
    ),
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
  const [after, before] = [
    await subject.finished(prompt_id),
    await subject.finished(held.prompt_id),
  ]
  for (const [item, entry] of [
    [waiting, after],
    [working, before],
  ] as const)
    expect(item?.slice(2)).toEqual([entry?.graph, entry?.extra_data, entry?.targets])
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
  expect(await ended(subject, order)).toEqual(order)
})

proves(
  'queue/clear',
  async (subject) => {
    const { held, pend, pending } = await busy(subject)
    const ours = await pend('one', 'two')
    await subject.post('/queue', { clear: false })
    expect(await pending(ours)).toEqual(ours)
    expect(shape(await subject.post('/queue', { clear: true }))).toEqual(empty)
    expect(await pending(ours)).toEqual([])
    expect((await listedIds(subject)).running).toContain(held.prompt_id)
    const after = await pend('after')
    await held.stop()
    await subject.idle()
    expect(await ended(subject, [...ours, ...after])).toEqual(after)
  },
  local,
)

proves(
  'queue/delete',
  async (subject) => {
    const { held, pend, pending } = await busy(subject)
    const ours = await pend('a', 'b', 'c', 'd')
    const [a, b, c, d] = ours as [string, string, string, string]
    expect(shape(await subject.post('/queue', { delete: [d, b] }))).toEqual(empty)
    expect(await pending(ours)).toEqual([a, c])
    await subject.post('/queue', { clear: false, delete: [] })
    expect(await pending(ours)).toEqual([a, c])
    await held.stop()
    await subject.idle()
    expect(await ended(subject, ours)).toEqual([a, c])
  },
  local,
)

proves('queue/clear-and-delete', async (subject) => {
  const { session, held, pend, pending } = await busy(subject)
  const counts = watchCounts(session)
  const ours = await pend('a', 'b', 'c')
  await onlyOurs(subject, [held.prompt_id, ...ours])
  // Deleting first would report what is left.
  const both = { delete: [ours[1]], clear: true }
  await subject.post('/queue', both)
  expect(await pending(ours)).toEqual([])
  const [e, f] = await pend('e', 'f')
  expect(await counts(6)).toEqual([2, 3, 4, 1, 2, 3])
  await subject.post('/queue', { clear: 0, delete: [e] })
  expect(await pending([e!, f!])).toEqual([f])
})

proves(
  'queue/running-is-spared',
  async (subject) => {
    const { session, held, pend, pending } = await busy(subject)
    const ours = await pend('behind')
    const ids = [held.prompt_id, nobody]
    expect((await subject.post('/queue', { delete: ids })).status).toBe(200)
    expect((await listedIds(subject)).running).toContain(held.prompt_id)
    expect(await pending(ours)).toEqual(ours)
    await held.stop()
    const ends = messagesAbout(session, held.prompt_id).map(({ type }) => type)
    expect(ends).toContain('execution_interrupted')
  },
  local,
)

proves(
  'queue/running-is-spared',
  async (subject) => {
    const { session, held, pend, pending } = await busy(subject)
    const ours = await pend('behind')
    const body = { clear: true, delete: [held.prompt_id] }
    expect((await subject.post('/queue', body)).status).toBe(200)
    expect((await listedIds(subject)).running).toContain(held.prompt_id)
    expect(await pending(ours)).toEqual([])
    await held.stop()
    const ends = messagesAbout(session, held.prompt_id).map(({ type }) => type)
    expect(ends).toContain('execution_interrupted')
  },
  local,
)

proves('queue/removed-leaves-nothing', async (subject) => {
  const { session, held, pend } = await busy(subject)
  const removed = await pend('deleted', 'deleted too')
  const kept = await pend('kept')
  await subject.post('/queue', { delete: removed })
  await held.stop()
  await subject.reach(session, endsRun('local', kept[0]))
  expect(await ended(subject, [...removed, ...kept])).toEqual(kept)
  for (const id of removed) {
    expect(messagesAbout(session, id)).toEqual([])
    expect((await subject.get(`/history/${id}`)).json()).toEqual({})
  }
})

proves('queue/removal-status', async (subject) => {
  const { session, held, pend } = await busy(subject)
  const counts = watchCounts(session)
  const [a, b, c, d] = await pend('a', 'b', 'c', 'd')
  await onlyOurs(subject, [held.prompt_id, a!, b!, c!, d!])
  const expected = [2, 3, 4, 5]
  const remove = async (
    ids: readonly (string | undefined)[],
    left: readonly number[],
  ): Promise<void> => {
    expected.push(...left)
    await subject.post('/queue', { delete: ids })
    expect(await counts(expected.length)).toEqual(expected)
  }
  await remove([a], [4])
  // None, which the next ones show: one too many would come before them.
  await remove([nobody, a, held.prompt_id], [])
  await remove([b, c], [3, 2])
  await remove([d], [1, 1])
  const last = await pend('e', 'f')
  await onlyOurs(subject, [held.prompt_id, ...last])
  await subject.post('/queue', { clear: true })
  await pend('g')
  expect(await counts(expected.length + 4)).toEqual([...expected, 2, 3, 1, 2])
})
