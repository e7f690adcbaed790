// The hosted queue: interrupting running jobs.

import { slow, talking } from '../../generate/graphs.ts'
import {
  account,
  cancel,
  expectRefusal,
  isOf,
  nobody,
  oneAtATime,
  oneRuns,
  submitAll,
  wordOf,
  wordsOf,
} from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted', accounts: oneAtATime } as const

proves(
  ['queue/interrupt', 'messages/interrupted'],
  async (subject) => {
    const session = await subject.connect()
    const [running = '', next = ''] = await oneRuns(subject, 2)
    const reply = await subject.request('POST', '/interrupt')
    expect(reply).toMatchObject({ status: 200, text: '' })
    const { data } = await subject.reach(session, isOf('execution_interrupted', running))
    expect(data).toMatchObject({ node_id: '1', node_type: 'FlowdoubleSlow', executed: [] })
    await subject.idle()
    expect(await wordsOf(subject, [running, next])).toEqual(['cancelled', 'completed'])
  },
  hosted,
)

proves(
  'queue/idle-interrupt-is-lost',
  async (subject) => {
    const { post, request } = subject
    expect((await post('/interrupt', {})).status).toBe(200)
    const [pending = ''] = await submitAll(subject, [slow()])
    for (const body of [undefined, '{}', 'no JSON'])
      expect((await request('POST', '/interrupt', body)).status).toBe(200)
    expect(await wordOf(subject, pending)).toBe('pending')
    await subject.idle()
    expect(await wordOf(subject, pending)).toBe('completed')
  },
  hosted,
)

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
  'queue/hosted-interrupt-named',
  async (subject) => {
    const session = await subject.connect()
    const over = (await subject.run(session, talking())).prompt_id
    const graphs = Array.from({ length: 7 }, () => slow())
    const ids = await submitAll(subject, graphs)
    const [first = '', second = ''] = ids
    const waiting = ids[6] as string
    await subject.reach(session, isOf('progress', second))
    for (const prompt_id of [nobody, 'no-uuid', '', 7, [second], {}])
      expectRefusal(await subject.post('/interrupt', { prompt_id }), 404, 'NOT_FOUND')
    for (const prompt_id of [over, second, waiting]) {
      const { status, text } = await subject.post('/interrupt', { prompt_id })
      expect({ status, text }).toEqual({ status: 200, text: '' })
    }
    expect(await wordOf(subject, waiting)).toBe('cancelled')
    await subject.idle()
    const words = ['completed', 'completed', 'cancelled', 'cancelled']
    expect(await wordsOf(subject, [over, first, second, waiting])).toEqual(words)
  },
  ownWorld,
)

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
