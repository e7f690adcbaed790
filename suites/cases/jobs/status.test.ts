// The word for the state of a hosted job, its job status, and requests about jobs that are not there.

import { rawStates } from '../../../spec/server/jobs.ts'
import { failing, slow, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { errorOf } from '../../judge/failures.ts'
import { cancelAll, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import {
  cancel,
  detailOf,
  isOf,
  listedJob,
  nobody,
  statusOf,
  submitAll,
  submitOne,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { proves, provesQuirk, twoAccounts } from '../../judge/proves.ts'
import { exchanges, type Row } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'
import { refusal } from '../../judge/hosted/refusals.ts'
import { jobClient } from '../../judge/job-client.ts'

proves('jobs/status', async (subject) => {
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  const id = await submitOne(subject, await subject.workloads.slow())
  expect(await wordsOf(subject, [busy[0], id])).toEqual(['in_progress', 'pending'])
  await cancelAll(subject, busy)
  await subject.reach(session, subject.isOwn ? isOf('execution_start', id) : isAtWork(id))
  expect(await wordOf(subject, id)).toBe('in_progress')
})

proves('jobs/status-final', async (subject) => {
  const session = await subject.connect()
  const expectFinal = async (id: string, word: string): Promise<void> => {
    expect(await wordOf(subject, id)).toBe(word)
    expect(await cancel(subject, id)).toBe(false)
    await subject.post('/interrupt', { prompt_id: id })
    await subject.post('/queue', { delete: [id] })
    await subject.run(session, talking(word))
    expect((await detailOf(subject, id)).status).toBe(word)
    expect(await wordOf(subject, id)).toBe(word)
  }
  await expectFinal((await subject.run(session, solid())).prompt_id, 'completed')
  const { graph } = await subject.workloads.failing()
  await expectFinal((await subject.run(session, graph)).prompt_id, 'failed')
  const id = await submitOne(subject, await subject.workloads.slow())
  await subject.reach(session, isAtWork(id))
  await cancel(subject, id)
  await subject.idle()
  await expectFinal(id, 'cancelled')
})

/** A time as the job status writes it. */
const written = (time: number): string => new Date(time).toISOString()

proves('jobs/status-details', async (subject) => {
  const session = await subject.connect()
  const open = await submitOne(subject, await subject.workloads.slow())
  const before = await statusOf(subject, open)
  const created_at = written((await detailOf(subject, open)).create_time)
  expect(before).toMatchObject({ id: open, created_at, error_message: null })
  if (subject.isOwn)
    expect(before).toEqual({
      id: open,
      status: 'pending',
      created_at,
      updated_at: created_at,
      last_state_update: created_at,
      assigned_inference: null,
      error_message: null,
    })
  await cancel(subject, open)
  const { graph, node_id } = await subject.workloads.failing()
  const outcome = await subject.run(session, graph)
  const after = await statusOf(subject, outcome.prompt_id)
  expect(after.updated_at).toBe(written((await detailOf(subject, outcome.prompt_id)).update_time))
  const { exception_message, exception_type } = errorOf(outcome)
  const error = JSON.parse(after.error_message)
  expect(error).toMatchObject({
    exception_message: expect.any(String),
    exception_type: expect.any(String),
    node_id,
    node_type: graph[node_id]?.class_type,
    traceback: expect.any(Array),
  })
  if (subject.isOwn) {
    expect(Object.keys(error)).toHaveLength(5)
    expect(error).toMatchObject({
      exception_message,
      exception_type,
      traceback: [expect.any(String)],
    })
  }
})

provesQuirk('hosted.status-raw-states', async (subject) => {
  const raw = async (id: string): Promise<string> => {
    const { status } = (await subject.get(`/job/${id}/status`)).json()
    if (subject.isOwn)
      // The other endpoints return the word for the internal state.
      expect(rawStates[status as keyof typeof rawStates]).toBe((await detailOf(subject, id)).status)
    return status
  }
  const session = await subject.connect()
  expect(await raw((await subject.run(session, talking())).prompt_id)).toBe('success')
  if (!subject.isOwn) return
  const busy = await keepBusy(subject)
  const [next = '', cancelled = ''] = await submitAll(subject, [failing('OOMError'), talking()])
  expect([await raw(busy[0]), await raw(next)]).toEqual(['executing', 'queued_limited'])
  await cancel(subject, cancelled)
  await cancel(subject, busy[0])
  await subject.reach(session, isOf('execution_interrupted', busy[0]))
  expect([await raw(next), await raw(cancelled)]).toEqual(['submitted', 'cancelled'])
  await subject.idle()
  expect(await raw(next)).toBe('error')
})

/** The requests that return one job, or change it. */
const reading = (id: string) => [`GET /job/${id}/status`, `GET /jobs/${id}`]
const changing = (id: string) => [`POST /jobs/${id}/cancel`, `DELETE /jobs/${id}`]

/** Requests without a body, all of which are refused like this. */
const refused = (requests: readonly string[], status: number, code: string): readonly Row[] =>
  requests.map((one) => {
    const [method = '', path = ''] = one.split(' ')
    return [method, path, undefined, status, refusal(code)]
  })

/** Expects that a job does not exist for an account. */
async function expectUnknown(subject: Subject, id: string): Promise<void> {
  const requests = [...reading(id), `GET /history/${id}`, ...changing(id)]
  await exchanges(subject, [
    ...refused(requests, 404, 'NOT_FOUND'),
    ['POST', '/jobs/cancel', { job_ids: [id] }, 404, refusal('NOT_FOUND')],
    ['POST', '/interrupt', { prompt_id: id }, 404, refusal('NOT_FOUND')],
    ['POST', '/queue', { delete: [id] }, 200, expect.objectContaining({ deleted: [] })],
  ])
}

proves('jobs/unknown', (subject) => expectUnknown(subject, nobody))

/** Runs of another account: one that is over, and one at work. */
async function foreignRuns(subject: Subject) {
  const other = subject.as('other-key')
  const session = await other.connect()
  const over = (await other.run(session, talking())).prompt_id
  const running = await submitOne(other, await other.workloads.slow())
  await other.reach(session, isAtWork(running))
  return { other, session, ids: [over, running] as const }
}

proves(
  'jobs/unknown',
  async (subject) => {
    const { other, session, ids } = await foreignRuns(subject)
    for (const id of ids) {
      // What its own account has just read stays its own.
      await Promise.all([detailOf(other, id), statusOf(other, id)])
      await expectUnknown(subject, id)
      expect(await listedJob(subject, id)).toBeUndefined()
    }
    await other.reach(session, isOf('execution_success', ids[1]))
    expect(await wordsOf(other, ids)).toEqual(['completed', 'completed'])
  },
  twoAccounts,
)

provesQuirk(
  'hosted.foreign-job-403',
  async (subject) => {
    const { other, ids } = await foreignRuns(subject)
    for (const id of [...ids, await submitOne(other, slow())])
      await exchanges(subject, [
        ...refused(reading(id), 403, 'FORBIDDEN'),
        ...refused(changing(id), 404, 'NOT_FOUND'),
      ])
    await exchanges(subject, refused(reading(nobody), 404, 'NOT_FOUND'))
  },
  twoAccounts,
)

proves('jobs/bad-id', async (subject) => {
  const dashless = nobody.replaceAll('-', '')
  for (const id of ['mine', '7', `${nobody}0`, dashless, '%20', 'a%2Fb', '__proto__'])
    await exchanges(subject, [
      ...refused(reading(id), 404, 'NOT_FOUND'),
      ...refused(changing(id), 400, 'BAD_REQUEST'),
    ])
})

const missing = { error: 'Job not found' }

proves('local-jobs/unknown', (subject) =>
  exchanges(
    subject,
    [nobody, 'no-uuid', '1', '%20'].map((id): Row => [
      'GET',
      `/api/jobs/${id}`,
      undefined,
      404,
      missing,
    ]),
  ),
)

proves('local-jobs/removed', async (subject) => {
  const client = await jobClient(subject)
  const held = await client.begin()
  const one = await client.submit(talking(subject.unique('one')))
  const two = await client.submit(talking(subject.unique('two')))
  expect(await client.cancel(one)).toBe(true)
  await subject.post('/queue', { delete: [two] })
  await exchanges(subject, [
    ['GET', `/api/jobs/${one}`, undefined, 404, missing],
    ['GET', `/api/jobs/${two}`, undefined, 404, missing],
  ])
  expect(await client.ids()).toEqual([held.prompt_id])
  await held.stop()
  await subject.post('/history', { delete: [held.prompt_id] })
  expect(await client.list()).toEqual([])
})

proves('local-jobs/not-on-local', async (subject) => {
  const { run } = await jobClient(subject)
  const id = await run(talking(subject.unique('kept')))
  const allowed = async (method: string, path: string) => {
    const { status, headers } = await subject.request(method, path)
    return { status, allow: headers['allow']?.split(',').toSorted().join() }
  }
  for (const [method, path] of [
    ['POST', '/api/jobs'],
    ['DELETE', `/api/jobs/${id}`],
  ] as const)
    expect(await allowed(method, path)).toEqual({ status: 405, allow: 'GET,HEAD' })
  for (const path of [
    `/api/jobs/${id}/assets`,
    `/api/job/${id}/status`,
    '/api/history_v2',
    '/jobs',
  ])
    expect({ path, ...(await allowed('GET', path)) }).toEqual({ path, status: 404 })
})
