// Applies faults to requests and their responses [faults/*].

import { faultCodes, v2Refusals } from '../../../spec/v2/errors.ts'
import { bucketOf } from '../../../spec/router/errors.ts'
import { ERROR_TYPE } from '../../../spec/router/shapes.ts'
import { surfaceOf } from '../../../spec/hosted/surfaces.ts'
import { reasons, type FaultThen } from '../../../spec/scenario/faults.ts'
import { jsonHeaders, type Reply } from '../../http/replies.ts'
import { decodePart, splitTarget } from '../../http/requests.ts'
import { matchesPath } from '../../lib/path-pattern.ts'
import { setTimer } from '../../lib/timers.ts'
import type { Effect, ReplyEffect, RequestHead } from '../../machine.ts'
import type { HeldBack, Hit, Response } from '../state/faults.ts'
import type { Server } from '../state/server.ts'
import { findDue, joined, report } from './match.ts'
import { isGone, restart } from './restart.ts'
import { wireOf } from './wire.ts'
import { disturbStream, releaseStream, removeStream } from '../world/streams.ts'

/**
 * What faults do to a request; undefined if none applies.
 * @param userOf returns its account; null without one.
 */
export function findRequestHit(
  { state: { script } }: Server,
  { method, target }: RequestHead,
  userOf: () => string | null,
): Hit | undefined {
  const [path] = splitTarget(target)
  return joined(
    findDue(script, 'requests', (when) => {
      if (when.method === undefined ? method === 'OPTIONS' : when.method !== method) return false
      if (when.path !== undefined && !matchesPath(when.path, decodePart(path))) return false
      return when.user === undefined || when.user === userOf()
    }),
  )
}

/**
 * Answers a request as faults say.
 * @param head its number and target.
 * @param answer answers it, with this reply or as usual; the reply comes first.
 */
export function answerDisturbed(
  server: Server,
  effects: Effect[],
  { request, target }: { readonly request: number; readonly target: string },
  { then, delayMs, faults }: Hit,
  answer: (reply?: Reply) => readonly Effect[],
): void {
  report(effects, faults)
  const { nowMs, timers } = server.state
  wireOf(server).waiting.add(request)
  if (isGone(then)) {
    if (delayMs === 0) restart(server, effects, then)
    else setTimer(timers, nowMs + delayMs, { kind: 'restart', then })
    return
  }
  const { status } = then
  const answered =
    status === undefined ? answer() : answer(faultReply(server, status, then, target))
  const [reply, ...others] = answered
  if (reply?.kind !== 'reply') {
    // Its reply comes with a timer.
    const wire = wireOf(server)
    wire.held ??= new Map()
    wire.held.set(request, { then, delayMs })
    return void effects.push(...answered)
  }
  disturbReply(server, effects, reply, { then, delayMs })
  effects.push(...others)
}

/** Sends a reply as a fault says. */
function disturbReply(
  server: Server,
  effects: Effect[],
  reply: ReplyEffect,
  { then, delayMs }: HeldBack,
): void {
  const { nowMs, timers } = server.state
  const response = responseOf(server, reply, then)
  if (delayMs === 0) sendResponse(server, effects, response)
  else setTimer(timers, nowMs + delayMs, { kind: 'response', response })
}

/** Sends a reply that comes later than its request, as the faults say that have applied to the request. */
export function sendLateReply(server: Server, effects: Effect[], reply: ReplyEffect): void {
  const held = server.state.wire?.held
  const hit = held?.get(reply.request)
  if (hit === undefined) return void effects.push(reply)
  held?.delete(reply.request)
  disturbReply(server, effects, reply, hit)
}

/** A response with what a fault does to it on its way. */
function responseOf({ state }: Server, reply: ReplyEffect, then: FaultThen): Response {
  const { reset, truncate, slow } = then
  if (reset === true) {
    if (reply.stream) removeStream(state, reply.request)
    return { kind: 'reset', request: reply.request }
  }
  // A stream has no parts that could be slow: its events come when they happen.
  if (reply.stream)
    return disturbStream(state, reply, reset ? reset.afterBytes : truncate, reset ? 'reset' : 'cut')
  if (reset !== undefined)
    return Object.assign({}, reply, { transport: { afterBytes: reset.afterBytes, then: 'reset' } })
  if (truncate !== undefined)
    return Object.assign({}, reply, { transport: { afterBytes: truncate, then: 'end' } })
  return slow === undefined ? reply : Object.assign({}, reply, { transport: slow })
}

/** Sends a response that waits, or its first part. */
export function sendResponse(server: Server, effects: Effect[], response: Response): void {
  const { waiting } = wireOf(server)
  const { request } = response
  // Its connection has been reset.
  if (!waiting.has(request)) return
  effects.push(response)
  const transport = response.kind === 'reply' ? response.transport : undefined
  if (transport !== undefined && 'parts' in transport)
    partLater(server, request, transport.parts - 1, transport.everyMs)
  else waiting.delete(request)
  if (response.kind === 'reply' && response.stream) releaseStream(server.state, effects, request)
}

/** Sends the next part of a response. */
export function sendPart(
  server: Server,
  effects: Effect[],
  { request, left, everyMs }: { request: number; left: number; everyMs: number },
): void {
  const { waiting } = wireOf(server)
  if (!waiting.has(request)) return
  effects.push({ kind: 'part', request })
  if (left > 1) partLater(server, request, left - 1, everyMs)
  else waiting.delete(request)
}

const partLater = ({ state }: Server, request: number, left: number, everyMs: number): void =>
  void setTimer(state.timers, state.nowMs + everyMs, { kind: 'part', request, left, everyMs })

/** The reply of a fault, before it gets the headers of every reply [faults/status]. */
export function faultReply(
  { hosted }: Server,
  status: number,
  then: FaultThen,
  target: string,
): Reply {
  const { body = defaultBody(status, hosted !== null, then, target), retryAfter, location } = then
  const isText = typeof body === 'string'
  const headers: Record<string, string> = Object.assign({}, isText ? textHeaders : jsonHeaders)
  if (hosted !== null && surfaceOf(target) === 'router') Object.assign(headers, bucketIn(body))
  if (retryAfter !== undefined) headers['Retry-After'] = `${retryAfter}`
  if (location !== undefined) Object.assign(headers, locationHeader(location, target))
  for (const [name, value] of Object.entries(then.headers ?? {})) setHeader(headers, name, value)
  return { status, headers, body: isText ? body : JSON.stringify(body) }
}

/** The header of an error of the Router, whose body names its bucket or lists fields [router/faults]. */
function bucketIn(body: string | object): Readonly<Record<string, string>> {
  const { error_type, detail } = body as {
    readonly error_type?: unknown
    readonly detail?: unknown
  }
  if (typeof error_type === 'string') return { [ERROR_TYPE]: error_type }
  return Array.isArray(detail) ? { [ERROR_TYPE]: 'invalid_input' } : {}
}

const textHeaders = { 'Content-Type': 'text/plain; charset=utf-8' }

/**
 * Where a redirect leads [faults/redirect]. An edge adds the path of its world to `Location`; a reference that is not a
 * path of this server has the name in lower case, which clients read as the same header, and stays as it is.
 */
function locationHeader(location: string | true, target: string): Readonly<Record<string, string>> {
  const to = location === true ? target : location
  return { [/^\/(?!\/)/.test(to) ? 'Location' : 'location']: to }
}

/** Sets a header, and removes it in another spelling. */
function setHeader(headers: Record<string, string>, name: string, value: unknown): void {
  const known = Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase())
  if (known !== undefined) delete headers[known]
  headers[name] = String(value)
}

/** The error that a server of that kind returns with a status. */
function defaultBody(
  status: number,
  isHosted: boolean,
  { retryAfter }: FaultThen,
  target: string,
): string | object {
  const reason = reasons[status]
  if (!isHosted) return reason === undefined ? `${status}` : `${status}: ${reason}`
  const message = reason ?? `Status ${status}`
  const surface = surfaceOf(target)
  if (surface === 'v2') return v2Body(status, message)
  if (surface === 'router')
    return { detail: `${message}.`, error_type: bucketOf(status, retryAfter !== undefined) }
  const code = reason?.toUpperCase().replaceAll(' ', '_') ?? `STATUS_${status}`
  return { code, message: `${message}.` }
}

/** The same in the hosted API v2: the code is that of the first refusal with the status. */
function v2Body(status: number, message: string): object {
  const known = Object.values(v2Refusals).find((one) => one.status === status)
  const code = faultCodes[status] ?? known?.body.json.error.code ?? `http_${status}`
  return { error: { code, message: `${message}.`, details: null } }
}
