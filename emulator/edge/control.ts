// What a test asks of the double itself, not of the server it plays: POST /_flowdouble/advance, GET /_flowdouble/journal.

import type { ServerResponse } from 'node:http'
import { isUsageError } from '../options/usage.ts'
import { splitTarget } from '../http/requests.ts'
import type { ClockHandle } from './clock.ts'
import type { Recorder } from './recorder.ts'

export const CONTROL_PREFIX = '/_flowdouble/'

/** An answer to the one who tests. */
export type Answer = { readonly status: number; readonly type: string; readonly text: string }

export const ok = (text: string, type = 'application/json; charset=utf-8'): Answer => ({
  status: 200,
  type,
  text,
})
export const refusal = (status: number, error: string): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ error }),
})

/** The OpenAPI document of a server; read only when somebody asks for it. */
type OpenapiText = () => Promise<string>

/** Answers a request below `CONTROL_PREFIX`. `headers` go with every answer. */
export async function answerControl(
  request: { readonly method: string; readonly target: string; readonly body: Uint8Array },
  response: ServerResponse,
  clock: ClockHandle,
  recorder: Recorder,
  openapi: OpenapiText,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  writeAnswer(response, await answer(request, clock, recorder, openapi), headers)
}

/** Writes an answer to the one who tests; `headers` go with it. */
export function writeAnswer(
  response: ServerResponse,
  { status, type, text }: Answer,
  headers: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(text)
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': length, ...headers })
  response.end(text)
}

async function answer(
  {
    method,
    target,
    body,
  }: { readonly method: string; readonly target: string; readonly body: Uint8Array },
  clock: ClockHandle,
  recorder: Recorder,
  openapi: OpenapiText,
): Promise<Answer> {
  const path = splitTarget(target)[0].slice(CONTROL_PREFIX.length)
  if (path === 'journal' && method === 'GET') {
    return ok(`${(await recorder.lines()).join('\n')}\n`, 'application/x-ndjson; charset=utf-8')
  }
  if (path === 'openapi.json' && method === 'GET') return ok(await openapi())
  if (path === 'advance' && method === 'POST') return advance(body, clock)
  const known = 'POST /_flowdouble/advance, GET /_flowdouble/journal and /_flowdouble/openapi.json'
  return refusal(404, `There are ${known}.`)
}

/** A clock as far as it is moved over HTTP. */
type Moved = {
  readonly advance: (byMs: number) => Promise<void>
  readonly until: (what: 'idle') => Promise<void>
}

const usage = 'The body is {"ms": 100} or {"until": "idle"}.'

/** Moves a clock as a body says. */
export async function advance(body: Uint8Array, clock: Moved): Promise<Answer> {
  let asked: unknown
  try {
    asked = JSON.parse(Buffer.from(body).toString())
  } catch {
    return refusal(400, usage)
  }
  const { ms, until } = (asked ?? {}) as { ms?: unknown; until?: unknown }
  try {
    if (typeof ms === 'number') await clock.advance(ms)
    else if (until === 'idle') await clock.until('idle')
    else return refusal(400, usage)
  } catch (error) {
    if (isUsageError(error)) return refusal(409, error.message)
    throw error
  }
  return ok('{}')
}
