// The queue: removing runs from it, by ids or all of them, and what the server sends about that.

import { hostedQueueResult } from '../../../spec/server/queue.ts'
import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, keepBusy } from '../../judge/hosted/busy-account.ts'
import {
  detailOf,
  fitting,
  nobody,
  submitAll,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { busy, messagesAbout, onlyOurs, watchCounts } from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { empty, shape } from '../../judge/reply.ts'
import { endsRun, listedIds } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'
import { expectRefusal } from '../../judge/hosted/refusals.ts'

type Removed = { readonly deleted: readonly string[]; readonly cleared: boolean }
const nothing: Removed = { deleted: [], cleared: false }

/** Changes the queue. A hosted server returns what it has removed, a local one nothing. */
async function change({ post, deployment }: Subject, value: object, removed = nothing) {
  const reply = await post('/queue', value)
  if (deployment === 'local') expect(shape(reply)).toEqual(empty)
  else expect(fitting(hostedQueueResult, reply)).toEqual(removed)
}

/** Those of these runs that have succeeded. */
async function successesIn({ finished }: Subject, ids: readonly string[]): Promise<string[]> {
  const entries = await Promise.all(ids.map((id) => finished(id)))
  return ids.filter((_, at) => entries[at]?.status.status_str === 'success')
}

proves('queue/clear', async (subject) => {
  const { held, pend, pending } = await busy(subject)
  const ours = await pend('one', 'two')
  await change(subject, { clear: false })
  expect(await pending(ours)).toEqual(ours)
  await change(subject, { clear: true }, { deleted: [], cleared: true })
  expect(await pending(ours)).toEqual([])
  expect((await listedIds(subject)).running).toContain(held.prompt_id)
  const after = await pend('after')
  await held.stop()
  await subject.idle()
  expect(await successesIn(subject, [...ours, ...after])).toEqual(after)
})

proves('queue/delete', async (subject) => {
  const { held, pend, pending } = await busy(subject)
  const ours = await pend('a', 'b', 'c', 'd')
  const [a, b, c, d] = ours as [string, string, string, string]
  await change(subject, { delete: [d, b] }, { ...nothing, deleted: [d, b] })
  expect(await pending(ours)).toEqual([a, c])
  await change(subject, { clear: false, delete: [] })
  expect(await pending(ours)).toEqual([a, c])
  await held.stop()
  await subject.idle()
  expect(await successesIn(subject, ours)).toEqual([a, c])
  if (subject.deployment === 'hosted')
    expect(await wordsOf(subject, [b, d])).toEqual(['cancelled', 'cancelled'])
})

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

proves('queue/running-is-spared', async (subject) => {
  const { session, held, pend, pending } = await busy(subject)
  const ours = await pend('behind')
  await change(subject, { delete: [held.prompt_id, nobody, 'x'] })
  expect((await listedIds(subject)).running).toContain(held.prompt_id)
  expect(await pending(ours)).toEqual(ours)
  if (subject.deployment === 'local') {
    await change(subject, { clear: true, delete: [held.prompt_id] })
    expect((await listedIds(subject)).running).toContain(held.prompt_id)
    expect(await pending(ours)).toEqual([])
  }
  if (subject.isOwn || subject.deployment === 'hosted') {
    await subject.idle()
    expect(await successesIn(subject, [held.prompt_id])).toEqual([held.prompt_id])
  } else {
    await held.stop()
    const ends = messagesAbout(session, held.prompt_id).map(({ type }) => type)
    expect(ends).toContain('execution_interrupted')
  }
})

proves('queue/removed-leaves-nothing', async (subject) => {
  const { session, held, pend } = await busy(subject)
  const removed = await pend('deleted', 'deleted too')
  await subject.post('/queue', { delete: removed })
  if (subject.isOwn) {
    removed.push(...(await pend('cleared')))
    await subject.post('/queue', { clear: true })
  }
  const [kept = ''] = await pend('kept')
  await held.stop()
  await subject.reach(session, endsRun('local', kept))
  expect(await successesIn(subject, [kept])).toEqual([kept])
  const history = await subject.history()
  for (const id of removed) {
    expect(messagesAbout(session, id)).toEqual([])
    expect((await subject.get(`/history/${id}`)).json()).toEqual({})
    expect(history).not.toContain(id)
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
  if (!subject.isOwn) return
  // With no run at work.
  await subject.idle()
  await session.settled()
  const more = watchCounts(session)
  await subject.post('/queue', { delete: await pend('h') })
  await subject.post('/queue', { clear: true })
  await session.settled()
  expect(await more(4)).toEqual([1, 0, 0, 0])
})

proves('queue/hosted-result', async (subject) => {
  const [running] = await keepBusy(subject)
  const [a = '', b = '', c = ''] = await submitAll(subject, ['a', 'b', 'c'].map(talking))
  await change(subject, { delete: [b, nobody, running, b] }, { ...nothing, deleted: [b] })
  await change(subject, {})
  await change(subject, { delete: [c, b], clear: false }, { ...nothing, deleted: [c] })
  expect(await wordsOf(subject, [a, b, c])).toEqual(['pending', 'cancelled', 'cancelled'])
})

provesQuirk('hosted.delete-running', async (subject) => {
  const [running, ...others] = await keepBusy(subject)
  const [waiting = '', last = ''] = await submitAll(subject, ['a', 'b'].map(talking))
  const deleted = [running, last]
  await change(subject, { delete: deleted }, { ...nothing, deleted })
  await cancelAll(subject, others)
  await subject.idle()
  const words = ['cancelled', 'completed', 'cancelled']
  expect(await wordsOf(subject, [running, waiting, last])).toEqual(words)
  if (!subject.isOwn) return
  const [spared] = await keepBusy(subject)
  await change(subject, { clear: true }, { deleted: [], cleared: true })
  await subject.idle()
  expect(await wordOf(subject, spared)).toBe('completed')
})

/** Bodies that are refused, none of which clears anything where they are not. */
const closedBodies: readonly unknown[] = [
  undefined,
  '',
  'no JSON',
  '[]',
  'null',
  '"clear"',
  '{"delete": "a"}',
  '{"delete": [1]}',
  '{"delete": {}}',
  '{"delete": [], "more": 1}',
  '{"ids": []}',
]
const clearingBodies = ['{"clear": "true"}', '{"clear": 1}', '{"clear": true, "more": 1}']

/** Expects that a path takes `clear` and `delete`, and nothing else. */
async function expectClosed({ request }: Subject, path: string, bodies: readonly any[]) {
  for (const body of bodies) expectRefusal(await request('POST', path, body), 400, 'BAD_REQUEST')
}

proves('queue/hosted-closed-body', async (subject) => {
  const id = await submitOne(subject, await subject.workloads.slow())
  await expectClosed(subject, '/queue', closedBodies)
  if (subject.isOwn) await expectClosed(subject, '/queue', clearingBodies)
  expect(await wordOf(subject, id)).not.toBe('cancelled')
})

proves('history/hosted-closed-body', async (subject) => {
  const { prompt_id } = await subject.run(await subject.connect(), talking())
  await expectClosed(subject, '/history', [...closedBodies, ...clearingBodies])
  expect((await subject.get(`/history/${prompt_id}`)).status).toBe(200)
})

proves('queue/hosted-removed-is-cancelled', async (subject) => {
  await keepBusy(subject)
  const id = await submitOne(subject, solid())
  await change(subject, { delete: [id] }, { ...nothing, deleted: [id] })
  const detail = await detailOf(subject, id)
  expect(detail).toMatchObject({ status: 'cancelled', outputs: {}, outputs_count: 0 })
  expect(detail.execution_status).toMatchObject({ status_str: 'error', completed: false })
  for (const name of ['execution_start_time', 'execution_end_time', 'execution_error'])
    expect(detail).not.toHaveProperty(name)
  expectRefusal(await subject.get(`/history/${id}`), 404, 'NOT_FOUND')
  expect((await subject.get('/history')).text).not.toContain(id)
})
