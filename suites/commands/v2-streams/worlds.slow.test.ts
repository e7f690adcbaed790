// Event streams of the hosted API v2 on the clock of a world, with faults, when the world changes, and in recordings.

import { type EmulatorOptions, startReplay } from 'flowdouble'
import { streamLimits } from '../../../spec/v2/v2-streams.ts'
import { solid, textToImage, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { expectRefused, isStatus, type OpenStream, v2Of, eventsIn } from '../../judge/hosted/v2.ts'
import { casesWith, ownWorld, provesQuirk, twoAccounts } from '../../judge/proves.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'
import { readRecording } from '../../../dist/emulator/internal.js'
import { forTest } from '../../support/for-test.ts'

const proves = casesWith(ownWorld)

const slow = (seconds: number, steps = 1) => ({ '1': node('FlowdoubleSlow', { seconds, steps }) })

/** The comments that a stream has so far. */
const comments = (events: OpenStream): number =>
  events.seen().filter(({ name }) => name === 'comment').length

proves('v2-streams/silence', async (subject) => {
  const { reach, stream, submit } = await v2Of(subject)
  const { id } = await submit(slow(100))
  const events = await stream(id)
  await reach(events, ({ name, data }) => name === 'progress' && data.steps === 1)
  const { emulator } = subject
  await emulator?.advance(streamLimits.silenceMs - 1)
  await subject.get('/features')
  expect(comments(events)).toBe(0)
  await emulator?.advance(1)
  await subject.get('/features')
  expect(comments(events)).toBe(1)
  await emulator?.advance(3 * streamLimits.silenceMs)
  await subject.get('/features')
  expect(comments(events)).toBe(4)
  await subject.idle()
  expect(await events.ended).toBe('whole')
})

proves('v2-streams/progress', async (subject) => {
  const { stream, submit } = await v2Of(subject)
  const { id } = await submit(slow(10, 100))
  const events = await stream(id)
  await subject.idle()
  await events.ended
  const seen = events.seen().flatMap(({ name, data }) => (name === 'progress' ? [data] : []))
  // Each is complete by its schema; 100 steps of 100 ms make one of five.
  expect(seen.length).toBeGreaterThanOrEqual(18)
  expect(seen.length).toBeLessThanOrEqual(21)
  const values = seen.map(({ value }) => value)
  expect(values).toEqual(values.toSorted((a, b) => a - b))
  expect(seen.at(-1)).toMatchObject({ nodes_total: 1, current_node: '1', steps: 100 })
})

proves(
  'v2-streams/previews',
  async (subject) => {
    const { stream, submit } = await v2Of(subject)
    const { id } = await submit(textToImage(1, 20))
    const events = await stream(id)
    await subject.idle()
    await events.ended
    const seen = events.seen().flatMap(({ name, data }) => (name === 'preview' ? [data] : []))
    // A step takes 100 ms.
    expect(seen.length).toBeGreaterThanOrEqual(3)
    expect(seen.length).toBeLessThanOrEqual(5)
    for (const { node_id, content_type, data_base64 } of seen) {
      expect({ node_id, content_type }).toEqual({ node_id: '3', content_type: 'image/jpeg' })
      expect([...Buffer.from(data_base64, 'base64').subarray(0, 2)]).toEqual([0xff, 0xd8])
    }
    expect(new Set(seen.map(({ data_base64 }) => data_base64)).size).toBe(seen.length)
  },
  { preview: 'jpeg', pace: 100 },
)

const leaving = watchInputs()

proves(
  'v2-streams/most',
  async (subject) => {
    const { send, stream, submit } = await v2Of(subject)
    const { id } = await submit(slow(10))
    const open = []
    for (let count = 0; count < streamLimits.open; count++) open.push(await stream(id))
    const path = `/jobs/${id}/events`
    const refused = await send('GET', path)
    expectRefused(refused, 429, 'too_many_streams')
    expect(refused.headers['retry-after']).toMatch(/^\d+$/)
    // Those of another account do not count, nor does a HEAD.
    const other = await v2Of(subject.as('other-key'))
    const { id: foreign } = await other.submit(slow(10))
    const more = await other.stream(foreign)
    expect(more.status).toBe(200)
    expect((await send('GET', `/jobs/${id}`)).status).toBe(200)
    // The end of one connection can arrive after a request on another.
    const left = leaving.next('leave')
    open[0]?.close()
    await left
    expect((await send('HEAD', path)).status).toBe(200)
    expect((await stream(id)).status).toBe(200)
  },
  { ...twoAccounts, clock: 'manual', onEntry: leaving.onEntry },
)

/** Makes each chunk a mebibyte longer, by a comment. */
const longer: NonNullable<EmulatorOptions['tamper']> = (effects) =>
  effects.map((one) =>
    one.kind === 'chunk' && one.then === undefined
      ? { ...one, text: `${one.text}: ${'x'.repeat(2 ** 20)}\n\n` }
      : one,
  )

proves(
  'v2-streams/behind',
  async (subject) => {
    const { job, submit } = await v2Of(subject)
    const { id } = await submit(slow(60, 600))
    const headers = { Authorization: `Bearer ${subject.key}` }
    // This client never reads.
    const { body } = await fetch(`${subject.url}/api/v2/jobs/${id}/events`, { headers })
    const hasLeft = async (): Promise<boolean> => {
      await subject.get('/features')
      const lines = (await subject.emulator?.journal()) ?? []
      return lines.some((line) => line.includes('"kind":"leave"'))
    }
    await subject.emulator?.advance(20_000)
    expect(await hasLeft()).toBe(false)
    await subject.emulator?.advance(35_000)
    expect(await hasLeft()).toBe(true)
    await subject.idle()
    expect((await job(id)).status).toBe('succeeded')
    await body?.cancel().catch(() => undefined)
  },
  { tamper: longer },
)

proves(
  'v2-streams/idle',
  async (subject) => {
    const { reach, stream, submit } = await v2Of(subject)
    const { id } = await submit(solid())
    const events = await stream(id)
    await reach(events, isStatus('running'))
    const { emulator } = subject
    await subject.idle()
    await emulator?.advance(2 * streamLimits.silenceMs)
    await events.next(({ name }) => name === 'comment')
    events.close()
  },
  { scenario: { version: 1, runs: [{ neverEnds: true }] } },
)

const inputs = watchInputs()
const ofEvents = { path: '/api/v2/jobs/*/events' }

proves(
  'v2-streams/faults',
  async (subject) => {
    const { reach, stream, submit } = await v2Of(subject)
    const { id } = await submit(solid())
    const { emulator } = subject
    // Its head comes after two seconds, when the job is over, with all that has happened.
    const arrives = inputs.next('request')
    const late = stream(id)
    await arrives
    await emulator?.advance(2000)
    const whole = await late
    expect(await whole.ended).toBe('whole')
    const names = whole.seen().map(({ name, data }) => data?.status ?? name)
    expect([names[0], names.at(-1)]).toEqual(['queued', 'succeeded'])
    const again = await submit(slow(5))
    const cut = await stream(again.id)
    expect(await cut.ended).toBe('broken')
    expect(cut.text()).toHaveLength(10)
    const broken = await stream(again.id).catch(() => undefined)
    expect((await broken?.ended) ?? 'broken').toBe('broken')
    const last = await stream(again.id)
    await reach(last, isStatus('succeeded'))
    expect(await last.ended).toBe('whole')
  },
  {
    ...withFaults(
      { when: { ...ofEvents, nth: 1 }, then: { delayMs: 2000 } },
      { when: { ...ofEvents, nth: 2 }, then: { truncate: 10 } },
      { when: { ...ofEvents, nth: 3 }, then: { reset: { afterBytes: 40 } } },
    ),
    deployment: 'hosted',
    onEntry: inputs.onEntry,
  },
)

proves('v2-streams/world-changes', async (subject) => {
  const { emulator } = subject
  const { reach, stream, submit } = await v2Of(subject)
  const begin = async (): Promise<OpenStream> => {
    const { id } = await submit(slow(10))
    const events = await stream(id)
    await reach(events, isStatus('queued'))
    return events
  }
  const first = await begin()
  emulator?.snapshot('with a stream')
  await emulator?.reset()
  expect(await first.ended).toBe('broken')
  const second = await begin()
  await emulator?.restore('with a stream')
  expect(await second.ended).toBe('broken')
  // The state of the snapshot has no stream: nothing is due for it.
  await subject.idle()
  expect((await begin()).status).toBe(200)
})

provesQuirk('hosted.v2-no-streams', async (subject) => {
  const { send, run } = await v2Of(subject)
  const { id, status } = await run(solid())
  expect(status).toBe('succeeded')
  expectRefused(await send('GET', `/jobs/${id}/events`), 501, 'not_implemented')
})

/** A text without the signatures of its links, which a recording hides. */
const unsigned = (text: string): string => text.replace(/Signature=[^"]+/g, '')

proves(
  ['control/recording', 'v2-streams/form'],
  async (subject) => {
    const { job, stream, submit, cancel } = await v2Of(subject)
    const { id } = await submit(solid())
    const whole = await stream(id)
    await subject.idle()
    await whole.ended
    await job(id)
    const other = await submit(solid(1))
    const open = await stream(other.id)
    await cancel(other.id)
    const left = await submit(solid(2))
    const begun = await stream(left.id)
    const text = await subject.emulator!.recording()
    const { exchanges } = readRecording(text, 'recording')
    const bodies = exchanges
      .filter(({ url }) => url.endsWith('/events'))
      .map(({ response }) => Buffer.from(response?.body ?? []).toString())
    expect(unsigned(bodies[0] ?? '')).toBe(unsigned(whole.text()))
    await open.ended
    expect(bodies[1]).toBe(open.text())
    // It was still open.
    expect(eventsIn(bodies[2] ?? '').map(({ data }) => data.status)).toEqual(['queued'])
    begun.close()
    const replay = await forTest(startReplay({ recording: JSON.parse(text), clock: 'instant' }))
    const asked = { headers: { Authorization: 'Bearer any' } }
    const played = await fetch(`${replay.url}/api/v2/jobs/${id}/events`, asked)
    expect(played.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const seen = eventsIn(await played.text()).map(({ name, data }) => data?.status ?? name)
    expect(seen).toEqual(eventsIn(whole.text()).map(({ name, data }) => data?.status ?? name))
    const again = await fetch(`${replay.url}/api/v2/jobs/${id}`, asked)
    expect(((await again.json()) as { status: string }).status).toBe('succeeded')
  },
  { deployment: 'hosted' },
)
