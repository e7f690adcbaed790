// Runs cases on a server, one after the other, and says of each what came out.

import { setTimeout as delay } from 'node:timers/promises'
import type { Case } from '../judge/proves.ts'
import type { CheckEvent, Failure } from './events.ts'
import { judgementOf, ruleInfosOf } from './judgement.ts'
import { Skip } from '../judge/skip.ts'
import { type CheckedServer, newRunning, type Running } from './target.ts'

/** The longest time that one case may take, in milliseconds. */
const MAX_CASE_MS = 40_000
/** How many lines of the wire a failure shows. */
const MAX_WIRE_LINES = 20

type CaseEvent = Extract<CheckEvent, { readonly event: 'case' }>
/** What came out of a case: nothing, a reason not to judge it, or an error. */
type Outcome = { readonly skip?: Skip; readonly error?: unknown }

/** Runs cases, and yields an event for each. */
export async function* runCases(
  cases: readonly Case[],
  server: CheckedServer,
  commandFor: (one: Case) => string,
): AsyncGenerator<CaseEvent> {
  for (const one of cases) yield await runOne(one, server, commandFor)
}

async function runOne(
  one: Case,
  server: CheckedServer,
  commandFor: (one: Case) => string,
): Promise<CaseEvent> {
  const running = newRunning(one.isAboutToken)
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
  const failure = failureOf(error, running, commandFor(one))
  return { ...described, ...judgementOf(one, error), failure }
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

/** A failure as it is reported. */
function failureOf(error: unknown, { wire, last }: Running, command: string): Failure {
  return {
    message: messageOf(error),
    wire: wire.slice(-MAX_WIRE_LINES),
    ...(last && { curl: curlOf(last) }),
    command,
  }
}

/** The message of an error, with what was expected and what came. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  if (!('expected' in error) && !('actual' in error)) return message
  const { expected, actual } = error as { readonly expected?: unknown; readonly actual?: unknown }
  return `${message}\nexpected: ${shortText(expected)}\nreceived: ${shortText(actual)}`
}

/** The longest text of a value in a message, in characters. */
const MAX_VALUE = 1500

function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? String(value))
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

/** A command line that repeats a request. */
function curlOf({ url, method, path, headers, body }: NonNullable<Running['last']>): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
  const given = Object.entries(headers).map(([name, value]) =>
    name.toLowerCase() === 'x-api-key' || name.toLowerCase() === 'authorization'
      ? `-H "${name}: $FLOWDOUBLE_KEY"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  )
  const text = Buffer.from(body as Uint8Array).toString()
  const data = text === '' ? [] : [`--data-raw ${quoted(text.slice(0, 2000))}`]
  return ['curl -i', `-X ${method}`, ...given, ...data, quoted(url + path)].join(' ')
}
