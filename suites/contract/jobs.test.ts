// Hosted jobs: the word for the state of a run, and all that is told about it.

import { expect } from 'vitest'
import { secretKeys } from '../../spec/access.ts'
import { type JobStatus, jobTransitions, rawStates } from '../../spec/jobs.ts'
import { failing, type Graph, node, slow, solid, talking } from '../graphs.ts'
import {
  cancel,
  detailOf,
  expectRefusal,
  isOf,
  listOf,
  nobody,
  statusOf,
  submitAll,
  wordOf,
} from '../jobs.ts'
import { proves, switched } from '../proves.ts'
import type { Subject } from '../subject.ts'

/** Submits a graph and gives the id of its run. */
const submitted = async (subject: Subject, graph: Graph): Promise<string> =>
  (await submitAll(subject, [graph]))[0] as string

proves('jobs/status', async (subject) => {
  const { connect, reach, emulator } = subject
  const session = await connect()
  const id = await submitted(subject, slow())
  expect(await wordOf(subject, id)).toBe('pending')
  await emulator?.advance(24)
  expect(await wordOf(subject, id)).toBe('pending')
  await reach(session, isOf('execution_start', id))
  expect(await wordOf(subject, id)).toBe('in_progress')
  await reach(session, isOf('progress', id))
  expect(await wordOf(subject, id)).toBe('in_progress')
})

/** A run for each end, with what brings it about once it runs. */
const ends: readonly [JobStatus, Graph][] = [
  ['completed', solid()],
  ['failed', failing('OOMError')],
  ['cancelled', slow()],
]

proves('jobs/status-final', async (subject) => {
  const session = await subject.connect()
  for (const [word, graph] of ends) {
    const id = await submitted(subject, graph)
    await subject.reach(session, isOf('execution_start', id))
    if (word === 'cancelled') await cancel(subject, id)
    await subject.idle()
    expect(await wordOf(subject, id)).toBe(word)
    expect(jobTransitions[word]).toEqual([])
    expect(await cancel(subject, id)).toBe(false)
    await subject.post('/interrupt', { prompt_id: id })
    await subject.post('/queue', { delete: [id], clear: true })
    await subject.run(session, talking(word))
    expect((await detailOf(subject, id)).status).toBe(word)
    expect(await wordOf(subject, id)).toBe(word)
  }
})

proves('jobs/status-details', async (subject) => {
  const id = await submitted(subject, failing('OOMError', 'too large'))
  const before = await statusOf(subject, id)
  expect(before).toEqual({
    id,
    status: 'pending',
    created_at: new Date((await detailOf(subject, id)).create_time).toISOString(),
    updated_at: before.created_at,
    last_state_update: before.created_at,
    assigned_inference: null,
    error_message: null,
  })
  await subject.idle()
  const after = await statusOf(subject, id)
  expect(after.updated_at).toBe(new Date((await detailOf(subject, id)).update_time).toISOString())
  const error = JSON.parse(after.error_message)
  expect(error).toEqual({
    exception_message: expect.stringContaining('too large'),
    exception_type: 'OOMError',
    node_id: '2',
    node_type: 'FlowdoubleFail',
    traceback: [expect.any(String)],
  })
})

/** What the detail of every run holds. */
const always = [
  'create_time',
  'id',
  'queue_position',
  'queue_reason',
  'status',
  'update_time',
  'workflow',
]

proves('jobs/detail', async (subject) => {
  const session = await subject.connect()
  const { prompt_id, messages } = await subject.run(session, solid())
  const { outputs, execution_status, execution_meta } = await detailOf(subject, prompt_id)
  const told = messages.find(({ type }) => type === 'executed')
  expect(outputs).toEqual({ '2': told?.data['output'] })
  expect(outputs['2'].images).toHaveLength(1)
  expect(execution_status).toMatchObject({ status_str: 'success', completed: true })
  expect(Object.keys(execution_meta)).toEqual(['2'])
})

proves('jobs/detail-while-open', async (subject) => {
  const session = await subject.connect()
  const graph = { ...slow(), '2': node('FlowdoubleText', { text: 'at once' }) }
  const id = await submitted(subject, graph)
  expect(Object.keys(await detailOf(subject, id)).sort()).toEqual(always)
  await subject.reach(session, isOf('progress', id))
  const keys = [...always, 'execution_start_time'].sort()
  expect(Object.keys(await detailOf(subject, id)).sort()).toEqual(keys)
  await subject.idle()
  const over = ['execution_end_time', 'execution_meta', 'execution_status', 'outputs']
  expect(Object.keys(await detailOf(subject, id))).toEqual(expect.arrayContaining(over))
})

proves('jobs/detail-times', async (subject) => {
  const session = await subject.connect()
  const id = await submitted(subject, slow(1, 1))
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
})

proves('jobs/detail-error', async (subject) => {
  const session = await subject.connect()
  const { prompt_id, messages } = await subject.run(session, failing('OOMError', 'too large'))
  const { status, execution_error, execution_status, outputs } = await detailOf(subject, prompt_id)
  const told = messages.find(({ type }) => type === 'execution_error')?.data
  expect([status, outputs]).toEqual(['failed', {}])
  expect(execution_status).toMatchObject({ status_str: 'error', completed: false })
  expect(execution_error).toEqual({
    node_id: '2',
    node_type: 'FlowdoubleFail',
    exception_message: told?.['exception_message'],
    exception_type: 'OOMError',
    traceback: told?.['traceback'],
    current_inputs: told?.['current_inputs'],
    current_outputs: expect.any(Object),
  })
  expect((await listOf(subject)).jobs[0].execution_error).toEqual(execution_error)
  for (const graph of [solid(), slow()]) {
    const id = await submitted(subject, graph)
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

const secrets = Object.fromEntries(secretKeys.map((name) => [name, `secret of ${name}`]))

proves(
  'access/partner-key-hidden',
  async (subject) => {
    const session = await subject.connect()
    const fields = { extra_data: { ...extra_data, ...secrets } }
    const [id = ''] = await submitAll(subject, [talking()], fields)
    const paths = [`/jobs/${id}`, '/jobs', '/queue', `/job/${id}/status`, '/history']
    const look = async () => {
      for (const path of [...paths, `/history/${id}`]) {
        const { text } = await subject.get(path)
        expect(text).not.toContain('secret')
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

/** A second account that may run workflows. */
const accounts = [
  { user: 'me', keys: ['test-key'] },
  { user: 'other', keys: ['other-key'] },
]
/** What tells one job, or changes it. */
const reading = (id: string): [string, string][] => [
  ['GET', `/job/${id}/status`],
  ['GET', `/jobs/${id}`],
]
const changing = (id: string): [string, string][] => [
  ['POST', `/jobs/${id}/cancel`],
  ['DELETE', `/jobs/${id}`],
]
/** Runs of another account: one that waits, one that runs, one that is over. */
async function foreignRuns(subject: Subject): Promise<readonly string[]> {
  const other = subject.as('other-key')
  const session = await other.connect()
  const over = await other.run(session, talking())
  const [running = '', waiting = ''] = await submitAll(other, [slow(), slow()])
  await other.reach(session, isOf('execution_start', running))
  return [over.prompt_id, running, waiting]
}

proves(
  'jobs/unknown',
  async (subject) => {
    const foreign = await foreignRuns(subject)
    for (const id of [nobody, ...foreign]) {
      for (const [method, path] of [...reading(id), ...changing(id)])
        expectRefusal(await subject.request(method, path), 404, 'NOT_FOUND')
      expectRefusal(await subject.get(`/history/${id}`), 404, 'NOT_FOUND')
      expectRefusal(await subject.post('/jobs/cancel', { job_ids: [id] }), 404, 'NOT_FOUND')
      expectRefusal(await subject.post('/interrupt', { prompt_id: id }), 404, 'NOT_FOUND')
      expect((await subject.post('/queue', { delete: [id] })).json().deleted).toEqual([])
    }
    expect((await listOf(subject)).jobs).toEqual([])
    const other = subject.as('other-key')
    await subject.idle()
    for (const id of foreign) expect(await wordOf(other, id)).toBe('completed')
  },
  { accounts },
)

switched(
  'hosted.foreign-job-403',
  async (subject) => {
    for (const id of await foreignRuns(subject)) {
      for (const [method, path] of reading(id))
        expectRefusal(await subject.request(method, path), 403, 'FORBIDDEN')
      for (const [method, path] of changing(id))
        expectRefusal(await subject.request(method, path), 404, 'NOT_FOUND')
    }
    for (const [method, path] of reading(nobody))
      expectRefusal(await subject.request(method, path), 404, 'NOT_FOUND')
  },
  { accounts },
)

proves('jobs/bad-id', async ({ request }) => {
  for (const id of [
    'mine',
    '7',
    `${nobody}0`,
    nobody.replaceAll('-', ''),
    '%20',
    'a%2Fb',
    '__proto__',
  ]) {
    for (const [method, path] of reading(id))
      expectRefusal(await request(method, path), 404, 'NOT_FOUND')
    for (const [method, path] of changing(id))
      expectRefusal(await request(method, path), 400, 'BAD_REQUEST')
  }
})

switched(
  'hosted.status-raw-states',
  async (subject) => {
    const session = await subject.connect()
    const [first = '', second = ''] = await submitAll(subject, [slow(), failing('OOMError')])
    const [third = '', fourth = ''] = await submitAll(subject, [talking(), talking()])
    const raw = async (id: string): Promise<string> => {
      const word: string = (await subject.get(`/job/${id}/status`)).json().status
      // The other endpoints tell the word that the internal state stands for.
      const known = (await detailOf(subject, id)).status
      expect(rawStates[word as keyof typeof rawStates]).toBe(known)
      return word
    }
    expect([await raw(first), await raw(second)]).toEqual(['submitted', 'queued_limited'])
    await subject.reach(session, isOf('execution_start', first))
    expect([await raw(first), await raw(second)]).toEqual(['executing', 'queued_limited'])
    await cancel(subject, fourth)
    await subject.reach(session, isOf('execution_success', first))
    expect([await raw(first), await raw(second)]).toEqual(['success', 'submitted'])
    await subject.idle()
    const words = [await raw(second), await raw(third), await raw(fourth)]
    expect(words).toEqual(['error', 'success', 'cancelled'])
  },
  { accounts: [{ user: 'me', keys: ['test-key'], tier: 'standard' }] },
)
