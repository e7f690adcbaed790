// The hosted queue: interrupting running jobs.

import { slow } from '../../generate/graphs.ts'
import { account, cancel, isOf, submitAll, wordOf, wordsOf } from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** Submits runs to several workers, all of which have begun. */
async function allRun(subject: Subject): Promise<readonly string[]> {
  const session = await subject.connect()
  const ids = await submitAll(subject, [slow(), slow(), slow()])
  await subject.reach(session, isOf('progress', ids[2] as string))
  return ids
}

proves(
  'queue/hosted-interrupt',
  async (subject) => {
    const ids = await allRun(subject)
    const others = subject.as('other-key')
    const foreign = await allRun(others)
    await subject.post('/interrupt', {})
    await subject.emulator?.advance(5000)
    expect(await wordsOf(subject, ids)).toEqual(['cancelled', 'in_progress', 'in_progress'])
    // The next two, before the first of them has noticed.
    await subject.request('POST', '/interrupt')
    await subject.request('POST', '/interrupt')
    const [quick = ''] = await submitAll(subject, [slow()])
    await subject.idle()
    expect(await wordsOf(subject, ids)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await wordsOf(others, foreign)).toEqual(['completed', 'completed', 'completed'])
    expect(await wordOf(subject, quick)).toBe('completed')
  },
  {
    accounts: [account('test-key'), account('other-key')],
  },
)

provesQuirk('hosted.interrupt-all', async (subject) => {
  const ids = await allRun(subject)
  const more = await submitAll(subject, [slow(), slow(), slow()])
  await subject.emulator?.advance(30)
  expect(await wordsOf(subject, more)).toEqual(['in_progress', 'in_progress', 'pending'])
  await subject.post('/interrupt', {})
  await subject.idle()
  const words = ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'cancelled', 'completed']
  expect(await wordsOf(subject, [...ids, ...more])).toEqual(words)
})

proves(
  'queue/hosted-interrupt-any-body',
  async (subject) => {
    const bodies = [
      'no JSON',
      '[]',
      'null',
      '"text"',
      '7',
      '{"prompt_id": null}',
      '{"other": 1}',
      '{',
    ]
    for (const body of bodies) {
      const [id = ''] = await submitAll(subject, [slow()])
      await subject.emulator?.advance(30)
      const headers = { 'Content-Type': 'application/octet-stream' }
      const reply = await subject.request('POST', '/interrupt', body, headers)
      expect({ body, status: reply.status, text: reply.text }).toEqual({
        body,
        status: 200,
        text: '',
      })
      await subject.idle()
      expect([body, await wordOf(subject, id)]).toEqual([body, 'cancelled'])
    }
    const [id = ''] = await submitAll(subject, [slow()])
    await subject.emulator?.advance(30)
    expect((await subject.request('POST', '/interrupt', Buffer.from([0xff, 0xfe]))).status).toBe(
      200,
    )
    expect(await cancel(subject, id)).toBe(false)
  },
  ownWorld,
)
