// Queued calls of models [router-queue/*]: submitting, status, result, cancelling.

import { PACE_S } from '../../../spec/router/errors.ts'
import {
  queueLimits,
  type routerCancel,
  type routerHandle,
  type routerStatus,
} from '../../../spec/router/router-queue.ts'
import { routerRoot } from '../../../spec/router/router.ts'
import type { Static } from '../../../spec/static.ts'
import { get } from '../../lib/bounded.ts'
import { json, refuseRouter, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { RouterCall } from '../state/router.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { planCall, readInput, refuseProvider } from './arrivals.ts'
import { addCall, endCall } from './calls.ts'
import { modelOf } from './catalog.ts'
import { answerUsed, digestOf, readKey, recordHandle, useKey } from './keys.ts'
import { originOf } from './links.ts'
import { estimateOf } from './runs.ts'
import { routerOf } from './state.ts'

/** POST …/requests. */
export function submit(world: HostedWorld, request: Request): Reply {
  const model = modelOf(world, request)
  if ('refusal' in model) return model.refusal
  const key = readKey(request)
  if (key !== null && typeof key === 'object') return key.refusal
  const digest = key === null ? '' : digestOf(world, request)
  const used = key === null ? undefined : answerUsed(world, key, digest)
  if (used !== undefined) return used
  if (model.bytes !== undefined) return refuseRouter('bytesNotQueued', { id: model.id })
  const wrong = refuseProvider(model, request)
  if (wrong !== undefined) return wrong
  const read = readInput(model, request)
  if ('refusal' in read) return read.refusal
  if (routerOf(world).waiting.size >= queueLimits.waiting)
    return refuseRouter('backlogFull', { limit: `${queueLimits.waiting}` })
  const call = planCall(world, model, request, { input: read.input, isRun: false, key })
  if ('refusal' in call) return call.refusal
  const handle: Static<typeof routerHandle> = {
    request_id: call.id,
    status: 'IN_QUEUE',
    queue_position: routerOf(world).waiting.size,
    ...addressesOf(world, request, call),
  }
  if (key !== null) {
    useKey(world, key, digest, call.id)
    recordHandle(world, call, json(JSON.stringify(handle), 201))
  }
  addCall(world, call)
  return json(
    JSON.stringify(Object.assign({}, handle, { estimate: estimateOf(world, model) })),
    201,
  )
}

function addressesOf(world: HostedWorld, request: Request, { model, id }: RouterCall) {
  const response_url = `${originOf(world, request).base}${routerRoot}/${model}/requests/${id}`
  const [status_url, cancel_url] = [`${response_url}/status`, `${response_url}/cancel`]
  return { status_url, response_url, cancel_url }
}

const RETENTION_MS = queueLimits.retentionH * 3_600_000

/** The call that a path names, or the refusal: those of others are like those that never were. */
function callOf(world: World, request: Request): RouterCall | { readonly refusal: Reply } {
  const model = modelOf(world, request)
  if ('refusal' in model) return model
  const call = get(routerOf(world).calls, request.segments[2] ?? '')
  if (call === undefined || call.isRun || call.model !== model.id)
    return { refusal: refuseRouter('requestNotFound') }
  const { endedMs } = call
  return endedMs !== null && world.state.nowMs >= endedMs + RETENTION_MS
    ? { refusal: refuseRouter('requestGone') }
    : call
}

/** GET …/requests/{request_id}/status. */
export function status(world: HostedWorld, request: Request): Reply {
  const call = callOf(world, request)
  return 'refusal' in call ? call.refusal : statusReply(world, request, call, 200)
}

function statusReply(
  world: HostedWorld,
  request: Request,
  call: RouterCall,
  status: number,
): Reply {
  const { id, startedMs, endedMs, error } = call
  const state = endedMs !== null ? 'COMPLETED' : startedMs !== null ? 'IN_PROGRESS' : 'IN_QUEUE'
  const members: Static<typeof routerStatus> = {
    request_id: id,
    status: state,
    ...(state === 'IN_QUEUE' && { queue_position: positionOf(world, id) }),
    ...(error !== null && { error_type: error }),
    ...(error !== null && detailOf(call)),
    ...addressesOf(world, request, call),
  }
  const reply = json(JSON.stringify(members), status)
  if (endedMs !== null) return reply
  const pace = startedMs === null ? PACE_S.waiting : PACE_S.running
  return Object.assign(reply, {
    headers: Object.assign({ 'Retry-After': `${pace}` }, reply.headers),
  })
}

/** What the result of a failed call says, if that is one text. */
function detailOf({ result }: RouterCall): { readonly detail?: string } {
  const { detail } = JSON.parse(typeof result?.body === 'string' ? result.body : '{}') as {
    readonly detail?: unknown
  }
  return typeof detail === 'string' ? { detail } : {}
}

/** How many are ahead of a call that waits. */
const positionOf = (world: World, id: string): number => [...routerOf(world).waiting].indexOf(id)

/** GET …/requests/{request_id}. */
export function result(world: HostedWorld, request: Request): Reply {
  const call = callOf(world, request)
  if ('refusal' in call) return call.refusal
  return call.result ?? statusReply(world, request, call, 202)
}

/** PUT …/requests/{request_id}/cancel. */
export function cancel(world: HostedWorld, request: Request): Reply {
  const call = callOf(world, request)
  if ('refusal' in call) return call.refusal
  const isOver = call.endedMs !== null
  const goesOn = call.startedMs !== null && call.plan.rule.ignoresCancel === true
  if (!isOver && !goesOn) endCall(world, call, 'cancelled', refuseRouter('cancelled'))
  const body: Static<typeof routerCancel> = {
    request_id: call.id,
    status: isOver ? 'ALREADY_COMPLETED' : 'CANCELLATION_REQUESTED',
  }
  return json(JSON.stringify(body), isOver ? 409 : 202)
}
