// Event streams of the hosted API v2.

import { solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, keepBusy } from '../../judge/hosted/busy-account.ts'
import { isFinal, isStatus, type OpenStream, type Seen, v2Of } from '../../judge/hosted/v2.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { uniqueNumber } from '../../judge/own-runs.ts'

/** The names of events, with the words of states. */
const namesOf = (seen: readonly Seen[]): readonly string[] =>
  seen.map(({ name, data }) => (name === 'status' ? data.status : name))

/** All that a stream has until it ends by itself. */
async function toEnd(subject: Subject, stream: OpenStream): Promise<readonly Seen[]> {
  await subject.idle()
  expect(await stream.ended).toBe('whole')
  return stream.seen()
}

proves('v2-streams/form', async (subject) => {
  const { stream, submit } = await v2Of(subject)
  const { id } = await submit(solid(uniqueNumber(subject, 'form')))
  const events = await stream(id)
  expect(events.status).toBe(200)
  expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(events.headers.get('content-length')).toBeNull()
  await toEnd(subject, events)
  // Each frame is judged when it is read: a name, one line of JSON that fits its schema.
  expect(events.seen().length).toBeGreaterThan(1)
  expect(events.text()).toMatch(/\n\n$/)
  expect(events.text()).not.toMatch(/^(id|retry):/m)
})

proves('v2-streams/snapshot', async (subject) => {
  const { reach, stream, submit } = await v2Of(subject)
  const { id } = await submit(await subject.workloads.slow())
  const first = await stream(id)
  await reach(first, isStatus('running'))
  await reach(first, ({ name }) => name === 'progress')
  const second = await stream(id)
  await second.next(({ name }) => name === 'progress')
  expect(namesOf(second.seen()).slice(0, 2)).toEqual(['running', 'progress'])
  first.close()
  second.close()
})

proves('v2-streams/reconnect', async (subject) => {
  const { reach, stream, submit } = await v2Of(subject)
  const { id } = await submit(await subject.workloads.slow())
  const first = await stream(id)
  await reach(first, isStatus('running'))
  first.close()
  const again = await stream(id, { 'Last-Event-ID': '0' })
  await again.next(({ name }) => name === 'progress')
  expect(namesOf(again.seen())[0]).toBe('running')
  again.close()
})

proves('v2-streams/transitions', async (subject) => {
  const { cancel, reach, stream, submit } = await v2Of(subject)
  const busy = await keepBusy(subject)
  const before = await submit(talking('before'))
  const { id } = await submit(await subject.workloads.slow())
  const events = await stream(id)
  const queued = await events.next(isStatus('queued'))
  await cancel(before.id)
  await reach(
    events,
    (one) => isStatus('queued')(one) && one.data.queue_position === queued.data.queue_position - 1,
  )
  await cancelAll(subject, busy)
  await reach(events, isStatus('running'))
  await cancel(id)
  const words = namesOf(await toEnd(subject, events)).filter(
    (name) => !/progress|preview|comment/.test(name),
  )
  expect(words.filter((word, at) => words[at - 1] !== word)).toEqual(
    words.includes('canceling')
      ? ['queued', 'running', 'canceling', 'canceled']
      : ['queued', 'running', 'canceled'],
  )
})

proves('v2-streams/outputs-first', async (subject) => {
  const { job, stream, submit } = await v2Of(subject)
  const { id } = await submit(solid(uniqueNumber(subject, 'outputs')))
  const seen = await toEnd(subject, await stream(id))
  const names = namesOf(seen)
  expect(names.at(-1)).toBe('succeeded')
  expect(names.filter((name) => name === 'output')).toHaveLength(1)
  expect(seen.filter(({ name, data }) => name === 'status' && isFinal(data.status))).toHaveLength(1)
  const { outputs } = await job(id)
  const { data } = seen.find(({ name }) => name === 'output') as Seen
  const { node_id, name, type } = outputs[0]
  expect(data).toMatchObject({ node_id, name, type, id: outputs[0].id })
})

proves('v2-streams/of-the-past', async (subject) => {
  const { run, stream } = await v2Of(subject)
  const { id } = await run(solid(uniqueNumber(subject, 'past')))
  const events = await stream(id)
  expect(await events.ended).toBe('whole')
  expect(namesOf(events.seen())).toEqual(['output', 'succeeded'])
})

proves('v2-streams/not-ahead', async (subject) => {
  const { job, reach, stream, submit } = await v2Of(subject)
  const { id } = await submit(solid(uniqueNumber(subject, 'ahead')))
  const events = await stream(id)
  const { data } = await reach(events, ({ name }) => name === 'output')
  expect((await job(id)).outputs.map((one: any) => one.id)).toContain(data.id)
  await reach(events, isStatus('succeeded'))
  expect((await job(id)).status).toBe('succeeded')
})

proves('v2-streams/left', async (subject) => {
  const { job, reach, stream, submit } = await v2Of(subject)
  const { id } = await submit(await subject.workloads.slow())
  // More than an account may have open: each but the last leaves.
  for (let count = 0; count < 12; count++) {
    const events = await stream(id)
    expect(events.status).toBe(200)
    await reach(events, isStatus(count === 0 ? 'queued' : 'running')).catch(() => undefined)
    events.close()
    await events.ended
    await job(id)
  }
  await subject.idle()
  expect((await job(id)).status).toBe('succeeded')
})
