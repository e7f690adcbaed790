// Runs cases on a server, one after the other, and says of each what came out.

import { setTimeout as delay } from 'node:timers/promises'
import type { Case } from '../judge/proves.ts'
import type { CheckEvent } from './events.ts'
import { failureOf } from './failures.ts'
import { type Judgement, ruleInfosOf } from './judgement.ts'
import { Skip } from './skip.ts'
import type { CheckedServer, Running } from './target.ts'

/** The longest time that one case may take, in milliseconds. */
const MAX_CASE_MS = 40_000

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>
/** What came out of a case: nothing, a reason not to judge it, or an error. */
type Outcome = { readonly skip?: Skip; readonly error?: unknown }

/** How the runner judges a case that an error has ended, and the command that runs it again. */
export type Judge = {
  readonly judge: (one: Case, error: unknown) => Judgement
  readonly commandFor: (one: Case) => string
}

/** Runs cases, and yields an event for each. */
export async function* runCases(
  cases: readonly Case[],
  server: CheckedServer,
  judge: Judge,
): AsyncGenerator<CaseEvent> {
  for (const one of cases) yield await runOne(one, server, judge)
}

async function runOne(
  one: Case,
  server: CheckedServer,
  { judge, commandFor }: Judge,
): Promise<CaseEvent> {
  const running: Running = { wire: [], runs: new Set() }
  const startMs = performance.now()
  const { skip, error } = await outcomeOf(one, server, running)
  const durationMs = Math.round(performance.now() - startMs)
  const described = {
    event: 'case',
    title: one.title,
    area: (one.ids[0] ?? '').split('/')[0] ?? '',
    place: one.place,
    rules: ruleInfosOf(one),
    durationMs,
  } as const
  if (skip) return { ...described, verdict: 'skip', reason: skip.reason, detail: skip.detail }
  if (error === undefined) return { ...described, verdict: 'pass' }
  const failure = failureOf(one, error, running, commandFor(one))
  return { ...described, ...judge(one, error), failure }
}

async function outcomeOf(one: Case, server: CheckedServer, running: Running): Promise<Outcome> {
  if (one.needsOwnWorld)
    return { skip: new Skip('own-world', 'It needs a world with special options.') }
  const tooLate = new AbortController()
  try {
    await Promise.race([
      server.use(running, one.body),
      delay(MAX_CASE_MS, undefined, { signal: tooLate.signal }).then(() => {
        throw new Error(`No answer within ${MAX_CASE_MS / 1000} s.`)
      }),
    ])
    return {}
  } catch (error) {
    return error instanceof Skip ? { skip: error } : { error }
  } finally {
    tooLate.abort()
  }
}
