// Cancelling jobs of any later local server, which others may use at the same time.

import { cancelledJob } from '../../../spec/server/jobs.ts'
import { talking } from '../../generate/graphs.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { cancel, refusalOf } from '../../judge/later/jobs.ts'
import { busy, messagesAbout } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { endsRun } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'

const cancelMany = async ({ post }: Subject, job_ids: readonly string[]): Promise<boolean> =>
  fitting(cancelledJob, await post('/api/jobs/cancel', { job_ids })).cancelled

proves('local-jobs/cancel', async (subject) => {
  const { session, held, pend, pending } = await busy(subject)
  const [first = '', second = ''] = await pend('first', 'second')
  expect(await cancel(subject, first)).toBe(true)
  expect(await cancel(subject, first)).toBe(false)
  expect(await pending([first, second])).toEqual([second])
  expect(await cancel(subject, held.prompt_id)).toBe(true)
  await subject.reach(session, endsRun('local', held.prompt_id))
  const types = messagesAbout(session, held.prompt_id).map(({ type }) => type)
  expect(types).toContain('execution_interrupted')
  // The next run is not affected.
  await subject.reach(session, endsRun('local', second))
  expect((await subject.finished(second))?.status.status_str).toBe('success')
  for (const id of [held.prompt_id, first, second, nobody, 'no-uuid'])
    expect({ id, cancelled: await cancel(subject, id) }).toEqual({ id, cancelled: false })
  expect(messagesAbout(session, first)).toEqual([])
  expect(await subject.finished(first)).toBe(undefined)
})

proves('local-jobs/cancel-many', async (subject) => {
  const { session, held, pend, pending } = await busy(subject)
  const [first = '', second = '', third = ''] = await pend('first', 'second', 'third')
  expect(await cancelMany(subject, [])).toBe(false)
  expect(await cancelMany(subject, [nobody])).toBe(false)
  expect(await cancelMany(subject, [third, nobody, first])).toBe(true)
  expect(await pending([first, second, third])).toEqual([second])
  expect(await cancelMany(subject, [held.prompt_id, second])).toBe(true)
  await subject.reach(session, endsRun('local', held.prompt_id))
  await subject.idle()
  expect(await subject.finished(second)).toBe(undefined)
  expect(await cancelMany(subject, [held.prompt_id, first, second])).toBe(false)
})

proves('local-jobs/cancel-many-body', async (subject) => {
  const { held, pend, pending } = await busy(subject)
  const [waiting = ''] = await pend('waiting')
  const refusal = (body: string) => refusalOf(subject, 'POST', '/api/jobs/cancel', body)
  for (const body of ['', 'no JSON', '{"job_ids"'])
    expect(await refusal(body)).toEqual({ status: 400, error: 'Request body must be valid JSON' })
  for (const body of ['[]', 'null', '3', '{}', `{"job_ids": "${waiting}"}`, '{"job_ids": null}'])
    expect(await refusal(body)).toEqual({ status: 400, error: 'job_ids must be a list' })
  const ids = [waiting, 'x', 3, null, waiting.toUpperCase(), waiting.replaceAll('-', ''), true]
  expect(await refusal(JSON.stringify({ job_ids: ids }))).toEqual({
    status: 400,
    error: 'job_ids contains invalid id(s)',
    invalid_ids: ['x', '3', 'None', waiting.toUpperCase(), waiting.replaceAll('-', ''), 'True'],
  })
  expect(await pending([waiting])).toEqual([waiting])
  await held.stop()
})

proves('local-jobs/paths', async (subject) => {
  const { prompt_id } = (await subject.submit(talking(subject.unique('paths')))).json()
  await subject.idle()
  const answers = await Promise.all(
    [
      ['POST', `/api/api/jobs/${prompt_id}/cancel`],
      ['POST', `/jobs/${prompt_id}/cancel`],
      ['POST', '/jobs/cancel'],
    ].map(async ([method = '', path = '']) => (await subject.raw(method, path, '{}')).status),
  )
  expect(answers).toEqual([200, 405, 405])
})
