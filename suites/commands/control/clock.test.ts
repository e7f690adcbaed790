// The clock of a world, moved over HTTP and from the library; and waits for what it can reach, or for requests.

import { startGateway } from 'flowdouble'
import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { casesWith, ownWorld, test } from '../../judge/proves.ts'
import { exchanges, saying } from '../../judge/rows.ts'
import { startSubject } from '../../judge/subject.ts'

const proves = casesWith(ownWorld)

const ADVANCE = '/_flowdouble/advance'

proves('control/advance', async (subject) => {
  const advance = async (body: unknown) => (await subject.post(ADVANCE, body)).json()
  const session = await subject.connect('me')
  const isHere = async (type: string): Promise<boolean> => {
    await session.settled()
    return session.messages().some((message) => message.type === type)
  }
  const { prompt_id } = (await subject.submit(textToImage(1, 5), { client_id: 'me' })).json()
  const epochMs = Number(subject.emulator!.options.epoch)
  expect(await advance({ ms: 24 })).toEqual({ nowMs: 24, timeMs: epochMs + 24, happened: {} })
  expect(await isHere('execution_start')).toBe(false)
  // The answer comes after the effects.
  expect(await advance({ until: 'next' })).toMatchObject({
    nowMs: 25,
    timeMs: epochMs + 25,
    happened: { 'run started': 1 },
  })
  expect(await isHere('execution_start')).toBe(true)
  const message = subject.deployment === 'hosted' ? 'progress_state' : 'progress'
  const moved = await advance({ until: { message } })
  expect(moved.happened[`message ${message}`]).toBe(1)
  expect(moved.found).toMatchObject({ prompt_id })
  const ended = await advance({ until: { run: prompt_id, state: 'success' } })
  expect(ended.found).toEqual({ prompt_id, state: 'success' })
  expect(ended.happened[`message ${message}`]).toBe(subject.deployment === 'hosted' ? 18 : 4)
  expect(subject.emulator!.runs()).toMatchObject([{ state: 'success' }])
  await subject.submit(solid())
  expect(await advance({ until: 'success' })).toMatchObject({ happened: { 'run success': 1 } })
  const { found, ...idle } = await advance({ until: 'idle' })
  expect(found).toBeUndefined()
  expect(await advance({ ms: 0 })).toEqual({ ...idle, happened: {} })
  const wrong = [{ until: {} }, { until: { run: 5 } }, { ms: 1, until: 'idle' }, { withinMs: -1 }]
  for (const body of [...wrong, null])
    await exchanges(subject, [['POST', ADVANCE, body, 400, saying('"until"')]])
  await exchanges(subject, [['POST', ADVANCE, { ms: -5 }, 400, saying('cannot move by -5')]])
})

test('control/advance Another clock, another body or another path is rejected with a hint', async () => {
  const subject = await startSubject({ clock: 'instant' })
  await exchanges(subject, [
    ['POST', ADVANCE, { ms: 1 }, 409, saying('manual')],
    ['POST', ADVANCE, { days: 1 }, 400, saying('"until": "idle"')],
    [
      'POST',
      ADVANCE,
      { untill: 'idle' },
      400,
      saying('Unknown member "untill". Did you mean until?'),
    ],
    ['POST', ADVANCE, '{', 400],
    ['GET', ADVANCE, undefined, 404],
    ['GET', '/_flowdouble/nothing', undefined, 404, saying('POST /_flowdouble/advance')],
  ])
  await subject.close()
})

proves('control/bounded', async (subject) => {
  const emulator = subject.emulator!
  await subject.submit(textToImage(1, 50))
  const late = { until: 'success', withinMs: 40 }
  await exchanges(subject, [['POST', ADVANCE, late, 409, saying('within 40 milliseconds')]])
  expect(emulator.runs()).toMatchObject([{ state: 'running' }])
  await expect(emulator.until('idle', { withinMs: 40 })).rejects.toThrow(/within 40/)
  await emulator.until('idle')
  await expect(emulator.until('success')).rejects.toThrow(/No timer is left/)
})

test('control/until-message The clock moves to a message with these data, and the answer returns it', async () => {
  const subject = await startSubject()
  const session = await subject.connect('me')
  const emulator = subject.emulator!
  const { prompt_id } = (await subject.submit(slow(10, 5), { client_id: 'me' })).json()
  const data = await emulator.untilMessage('progress', { value: 3 })
  expect(data).toMatchObject({ value: 3, max: 5, prompt_id })
  await session.settled()
  const values = session.messages().filter(({ type }) => type === 'progress')
  expect(values.map((message) => message.data['value'])).toEqual([1, 2, 3])
  await emulator.untilMessage('execution_success', { prompt_id })
  await expect(emulator.untilMessage('progress', { value: 4 })).rejects.toThrow(
    /No timer is left.*type progress/,
  )
  await subject.close()
})

test('control/epoch A world on a real clock and a gateway begin now, a world on a manual clock at a fixed time', async () => {
  const beginning = async (options: Parameters<typeof startSubject>[0]): Promise<number> => {
    const subject = await startSubject(options)
    const { headers } = await subject.get('/prompt')
    await subject.close()
    return Date.parse(headers['date'] ?? '')
  }
  const before = Math.floor(Date.now() / 1000) * 1000
  for (const clock of ['real', 'x2', 'manual', 'instant'] as const) {
    const isReal = clock === 'real' || clock === 'x2'
    const startMs = await beginning({ clock })
    expect([clock, isReal ? startMs >= before : startMs]).toEqual([
      clock,
      isReal || 1_767_225_600_000,
    ])
    const gateway = await startGateway({ port: 0, clock })
    const { headers } = await fetch(`${gateway.url}/health`)
    await gateway.close()
    expect([clock, Date.parse(headers.get('date') ?? '') >= before]).toEqual([clock, true])
  }
  expect(await beginning({ clock: 'real', epoch: 1_000_000 })).toBeLessThan(before)
  expect(await beginning({ clock: 'manual', epoch: 'now' })).toBeGreaterThanOrEqual(before)
})

proves('control/received', async (subject) => {
  const emulator = subject.emulator!
  const submit = { method: 'POST', path: '/prompt' }
  // The wait begins before the request.
  const [first, { prompt_id }] = await Promise.all([
    emulator.received(submit),
    subject.submit(textToImage(1), {}).then((reply) => reply.json()),
  ])
  expect(first).toMatchObject({ ...submit, path: expect.stringContaining('/prompt') })
  expect(first).toMatchObject({ status: 200, run: prompt_id })
  // One that has arrived already ends it, and the next one is counted.
  expect(await emulator.received(submit)).toEqual(first)
  const second = subject.post('/_flowdouble/received', { ...submit, times: 2 })
  const another = await subject.submit(textToImage(2), {})
  expect((await second).json()).toMatchObject({ run: another.json().prompt_id })
  await emulator.until('success')
  const late =
    /within 0 milliseconds.*Expected 1 request \/promt, received 0\. Closest: .*differs in path/
  const RECEIVED = '/_flowdouble/received'
  await exchanges(subject, [
    ['POST', RECEIVED, { path: '/promt', withinMs: 0 }, 409, saying(late)],
    ['POST', RECEIVED, { pat: '/' }, 400],
    ['POST', RECEIVED, { withinMs: '5' }, 400],
    ['POST', RECEIVED, { times: 0 }, 400],
    ['POST', RECEIVED, { withinMs: -1 }, 400],
  ])
  await emulator.reset()
  await expect(emulator.received(submit, { withinMs: 0 })).rejects.toThrow(/received 0/)
  await expect(emulator.received({ times: 0 })).rejects.toThrow(/times must be 1 or more/)
})

proves('control/first-submit', async (subject) => {
  const emulator = subject.emulator!
  const wait = /No run has been submitted yet.*await server\.received\(\{ path: '\/prompt' \}\)/
  await expect(emulator.until('success')).rejects.toThrow(wait)
  await expect(emulator.untilMessage('progress_state')).rejects.toThrow(wait)
  await exchanges(subject, [['POST', ADVANCE, { until: 'success' }, 409, saying(wait)]])
  await subject.submit(textToImage(1), {})
  await emulator.until('success')
  await expect(emulator.untilMessage('progress_state')).rejects.toThrow(/open sockets/)
})

proves('control/names', async (subject) => {
  const emulator = subject.emulator!
  const states = 'until knows idle, next, started, success, error, interrupted, or a function;'
  const executing = 'has the type executin; did you mean executing?'
  await exchanges(subject, [
    ['POST', ADVANCE, { until: 'sucess' }, 400, saying(`${states} did you mean success?`)],
    ['POST', ADVANCE, { until: { message: 'executin' } }, 400, saying(executing)],
  ])
  await expect(emulator.until('sucess' as 'success')).rejects.toThrow(states)
  await expect(emulator.untilMessage('progres' as 'progress')).rejects.toThrow(
    'No message has the type progres; did you mean progress?',
  )
  await expect(emulator.advance('5' as never)).rejects.toThrow(
    "advance needs a number of milliseconds, not the text '5'.",
  )
  await expect(emulator.until('success', { within: 5 } as object)).rejects.toThrow(
    'it has no member within',
  )
  // A fault can insert messages of other types.
  emulator.fault({ when: { message: '*' }, then: { insert: { type: 'progres', data: {} } } })
  await expect(emulator.untilMessage('progres' as 'progress')).rejects.toThrow('No timer is left')
})
