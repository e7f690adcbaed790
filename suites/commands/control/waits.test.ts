// Waits: for requests in real time, and for what a manual clock can reach.

import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'

proves(
  'control/received',
  async (subject) => {
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
    const late = await subject.post('/_flowdouble/received', { path: '/promt', withinMs: 0 })
    expect(late.status).toBe(409)
    expect(late.json().error).toMatch(
      /within 0 milliseconds.*Expected 1 request \/promt, received 0\. Closest: .*differs in path/,
    )
    await emulator.reset()
    await expect(emulator.received(submit, { withinMs: 0 })).rejects.toThrow(/received 0/)
    await expect(emulator.received({ times: 0 })).rejects.toThrow(/times must be 1 or more/)
    for (const wrong of [{ pat: '/' }, { withinMs: '5' }, { times: 0 }, { withinMs: -1 }])
      expect((await subject.post('/_flowdouble/received', wrong)).status).toBe(400)
  },
  ownWorld,
)

proves(
  'control/first-submit',
  async (subject) => {
    const emulator = subject.emulator!
    const wait = /No run has been submitted yet.*await server\.received\(\{ path: '\/prompt' \}\)/
    await expect(emulator.until('success')).rejects.toThrow(wait)
    await expect(emulator.untilMessage('progress_state')).rejects.toThrow(wait)
    const asked = await subject.post('/_flowdouble/advance', { until: 'success' })
    expect(asked.status).toBe(409)
    expect(asked.json().error).toMatch(wait)
    await subject.submit(textToImage(1), {})
    await emulator.until('success')
    await expect(emulator.untilMessage('progress_state')).rejects.toThrow(/open sockets/)
  },
  ownWorld,
)

proves(
  'control/names',
  async (subject) => {
    const emulator = subject.emulator!
    const advance = async (body: unknown) => {
      const reply = await subject.post('/_flowdouble/advance', body)
      return { status: reply.status, error: reply.json().error }
    }
    const states = 'until knows idle, next, started, success, error, interrupted, or a function;'
    const wrong = [
      [{ until: 'sucess' }, `${states} did you mean success?`],
      [{ until: { message: 'executin' } }, 'has the type executin; did you mean executing?'],
    ] as const
    for (const [body, text] of wrong)
      expect(await advance(body)).toEqual({ status: 400, error: expect.stringContaining(text) })
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
  },
  ownWorld,
)
