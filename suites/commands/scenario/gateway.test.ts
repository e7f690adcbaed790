// What a scenario says of a gateway: answers of the agent, deliveries that fail or take time, used-up rate limits.

import type { Agent, GatewayOptions } from 'flowdouble'
import { limits } from '../../../spec/limits.ts'
import { expect } from '../../judge/expect.ts'
import { direct, failureNotice, type GatewaySubject, SECRET } from '../../judge/gateway-subject.ts'
import { proves } from '../../judge/proves.ts'

const chat = { secret: SECRET, prompt: '{text}', deliver: 'telegram' }
const routes = { hook: chat, other: chat }

type Script = Exclude<NonNullable<GatewayOptions['scenario']>, string | readonly unknown[]>
const scripted = (gateway: NonNullable<Script['gateway']>): Script => ({
  version: 1,
  gateway,
})

/** Posts to routes one after the other, and returns the texts that were delivered. */
async function textsOf(
  { post, idle, texts }: GatewaySubject,
  ...names: readonly string[]
): Promise<readonly string[]> {
  for (const name of names) {
    expect((await post(name, { text: name })).status).toBe(202)
    await idle()
  }
  return texts()
}

proves(
  'scenario/agent-rules',
  async (subject) => {
    const found = await textsOf(subject, 'hook', 'other', 'hook', 'hook', 'other')
    expect(found).toEqual(['first', failureNotice('no model'), 'later: hook', 'other'])
  },
  {
    routes,
    scenario: scripted({
      agent: [
        { run: 1, answer: 'first' },
        { route: 'other', run: 2, error: 'no model' },
        { run: 4, answer: '[SILENT]' },
        { route: 'hook', answer: 'later: {prompt}', delayMs: 5000 },
      ],
    }),
  },
)

proves(
  'scenario/agent-rules',
  async ({ post, gateway, texts }) => {
    await post('hook', { text: 'slow' })
    await gateway.advance(4999)
    expect(texts()).toEqual([])
    await gateway.advance(1)
    expect(texts()).toEqual(['slow'])
  },
  { routes, scenario: scripted({ agent: [{ delayMs: 5000 }] }) },
)

const loud: Agent = ({ prompt }) => Promise.resolve(prompt.toUpperCase())

proves(
  'scenario/agent-instead',
  async (subject) => {
    expect(await textsOf(subject, 'hook', 'hook', 'other')).toEqual([
      'HOOK',
      failureNotice('it timed out'),
      'OTHER',
    ])
  },
  {
    routes,
    agent: loud,
    scenario: scripted({ agent: [{ run: 2, error: 'it timed out' }, { delayMs: 5 }] }),
  },
)

/** Posts to a direct route, and returns the statuses of the answers. */
async function statusesOf(
  { post, gateway }: GatewaySubject,
  count: number,
): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let at = 0; at < count; at++) {
    const answer = post('hook', { text: `${at}` })
    await gateway.until('idle')
    statuses.push((await answer).status)
  }
  return statuses
}

proves(
  'scenario/delivery-failures',
  async (subject) => {
    expect(await statusesOf(subject, 5)).toEqual([502, 502, 502, 200, 200])
    const errors = subject.gateway.outbox().map(({ error }) => error)
    expect(errors).toEqual(['is down', 'is down', 'is gone', null, null])
  },
  {
    routes: { hook: direct('{text}') },
    scenario: scripted({
      deliveries: [
        { target: 'discord', error: 'never' },
        { target: 'telegram', error: 'is down', times: 2 },
        { error: 'is gone', times: 1 },
      ],
    }),
  },
)

proves(
  'scenario/delivery-failures',
  async (subject) => {
    await subject.post('hook', { text: 'x' })
    await subject.idle()
    const found = subject.gateway.outbox().map(({ error, timestamp }) => ({ error, timestamp }))
    expect(found.map(({ error }) => error)).toEqual(['telegram answered 429', 'is gone', null])
    const pauses = found.slice(1).map(({ timestamp }, at) => timestamp - found[at]!.timestamp)
    expect([pauses[0]! >= 90_000, pauses[1]! < 4001]).toEqual([true, true])
  },
  {
    routes,
    scenario: scripted({
      deliveries: [
        { target: 'telegram', status: 429, retryAfterMs: 90_000, times: 1 },
        { error: 'is gone', status: 503, times: 1 },
      ],
    }),
  },
)

const timeOutMs = limits.senderTimeOut.value * 1000

proves(
  'scenario/delivery-delays',
  async ({ post, gateway, idle }) => {
    await post('hook', { text: 'slow' })
    await gateway.advance(2999)
    expect(gateway.outbox()).toEqual([])
    await gateway.advance(1)
    expect(gateway.outbox()).toMatchObject([{ status: 'delivered', text: 'slow' }])
    await post('hook', { text: 'too slow' })
    await gateway.advance(timeOutMs - 1)
    expect(gateway.outbox()).toHaveLength(1)
    await idle()
    expect(gateway.outbox()[1]).toMatchObject({ status: 'failed', error: 'timed out' })
    expect(gateway.outbox()).toHaveLength(2)
  },
  {
    routes,
    scenario: scripted({
      deliveries: [{ delayMs: 3000, times: 1 }, { delayMs: timeOutMs + 1 }],
    }),
  },
)

proves(
  'scenario/used-rate-limit',
  async ({ post, gateway }) => {
    expect((await post('hook', { text: 'a' })).status).toBe(202)
    expect((await post('hook', { text: 'b' })).status).toBe(429)
    expect((await post('other', { text: 'c' })).status).toBe(202)
    await gateway.advance(limits.webhookRateWindow.value * 1000 + 1)
    expect((await post('hook', { text: 'd' })).status).toBe(202)
  },
  { routes, rateLimit: 30, scenario: scripted({ rateLimits: [{ route: 'hook', used: 29 }] }) },
)
