// Whatever a target answers, each accepted answer is delivered once, silent or dead, and no target is called too early.

import { array, assert, asyncProperty, constantFrom, integer, oneof, record } from 'fast-check'
import type { Delivery } from 'flowdouble'
import { expect, test } from 'vitest'
import { limits } from '../../../spec/limits.ts'
import { SECRET, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { runs } from '../../support/effort.ts'

/** When the gateway begins. */
const startMs = Date.parse('2026-01-01T00:00:00Z')

/** An answer of the target: success, or an error with what its reply says. */
type Answer = {
  readonly error?: string
  readonly status?: number
  readonly retryAfterMs?: number
}

const done: Answer = {}
const askedMs = oneof(integer({ min: 0, max: 400_000 }), constantFrom(3_599_999, 3_600_001, 9e7))
const someAnswer = oneof(
  { weight: 4, arbitrary: constantFrom(done) },
  {
    weight: 4,
    arbitrary: record({
      error: constantFrom('x'),
      status: constantFrom(429, 503),
      retryAfterMs: askedMs,
    }),
  },
  {
    weight: 3,
    arbitrary: constantFrom(
      { error: 'network error ECONNRESET' },
      { error: 'x', status: 500 },
      { error: 'x', status: 408 },
    ),
  },
  {
    weight: 1,
    arbitrary: constantFrom(
      { error: 'x', status: 400 },
      { error: 'x', status: 404 },
      { error: 'x', status: 302 },
      { error: 'timed out' },
      { error: 'odd' },
    ),
  },
)

const someText = oneof(integer({ min: 1, max: 4096 }), integer({ min: 4097, max: 13_000 })).map(
  (length) => 'word '.repeat(length / 5 + 1).slice(0, length),
)
const post = record({
  text: oneof({ weight: 5, arbitrary: someText }, { weight: 1, arbitrary: constantFrom('SILENT') }),
  route: constantFrom('split', 'other'),
})

/** A call of the target, what it answered, and when it was due and over for the gateway, in milliseconds since 1970. */
type Call = Delivery & { readonly answer: Answer; readonly beginMs: number; readonly endMs: number }

test('each accepted answer is delivered once, silent or dead; no confirmed part is repeated, and no pause is too short', async () => {
  const states = new Set<string>()
  let repeated = 0
  const property = asyncProperty(
    array(post, { minLength: 1, maxLength: 4 }),
    array(someAnswer, { minLength: 1, maxLength: 40 }),
    async (posts, script) => {
      const calls: Call[] = []
      let count = 0
      const deliveries = (delivery: Delivery): Promise<void> => {
        const answer = script[count++] ?? done
        calls.push({ ...delivery, answer, beginMs: 0, endMs: 0 })
        if (answer.error === undefined) return Promise.resolve()
        const { error, ...facts } = answer
        return Promise.reject(Object.assign(new Error(error), facts))
      }
      const begun: (Delivery & { readonly beginMs: number })[] = []
      const route = { secret: SECRET, prompt: '{text}', deliver: 'telegram' }
      const {
        gateway,
        post: send,
        idle,
        close,
      } = await startGatewaySubject({
        routes: { split: route, other: { ...route, deliver: 'slack' } },
        deliveries: Object.assign(deliveries, { isSplit: true }),
        onEntry: ({ input, effects }) => {
          const beginMs = startMs + input.atMs
          for (const effect of effects)
            if (effect.kind === 'deliver') begun.push({ ...effect.delivery, beginMs })
        },
      })
      try {
        for (const { text, route: name } of posts)
          expect((await send(name, { text })).status).toBe(202)
        await idle()
        const listed = gateway.runs()
        expect(listed).toHaveLength(posts.length)
        for (const run of listed) {
          states.add(run.delivery)
          const isOwn = ({ key }: Pick<Delivery, 'key'>) => key.startsWith(run.key)
          const starts = begun.filter(isOwn)
          const ends = gateway.outbox().filter(isOwn)
          const own = calls.filter(isOwn).map((call, at): Call => {
            const times = { beginMs: starts[at]?.beginMs ?? 0, endMs: ends[at]?.timestamp ?? 0 }
            return Object.assign({}, call, times)
          })
          expect([starts.length, ends.length]).toEqual([own.length, own.length])
          const sent = own.filter(({ text }) => !text.startsWith('An answer could not'))
          expect(['delivered', 'dead', 'silent']).toContain(run.delivery)
          expect(sent.length === 0).toBe(run.delivery === 'silent')
          repeated += Number(sent.length > 1)
          judge(sent, run.delivery === 'delivered')
        }
      } finally {
        await close()
      }
    },
  )
  await assert(property, { seed: 20261127, numRuns: runs(200) })
  expect([...states].toSorted()).toEqual(['dead', 'delivered', 'silent'])
  expect(repeated).toBeGreaterThan(runs(200) / 4)
})

/** Judges the calls for one answer. */
function judge(calls: readonly Call[], isDelivered: boolean): void {
  const confirmed: number[] = []
  for (const [at, { part, attempt, answer, text, target, endMs }] of calls.entries()) {
    const next = calls[at + 1]
    expect(confirmed).toEqual(Array.from({ length: part - 1 }, (_, index) => index + 1))
    expect(text.length).toBeLessThanOrEqual(target === 'telegram' ? 4096 : 4000)
    expect(attempt).toBeLessThanOrEqual(limits.deliveryAttempts.value)
    if (answer.error === undefined) confirmed.push(part)
    else if (next !== undefined) {
      expect([next.part, next.attempt]).toEqual([part, attempt + 1])
      const pauseMs = next.beginMs - endMs
      const isPlain = next.text.startsWith('(Response') && !text.startsWith('(Response')
      const leastMs = Math.min(answer.retryAfterMs ?? 0, 3_600_000)
      if (!isPlain) expect(pauseMs).toBeGreaterThanOrEqual(Math.max(leastMs, 1500))
      expect(pauseMs).toBeLessThanOrEqual(Math.min(Math.max(leastMs + 75_000, 300_000), 3_600_000))
    }
  }
  expect(confirmed.length === calls[0]?.parts).toBe(isDelivered)
}
