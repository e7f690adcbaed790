// The server as a machine: the interface that drivers, recorders and replays use.

import { countTimers } from '../lib/timers.ts'
import type { Answer, Effect, Entry, Input, Machine } from '../machine.ts'
import type { Server } from './state/server.ts'
import { nextWakeMs, step } from './step.ts'

/**
 * Whether nothing is due but comments in silent streams, of which each has one, and messages of the scenario: both go on
 * for as long as a client stays.
 */
function hasOnlyChatter({ state: { streams, timers, worlds } }: Server): boolean {
  let count = streams.size
  for (const { chatter } of worlds) for (const timer of chatter.timers) if (timer) count++
  return count > 0 && count === countTimers(timers)
}

const noSecrets: readonly string[] = []

/** The input for a request to any workflow server. */
export const requestInput: Machine<Input, Effect>['request'] = (
  atMs,
  request,
  { method, target, headers, body, fault, links },
) => ({ kind: 'request', atMs, links, request, method, target, headers, body, fault })

export const serverMachine = (server: Server): Machine<Input, Effect> => ({
  epochMs: server.options.epochMs,
  nowMs: () => server.state.nowMs,
  step: (input) => step(server, input),
  request: requestInput,
  wake: (atMs) => ({ kind: 'wake', atMs }),
  leave: (atMs, request) => ({ kind: 'leave', atMs, request }),
  changeWorld: (atMs, change) => Object.assign({ kind: 'world', atMs } as const, change),
  nextWakeMs: () => nextWakeMs(server),
  // [v2-streams/idle, scenario/message-every-idle]
  isWaitingForOthers: () => hasOnlyChatter(server),
  isEager: false,
  ownSecrets: () => server.secrets.map(({ text }) => text),
  newSecrets: () => noSecrets,
  ...serverEffects,
})

/** What hosts ask about the inputs and effects of a workflow server, whatever machine has them. */
export const serverEffects: Pick<Machine<Input, Effect>, 'entryBytes' | 'answerOf' | 'nameOf'> = {
  entryBytes,
  answerOf,
  nameOf: effectName,
}

/** Bodies and messages. Pictures stay recipes until their bytes are requested. */
function entryBytes({ input, effects }: Entry): number {
  let bytes = input.kind === 'request' ? input.body.length : 0
  if (input.kind === 'message') bytes += input.text.length
  for (const effect of effects) {
    if (effect.kind === 'send' || effect.kind === 'chunk') bytes += effect.text.length
    else if (effect.kind === 'lost')
      bytes += effect.message.kind === 'send' ? effect.message.text.length : 0
    else if (effect.kind === 'reply') {
      const { body } = effect
      bytes += typeof body === 'string' || body instanceof Uint8Array ? body.length : 0
    }
  }
  return bytes
}

/** The status with which the handshake of a socket succeeds. */
const SWITCHED = 101

/** How the replies to submits begin, by their status. */
const submitReplies: Readonly<Record<number, RegExp>> = {
  200: /^\{"prompt_id": "([^"\\]*)"/,
  201: /^\{"id": "([^"\\]*)", "status"/,
}

/** The reply, and the run that it names if the request was a submit. */
function answerOf(effect: Effect): Answer | undefined {
  if (effect.kind === 'accept') return { socket: effect.socket, status: SWITCHED }
  if (effect.kind === 'refuse') return { socket: effect.socket, status: effect.status }
  if (effect.kind !== 'reply') return undefined
  const { request, status, body } = effect
  const pattern = submitReplies[status]
  const run = pattern && typeof body === 'string' ? pattern.exec(body)?.[1] : undefined
  return { request, status, run }
}

function effectName(effect: Effect): string {
  switch (effect.kind) {
    case 'send':
      // Every message starts with its type.
      return `message ${/"type": ?"([^"]+)"/.exec(effect.text)?.[1] ?? ''}`
    case 'frame':
      return `frame ${effect.content.frame}`
    case 'run':
      return `run ${effect.state}`
    case 'node':
      return `node ${effect.state}`
    case 'fault':
      return `fault ${effect.id}`
    default:
      return effect.kind
  }
}
