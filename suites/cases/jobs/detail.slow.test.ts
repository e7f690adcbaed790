// The details of one job of either deployment: its outcome, its workflow, its times, and its outputs with their preview.

import { secretKeys } from '../../../spec/server/access.ts'
import { type Graph, node, slow, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, keepBusy } from '../../judge/hosted/busy-account.ts'
import { detailOf, isOf, listedJob, submitAll, submitOne } from '../../judge/hosted/jobs.ts'
import { shown, uniqueNumber } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { type JobClient, jobClient, oneOfEach } from '../../judge/job-client.ts'

for (const rule of ['jobs/detail', 'local-jobs/detail'] as const)
  proves(rule, async (subject) => {
    const client = await jobClient(subject)
    const graph = shown(subject, 'detail')
    const id = await client.run(graph)
    const detail = await client.detail(id)
    const { outputs, status } = (await subject.finished(id))!
    const sent = client.session.messages().find(isOf('executed', id))
    expect(outputs).toEqual({ '2': sent?.data['output'] })
    expect(outputs['2'].images).toHaveLength(1)
    expect(detail).toMatchObject({ id, status: 'completed', outputs, execution_status: status })
    expect(status).toMatchObject({ status_str: 'success', completed: true })
    expect(detail).toMatchObject((await client.list())[0])
    if (subject.deployment === 'hosted') expect(Object.keys(detail.execution_meta)).toEqual(['2'])
    else {
      const extra_data = {
        ...(client.fields['extra_data'] as object),
        client_id: client.session.clientId,
      }
      expect(detail).toMatchObject({ workflow: { prompt: graph, extra_data } })
    }
  })

proves('jobs/detail-workflow', async (subject) => {
  const session = await subject.connect()
  const extra_data = { note: [1, { deep: null }] }
  const graph = {
    ...solid(uniqueNumber(subject, 'workflow')),
    '3': node('PreviewAny', { source: 'a', ...(subject.isOwn && { number: 1.5, list: [] }) }),
  }
  const [id = ''] = await submitAll(subject, [graph], { extra_data })
  const prompt = subject.placed(graph)
  const workflow = { prompt, extra_data: expect.objectContaining(extra_data) }
  expect((await detailOf(subject, id)).workflow).toEqual(workflow)
  await subject.reach(session, isOf('execution_start', id))
  expect((await detailOf(subject, id)).workflow).toEqual(workflow)
  await subject.idle()
  expect((await detailOf(subject, id)).workflow).toEqual(workflow)
})

const outcomes = ['execution_end_time', 'execution_status', 'outputs']

proves('jobs/detail-while-open', async (subject) => {
  const session = await subject.connect()
  const [running] = await keepBusy(subject)
  const waiting = await submitOne(subject, talking())
  for (const id of [waiting, running]) {
    const detail = await detailOf(subject, id)
    for (const name of outcomes) expect(detail).not.toHaveProperty(name)
    expect('execution_start_time' in detail).toBe(id === running)
  }
  await cancelAll(subject, [running])
  await subject.reach(session, isOf('execution_success', waiting))
  const detail = await detailOf(subject, waiting)
  expect(Object.keys(detail)).toEqual(expect.arrayContaining([...outcomes, 'execution_meta']))
})

proves('local-jobs/open-without-workflow', async (subject) => {
  const client = await jobClient(subject)
  const { ids, held } = await oneOfEach(subject, client)
  for (const id of [ids.in_progress, ids.pending]) {
    const { jobs } = await client.everyone()
    expect(await client.detail(id)).toEqual(jobs.find((one) => one.id === id))
  }
  await held.stop()
})

proves('local-jobs/workflow-while-open', async (subject) => {
  const client = await jobClient(subject)
  const { ids, held } = await oneOfEach(subject, client)
  for (const id of [ids.in_progress, ids.pending]) {
    const detail = await client.detail(id)
    expect(detail).toMatchObject({ workflow: client.fields })
    for (const name of ['outputs', 'execution_status']) expect(detail).not.toHaveProperty(name)
  }
  await held.stop()
})

proves('local-jobs/workflow-id', async (subject) => {
  const { run, detail, workflow } = await jobClient(subject)
  const id = await run(talking(subject.unique('named')))
  expect(await detail(id)).toMatchObject({ workflow_id: workflow })
  const { prompt_id } = (await subject.submit(talking(subject.unique('unnamed')))).json()
  await subject.idle()
  expect(await detail(prompt_id)).not.toHaveProperty('workflow_id')
})

proves('jobs/detail-times', async (subject) => {
  const session = await subject.connect()
  const [running] = await keepBusy(subject)
  const id = await submitOne(subject, subject.isOwn ? slow(1, 1) : talking())
  const { create_time, update_time } = await detailOf(subject, id)
  expect(update_time).toBe(create_time)
  // Seconds would be a thousand times less.
  expect(new Date(create_time).getUTCFullYear()).toBeGreaterThan(2000)
  const started = await detailOf(subject, running)
  expect(started.update_time).toBe(started.execution_start_time)
  await cancelAll(subject, [running])
  const { data } = await subject.reach(session, isOf('execution_success', id))
  const ended = await detailOf(subject, id)
  const { execution_start_time, execution_end_time } = ended
  expect(ended).toMatchObject({ create_time, update_time: execution_end_time })
  expect(execution_start_time).toBeGreaterThanOrEqual(create_time)
  expect(execution_end_time).toBeGreaterThanOrEqual(execution_start_time)
  const times = { create_time, execution_start_time, execution_end_time }
  expect(await listedJob(subject, id)).toMatchObject(times)
  if (subject.isOwn) {
    const start = await session.next(isOf('execution_start', id))
    expect(execution_start_time).toBe(start.data['timestamp'])
    expect(execution_end_time).toBe(data['timestamp'])
    expect(execution_end_time - execution_start_time).toBeGreaterThanOrEqual(1000)
  }
})

proves(
  'access/partner-key-hidden',
  async (subject) => {
    const session = await subject.connect()
    const extra_data = { note: [1, { deep: null }] }
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

/** Three pictures that are shown and saved, and a text, which makes no file. */
const counted = (subject: Subject): Graph => ({
  '1': node('EmptyImage', {
    width: 8,
    height: 8,
    batch_size: 3,
    color: uniqueNumber(subject, 'counted'),
  }),
  '2': node('PreviewImage', { images: ['1', 0] }),
  '3': node('SaveImage', { images: ['1', 0], filename_prefix: 'three' }),
  '4': node('PreviewAny', { source: subject.unique('not counted') }),
})

for (const rule of ['jobs/outputs-counted', 'local-jobs/outputs-count'] as const)
  proves(rule, async (subject) => {
    const client = await jobClient(subject)
    const { run, detail } = client
    const { outputs, ...files } = await detail(await run(counted(subject)))
    const expected = {
      outputs_count: 6,
      ...(subject.deployment === 'hosted' && {
        previewable_outputs_count: 6,
        preview_output: previewOf(outputs, '3'),
      }),
    }
    expect(files).toMatchObject(expected)
    expect((await client.list())[0]).toMatchObject(expected)
    const silent = await detail(await run(talking(subject.unique('text'))))
    expect(silent).toMatchObject({ outputs_count: 0 })
    if (subject.deployment === 'hosted') {
      expect(silent.previewable_outputs_count).toBe(0)
      expect(silent).not.toHaveProperty('preview_output')
    }
  })

/** A picture of these outputs as the preview of their job. */
const previewOf = (outputs: any, nodeId: string) => ({
  ...outputs[nodeId].images[0],
  nodeId,
  mediaType: 'images',
})

proves(
  'local-jobs/outputs-count',
  async (subject) => {
    const { run, detail } = await jobClient(subject)
    const id = await run({ '1': node('Preview3D', { model_file: 'mesh.GLB' }) })
    const file = { filename: 'mesh.GLB', type: 'output', subfolder: '', mediaType: '3d' }
    const { outputs, outputs_count, preview_output } = await detail(id)
    expect({ result: outputs['1'].result, outputs_count, preview_output }).toEqual({
      result: [file],
      outputs_count: 1,
      preview_output: { ...file, nodeId: '1' },
    })
  },
  { models: 'any' },
)

proves('local-jobs/preview', async (subject) => {
  const { run, detail } = await jobClient(subject)
  const shownOnly = await detail(await run(shown(subject, 'preview')))
  expect(shownOnly.preview_output).toEqual(previewOf(shownOnly.outputs, '2'))
  const both = await detail(await run(counted(subject)))
  expect(both.preview_output).toEqual(previewOf(both.outputs, '3'))
})

proves('local-jobs/text-preview', async (subject) => {
  const { run, detail } = await jobClient(subject)
  const short = subject.unique('short')
  const long = 'ü'.repeat(1024)
  const expectPreview = async (text: string, preview: object) => {
    const { preview_output } = await detail(await run(talking(text)))
    expect(preview_output).toEqual({ ...preview, nodeId: '1', mediaType: 'text' })
  }
  await expectPreview(short, { content: short })
  await expectPreview(long, { content: long })
  await expectPreview(`${long}x`, { content: long, truncated: true })
})

/** Runs a text, which is made before a picture that is not saved. */
const runTextFirst = (subject: Subject, { run }: JobClient) =>
  run({
    '0': node('PreviewAny', { source: subject.unique('text') }),
    ...shown(subject, 'picture'),
  })

proves('local-jobs/media-first', async (subject) => {
  const client = await jobClient(subject)
  const { preview_output, outputs } = await client.detail(await runTextFirst(subject, client))
  expect(Object.keys(outputs).toSorted()).toEqual(['0', '2'])
  expect(preview_output).toMatchObject({ nodeId: '2', mediaType: 'images' })
})

proves('local-jobs/previewable-count', async (subject) => {
  const client = await jobClient(subject)
  await runTextFirst(subject, client)
  const [job] = await client.list()
  expect(job).toMatchObject({ outputs_count: 1, previewable_outputs_count: 1 })
})
