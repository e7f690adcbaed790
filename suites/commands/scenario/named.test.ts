// What clients meet in named scenarios about records, redirects, streams and servers that are gone.

import { startEmulator } from 'flowdouble'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { startSubject, type Subject } from '../../judge/subject.ts'
import { forTest } from '../../support/for-test.ts'
import { wordOf } from '../../judge/hosted/jobs.ts'

/** A server with a scenario of the package, on a clock by hand. */
const served = (scenario: string): Promise<Subject> => forTest(startSubject({ scenario }))

test('history-appears-after-polls shows a run at the fourth request', async () => {
  const { submit, idle, finished } = await served('history-appears-after-polls')
  const { prompt_id } = (await submit(solid())).json()
  await idle()
  for (let poll = 1; poll <= 3; poll++) expect(await finished(prompt_id)).toBeUndefined()
  expect(await finished(prompt_id)).toBeDefined()
})

test('status-changes-after-polls shows the end of a job at the fourth request', async () => {
  const { deployment } = (await forTest(startEmulator({ scenario: 'status-changes-after-polls' })))
    .options
  expect(deployment).toBe('hosted')
  const subject = await forTest(
    startSubject({ deployment, scenario: 'status-changes-after-polls' }),
  )
  const { prompt_id } = (await subject.submit(solid())).json()
  await subject.idle()
  const words = []
  for (let poll = 1; poll <= 4; poll++) words.push(await wordOf(subject, prompt_id))
  expect(words).toEqual(['in_progress', 'in_progress', 'in_progress', 'completed'])
})

test('redirected leads a submit to its place, and a download round in a circle', async () => {
  const { url } = await served('redirected')
  const body = JSON.stringify({ prompt: solid() })
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  expect([reply.redirected, reply.status]).toEqual([true, 200])
  await expect(fetch(`${url}/view?filename=example.png`)).rejects.toMatchObject({
    cause: { message: 'redirect count exceeded' },
  })
})
