// What faults do to the events of streams, and to sockets that are silent for a time.

import { replay } from 'flowdouble'
import { streamLimits } from '../../../spec/v2/v2-streams.ts'
import { handshakeText, openPlain, openRaw } from '../../judge/broken.ts'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isStatus, type OpenStream, type Seen, v2Of } from '../../judge/hosted/v2.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { withFaults } from '../../support/faults.ts'

/** Events as short texts: their names, with the words of states and the steps of progress. */
const texts = (seen: readonly Seen[]): readonly string[] =>
  seen.map(({ name, data }) =>
    name === 'status' ? data.status : name === 'progress' ? `step ${data.step}` : name,
  )

/** A stream of a job of four steps, a second each. */
async function begin(subject: Subject): Promise<OpenStream> {
  const { stream, submit } = await v2Of(subject)
  const { id } = await submit(slow(4, 4))
  return stream(id)
}

/** All events of that job. */
async function all(subject: Subject): Promise<readonly string[]> {
  const events = await begin(subject)
  await subject.idle()
  expect(await events.ended).toBe('whole')
  return texts(events.seen())
}

const usual = [
  'queued',
  'running',
  'step null',
  ...[0, 1, 2, 3, 4].map((step) => `step ${step}`),
  'succeeded',
]
const without = (...names: readonly string[]): readonly string[] =>
  usual.filter((name) => !names.includes(name))

const atStep = (step: number) => ({ message: 'progress', data: { step } })

proves(
  'faults/stream-events',
  async (subject) => {
    expect(await all(subject)).toEqual(without('step 2', 'running', 'queued'))
    // The counts go on; those of another account or of a client of sockets do not match.
    expect(await all(subject)).toEqual(usual)
    const other = subject.as('other-key')
    expect(await all(other)).toEqual(without('succeeded'))
    expect(subject.emulator!.faults().map(({ applied }) => applied)).toEqual([1, 1, 1, 1, 0])
    // A job that is over has the same events in one answer.
    const { stream, run } = await v2Of(other)
    const { id } = await run(slow(1, 1))
    const late = await stream(id)
    expect(await late.ended).toBe('whole')
    expect(late.seen()).toEqual([])
  },
  {
    ...twoAccounts,
    ...withFaults(
      { when: { ...atStep(2), node: '1', nth: 1 }, then: { skip: true } },
      { when: { message: 'status', data: { status: 'running' }, nth: 1 }, then: { skip: true } },
      { when: { message: '*', nth: 1 }, then: { skip: true } },
      {
        when: { message: 'status', data: { status: 'succeeded' }, user: 'user-of-other-key' },
        then: { skip: true },
      },
      { when: { message: '*', clientId: 'me' }, then: { reset: true } },
    ),
  },
)

proves(
  'faults/stream-changes',
  async (subject) => {
    const seen = await all(subject)
    const steps = [
      'step null',
      'step 0',
      'step 2',
      'step 1',
      'step 3',
      'step 3',
      'step 3',
      'step 4',
    ]
    expect(seen).toEqual(['queued', 'running', ...steps, 'succeeded'])
  },
  withFaults(
    { when: { ...atStep(1) }, then: { swap: true } },
    { when: { ...atStep(3) }, then: { repeat: 2 } },
  ),
)

proves(
  'faults/stream-changes',
  async (subject) => {
    const { stream, submit } = await v2Of(subject)
    const { id } = await submit(textToImage(1, 4))
    const events = await stream(id)
    await subject.idle()
    await events.ended
    const frames = events.text().split('\n\n')
    const at = frames.findIndex((frame) => frame.startsWith('event: heart'))
    expect(frames[at]).toBe('event: heart\ndata: {"beat":"\\u2665"}')
    const altered = frames[at + 1] ?? ''
    expect(altered).toMatch(/^event: status\ndata: /)
    expect(JSON.parse(altered.slice(altered.indexOf('{')))).toEqual({ status: 'done', more: [1] })
    const preview = frames.find((frame) => frame.startsWith('event: preview')) ?? ''
    const { data_base64 } = JSON.parse(preview.slice(preview.indexOf('{')))
    expect(Buffer.from(data_base64, 'base64')).toHaveLength(20)
  },
  {
    preview: 'jpeg',
    ...withFaults(
      {
        when: { message: 'status', data: { status: 'succeeded' } },
        then: {
          insert: { type: 'heart', data: { beat: '♥' } },
          alter: { status: 'done', more: [1] },
        },
      },
      { when: { message: 'preview' }, then: { short: 20 } },
    ),
  },
)

proves(
  'faults/malformed',
  async (subject) => {
    const events = await begin(subject)
    await subject.idle()
    await events.ended
    const broken = /event: progress\ndata: (.*)\n\nevent: status/.exec(events.text())?.[1] ?? ''
    expect(broken).toMatch(/^\{"value":.*[^}]$/)
    expect(() => JSON.parse(broken)).toThrow(SyntaxError)
  },
  { deployment: 'hosted', ...withFaults({ when: atStep(4), then: { malformed: true } }) },
)

proves(
  'faults/malformed',
  async (subject) => {
    const raw = openRaw(subject.url, handshakeText(subject, 'me'))
    await raw.until((received) => received.includes('"sid"'))
    await subject.submit(slow(1, 4), { client_id: 'me' })
    await subject.idle()
    await raw.until((received) => received.includes('execution_success'))
    // A whole frame: its second byte is the length of the half.
    const [, length = '', text = ''] =
      /\x81(.)(\{"type": "progress"[^\x81]*)/s.exec(raw.received()) ?? []
    expect(text).toHaveLength(length.charCodeAt(0))
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    raw.end()
    await raw.ended
  },
  withFaults({ when: { message: 'progress', nth: 1 }, then: { malformed: true } }),
)

proves(
  'faults/stream-delay',
  async (subject) => {
    const { emulator } = subject
    const events = await begin(subject)
    await emulator!.until('success')
    await subject.get('/features')
    expect(texts(events.seen()).at(-1)).toBe('succeeded')
    await subject.idle()
    // The stream stays open for the event that is late.
    expect(await events.ended).toBe('whole')
    expect(texts(events.seen())).toEqual([...without('step 1'), 'step 1'])
  },
  withFaults({ when: atStep(1), then: { delayMs: 60_000 } }),
)

proves(
  'faults/stream-silence',
  async (subject) => {
    const events = await begin(subject)
    await subject.idle()
    await subject.emulator!.advance(10 * streamLimits.silenceMs)
    await subject.get('/features')
    expect(texts(events.seen())).toEqual(usual.slice(0, 5))
    // It still is open: only its client ends it.
    events.close()
    expect(await events.ended).toBe('broken')
    expect(await subject.history()).toHaveLength(1)
  },
  withFaults({ when: atStep(2), then: { silence: true } }),
)

proves(
  'faults/silence-for',
  async (subject) => {
    const { emulator } = subject
    const events = await begin(subject)
    await emulator!.until('success')
    await emulator!.advance(2 * streamLimits.silenceMs)
    await subject.get('/features')
    expect(texts(events.seen())).toEqual(usual.slice(0, 5))
    await subject.idle()
    expect(await events.ended).toBe('whole')
    expect(texts(events.seen())).toEqual(usual)
  },
  {
    deployment: 'hosted',
    ...withFaults({ when: atStep(2), then: { silence: { forMs: 60_000 } } }),
  },
)

proves(
  'faults/silence-for',
  async (subject) => {
    const { emulator, submit } = subject
    const [socket, other] = [await openPlain(subject, 'me'), await openPlain(subject, 'other')]
    await submit(slow(1, 4), { client_id: 'me' })
    await emulator!.until('success')
    await socket.settled()
    const valuesOf = () => socket.of('progress').map(({ data }) => data['value'])
    expect(valuesOf()).toEqual([1])
    expect(other.of('status').length).toBeGreaterThan(2)
    await emulator!.until('idle')
    await socket.settled()
    expect(valuesOf()).toEqual([1, 2, 3, 4])
    expect(socket.of('execution_success')).toHaveLength(1)
    await socket.close()
    await other.close()
  },
  withFaults({
    when: { message: 'progress', clientId: 'me', nth: [2, 3] },
    then: { silence: { forMs: 60_000 } },
  }),
)

for (const [rule, then, end, last] of [
  ['faults/stream-ends', { reset: true }, 'broken', 'step 2'],
  ['faults/stream-ends', { close: 1001 }, 'whole', 'step 2'],
  ['faults/stream-cut', { cut: 20 }, 'broken', 'step 2'],
  ['faults/stream-cut', { cut: 100_000 }, 'broken', 'step 3'],
] as const)
  proves(
    rule,
    async (subject) => {
      const events = await begin(subject)
      await subject.idle()
      expect(await events.ended).toBe(end)
      expect(texts(events.seen()).at(-1)).toBe(last)
      expect(events.text().endsWith('\n\n')).toBe(!('cut' in then && then.cut === 20))
      expect(await subject.history()).toHaveLength(1)
      // A new one begins with where the job is.
      const { stream, submit } = await v2Of(subject)
      const { id } = await submit(slow(1))
      const again = await stream(id)
      await again.next(isStatus('queued'))
      again.close()
    },
    withFaults({ when: atStep(3), then }),
  )

proves(
  'faults/stream-at-time',
  async (subject) => {
    const { emulator } = subject
    const events = await begin(subject)
    await emulator!.advance(1500)
    await subject.get('/features')
    expect(texts(events.seen()).at(-1)).toBe('step 1')
    await emulator!.advance(1000)
    await subject.get('/features')
    expect(texts(events.seen()).at(-1)).toBe('step 1')
    await emulator!.advance(1000)
    await subject.get('/features')
    expect(texts(events.seen()).at(-1)).toBe('step 3')
    await emulator!.advance(100)
    expect(await events.ended).toBe('broken')
  },
  withFaults(
    { when: { atMs: 500, clientId: 'me' }, then: { reset: true } },
    { when: { atMs: 1900 }, then: { silence: { forMs: 1000 } } },
    { when: { atMs: 3600 }, then: { reset: true } },
  ),
)

proves(
  'faults/journal',
  async (subject) => {
    const { emulator } = subject
    for (let count = 0; count < 3; count++) {
      const events = await begin(subject)
      await emulator!.advance(20_000)
      await subject.get('/features')
      events.close()
    }
    const last = await begin(subject)
    await emulator!.until('idle')
    await last.ended
    const lines = await emulator!.journal()
    const applied = lines.flatMap((line) => line.match(/"kind":"fault","id":"fault \d+"/g) ?? [])
    expect(new Set(applied).size).toBe(8)
    expect(replay(lines)).toEqual({ entries: lines.length - 1, differs: null })
  },
  {
    deployment: 'hosted',
    ...withFaults(
      ...[
        { silence: { forMs: 900 } },
        { delayMs: 800 },
        { swap: true as const },
        { malformed: true as const },
        { repeat: 1 },
        { cut: 9 },
        { silence: true as const },
        { close: 1000 },
      ].map((then, index) => ({ when: { message: 'progress', nth: 2 * index + 2 }, then })),
    ),
  },
)
