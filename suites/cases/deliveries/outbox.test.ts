// Deliveries that end late or never, and the outbox with its scripted failures.

import { outboxEntry } from '../../../spec/gateway/deliveries.ts'
import { direct, SECRET } from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const secret = SECRET
const id = (text: string) => ({ 'X-Request-ID': text })

/** Deliveries that end when the test ends them. */
const held: { end: (error?: string) => void; text: string }[] = []

proves(
  'deliveries/direct-once',
  async ({ gateway, post }) => {
    held.length = 0
    let answered = false
    const began = new Promise<void>((resolve) => (onHeld = resolve))
    const reply = post('note', {}).then((found) => {
      answered = true
      return found
    })
    await began
    const other = await post('other', {}, {})
    const meanwhile = [other.status, answered, held.map(({ text }) => text)]
    held[0]?.end('refused by somebody')
    const { status, body } = await reply
    expect(meanwhile).toEqual([404, false, ['x']])
    expect([status, body.includes('somebody')]).toEqual([502, false])
    expect(gateway.outbox()).toMatchObject([{ status: 'failed', error: 'refused by somebody' }])
  },
  {
    routes: { note: direct('x') },
    deliveries: ({ text }) =>
      new Promise((resolve, reject) => {
        const end = (error?: string) => (error === undefined ? resolve() : reject(new Error(error)))
        held.push({ text, end })
        onHeld()
      }),
  },
)
let onHeld = (): void => {}

proves(
  'deliveries/outbox',
  async ({ gateway, post, idle, send }) => {
    await gateway.advance(1234)
    await post('note', { a: 1 }, { ...id('id-1'), 'X-GitHub-Event': 'push' })
    await post('run', { type: ['odd'] }, id('id-2'))
    await idle()
    expect((await post('pager', {})).status).toBe(502)
    const entries = gateway.outbox()
    expect(entries).toEqual([
      {
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        target: 'telegram',
        chat_id: '5',
        thread_id: null,
        text: 'a is 1',
        route: 'note',
        event: 'push',
        delivery_id: 'id-1',
        part: 1,
        parts: 1,
        deliver_extra: { chat_id: '5' },
        attempt: 1,
        status: 'delivered',
        error: null,
        timestamp: 1767225601234,
      },
      expect.objectContaining({ target: 'slack', event: ['odd'], delivery_id: 'id-2', text: 'hi' }),
      // An invalid target is listed as it was written.
      expect.objectContaining({ target: 'pager', status: 'failed' }),
    ])
    for (const entry of entries) expect(violations(outboxEntry, entry)).toEqual([])
    expect((await send('GET', '/_flowdouble/outbox')).json()).toEqual(entries)
  },
  {
    routes: {
      note: direct('a is {a}', { deliver_extra: { chat_id: '5' } }),
      run: { secret, prompt: 'hi', deliver: 'slack' },
      pager: direct('x', { deliver: 'pager' }),
    },
  },
)

proves(
  'deliveries/scripted-failures',
  async ({ gateway, post, send }) => {
    const statuses = async (times: number, name = 'note') => {
      const found: number[] = []
      for (let count = 0; count < times; count++) found.push((await post(name, {})).status)
      return found
    }
    gateway.failDeliveries({ target: 'telegram', error: 'one', times: 2 })
    expect(await statuses(1, 'slack')).toEqual([200])
    expect(await statuses(3)).toEqual([502, 502, 200])
    gateway.failDeliveries({ target: '*', error: 'always', times: null })
    expect([...(await statuses(3)), ...(await statuses(1, 'slack'))]).toEqual([502, 502, 502, 502])
    gateway.failDeliveries({ target: '*', error: '', times: 0 })
    expect(await statuses(1)).toEqual([200])
    const script = { target: 'telegram', error: 'over HTTP' }
    const answer = await send('POST', '/_flowdouble/outbox', JSON.stringify(script))
    expect(answer.status).toBe(200)
    expect(await statuses(2)).toEqual([502, 200])
    const errors = gateway.outbox().flatMap(({ error }) => error ?? [])
    expect([...new Set(errors)]).toEqual(['one', 'always', 'over HTTP'])
  },
  { routes: { note: direct('x'), slack: direct('x', { deliver: 'slack' }) } },
)

proves(
  'deliveries/sender-time-out',
  async ({ gateway, post, url }) => {
    const began = new Promise<void>((resolve) => (onHeld = resolve))
    const reply = post('note', {})
    await began
    await gateway.advance(29_999)
    expect(gateway.outbox()).toEqual([])
    await gateway.advance(1)
    expect((await reply).status).toBe(502)
    expect(gateway.outbox()).toMatchObject([{ status: 'failed', error: 'timed out' }])
    expect([url !== '', aborted]).toEqual([true, 1])
  },
  {
    routes: { note: direct('x') },
    deliveries: (_, signal) =>
      new Promise(() => {
        aborted = 0
        signal.addEventListener('abort', () => aborted++)
        onHeld()
      }),
  },
)
let aborted = 0
