// Runs of models under faults, restarts and restores: what becomes of the answer, and of the run.

import type { EmulatorOptions } from 'flowdouble'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { expect } from '../../judge/expect.ts'
import { expectRouterError, routerOf, type Router } from '../../judge/hosted/router.ts'
import { ownWorld, provesHosted } from '../../judge/proves.ts'

const plain = 'acme/plain'

const world = (...thens: readonly Fault['then'][]): EmulatorOptions => ({
  ...ownWorld,
  scenario: {
    version: 1,
    modelTypes: {
      [plain]: { input: { type: 'object' }, output: { done: true }, price: 10, durationMs: 400 },
    },
    faults: thens.map((then, at) => ({
      when: { path: `/v2/models/${plain}`, method: 'POST', nth: at + 1 },
      then,
    })),
  },
})

const named = (name: string) => ({ 'Idempotency-Key': name })

/** Expects the answer to exist under a key. */
async function expectRecorded({ send }: Router, name: string): Promise<void> {
  const reply = await send('POST', `/${plain}`, {}, named(name))
  expect([reply.status, reply.json()]).toEqual([200, { done: true }])
  expect(reply.headers).toMatchObject({ 'idempotent-replayed': 'true' })
}

provesHosted(
  'router-runs/faults',
  async (subject) => {
    const router = await routerOf(subject)
    const { begin, send } = router
    const late = await begin(plain, {}, named('late'))
    await subject.emulator?.advance(400 + 299)
    await send('GET', '')
    expect(late.hasCome()).toBe(false)
    await subject.emulator?.advance(1)
    expect((await late.reply).status).toBe(200)
    for (const name of ['cut', 'reset']) {
      const { reply } = await begin(plain, {}, named(name))
      const lost = expect(reply).rejects.toThrow()
      await subject.emulator?.advance(400)
      await lost
    }
    for (const name of ['late', 'cut', 'reset']) await expectRecorded(router, name)
  },
  world({ delayMs: 300 }, { truncate: 3 }, { reset: true }),
)

provesHosted(
  'router-runs/restart',
  async (subject) => {
    const router = await routerOf(subject)
    const { begin, send } = router
    const { reply } = await begin(plain, {}, named('a'))
    const lost = expect(reply).rejects.toThrow()
    await expect(send('POST', `/${plain}`, {})).rejects.toThrow()
    await lost
    await subject.idle()
    await expectRecorded(router, 'a')
  },
  world({ delayMs: 1 }, { restart: true }),
)

provesHosted(
  'router-runs/restored',
  async (subject) => {
    const router = await routerOf(subject)
    const { begin, send, submit } = router
    subject.breaks('router-runs/output', 'router/request-id')
    const { emulator } = subject
    const { request_id } = await submit(plain, {})
    const first = await begin(plain, {}, named('a'))
    const snapshot = emulator?.snapshot() ?? ''
    await subject.idle()
    expect((await first.reply).status).toBe(200)
    await emulator?.restore(snapshot)
    const early = await send('POST', `/${plain}`, {}, named('a'))
    expectRouterError(early, 409, 'concurrency_limit_exceeded')
    const other = await begin(plain, {}, named('b'))
    await emulator?.restore(snapshot)
    expect((await other.reply).status).toBe(503)
    await subject.idle()
    await expectRecorded(router, 'a')
    const result = await send('GET', `/${plain}/requests/${request_id}`)
    expect(result.json()).toEqual({ done: true })
  },
  world(),
)
