// The details of one hosted job: its times, its workflow, its outputs, and why it failed.

import { secretKeys } from '../../../spec/server/access.ts'
import { failing, type Graph, node, slow, solid, talking } from '../../generate/graphs.ts'
import { cancel, detailOf, isOf, listOf, submitAll, submitOne } from '../../judge/hosted/jobs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { errorOf } from '../../judge/failures.ts'

proves('jobs/detail', async (subject) => {
  const session = await subject.connect()
  const { prompt_id, messages } = await subject.run(session, solid())
  const { outputs, execution_status, execution_meta } = await detailOf(subject, prompt_id)
  const sent = messages.find(({ type }) => type === 'executed')
  expect(outputs).toEqual({ '2': sent?.data['output'] })
  expect(outputs['2'].images).toHaveLength(1)
  expect(execution_status).toMatchObject({ status_str: 'success', completed: true })
  expect(Object.keys(execution_meta)).toEqual(['2'])
})

proves(
  'jobs/detail-times',
  async (subject) => {
    const session = await subject.connect()
    const id = await submitOne(subject, slow(1, 1))
    const { create_time, update_time } = await detailOf(subject, id)
    expect(update_time).toBe(create_time)
    // Seconds would be a thousand times less.
    expect(new Date(create_time).getUTCFullYear()).toBeGreaterThan(2000)
    const start = await subject.reach(session, isOf('execution_start', id))
    const started = await detailOf(subject, id)
    expect(started.execution_start_time).toBe(start.data['timestamp'])
    expect(started.update_time).toBe(started.execution_start_time)
    expect(started.create_time).toBe(create_time)
    const end = await subject.reach(session, isOf('execution_success', id))
    const ended = await detailOf(subject, id)
    expect(ended.execution_end_time).toBe(end.data['timestamp'])
    expect(ended).toMatchObject({
      create_time,
      update_time: ended.execution_end_time,
      execution_start_time: started.execution_start_time,
    })
    expect(ended.execution_end_time - ended.execution_start_time).toBeGreaterThanOrEqual(1000)
    expect((await listOf(subject)).jobs[0]).toMatchObject({
      create_time,
      execution_start_time: started.execution_start_time,
      execution_end_time: ended.execution_end_time,
    })
  },
  ownWorld,
)

proves('jobs/detail-error', async (subject) => {
  const session = await subject.connect()
  const { prompt_id, messages } = await subject.run(session, failing('OOMError', 'too large'))
  const { status, execution_error, execution_status, outputs } = await detailOf(subject, prompt_id)
  const sent = errorOf({ messages })
  expect({ status, outputs }).toEqual({ status: 'failed', outputs: {} })
  expect(execution_status).toMatchObject({ status_str: 'error', completed: false })
  expect(execution_error).toEqual({
    node_id: '2',
    node_type: 'FlowdoubleFail',
    exception_message: sent?.['exception_message'],
    exception_type: 'OOMError',
    traceback: sent?.['traceback'],
    current_inputs: sent?.['current_inputs'],
    current_outputs: expect.any(Object),
  })
  expect((await listOf(subject)).jobs[0].execution_error).toEqual(execution_error)
  for (const graph of [solid(), slow()]) {
    const id = await submitOne(subject, graph)
    if (graph['2'] === undefined) await cancel(subject, id)
    await subject.idle()
    expect(await detailOf(subject, id)).not.toHaveProperty('execution_error')
  }
})

const extra_data = { note: [1, { deep: null }] }

proves('jobs/detail-workflow', async (subject) => {
  const session = await subject.connect()
  const graph = { ...solid(), '3': node('FlowdoubleText', { text: 'a', number: 1.5, list: [] }) }
  const [id = ''] = await submitAll(subject, [graph], { extra_data })
  const expectWorkflow = async () => {
    const { workflow } = await detailOf(subject, id)
    expect(workflow).toEqual({ prompt: graph, extra_data: expect.objectContaining(extra_data) })
  }
  await expectWorkflow()
  await subject.reach(session, isOf('execution_start', id))
  await expectWorkflow()
  await subject.idle()
  await expectWorkflow()
})

proves(
  'access/partner-key-hidden',
  async (subject) => {
    const session = await subject.connect()
    const secret = subject.unique('the value of a key')
    const secrets = Object.fromEntries(secretKeys.map((name) => [name, secret]))
    const fields = { extra_data: { ...extra_data, ...secrets } }
    const [id = ''] = await submitAll(subject, [talking()], fields)
    const paths = [`/jobs/${id}`, '/jobs', '/queue', `/job/${id}/status`, '/history']
    const look = async () => {
      for (const path of [...paths, `/history/${id}`]) {
        const { text } = await subject.get(path)
        expect(text).not.toContain(secret)
        for (const name of secretKeys) expect(text).not.toContain(name)
      }
    }
    await look()
    await subject.reach(session, isOf('execution_start', id))
    await look()
    await subject.idle()
    await look()
    const { workflow } = await detailOf(subject, id)
    expect(workflow.extra_data).toMatchObject(extra_data)
  },
  { deployment: 'hosted' },
)

proves('jobs/outputs-counted', async (subject) => {
  const session = await subject.connect()
  const graph: Graph = {
    '1': node('EmptyImage', { width: 8, height: 8, batch_size: 3, color: 0 }),
    '2': node('PreviewImage', { images: ['1', 0] }),
    '3': node('SaveImage', { images: ['1', 0], filename_prefix: 'three' }),
    '4': node('FlowdoubleText', { text: 'no file' }),
  }
  const { prompt_id } = await subject.run(session, graph)
  const { outputs, ...detail } = await detailOf(subject, prompt_id)
  const preview_output = { ...outputs['3'].images[0], nodeId: '3', mediaType: 'images' }
  const counted = { outputs_count: 6, previewable_outputs_count: 6, preview_output }
  expect(detail).toMatchObject(counted)
  expect((await listOf(subject)).jobs[0]).toMatchObject(counted)
  const silent = await subject.run(session, talking())
  const nothing = await detailOf(subject, silent.prompt_id)
  expect(nothing).toMatchObject({ outputs_count: 0, previewable_outputs_count: 0 })
  expect(nothing).not.toHaveProperty('preview_output')
})
