// Which recorded response a request gets.

import type { Input } from '../../machine.ts'
import type { Reply } from '../../http/replies.ts'
import { json } from '../../http/replies.ts'
import { decodePart } from '../../http/requests.ts'
import { localCors } from '../../server/cors.ts'
import { identitiesOf, membersIn, replaceTarget, replaceText } from '../identities.ts'
import type { Replacement } from '../identities.ts'
import { type CanonicalRequest, canonicalRequest, keyOf, workflowKey } from './canonical.ts'
import { mismatch } from './mismatch.ts'
import { fallback, stateAnswer } from './run-state.ts'
import type { Script } from './script.ts'
import {
  begin,
  exchangeAt,
  identify,
  type Instance,
  momentMs,
  presentValues,
  type ReplayWorld,
} from './state.ts'
import { drawUuid } from '../../lib/random.ts'
import { followClient } from './sockets.ts'

export type RequestInput = Extract<Input, { kind: 'request' }>

/** Marks replies that are not in the recording. */
export const replayHeader = 'X-Flowdouble-Replay'

/** Answers a request as the recorded server did. */
export function answer(world: ReplayWorld, input: RequestInput): Reply {
  const { method, target, body, headers } = input
  const contentType = headers['content-type'] ?? ''
  const request = canonicalRequest({ method, target, contentType, body }, world.state.recorded)
  const reply =
    request.method === 'GET' ? answerGet(world, input, request) : answerOther(world, input, request)
  const { cors } = world.options
  return cors === null ? reply : { ...reply, headers: { ...reply.headers, ...localCors(cors) } }
}

const notRecorded = (world: ReplayWorld, input: RequestInput, request: CanonicalRequest): Reply => {
  const reply = json(JSON.stringify(mismatch(world.script, input, request)), 404)
  return { ...reply, headers: { ...reply.headers, [replayHeader]: 'unmatched' } }
}

function answerGet(world: ReplayWorld, input: RequestInput, request: CanonicalRequest): Reply {
  const { script } = world
  const key = keyOf(request)
  const group = script.byKey.get(key)
  const run = runOf(world, input.target)
  const at = group && pollAnswer(world, key, group, run)
  if (at !== undefined) return recordedReply(world, at, run)
  const present = stateAnswer(world, input.target)
  if (present !== undefined) return marked(present, 'state')
  if (group !== undefined) {
    const passed = group.filter((one) => momentBefore(script, one, null) <= lastMoment(world, null))
    return recordedReply(world, passed.at(-1) ?? (group[0] as number), run)
  }
  const other = fallback(world, request)
  if (other !== undefined) return marked(other, 'sample')
  return notRecorded(world, input, request)
}

const marked = (reply: Reply, mark: string): Reply => ({
  ...reply,
  headers: { ...reply.headers, [replayHeader]: mark },
})

/** The run whose present id is a segment of the path. */
function runOf({ state }: ReplayWorld, target: string): Instance | null {
  const [path = ''] = target.split('?')
  for (const part of path.split('/')) {
    const run = state.runs.get(decodePart(part))
    if (run !== undefined) return run
  }
  return null
}

/** The position of the last moment that has come, of one run or of all; -1 before the first. */
function lastMoment(world: ReplayWorld, run: Instance | null): number {
  const { script, state } = world
  let last = -1
  let lastMs = -Infinity
  for (const [at, moment] of script.moments.entries()) {
    if (!concerns(script, at, run)) continue
    const dueMs = momentMs(world, moment, run)
    if (dueMs === undefined || dueMs > state.nowMs || dueMs < lastMs) continue
    last = at
    lastMs = dueMs
  }
  return last
}

/**
 * Whether a moment changes the answer to a poll of a run, or of all. A request that submits no run concerns any: it can
 * delete their entries. What only replies show has no exact time; but the end of a run changes what is said about it.
 */
const concerns = ({ moments, exchanges }: Script, at: number, run: Instance | null): boolean => {
  const { run: of = null, isLate = false, state } = moments[at] ?? {}
  if (isLate && (run === null || state === 'started')) return false
  return run === null || of === null || of === exchanges[run.exchange]?.run
}

/** The position of the last moment before a recorded response; -1 before the first. */
function momentBefore(script: Script, exchange: number, run: Instance | null): number {
  let at = (script.momentsBefore[exchange] ?? 0) - 1
  while (at >= 0 && !concerns(script, at, run)) at--
  return at
}

/**
 * The recorded answer to a poll that holds now: of those from between the same moments, the first, until the time of the
 * next has come. Undefined if the recording has none from there.
 */
function pollAnswer(
  world: ReplayWorld,
  key: string,
  group: readonly number[],
  run: Instance | null,
): number | undefined {
  const { script, state } = world
  const last = lastMoment(world, run)
  const all = group.filter((one) => momentBefore(script, one, run) === last)
  // An entry that exists does not vanish: an answer without it was still on its way.
  const filled = all.filter((one) => exchangeAt(script, one).response.body.length > 2)
  const from = run !== null && filled.length > 0 ? filled : all
  const moment = script.moments[last]
  if (moment === undefined) {
    const uses = state.uses.get(key) ?? 0
    state.uses.set(key, uses + 1)
    return from[Math.min(uses, from.length - 1)]
  }
  const momentAtMs = momentMs(world, moment, run) as number
  const sinceMs = state.nowMs - momentAtMs + Math.floor(moment.offsetMs)
  const { startMs } = exchangeAt(script, moment.exchange)
  const passed = from.filter(
    (one) => Math.floor(exchangeAt(script, one).endMs - startMs) <= sinceMs,
  )
  return passed.at(-1) ?? from.slice(0, 1).find((one) => run !== null || !isLate(script, last, one))
}

/** Whether a reply shows a state that came between a moment and that reply: it does not hold from the moment on. */
const isLate = ({ moments, momentsBefore }: Script, moment: number, exchange: number): boolean =>
  moments.slice(moment + 1, momentsBefore[exchange]).some((one) => one.isLate)

function answerOther(world: ReplayWorld, input: RequestInput, request: CanonicalRequest): Reply {
  const { script, state } = world
  const exact = keyOf(request)
  const workflow = script.byKey.has(exact) ? undefined : workflowKey(request)
  const group = script.byKey.get(exact) ?? script.byWorkflow.get(workflow ?? '')
  if (group === undefined)
    return request.method === 'OPTIONS'
      ? { status: 200, headers: {}, body: '' }
      : notRecorded(world, input, request)
  const key = `${request.method} ${exchangeAt(script, group[0] as number).key}`
  const uses = state.uses.get(key) ?? 0
  state.uses.set(key, uses + 1)
  const at = group[Math.min(uses, group.length - 1)] as number
  if (request.method === 'OPTIONS') return recordedReply(world, at, null)
  return recordedReply(world, at, repeat(world, at, input))
}

/** A recorded request is sent again, perhaps with other ids. */
function repeat(
  world: ReplayWorld,
  at: number,
  { body, headers, target, method }: RequestInput,
): Instance {
  const { script, state } = world
  const recorded = exchangeAt(script, at)
  if (recorded.run === null) {
    noteUpload(world, at, { body, target, method, contentType: headers['content-type'] ?? '' })
    return begin(world, at, null, null)
  }
  const { prompt_id, client_id } = membersIn(body)
  const client = typeof client_id === 'string' ? client_id : null
  if (client !== null && recorded.client !== null) followClient(world, recorded.client, client)
  const isOwn = typeof prompt_id === 'string' && prompt_id !== '' && script.place === 'local'
  const free = state.runs.has(recorded.run) ? drawUuid(state.random) : recorded.run
  return begin(world, at, isOwn ? prompt_id : free, client)
}

/** The name with which a client uploads a file stands for the recorded one. */
function noteUpload(
  world: ReplayWorld,
  at: number,
  {
    method,
    target,
    contentType,
    body,
  }: { method: string; target: string; contentType: string; body: Uint8Array },
): void {
  const {
    response,
    body: recordedBody,
    contentType: recordedType,
    request,
  } = exchangeAt(world.script, at)
  if (!/^\/(upload|assets)\b/.test(request.path)) return
  const nameIn = (type: string, bytes: Uint8Array, url: string): string | undefined =>
    identitiesOf({
      entry: 0,
      startMs: 0,
      endMs: 0,
      method,
      url: `http://localhost${url}`,
      headers: [['content-type', type]],
      body: bytes,
      response,
    }).find(({ at: place }) => place === 'filename')?.value
  const [before, now] = [
    nameIn(recordedType, recordedBody, target),
    nameIn(contentType, body, target),
  ]
  if (before !== undefined && now !== undefined) identify(world, before, now)
}

/** What belongs to the connection, or is written anew. */
const droppedHeaders =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|date|server|alt-svc)$/i

function recordedReply(world: ReplayWorld, at: number, run: Instance | null): Reply {
  const { response } = exchangeAt(world.script, at)
  const values = presentValues(world, run)
  const headers: Record<string, string> = {}
  for (const [name, value] of response.headers) {
    if (droppedHeaders.test(name)) continue
    const known = Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase())
    const written = /^location$/i.test(name) ? locationOf(world, value, values) : value
    headers[known ?? canonicalName(name)] =
      known === undefined ? written : `${headers[known]}, ${written}`
  }
  return { status: response.status, headers, body: bodyWith(response.body, headers, values) }
}

/** Header names as the edges write them. */
const canonicalName = (name: string): string =>
  name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())

/** A link to the recorded server, or to its host for files, leads to the replay. */
function locationOf({ script }: ReplayWorld, location: string, values: Replacement): string {
  const { origin, pathname, search } = new URL(location, 'http://relative.invalid')
  const isOurs = script.origins.has(origin) || origin === 'http://relative.invalid'
  return isOurs ? replaceTarget(pathname + search, values) : location
}

const isText = /json|text|xml|javascript/i

function bodyWith(
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
  values: Replacement,
): Uint8Array {
  if (values.size === 0 || !isText.test(headers['Content-Type'] ?? 'json')) return bytes
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const replaced = replaceText(text, values)
  return replaced === text ? bytes : new TextEncoder().encode(replaced)
}
