// The one way into a receiver: an input goes in, effects come out, and nothing else happens.

import { endpoints, gatewayHealth } from '../../spec/gateway/webhooks.ts'
import { json, type Reply } from '../http/replies.ts'
import { type RequestHead, splitTarget } from '../http/requests.ts'
import { allowedBy, findEndpoint, routesOf } from '../http/routes.ts'
import { answer } from './answers.ts'
import { nextDue, takeDue } from './schedule.ts'
import type { ReceiverEffect, ReceiverInput } from './machine.ts'
import { attempt, endAttempt, scriptFailure, timeOuts } from './outbox.ts'
import { refuseRoute, takePost } from './posts.ts'
import type { Due, Receiver } from './state.ts'
import { loadFile } from './reload.ts'
import { answerByScript, endRun } from './runs.ts'

/**
 * Lets the input happen to the receiver and returns the effects in their order. Synchronous and deterministic: equal
 * receivers and equal inputs give equal effects. Whatever is due before the input happens first.
 */
export function step(receiver: Receiver, input: ReceiverInput): readonly ReceiverEffect[] {
  const effects: ReceiverEffect[] = []
  receiver.effects = effects
  for (let due = takeDue(receiver, input.atMs); due; due = takeDue(receiver, input.atMs)) {
    receiver.nowMs = Math.max(receiver.nowMs, due.atMs)
    proceed(receiver, due)
  }
  receiver.nowMs = Math.max(receiver.nowMs, input.atMs)
  happen(receiver, input)
  return effects
}

/** When the receiver does something by itself next, in its own milliseconds; undefined when it waits for an input. */
export const nextWakeMs = (receiver: Receiver): number | undefined => nextDue(receiver)?.atMs

function proceed(receiver: Receiver, due: Due): void {
  switch (due.kind) {
    case 'answer':
      return answerByScript(receiver, due.run)
    case 'agent-time-out':
      return endRun(receiver, due.run, '', timeOuts.run)
    case 'attempt':
      return attempt(receiver, due.attempt)
    case 'sender-time-out':
      return endAttempt(receiver, due.attempt, timeOuts.delivery)
  }
}

function happen(receiver: Receiver, input: ReceiverInput): void {
  switch (input.kind) {
    case 'request':
      return answerRequest(receiver, input)
    case 'file':
      return loadFile(receiver, input.text, input.modifiedMs)
    case 'answered':
      return endRun(receiver, input.run, input.answer, input.error)
    case 'delivered':
      return endAttempt(receiver, input.delivery, input.error)
    case 'fail':
      return scriptFailure(receiver, input)
    case 'wake':
  }
}

const routes = routesOf(
  Object.entries(endpoints).map(([name, { method, path }]) => ({ name, method, path })),
)

/** Whether the answer to a request depends on its body: not where it is refused for its path, or for the state of its route. */
export function needsBody(receiver: Receiver, { method, target }: RequestHead): boolean {
  const found = findEndpoint(routes, method, pathOf(target))
  if (found?.name === undefined || !found.readsBody) return false
  return refuseRoute(receiver, found.segments[0] as string) === undefined
}

const pathOf = (target: string): string => splitTarget(target)[0]

const health = json(
  JSON.stringify({
    status: gatewayHealth.properties.status.enum[0],
    platform: gatewayHealth.properties.platform.enum[0],
  }),
)

function answerRequest(
  receiver: Receiver,
  input: Extract<ReceiverInput, { kind: 'request' }>,
): void {
  // Before what the request brings about, and after what was due before it.
  const at = receiver.effects.length
  const reply = find(receiver, input)
  if (reply === undefined) return
  const { status, headers, body } = reply
  const effect = { request: input.request, status, headers, body: body as string }
  receiver.effects.splice(at, 0, { kind: 'reply', ...effect })
}

/** The answer to a request; undefined where it comes later. */
function find(
  receiver: Receiver,
  input: Extract<ReceiverInput, { kind: 'request' }>,
): Reply | undefined {
  const found = findEndpoint(routes, input.method, pathOf(input.target))
  if (found === undefined) return answer('gatewayPath')
  if (found.name === undefined)
    return answer('gatewayMethod', { methods: allowedBy(found.methods).join(',') })
  if (found.name === 'gatewayHealth') return health
  return takePost(receiver, input, found.segments[0] as string)
}
