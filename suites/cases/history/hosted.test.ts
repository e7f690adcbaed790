// The hosted history: a list, newest first, and one entry by its id.

import { hostedHistoryById } from '../../../spec/server/history.ts'
import { failing, node, slow, solid, talking } from '../../generate/graphs.ts'
import {
  detailOf,
  expectRefusal,
  fitting,
  isOf,
  listed,
  nobody,
  submitAll,
  wordOf,
} from '../../judge/hosted/jobs.ts'
import { entryOf, historyOf, idsOf } from '../../judge/hosted/history.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const workflow_id = 'd290f1ee-6c54-4b01-90e6-d701748f0851'
const extra_data = { note: [1, { deep: null }] }

proves(
  'history/hosted-list-entry',
  async (subject) => {
    const [good = '', bad = ''] = await submitAll(subject, [solid(), failing('OOMError')], {
      workflow_id,
      extra_data,
    })
    await subject.idle()
    const [second, first] = await historyOf(subject)
    const { create_time, outputs } = await detailOf(subject, good)
    expect(first).toEqual({
      prompt_id: good,
      create_time,
      workflow_id,
      prompt: {
        priority: expect.any(Number),
        prompt_id: good,
        extra_data: expect.objectContaining(extra_data),
      },
      outputs,
      status: { status_str: 'success', completed: true, messages: expect.any(Array) },
      meta: { '2': expect.any(Object) },
    })
    expect(second).toMatchObject({
      prompt_id: bad,
      status: { status_str: 'error', completed: false },
      outputs: {},
    })
  },
  ownWorld,
)

proves('history/hosted-by-id', async (subject) => {
  const graph = { ...solid(), '3': node('FlowdoubleText', { text: 'a', number: 1.5 }) }
  const [id = ''] = await submitAll(subject, [graph], { extra_data })
  await subject.idle()
  const body = fitting(hostedHistoryById, await subject.get(`/history/${id}`))
  expect(Object.keys(body)).toEqual([id])
  const { outputs, execution_status, execution_meta } = await detailOf(subject, id)
  expect(body[id]).toEqual({
    prompt: {
      priority: expect.any(Number),
      prompt_id: id,
      extra_data: expect.objectContaining(extra_data),
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
  for (const graph of [solid(), failing('OOMError')]) {
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

proves('deployments/hosted-old-history', async (subject) => {
  const session = await subject.connect()
  const { prompt_id } = await subject.run(session, talking())
  const headers = { 'X-API-Key': 'test-key' }
  for (const path of ['/api/history', '/api/history?max_items=1', `/api/history/${prompt_id}`]) {
    expectRefusal(await subject.raw('GET', path, undefined, headers), 404, 'NOT_FOUND')
    expect((await subject.raw('HEAD', path, undefined, headers)).status).toBe(404)
  }
  expect((await subject.raw('POST', '/api/history', '{"clear": true}', headers)).status).toBe(200)
  expect(await idsOf(subject)).toEqual([])
})

proves('history/hosted-unknown', async ({ get }) => {
  for (const id of [nobody, 'no-uuid', '%20', '__proto__'])
    expectRefusal(await get(`/history/${id}`), 404, 'NOT_FOUND')
})

proves(
  'history/hosted-clear',
  async (subject) => {
    const { post } = subject
    const session = await subject.connect()
    const ids = await submitAll(subject, ['a', 'b', 'c'].map(talking))
    const [a = '', b = '', c = ''] = ids
    await subject.idle()
    const [open = ''] = await submitAll(subject, [slow()])
    const forget = async (value: object) => {
      const { status, text } = await post('/history', value)
      expect({ status, text }).toEqual({ status: 200, text: '' })
    }
    await forget({ delete: [b, nobody, open] })
    expect(await idsOf(subject)).toEqual([c, a])
    expectRefusal(await subject.get(`/history/${b}`), 404, 'NOT_FOUND')
    await forget({})
    await forget({ clear: false })
    expect(await idsOf(subject)).toEqual([c, a])
    await forget({ clear: true })
    expect(await idsOf(subject)).toEqual([])
    expect(await listed(subject)).toEqual([open, c, b, a])
    for (const id of ids) expect(await wordOf(subject, id)).toBe('completed')
    await subject.reach(session, isOf('execution_success', open))
    expect(await idsOf(subject)).toEqual([open])
  },
  ownWorld,
)

provesQuirk('hosted.history-as-map', async (subject) => {
  const [first = '', second = ''] = await submitAll(subject, [solid(), talking()])
  await subject.idle()
  const history = (await subject.get('/history')).json()
  expect(Object.keys(history)).toEqual([second, first])
  const { outputs, execution_status } = await detailOf(subject, first)
  const prompt = [expect.any(Number), first, solid(), expect.any(Object), ['2']]
  expect(history[first]).toMatchObject({ prompt, outputs, status: execution_status })
  expect((await subject.get(`/history/${first}`)).json()).toEqual({ [first]: history[first] })
  expect(Object.keys((await subject.get('/history?max_items=1')).json())).toEqual([second])
})

provesQuirk('hosted.history-as-map', async (subject) => {
  const { prompt_id } = await subject.run(await subject.connect(), talking())
  const entry = expect.objectContaining({ prompt: expect.any(Array) })
  expect((await subject.get('/history')).json()).toMatchObject({ [prompt_id]: entry })
})
