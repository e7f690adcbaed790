// Hosted jobs: the word for the state of a run, and which runs are listed at all.

import { rawStates } from '../../../spec/server/jobs.ts'
import { failing, slow, talking } from '../../generate/graphs.ts'
import {
  account,
  cancel,
  detailOf,
  expectRefusal,
  isOf,
  nobody,
  oneAtATime,
  statusOf,
  submitAll,
  submitOne,
  wordOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'jobs/status',
  async (subject) => {
    const { connect, reach, emulator } = subject
    const session = await connect()
    const id = await submitOne(subject, slow())
    expect(await wordOf(subject, id)).toBe('pending')
    await emulator?.advance(24)
    expect(await wordOf(subject, id)).toBe('pending')
    await reach(session, isOf('execution_start', id))
    expect(await wordOf(subject, id)).toBe('in_progress')
    await reach(session, isOf('progress', id))
    expect(await wordOf(subject, id)).toBe('in_progress')
  },
  ownWorld,
)

proves(
  'jobs/status-details',
  async (subject) => {
    const id = await submitOne(subject, failing('OOMError', 'too large'))
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
  },
  ownWorld,
)

/** A second account that may run workflows. */
const accounts = [account('test-key'), account('other-key')]
/** The requests that return one job, or change it. */
const reading = (id: string): [string, string][] => [
  ['GET', `/job/${id}/status`],
  ['GET', `/jobs/${id}`],
]
const changing = (id: string): [string, string][] => [
  ['POST', `/jobs/${id}/cancel`],
  ['DELETE', `/jobs/${id}`],
]
/** Runs of another account: one that waits, one that runs, one that has ended. */
async function foreignRuns(subject: Subject): Promise<readonly string[]> {
  const other = subject.as('other-key')
  const session = await other.connect()
  const over = await other.run(session, talking())
  const [running = '', waiting = ''] = await submitAll(other, [slow(), slow()])
  await other.reach(session, isOf('execution_start', running))
  return [over.prompt_id, running, waiting]
}

provesQuirk(
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

provesQuirk(
  'hosted.status-raw-states',
  async (subject) => {
    const session = await subject.connect()
    const [first = '', second = ''] = await submitAll(subject, [slow(), failing('OOMError')])
    const [third = '', fourth = ''] = await submitAll(subject, [talking(), talking()])
    const raw = async (id: string): Promise<string> => {
      const word: string = (await subject.get(`/job/${id}/status`)).json().status
      // The other endpoints return the word for the internal state.
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
  { accounts: oneAtATime },
)
