// What faults do to responses: other answers, and responses that come late, in parts, or not at all.

import { solid } from '../../generate/graphs.ts'
import { getText, openRaw } from '../../judge/broken.ts'
import { expect } from '../../judge/expect.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { hostedError } from '../../../spec/server/errors.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'

const submits = { method: 'POST', path: '/prompt' }

proves(
  'faults/status',
  async ({ submit, queue }) => {
    const json = await submit(solid())
    expect(json.status).toBe(503)
    expect(json.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-cause': 'a test',
    })
    expect(json.json()).toEqual({ why: ['no room'] })
    const text = await submit(solid())
    expect(text).toMatchObject({ status: 429, text: 'Slow down.' })
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(await queue()).toEqual({ running: [], pending: [] })
    expect((await submit(solid())).status).toBe(200)
    expect((await queue()).pending).toHaveLength(1)
  },
  withFaults(
    {
      when: submits,
      then: {
        status: 503,
        headers: { 'X-Cause': 'a test', 'content-type': 'application/problem+json' },
        body: { why: ['no room'] },
      },
      times: 1,
    },
    { when: { ...submits, nth: 2 }, then: { status: 429, body: 'Slow down.' } },
  ),
)

const plain = withFaults(
  { when: { path: '/queue' }, then: { status: 503 } },
  { when: { path: '/prompt' }, then: { status: 599 } },
)

proves(
  'faults/text-body',
  async ({ get }) => {
    expect(await get('/queue')).toMatchObject({ status: 503, text: '503: Service Unavailable' })
    expect(await get('/prompt')).toMatchObject({ status: 599, text: '599' })
  },
  plain,
)

proves(
  'faults/hosted-body',
  async ({ get }) => {
    const replies = [await get('/queue'), await get('/prompt')]
    expect(replies.map(({ status }) => status)).toEqual([503, 599])
    expect(replies.map((reply) => reply.json())).toEqual([
      { code: 'SERVICE_UNAVAILABLE', message: 'Service Unavailable.' },
      { code: 'STATUS_599', message: 'Status 599.' },
    ])
    for (const reply of replies) expect(violations(hostedError, reply.json())).toEqual([])
  },
  plain,
)

proves(
  'faults/retry-after',
  async ({ get }) => {
    const { status, headers } = await get('/queue')
    expect({ status, after: headers['retry-after'] }).toEqual({ status: 429, after: '120' })
    expect((await get('/prompt')).headers).not.toHaveProperty('retry-after')
  },
  withFaults(
    { when: { path: '/queue' }, then: { status: 429, retryAfter: 120 } },
    { when: { path: '/prompt' }, then: { status: 429 } },
  ),
)

proves(
  'faults/redirect',
  async ({ get, raw, deployment, emulator }) => {
    const places: readonly (readonly [to: string | undefined, lead: string | undefined])[] = [
      ['/history', '/history'],
      ['next?a=1', 'next?a=1'],
      ['http://elsewhere.example/x', 'http://elsewhere.example/x'],
      [undefined, undefined],
    ]
    for (const [index, [to]] of places.entries())
      emulator!.fault({
        when: { path: '/moved', nth: index + 1 },
        then: { status: 302, ...(to !== undefined && { location: to }) },
      })
    for (const [, lead] of places) {
      const { status, headers } = await get('/moved')
      expect({ status, location: headers['location'] }).toEqual({ status: 302, location: lead })
    }
    const own = deployment === 'local' ? '/queue?page=2' : '/api/queue?page=2'
    for (const status of [301, 302, 303, 307, 308]) {
      const { headers, ...reply } = await get('/queue?page=2')
      expect({ status: reply.status, location: headers['location'] }).toEqual({
        status,
        location: own,
      })
    }
    expect((await get('/queue')).status).toBe(200)
    // Below the path of a world, its own paths begin with that; others lead where they say.
    const { url, close } = await emulator!.world({ name: 'w' })
    for (const [path, lead] of [
      ['/queue', '/w/w/queue'],
      ['/out', 'https://elsewhere.example/out'],
    ] as const) {
      const { headers } = await raw('GET', new URL(url).pathname + path)
      expect(headers['location']).toBe(lead)
    }
    await close()
  },
  withFaults(
    ...[301, 302, 303, 307, 308].map((status, index) => ({
      when: { path: '/queue', nth: index + 1 },
      then: { status, location: true as const },
    })),
    { when: { path: '/out' }, then: { status: 307, location: 'https://elsewhere.example/out' } },
  ),
)

const inputs = watchInputs()

proves(
  'faults/delayed-response',
  async ({ emulator, submit, queue, finished }) => {
    const arrives = inputs.next('request')
    const answer = submit(solid(), { prompt_id: 'late' })
    await arrives
    const { running, pending } = await queue()
    expect(running.length + pending.length).toBe(1)
    await emulator!.advance(9999)
    expect((await queue()).running).toEqual([])
    await emulator!.advance(1)
    const { status, headers, json } = await answer
    expect(status).toBe(200)
    expect(Date.parse(headers['date'] ?? '')).toBe((emulator!.options.epoch as number) + 10_000)
    // It was over long before its client could know its id.
    expect(await finished(json().prompt_id as string)).toBeDefined()
  },
  {
    onEntry: inputs.onEntry,
    ...withFaults({ when: submits, then: { delayMs: 10_000 } }),
  },
)

proves(
  'faults/reset-response',
  async ({ submit, get, queue }) => {
    await expect(submit(solid())).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect((await queue()).pending).toHaveLength(1)
    await expect(get('/prompt')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect((await get('/prompt')).status).toBe(200)
  },
  withFaults(
    { when: submits, then: { reset: true } },
    // The request is not handled, and its client does not see the answer.
    { when: { method: 'GET', path: '/prompt', nth: 1 }, then: { status: 500, reset: true } },
  ),
)

const TEXT = 'The whole text of a response, in 40 bytes.'

/** A fault that answers the nth request with the text, broken in some way. */
function broken(nth: number, then: object) {
  return { when: { method: 'GET', nth }, then: { status: 418, body: TEXT, ...then } }
}

/** The head and the body of a response as it was on the wire. */
const split = (text: string): readonly string[] => text.split('\r\n\r\n')

proves(
  'faults/reset-in-body',
  async (subject) => {
    for (const bytes of [0, 7, 41]) {
      const raw = openRaw(subject.url, getText(subject, '/view?filename=notes.txt'))
      expect(await raw.ended).toBe('reset')
      const [head = '', body = ''] = split(raw.received())
      expect({ bytes, status: head.slice(0, 12) }).toEqual({ bytes, status: 'HTTP/1.1 418' })
      expect(head).toContain(`Content-Length: ${TEXT.length}`)
      expect(body).toBe(TEXT.slice(0, Math.min(bytes, TEXT.length - 1)))
    }
  },
  withFaults(
    ...[0, 7, 41].map((afterBytes, index) => broken(index + 1, { reset: { afterBytes } })),
  ),
)

proves(
  'faults/truncate',
  async (subject) => {
    for (const bytes of [0, 7, 1000]) {
      const raw = openRaw(subject.url, getText(subject, '/queue'))
      expect(await raw.ended).toBe('ended')
      const [head = '', body = ''] = split(raw.received())
      expect(head).toContain(`Content-Length: ${TEXT.length}`)
      expect(body).toBe(TEXT.slice(0, Math.min(bytes, TEXT.length - 1)))
    }
    await expect(subject.get('/queue')).rejects.toMatchObject({ code: 'ECONNRESET' })
  },
  withFaults(...[0, 7, 1000, 5].map((truncate, index) => broken(index + 1, { truncate }))),
)

proves(
  'faults/slow',
  async (subject) => {
    const { emulator, url } = subject
    const raw = openRaw(url, getText(subject, '/queue'))
    const expected = [0.25, 0.5, 0.75, 1].map((part) =>
      TEXT.slice(0, Math.floor(TEXT.length * part)),
    )
    for (const [index, text] of expected.entries()) {
      if (index > 0) await emulator!.advance(100)
      await raw.until((received) => (split(received)[1] ?? '') === text)
    }
    raw.end()
    // Nothing more follows when the time goes on.
    await emulator!.advance(1000)
    expect(await raw.ended).toBe('ended')
    expect(split(raw.received())[1]).toBe(TEXT)
  },
  withFaults(broken(1, { slow: { parts: 4, everyMs: 100 } })),
)

proves(
  'faults/slow',
  async ({ get, emulator }) => {
    const { text, headers } = await get('/queue')
    expect(text).toBe(TEXT)
    expect(Date.parse(headers['date'] ?? '')).toBe((emulator!.options.epoch as number) + 5000)
  },
  {
    clock: 'instant',
    ...withFaults(broken(1, { delayMs: 5000, slow: { parts: 100, everyMs: 7 } })),
  },
)
