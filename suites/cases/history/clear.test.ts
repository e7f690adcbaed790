// Clearing the history, and deleting from it. Only the first concerns the runs of others, so its cases stand alone.

import { slow, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { historyIds, isOf, listed, nobody, submitOne, wordsOf } from '../../judge/hosted/jobs.ts'
import { cachedNodes, idsOf, runAll } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expectRefusal } from '../../judge/hosted/refusals.ts'

proves('history/clear', async (subject) => {
  const ours = await runAll(subject, 'a', 'b', 'c', 'd')
  const left = async () => (await idsOf(subject)).filter((id) => ours.includes(id))
  expect(await left()).toEqual(ours)
  const reply = await subject.post('/history', { delete: [ours[1], 'unknown', ours[3]] })
  expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', undefined])
  expect(await left()).toEqual([ours[0], ours[2]])
  expect((await subject.get(`/history/${ours[1]}`)).json()).toEqual({})
  await subject.post('/history', { clear: false })
  expect(await left()).toEqual([ours[0], ours[2]])
})

proves('history/clear', async (subject) => {
  const { connect, isOwn, post, run, unique } = subject
  const ours = await runAll(subject, 'a', 'b')
  const session = await connect(unique('me'))
  const before = session.messages().length
  expect((await post('/history', { clear: true })).status).toBe(200)
  expect((await idsOf(subject)).filter((id) => ours.includes(id))).toEqual([])
  if (!isOwn) return
  await session.settled()
  expect(session.messages()).toHaveLength(before)
  // What runs have made stays in the cache.
  const again = await run(session, talking('b'))
  expect(cachedNodes(again)).toEqual(['1'])
  expect(await idsOf(subject)).toEqual([again.prompt_id])
})

proves(
  'history/delete-unhashable',
  async (subject) => {
    const { post } = subject
    const statusOf = async (ids: readonly unknown[]) =>
      (await post('/history', { delete: ids })).status
    expect(await statusOf([['a']])).toBe(200)
    for (const prompt_id of ['a', 'b', 'c']) await subject.submit(talking(prompt_id), { prompt_id })
    await subject.idle()
    for (const ids of [['a', {}, 'b'], [['c']]]) expect(await statusOf(ids)).toBe(500)
    expect(await idsOf(subject)).toEqual(['b', 'c'])
    expect(await statusOf(['b', 1, null, 'c', {}])).toBe(200)
    expect(await idsOf(subject)).toEqual([])
  },
  ownWorld,
)

/** Expects the answer to a change of the history. */
async function forget({ post }: Subject, value: object): Promise<void> {
  const { status, text } = await post('/history', value)
  expect({ status, text }).toEqual({ status: 200, text: '' })
}

proves('history/hosted-clear', async (subject) => {
  const ids = await runAll(subject, 'a', 'b', 'c')
  const [a = '', b = '', c = ''] = ids
  const own = async () => (await historyIds(subject)).filter((id) => ids.includes(id))
  await forget(subject, { delete: [b, nobody] })
  expect(await own()).toEqual([c, a])
  expectRefusal(await subject.get(`/history/${b}`), 404, 'NOT_FOUND')
  await forget(subject, {})
  await forget(subject, { clear: false })
  expect(await own()).toEqual([c, a])
  const jobs = await listed(subject, '?limit=1000')
  expect(jobs.filter((id) => ids.includes(id))).toEqual([c, b, a])
  expect(await wordsOf(subject, ids)).toEqual(['completed', 'completed', 'completed'])
})

proves('history/hosted-clear', async (subject) => {
  const ids = await runAll(subject, 'a', 'b')
  const open = subject.isOwn ? await submitOne(subject, slow()) : nobody
  await forget(subject, { delete: [open] })
  await forget(subject, { clear: true })
  for (const id of ids) expect(await historyIds(subject)).not.toContain(id)
  expect(await listed(subject, '?limit=1000')).toEqual(expect.arrayContaining([...ids]))
  if (!subject.isOwn) return
  // Only what has ended is forgotten.
  expect(await listed(subject)).toEqual([open, ...ids.toReversed()])
  await subject.reach(await subject.connect(), isOf('execution_success', open))
  expect(await historyIds(subject)).toEqual([open])
})

proves('deployments/hosted-old-history', async (subject) => {
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, talking())
  const headers = { 'X-API-Key': 'test-key' }
  for (const path of ['/api/history', '/api/history?max_items=1', `/api/history/${prompt_id}`]) {
    expectRefusal(await subject.raw('GET', path, undefined, headers), 404, 'NOT_FOUND')
    expect((await subject.raw('HEAD', path, undefined, headers)).status).toBe(404)
  }
  expect((await subject.raw('POST', '/api/history', '{"clear": true}', headers)).status).toBe(200)
  expect(await historyIds(subject)).toEqual([])
})
