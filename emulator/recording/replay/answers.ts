// Which recorded response a request gets.

import type { Input } from '../../machine.ts'
import type { Reply } from '../../http/replies.ts'
import { json } from '../../http/replies.ts'
import { decodePart } from '../../http/requests.ts'
import { membersIn } from '../../lib/loose.ts'
import { localCors } from '../../server/cors.ts'
import {
  clientIn,
  clientKey,
  fileNameIn,
  type Replacement,
  replaceTarget,
  replaceText,
} from '../identities.ts'
import {
  type CanonicalRequest,
  canonicalRequest,
  isPrefixed,
  keyOf,
  targetKey,
  workflowKey,
} from './canonical.ts'
import { mismatch } from './mismatch.ts'
import { earlierAnswer, pollAnswer } from './polls.ts'
import { fallback, stateAnswer } from './run-state.ts'
import {
  begin,
  exchangeAt,
  identify,
  type Instance,
  presentValues,
  type ReplayWorld,
} from './state.ts'
import { drawUuid } from '../../lib/random.ts'
import { followClient, recordedClient } from './sockets.ts'

export type RequestInput = Extract<Input, { kind: 'request' }>

/** Marks replies that are not in the recording. */
export const replayHeader = 'X-Flowdouble-Replay'

/** Answers a request as the recorded server did. */
export function answer(world: ReplayWorld, input: RequestInput): Reply {
  const { method, target, body, headers } = input
  const contentType = headers['content-type'] ?? ''
  const own = { method, target, contentType, body }
  const request = canonicalRequest(own, world.state.recorded, world.script.any)
  const client = clientIn(own)
  const reply =
    request.method === 'GET'
      ? answerGet(world, input, request, client)
      : answerOther(world, input, request, client)
  const { cors } = world.options
  return cors === null ? reply : { ...reply, headers: { ...reply.headers, ...localCors(cors) } }
}

const notRecorded = (world: ReplayWorld, input: RequestInput, request: CanonicalRequest): Reply => {
  const reply = json(JSON.stringify(mismatch(world.script, input, request)), 404)
  return { ...reply, headers: { ...reply.headers, [replayHeader]: 'unmatched' } }
}

function answerGet(
  world: ReplayWorld,
  input: RequestInput,
  request: CanonicalRequest,
  client: string | null,
): Reply {
  const { script } = world
  const key = keyOf(request)
  const group = inPlace(world, input.target, script.byKey.get(key))
  if (group !== undefined) meetClient(world, client, group)
  const run = runOf(world, input.target)
  const at = group && pollAnswer(world, key, group, run)
  const isKnown = at !== undefined && !exchangeAt(script, at).lacksBody
  if (isKnown) return recordedReply(world, at, run)
  const present = stateAnswer(world, input.target)
  if (present !== undefined) return marked(present, 'state')
  const earlier = group && (at ?? earlierAnswer(world, group))
  const isOutside = script.place === 'hosted' && !isPrefixed(input.target)
  const other = isOutside || isWhole(world, earlier) ? undefined : fallback(world, request)
  if (other !== undefined) return marked(other, 'sample')
  if (earlier !== undefined) return recordedReply(world, earlier, run)
  return notRecorded(world, input, request)
}

/** Of equal requests to a hosted server, those with a prefix if this one has it, and those without if not. */
export function inPlace(
  { script }: ReplayWorld,
  target: string,
  group: readonly number[] | undefined,
): readonly number[] | undefined {
  if (script.place !== 'hosted') return group
  const own = group?.filter((at) => exchangeAt(script, at).isPrefixed === isPrefixed(target)) ?? []
  return own.length > 0 ? own : undefined
}

const isWhole = ({ script }: ReplayWorld, exchange: number | undefined): boolean =>
  exchange !== undefined && !exchangeAt(script, exchange).lacksBody

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

function answerOther(
  world: ReplayWorld,
  input: RequestInput,
  request: CanonicalRequest,
  client: string | null,
): Reply {
  const { script, state } = world
  const exact = keyOf(request)
  const workflow = script.byKey.has(exact) ? undefined : workflowKey(request)
  const all =
    script.byKey.get(exact) ??
    script.byWorkflow.get(workflow ?? '') ??
    script.byTarget.get(targetKey(request))
  if (all === undefined)
    return request.method === 'OPTIONS'
      ? { status: 200, headers: {}, body: '' }
      : notRecorded(world, input, request)
  const group = ofClient(world, client, all)
  const first = exchangeAt(script, group[0] as number)
  const key = `${request.method} ${first.key} ${first.client}`
  const uses = state.uses.get(key) ?? 0
  state.uses.set(key, uses + 1)
  const at = group[Math.min(uses, group.length - 1)] as number
  if (request.method === 'OPTIONS') return recordedReply(world, at, null)
  return recordedReply(world, at, repeat(world, at, input, client))
}

/** The recorded client for which one stands that sends a recorded request: known, or one of those that sent it. */
function meetClient(
  world: ReplayWorld,
  client: string | null,
  group: readonly number[],
): string | null {
  if (client === null) return null
  const senders = group.flatMap((at) => exchangeAt(world.script, at).client ?? [])
  return senders.length === 0 ? null : recordedClient(world, client, senders)
}

/**
 * Of equal requests, those of the recorded client for which this one stands, else of the first for which nobody does. Without a
 * client all of them, those that nobody sent by name first.
 */
function ofClient(
  world: ReplayWorld,
  client: string | null,
  group: readonly number[],
): readonly number[] {
  const { script, state } = world
  const senderOf = (at: number): string | null => exchangeAt(script, at).client
  const own = meetClient(world, client, group)
  if (own === null) return nameless(group, senderOf)
  const isFree = (at: number): boolean => !state.present.has(clientKey(senderOf(at) ?? ''))
  const senders = [own, senderOf(group.find(isFree) ?? (group[0] as number))]
  const sender = senders.find((one) => group.some((at) => senderOf(at) === one))
  return group.filter((at) => senderOf(at) === sender)
}

const nameless = (
  group: readonly number[],
  senderOf: (at: number) => string | null,
): readonly number[] => [
  ...group.filter((at) => senderOf(at) === null),
  ...group.filter((at) => senderOf(at) !== null),
]

/** A recorded request is sent again, perhaps with other ids. */
function repeat(
  world: ReplayWorld,
  at: number,
  input: RequestInput,
  client: string | null,
): Instance {
  const { script, state } = world
  const recorded = exchangeAt(script, at)
  if (recorded.run === null) {
    noteUpload(world, at, input)
    return begin(world, at, null, null)
  }
  const { prompt_id } = membersIn(input.body)
  if (client !== null && recorded.client !== null) followClient(world, recorded.client, client)
  const isOwn = typeof prompt_id === 'string' && prompt_id !== '' && script.place === 'local'
  const free = state.runs.has(recorded.run) ? drawUuid(state.random) : recorded.run
  return begin(world, at, isOwn ? prompt_id : free, client)
}

/** The name with which a client uploads a file stands for the recorded one. */
function noteUpload(world: ReplayWorld, at: number, { headers, body }: RequestInput): void {
  const recorded = exchangeAt(world.script, at)
  if (!/^\/(upload|assets)\b/.test(recorded.request.path)) return
  const before = fileNameIn(recorded.contentType, recorded.body)
  const now = fileNameIn(headers['content-type'] ?? '', body)
  if (before !== undefined && now !== undefined) identify(world, before, now)
}

/** What belongs to the connection, or is written anew. */
const droppedHeaders =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|date|server|alt-svc)$/i

function recordedReply(world: ReplayWorld, at: number, run: Instance | null): Reply {
  const { response, lacksBody, entry } = exchangeAt(world.script, at)
  if (lacksBody) return withoutBody(response.status, entry)
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

/** A response of which the recording holds all but the body: a client that only looks at the status can go on. */
function withoutBody(status: number, entry: number): Reply {
  const error = `The recording does not hold the body of this response: it was too large, the connection broke off, or the page did not read it (entry ${entry}).`
  return marked({ ...json(JSON.stringify({ error })), status }, 'no-body')
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
