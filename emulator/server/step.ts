// The only entry into a server: an input goes in, effects come out.

import { keyHeader } from '../../spec/server/access.ts'
import { changeScript } from './script.ts'
import { changeWorld, endAllSockets } from './change-world.ts'
import { trimState } from './memory.ts'
import { nextTimer, takeTimer, type Timer } from '../lib/timers.ts'
import type { Effect, Input, ReplyEffect, RequestHead } from '../machine.ts'
import { badRequest, refuse, type Reply } from '../http/replies.ts'
import { parameter, splitTarget } from '../http/requests.ts'
import { answerScripted, isAnswered } from './answered.ts'
import { admit as admitOnLocal } from './local/access.ts'
import { finish } from './response-headers.ts'
import { type Answers, openBy, openDisturbed } from './faults/handshakes.ts'
import { disturbMessages } from './faults/messages.ts'
import { answerDisturbed, findRequestHit, sendLateReply } from './faults/requests.ts'
import { forgetFlow } from './faults/streams.ts'
import { fireFault } from './faults/timers.ts'
import { forgetSocket } from './faults/wire.ts'
import { fireMessage, greet, removeTimers, tendTimers } from './extensions/messages.ts'
import { endInstall } from './world/installs.ts'
import { expire } from './world/jobs.ts'
import {
  answer as answerLocal,
  isPagePath,
  readsBody as readsBodyOnLocal,
} from './local/endpoints.ts'
import { closeSocket, openSocket, readMessage, sendLate } from './world/sockets.ts'
import { breakSilence, removeStream } from './world/streams.ts'
import { advance } from './local/on-demand.ts'
import { isHosted } from './world/derived.ts'
import type { FaultTimer } from './state/faults.ts'
import type { Admission, NumberedRequest, Server } from './state/server.ts'
import type { World } from './state/world.ts'
import type { TimerTarget, Worker } from './state/runs.ts'

type RequestInput = Extract<Input, { kind: 'request' }>
type OpenInput = Extract<Input, { kind: 'open' }>

/**
 * Applies an input to the server and returns the effects in order. Synchronous and deterministic: equal servers and
 * equal inputs have equal effects. Timers that are due before the input fire first.
 */
export function step(server: Server, input: Input): readonly Effect[] {
  const effects: Effect[] = []
  server.state.endedStreams.clear()
  for (const world of server.worlds) world.effects = effects
  advanceTo(server, effects, input.atMs)
  const from = effects.length
  apply(server, effects, input)
  follow(server)
  if (isDisturbed(server)) disturbMessages(server, effects, from)
  if (server.state.script.messages.length > 0) tendAll(server, input)
  // The journal keeps them: a copy lacks the room for more that a list which grows has.
  return effects.slice()
}

/** Sets the timers of messages of the scenario, which an input wakes [scenario/message-every-rest]. */
function tendAll(server: Server, input: Input): void {
  for (const world of server.worlds) {
    if (input.kind !== 'wake') world.state.chatter.sent = 0
    tendTimers(world)
  }
}

/** Whether faults can affect anything: the one check of a server without faults. */
const isDisturbed = ({ state }: Server): boolean =>
  state.script.faults.length > 0 || state.wire !== null

/** Sends the streams what a step has changed. */
function follow(server: Server): void {
  if (server.state.streams.size > 0) server.hosted?.followStreams(server)
}

function apply(server: Server, effects: Effect[], input: Input): void {
  if (input.kind === 'request') receive(server, effects, input)
  else if (input.kind === 'open') connect(server, effects, input)
  else if (input.kind === 'script') {
    changeScript(server.state, input.change)
    server.worlds.forEach(removeTimers)
  } else if (input.kind === 'world') effects.push(...changeWorld(server, input))
  else if (input.kind === 'leave') leave(server, input.request)
  else if (input.kind === 'trim') trimState(server, input.part)
  else if (input.kind === 'drop') effects.push(...endAllSockets(server, input.how))
  else if (input.kind !== 'wake') {
    const world = server.worlds[server.state.sockets.get(input.socket) ?? NaN]
    if (input.kind === 'close') {
      server.state.sockets.delete(input.socket)
      forgetSocket(server, input.socket)
      if (world !== undefined) closeSocket(world, input.socket)
    } else if (world !== undefined) readMessage(world, input.socket, input.text)
  }
}

/** The client of a stream has disconnected. */
function leave(server: Server, request: number): void {
  removeStream(server.state, request)
  forgetFlow(server, request)
}

/** Advances the time of the server, and fires the timers that are due until then. */
function advanceTo(server: Server, effects: Effect[], untilMs: number): void {
  const { state, worlds } = server
  for (
    let timer = takeTimer(state.timers, untilMs);
    timer !== undefined;
    timer = takeTimer(state.timers, untilMs)
  ) {
    const from = effects.length
    state.nowMs = Math.max(state.nowMs, timer.dueMs)
    fire(server, effects, timer)
    follow(server)
    if (isDisturbed(server) && meetsFaults(timer.what)) disturbMessages(server, effects, from)
  }
  state.nowMs = Math.max(state.nowMs, untilMs)
  for (const world of worlds) world.state.nowMs = state.nowMs
}

/** Whether faults can affect what a timer sends: not again what they have delayed. */
const meetsFaults = (what: TimerTarget): boolean =>
  'world' in what || what.kind === 'handshake' || what.kind === 'response'

function fire(server: Server, effects: Effect[], { dueMs, what }: Timer<TimerTarget>): void {
  if (!('world' in what)) return fireOfFault(server, effects, what)
  const world = server.worlds[what.world] as World
  const { state } = world
  state.nowMs = Math.max(state.nowMs, dueMs)
  if (what.kind === 'install') endInstall(world)
  else if (what.kind === 'late') sendLate(world, what.effect)
  else if (what.kind === 'expiry') expire(world, what.prompt_id)
  else if (what.kind === 'chatter') fireMessage(world, what.message)
  else if (what.kind === 'silence') breakSilence(server, world, what.request)
  else if (what.kind === 'task') server.hosted?.advanceTask(world, what.task)
  else if (what.kind === 'router') answerLate(server, effects, world, what.call)
  else if (what.kind === 'worker') advance(world, state.workers[what.worker] as Worker)
}

function fireOfFault(server: Server, effects: Effect[], timer: FaultTimer): void {
  for (const { state } of server.worlds) state.nowMs = server.state.nowMs
  if (timer.kind !== 'handshake') return fireFault(server, effects, timer)
  openBy(server, effects, timer.input, timer.then, answersTo(server, timer.input))
}

/** Lets happen what is due to a call of the Router, and answers the request that waits for it. */
function answerLate(server: Server, effects: Effect[], world: World, call: string): void {
  const late = isHosted(world) ? server.hosted?.fireCall(world, call) : undefined
  if (late === undefined) return
  const { request, path, reply } = late
  sendLateReply(server, effects, replyTo(server, { request, headers: {} }, path, reply))
}

/** When the next timer of the server fires, in the server's milliseconds; undefined if it waits for an input. */
export const nextWakeMs = ({ state }: Server): number | undefined => nextTimer(state.timers)?.dueMs

function connect(server: Server, effects: Effect[], input: OpenInput): void {
  if (server.state.isDown)
    return void effects.push({ kind: 'end', sockets: [input.socket], how: 'reset' })
  if (server.state.script.faults.length === 0) open(server, input)
  else openDisturbed(server, effects, input, answersTo(server, input))
}

/** How a handshake is answered without faults. */
const answersTo = (server: Server, input: OpenInput): Answers => ({
  open: () => open(server, input),
  refuse: (reply) => refuseSocket(server, input, reply),
  userOf: () => userOf(server, { method: 'GET', ...input }),
})

function open(server: Server, input: OpenInput): void {
  const admitted = admit(server, { method: 'GET', ...input })
  if ('refusal' in admitted) return refuseSocket(server, input, admitted.refusal)
  const refusal = refuseHandshake(server, input)
  if (refusal !== undefined) return refuseSocket(server, input, refusal)
  server.state.sockets.set(input.socket, admitted.world.setup.index)
  openSocket(admitted.world, input)
  if (server.state.script.messages.length > 0) greet(admitted.world, input.socket)
}

/** Handles a handshake like a request. */
function refuseSocket(
  { worlds }: Server,
  { socket, target, headers }: OpenInput,
  refusal: Reply,
): void {
  const reply = finish(worlds[0].setup, splitTarget(target)[0], headers['accept'], refusal)
  worlds[0].effects.push({ kind: 'refuse', socket, ...reply })
}

function refuseHandshake({ hosted }: Server, { fault }: OpenInput): Reply | undefined {
  if (fault === undefined) return undefined
  if (hosted !== null) return badRequest(hosted.handshakeNeeded)
  const { refusal, value } = fault
  return refuse(refusal, {}, { upgrade: value, version: value, key: value })
}

function receive(server: Server, effects: Effect[], input: RequestInput): void {
  if (server.state.isDown && !input.links)
    return void effects.push({ kind: 'reset', request: input.request })
  const hit =
    server.state.script.faults.length === 0
      ? undefined
      : findRequestHit(server, input, () => userOf(server, input))
  if (hit === undefined) return void effects.push(...answer(server, input))
  const [path] = splitTarget(input.target)
  answerDisturbed(server, effects, input, hit, (reply) => {
    if (reply === undefined) return answer(server, input)
    if (reply.status >= 500) server.hosted?.noteFailure(server, input, reply)
    return [replyTo(server, input, path, reply)]
  })
}

/** Answers a request: first the reply, then what it causes. */
const answer = (server: Server, input: RequestInput): readonly Effect[] =>
  input.links && server.hosted !== null
    ? server.hosted.answerLink(server, input)
    : answerMain(server, input)

/** Sends the reply to a request, and then what the request triggers [workflows/answers-first]. */
function answerMain(server: Server, input: RequestInput): readonly Effect[] {
  const admitted = admit(server, input)
  const [path, query] = splitTarget(input.target)
  if ('refusal' in admitted) return [replyTo(server, input, path, admitted.refusal)]
  const { world } = admitted
  const before = world.effects
  world.effects = []
  const found = route(server, world, input, path, query)
  const effects = found.held
    ? world.effects
    : [replyTo(server, input, path, found), ...world.effects]
  world.effects = before
  return effects
}

const replyTo = (
  server: Server,
  { request, headers }: Pick<RequestInput, 'request' | 'headers'>,
  path: string,
  found: Reply,
): ReplyEffect => {
  const marked = server.hosted === null ? found : server.hosted.mark(server, path, found)
  return {
    kind: 'reply',
    request,
    ...finish(server.worlds[0].setup, path, headers['accept'], marked),
  }
}

/** Whether the scenario can have routes: the one check of a server without. */
const hasRoutes = ({ state: { script } }: Server): boolean =>
  script.answers.length + script.nodes.length > 0

const route = (
  server: Server,
  world: World,
  request: NumberedRequest,
  path: string,
  query: string,
): Reply =>
  (hasRoutes(server) ? answerScripted(server, world, request, path, query) : undefined) ??
  (server.hosted !== null && isHosted(world)
    ? server.hosted.answer(server, world, request, path, query)
    : answerLocal(world, request, path, query))

/** Checks who may use the server before the path is considered [access/*]. */
const admit = (server: Server, head: RequestHead): Admission =>
  server.hosted === null ? admitOnLocal(server, head) : server.hosted.admit(server, head)

/** The account that sent a request; null on local, and without a valid key. */
export function userOf(server: Server, head: RequestHead): string | null {
  const admitted = admit(server, head)
  if ('refusal' in admitted || !hasKey(head)) return null
  return admitted.world.setup.hosted?.account.user ?? null
}

const hasKey = ({ headers, target }: RequestHead): boolean =>
  [keyHeader.toLowerCase(), 'authorization'].some((name) => headers[name] !== undefined) ||
  parameter(splitTarget(target)[1], 'token') !== undefined

/** Whether the reply to a request depends on its body: not if its sender, path or method is rejected. */
export function needsBody(server: Server, head: RequestHead): boolean {
  const admitted = admit(server, head)
  if ('refusal' in admitted) return false
  const [path, query] = splitTarget(head.target)
  if (hasRoutes(server) && isAnswered(admitted.world, { method: head.method, path, query }))
    return true
  return server.hosted === null
    ? readsBodyOnLocal(admitted.world, head.method, path)
    : server.hosted.readsBody(admitted.world, head.method, path)
}

/**
 * Whether the file of a front end may answer a request: not one whose sender is rejected, nor one for an endpoint or an
 * answer of the scenario.
 */
export function takesPage(server: Server, head: RequestHead): boolean {
  const isOther = head.method !== 'GET' && head.method !== 'HEAD'
  if (server.hosted !== null || server.state.isDown || isOther) return false
  const admitted = admit(server, head)
  const [path, query] = splitTarget(head.target)
  if ('refusal' in admitted) return false
  const { world } = admitted
  if (!isPagePath(world, path)) return false
  return !(hasRoutes(server) && isAnswered(world, { method: head.method, path, query }))
}
