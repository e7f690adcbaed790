// The hosted history on any server: own runs are found in it by their ids.

import { hostedHistoryById } from '../../../spec/server/history.ts'
import { node, solid, talking } from '../../generate/graphs.ts'
import { cancelAll, keepBusy, newColor, newUuid } from '../../judge/hosted/busy-account.ts'
import {
  cancel,
  detailOf,
  expectRefusal,
  fitting,
  isOf,
  listed,
  nobody,
  submitAll,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { entryOf, historyOf, idsOf } from '../../judge/hosted/history.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** Runs these texts, one after the other. */
async function runAll(subject: Subject, texts: readonly string[]): Promise<readonly string[]> {
  const session = await subject.connect()
  const ids: string[] = []
  for (const text of texts) ids.push((await subject.run(session, talking(text))).prompt_id)
  return ids
}

proves(['history/hosted-list', 'deployments/hosted-history-renamed'], async (subject) => {
  const ids = await runAll(subject, ['a', 'b', 'c'])
  const own = (await idsOf(subject)).filter((id) => ids.includes(id))
  expect(own).toEqual(ids.toReversed())
  for (const { prompt } of await historyOf(subject)) expect(Array.isArray(prompt)).toBe(false)
  const headers = { 'X-API-Key': 'test-key' }
  const { status, text } = await subject.raw('GET', '/api/history_v2', undefined, headers)
  expect(status).toBe(200)
  for (const id of ids) expect(text).toContain(id)
})

const extra_data = { note: [1, { deep: null }] }

proves('history/hosted-list-entry', async (subject) => {
  const session = await subject.connect()
  const workflow_id = newUuid(subject, 'entry')
  const fields = { workflow_id, extra_data }
  const good = (await subject.run(session, solid(), fields)).prompt_id
  const { graph } = await subject.workloads.failing()
  const bad = (await subject.run(session, graph, fields)).prompt_id
  const history = await historyOf(subject)
  const { create_time, outputs } = await detailOf(subject, good)
  const found = history.find(({ prompt_id }) => prompt_id === good)
  expect(found).toMatchObject({
    create_time,
    workflow_id,
    prompt: { priority: expect.any(Number), prompt_id: good, extra_data },
    outputs,
    status: { status_str: 'success', completed: true, messages: expect.any(Array) },
    meta: { '2': expect.any(Object) },
  })
  expect(found.prompt).not.toHaveProperty('prompt')
  expect(new Date(create_time).getUTCFullYear()).toBeGreaterThan(2000)
  expect(history.find(({ prompt_id }) => prompt_id === bad)).toMatchObject({
    status: { status_str: 'error', completed: false },
    outputs: {},
  })
})

proves('history/hosted-pages', async (subject) => {
  const ids = await runAll(subject, ['a', 'b', 'c'])
  for (const max of [0, 1, 2]) expect(await idsOf(subject, `?max_items=${max}`)).toHaveLength(max)
  const placeOf = async (id: string, query = ''): Promise<number> =>
    (await idsOf(subject, query)).indexOf(id)
  // Runs of somebody else with this key that end meanwhile are newer.
  const [oldest = ''] = ids
  const before = await placeOf(oldest)
  expect(before).toBeGreaterThanOrEqual(2)
  const place = await placeOf(oldest, `?offset=${before}&max_items=20`)
  const after = await placeOf(oldest)
  expect(place).toBeGreaterThanOrEqual(0)
  expect(place).toBeLessThanOrEqual(after - before)
  expect(await idsOf(subject, '?max_items=9&offset=1000000')).toEqual([])
  for (const value of ['-1', 'x', '1.5', '%20', '0x1']) {
    for (const name of ['max_items', 'offset'])
      expectRefusal(await subject.get(`/history?${name}=${value}`), 400, 'BAD_REQUEST')
  }
})

proves('history/hosted-by-id', async (subject) => {
  const color = newColor(subject, 'by-id')
  const graph = { ...solid(color), '3': node('PreviewAny', { source: 'a' }) }
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, graph, { extra_data })
  const body = fitting(hostedHistoryById, await subject.get(`/history/${prompt_id}`))
  expect(Object.keys(body)).toEqual([prompt_id])
  const { outputs, execution_status, execution_meta } = await detailOf(subject, prompt_id)
  expect(body[prompt_id]).toMatchObject({
    prompt: {
      priority: expect.any(Number),
      prompt_id,
      extra_data,
      prompt: graph,
      outputs_to_execute: ['2', '3'],
    },
    outputs,
    status: execution_status,
    meta: execution_meta,
  })
  const types = execution_status.messages.map(([type]: [string]) => type)
  expect(types).toEqual(['execution_start', 'execution_cached', 'execution_success'])
})

proves('history/hosted-two-ways', async (subject) => {
  const session = await subject.connect()
  const { graph: failing } = await subject.workloads.failing()
  for (const graph of [solid(), failing]) {
    const { prompt_id } = await subject.run(session, graph)
    const { outputs, workflow, status } = await detailOf(subject, prompt_id)
    const entry = await entryOf(subject, prompt_id)
    expect({ outputs: entry.outputs, prompt: entry.prompt.prompt }).toEqual({
      outputs,
      prompt: workflow.prompt,
    })
    expect(entry.status.completed).toBe(status === 'completed')
  }
})

proves('history/hosted-once-begun', async (subject) => {
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  const [id = '', never = ''] = await submitAll(subject, ['a', 'b'].map(talking))
  await cancel(subject, never)
  for (const waiting of [id, never])
    expectRefusal(await subject.get(`/history/${waiting}`), 404, 'NOT_FOUND')
  const begun = await entryOf(subject, busy[0])
  expect(begun).toHaveProperty('prompt')
  for (const name of ['outputs', 'status']) expect(begun).not.toHaveProperty(name)
  expect(await idsOf(subject)).not.toContain(busy[0])
  await cancelAll(subject, busy)
  await subject.reach(session, isOf('execution_success', id))
  expect(await entryOf(subject, id)).toMatchObject({ status: { status_str: 'success' } })
  expectRefusal(await subject.get(`/history/${never}`), 404, 'NOT_FOUND')
  const own = (await idsOf(subject)).filter((one) => [id, never].includes(one))
  expect(own).toEqual([id])
})

/** Expects the answer to a change of the history. */
async function forget({ post }: Subject, value: object): Promise<void> {
  const { status, text } = await post('/history', value)
  expect({ status, text }).toEqual({ status: 200, text: '' })
}

proves('history/hosted-clear', async (subject) => {
  const ids = await runAll(subject, ['a', 'b', 'c'])
  const [a = '', b = '', c = ''] = ids
  const own = async () => (await idsOf(subject)).filter((id) => ids.includes(id))
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
  const ids = await runAll(subject, ['a', 'b'])
  await forget(subject, { clear: true })
  for (const id of ids) expect(await idsOf(subject)).not.toContain(id)
  expect(await listed(subject, '?limit=1000')).toEqual(expect.arrayContaining([...ids]))
})
