// The details of one job of any later local server, which others may use at the same time.

import { node, talking } from '../../generate/graphs.ts'
import { nobody } from '../../judge/hosted/jobs.ts'
import {
  begin,
  cancel,
  detailOf,
  interrupt,
  jobClient,
  listOf,
  oneOfEach,
  refusalOf,
} from '../../judge/later/jobs.ts'
import { messagesAbout, shown } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const missing = { status: 404, error: 'Job not found' }
const unknown = (subject: Subject, id: string) => refusalOf(subject, 'GET', `/api/jobs/${id}`)

proves('local-jobs/detail', async (subject) => {
  const client = await jobClient(subject)
  const graph = shown(subject, 'detail')
  const id = await client.run(graph)
  const detail = await detailOf(subject, id)
  const entry = await subject.finished(id)
  expect(detail).toMatchObject({
    id,
    status: 'completed',
    outputs: entry?.outputs,
    execution_status: entry?.status,
    workflow: {
      prompt: graph,
      extra_data: { ...client.fields.extra_data, client_id: client.session.clientId },
    },
  })
  const [listed] = await client.list()
  expect(detail).toMatchObject(listed)
})

proves('local-jobs/unknown', async (subject) => {
  for (const id of [nobody, 'no-uuid', '1', '%20'])
    expect({ id, ...(await unknown(subject, id)) }).toEqual({ id, ...missing })
})

proves('local-jobs/removed', async (subject) => {
  const client = await jobClient(subject)
  const held = await begin(subject, client)
  const [one, two] = [
    await client.submit(talking(subject.unique('one'))),
    await client.submit(talking(subject.unique('two'))),
  ]
  expect(await cancel(subject, one)).toBe(true)
  await subject.post('/queue', { delete: [two] })
  for (const id of [one, two]) expect(await unknown(subject, id)).toEqual(missing)
  expect((await client.list()).map(({ id }) => id)).toEqual([held.prompt_id])
  await held.stop()
  await subject.post('/history', { delete: [held.prompt_id] })
  expect(await client.list()).toEqual([])
})

proves('local-jobs/error', async (subject) => {
  const client = await jobClient(subject)
  const { graph } = await subject.workloads.failing()
  const failed = await client.run(graph)
  const sent = messagesAbout(client.session, failed).find(({ type }) => type === 'execution_error')
  const { status, execution_error } = await detailOf(subject, failed)
  expect({ status, execution_error }).toEqual({ status: 'failed', execution_error: sent?.data })
  const [listed] = await client.list()
  expect(listed.execution_error).toEqual(sent?.data)
  const stopped = await begin(subject, client)
  await interrupt(subject, client.session, stopped.prompt_id)
  const cancelled = await detailOf(subject, stopped.prompt_id)
  expect(cancelled).toMatchObject({ status: 'cancelled' })
  expect(cancelled).not.toHaveProperty('execution_error')
})

proves('local-jobs/outputs-count', async (subject) => {
  const { run } = await jobClient(subject)
  const graph = {
    ...shown(subject, 'counted'),
    '3': node('PreviewImage', { images: ['1', 0] }),
    '4': node('PreviewAny', { source: subject.unique('not counted') }),
  }
  expect(await detailOf(subject, await run(graph))).toMatchObject({ outputs_count: 2 })
  const text = await detailOf(subject, await run(talking(subject.unique('text'))))
  expect(text).toMatchObject({ outputs_count: 0 })
})

proves('local-jobs/preview', async (subject) => {
  const { run } = await jobClient(subject)
  const picture = shown(subject, 'preview')
  const saved = {
    ...picture,
    '3': node('SaveImage', { images: ['1', 0], filename_prefix: subject.unique('saved') }),
  }
  const shownOnly = await detailOf(subject, await run(picture))
  expect(shownOnly.preview_output).toEqual({
    ...shownOnly.outputs['2'].images[0],
    nodeId: '2',
    mediaType: 'images',
  })
  const both = await detailOf(subject, await run(saved))
  expect(both.preview_output).toEqual({
    ...both.outputs['3'].images[0],
    nodeId: '3',
    mediaType: 'images',
  })
})

proves('local-jobs/text-preview', async (subject) => {
  const { run } = await jobClient(subject)
  const short = subject.unique('short')
  const long = 'ü'.repeat(1024)
  const previewOf = async (text: string) =>
    (await detailOf(subject, await run(talking(text)))).preview_output
  const common = { nodeId: '1', mediaType: 'text' }
  expect(await previewOf(short)).toEqual({ content: short, ...common })
  expect(await previewOf(long)).toEqual({ content: long, ...common })
  expect(await previewOf(`${long}x`)).toEqual({ content: long, truncated: true, ...common })
})

proves('local-jobs/workflow-id', async (subject) => {
  const client = await jobClient(subject)
  const id = await client.run(talking(subject.unique('named')))
  expect(await detailOf(subject, id)).toMatchObject({ workflow_id: client.workflow })
  const { prompt_id } = (await subject.submit(talking(subject.unique('unnamed')))).json()
  await subject.idle()
  expect(await detailOf(subject, prompt_id)).not.toHaveProperty('workflow_id')
})

proves('local-jobs/open-without-workflow', async (subject) => {
  const client = await jobClient(subject)
  const { ids, held } = await oneOfEach(subject, client)
  for (const id of [ids.in_progress, ids.pending]) {
    const { jobs } = await listOf(subject, '')
    expect(await detailOf(subject, id)).toEqual(jobs.find((one) => one.id === id))
  }
  await held.stop()
})

proves('local-jobs/workflow-while-open', async (subject) => {
  const client = await jobClient(subject)
  const { ids, held } = await oneOfEach(subject, client)
  for (const id of [ids.in_progress, ids.pending]) {
    const detail = await detailOf(subject, id)
    expect(detail.workflow).toMatchObject({ extra_data: client.fields.extra_data })
    for (const name of ['outputs', 'execution_status']) expect(detail).not.toHaveProperty(name)
  }
  await held.stop()
})

/** A text that is made before a picture, which is not saved. */
const textFirst = (subject: Subject) => ({
  '0': node('PreviewAny', { source: subject.unique('text') }),
  ...shown(subject, 'picture'),
})

proves('local-jobs/media-first', async (subject) => {
  const { run } = await jobClient(subject)
  const { preview_output, outputs } = await detailOf(subject, await run(textFirst(subject)))
  expect(Object.keys(outputs).toSorted()).toEqual(['0', '2'])
  expect(preview_output).toMatchObject({ nodeId: '2', mediaType: 'images' })
})

proves('local-jobs/previewable-count', async (subject) => {
  const { run, list } = await jobClient(subject)
  await run(textFirst(subject))
  expect((await list())[0]).toMatchObject({ outputs_count: 1, previewable_outputs_count: 1 })
})
