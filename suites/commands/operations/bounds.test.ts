// The bounds of what a gateway holds for clients that do not finish: bodies, heads and connections.

import type { GatewayOptions } from 'flowdouble'
import { type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'
import { dial, openTalk } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'
import { type HalfSent, partOfPost, sendHalf } from '../../support/gateway/half-sent.ts'

const routes = { hook: { secret: SECRET } }
const bounded = (bounds: NonNullable<GatewayOptions['bounds']>): GatewayOptions => ({
  routes,
  bounds,
})

/** Long enough for the loop to read what a client has sent before it begins. */
const HEAD_MS = 400

const SIZE = 500_000
const PART = 400_000
/** Enough for two parts, or for the rest of one of them. */
const TWO_PARTS = { unfinishedBytes: 1_000_000 }

/** More than unfinished bodies usually hold together. */
const MAX_BYTES = 17 * 2 ** 20

/** Sends a part of a body. Once another post is answered, the gateway has read it. */
async function begin({ url, post }: GatewaySubject): Promise<HalfSent> {
  const half = await sendHalf(url, partOfPost('hook', SIZE, PART))
  expect((await post('hook', {})).status).toBe(202)
  return half
}

/** Sends the rest. */
const finish = ({ socket, ends }: HalfSent): Promise<number> => {
  socket.write('x'.repeat(SIZE - PART))
  socket.end()
  return ends.then(statusOf)
}

const statusOf = (text: string): number => Number(text.slice('HTTP/1.1 '.length).slice(0, 3))

proves(
  ['operations/unfinished-bodies', 'operations/refused-ends'],
  async (subject) => {
    const [first, second] = [await begin(subject), await begin(subject)]
    // Each of the next ones takes the place of the one that has stalled for longest.
    const third = await begin(subject)
    const answer = await first.ends
    expect(statusOf(answer)).toBe(503)
    expect(answer).toMatch(/^Retry-After: \d+\r$/m)
    expect(answer).toMatch(/^Connection: close\r$/m)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: 'Too many unfinished bodies',
    })
    // The second one goes on: now the third one stalls longest.
    second.socket.write('x')
    expect((await subject.post('hook', {})).status).toBe(202)
    const fourth = await begin(subject)
    expect(statusOf(await third.ends)).toBe(503)
    // Rejected for what they are.
    expect([await finish(second), await finish(fourth)]).toEqual([401, 401])
  },
  bounded(TWO_PARTS),
)

proves(
  'operations/unfinished-bodies',
  async ({ url, post }) => {
    const many = 20
    const halves = await Promise.all(
      Array.from({ length: many }, () => sendHalf(url, partOfPost('hook', SIZE, PART))),
    )
    const open = new Set(halves)
    const answers: string[] = []
    await new Promise<void>((resolve) => {
      const note = (half: HalfSent, answer: string): void => {
        open.delete(half)
        answers.push(answer)
        if (open.size === 2) resolve()
      }
      for (const half of halves) void half.ends.then((answer) => note(half, answer))
    })
    expect(answers.map(statusOf)).toEqual(answers.map(() => 503))
    expect((await post('hook', {})).status).toBe(202)
    expect(open.size).toBe(2)
    for (const { socket } of open) socket.destroy()
  },
  bounded(TWO_PARTS),
)

// A body may be as large as the settings say, however little the others may hold.
proves(
  'operations/unfinished-bodies',
  async ({ post }) => {
    const large = 'x'.repeat(MAX_BYTES)
    expect((await post('hook', large)).status).toBe(400)
    expect((await post('hook', `${large}x`)).status).toBe(413)
  },
  { routes, maxBodyBytes: MAX_BYTES },
)

proves(
  ['operations/slow-body', 'operations/refused-ends'],
  async ({ url, post }) => {
    const half = await sendHalf(url, partOfPost('hook', 10, 5))
    const answer = await half.ends
    expect(statusOf(answer)).toBe(408)
    expect(answer).toMatch(/^Connection: close\r$/m)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ error: 'Request timeout' })
    expect((await post('hook', {})).status).toBe(202)
  },
  bounded({ bodyPauseMs: 20 }),
)

proves(
  'operations/slow-body',
  async ({ url }) => {
    const { socket, ends } = await sendHalf(url, partOfPost('hook', 1_000_000, 1))
    // It never stands still for long.
    const goOn = (): void => {
      if (!socket.writable) return
      socket.write('x')
      setImmediate(goOn)
    }
    goOn()
    expect(statusOf(await ends)).toBe(408)
  },
  bounded({ bodyMs: 40 }),
)

proves(
  ['operations/slow-head', 'operations/refused-ends'],
  async ({ url, post }) => {
    const slow = await sendHalf(url, 'POST /webhooks/hook HTTP/1.1\r\nHost: a\r\nX-A')
    const answer = await slow.ends
    expect(statusOf(answer)).toBe(408)
    expect(answer).toMatch(/^Connection: close\r$/m)
    // A connection that was never used ends without an answer.
    const unused = await sendHalf(url, '')
    expect(await unused.ends).toBe('')
    expect((await post('hook', {})).status).toBe(202)
  },
  bounded({ headMs: HEAD_MS }),
)

proves(
  'operations/answered-early',
  async ({ url }) => {
    const { ends } = await sendHalf(url, partOfPost('nobody', 10, 5))
    expect((await ends).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404'])
  },
  bounded({ headMs: 300, bodyMs: 100 }),
)

proves(
  'operations/idle',
  async ({ url }) => {
    const { socket, ends } = await sendHalf(url, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(statusOf(await ends)).toBe(200)
    expect(socket.destroyed).toBe(true)
  },
  bounded({ idleMs: 20 }),
)

proves(
  'operations/connections',
  async ({ url }) => {
    const [first, second] = [openTalk(url), openTalk(url)]
    const health = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const talk of [first, second]) expect((await talk.ask(health)).status).toBe(200)
    const third = dial(url)
    third.on('error', () => third.destroy())
    await new Promise((resolve) => third.once('close', resolve))
    for (const talk of [first, second]) {
      expect((await talk.ask(health)).status).toBe(200)
      talk.end()
    }
  },
  bounded({ connections: 2 }),
)

proves(
  'operations/refusal-lines',
  async ({ url, gateway, logs }) => {
    const halves = await Promise.all(
      Array.from({ length: 5 }, () => sendHalf(url, partOfPost('hook', 10, 5))),
    )
    for (const { ends } of halves) expect(statusOf(await ends)).toBe(408)
    const late = await sendHalf(url, 'GET')
    await late.ends
    expect(logs.map(({ level, text }) => [level, text])).toEqual([
      ['warning', 'post hook refused: Request timeout (from 127.0.0.1)'],
      ['warning', 'request refused: its head takes too long (from 127.0.0.1)'],
    ])
    await gateway.close()
    const [, , rest] = logs
    expect(rest?.text).toBe(
      'post hook refused: Request timeout (from 127.0.0.1) (the last of 4 more)',
    )
    expect(rest?.fields).toMatchObject({ bound: 'slow-body', count: 4 })
    expect(logs).toHaveLength(3)
  },
  bounded({ bodyPauseMs: 20, headMs: HEAD_MS }),
)

proves(
  'operations/refusal-lines',
  async ({ url, gateway, logs }) => {
    const only = openTalk(url)
    expect((await only.ask('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(200)
    for (let at = 0; at < 3; at++) {
      const { ends } = await sendHalf(url, '').catch(() => ({ ends: Promise.resolve('') }))
      await ends
    }
    only.end()
    await gateway.close()
    expect(logs.map(({ text }) => text)).toEqual([
      'connection refused: too many are open (from 127.0.0.1)',
      'connection refused: too many are open (from 127.0.0.1) (the last of 2 more)',
    ])
    expect(logs[0]?.fields).toEqual({ bound: 'connections', address: '127.0.0.1' })
  },
  bounded({ connections: 1 }),
)
