// Connects the parts of an edge: requests and sockets go through the driver into the server, its effects come back out.

import { isSocketPath } from '../../http/routes.ts'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Entry } from '../../server/journal.ts'
import type { Effect, Input } from '../../machine.ts'
import { type Reply, refuse, refuseHosted } from '../../http/replies.ts'
import type { IncomingRequest } from '../../http/requests.ts'
import { nameLike } from '../../options/like.ts'
import { admit } from '../../server/admit.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { corsHeaders, finish } from '../../server/response-headers.ts'
import { maxBodyBytes } from '../../server/world/features.ts'
import { needsBody, nextWakeMs, step } from '../../server/step.ts'
import { receiveBody } from './bodies.ts'
import { type ClockGroup, type ClockHandle, createClockHandle } from '../clock.ts'
import { createCodec } from '../codec.ts'
import { answerControl, CONTROL_PREFIX } from '../control.ts'
import { createDriver, type Driver, type Machine, type Tamper } from '../driver.ts'
import { readHeaders, writeReply } from './http.ts'
import { after, type Later } from '../later.ts'
import { type Behind, serve } from './listener.ts'
import type { Recorder } from '../recorder.ts'
import { createSockets, type Sockets } from './sockets.ts'
import type { Server } from '../../server/state/server.ts'
import type { WorldOptions } from '../../server/state/options.ts'
import type { ServerOptions } from '../../options/server-options.ts'

/** What a caller hangs into the path of inputs and effects. */
export type Hooks = {
  readonly onEntry: ((entry: Entry) => void) | undefined
  readonly tamper: Tamper | undefined
  /** The machines that are moved with this one. */
  readonly clocks: ClockGroup | undefined
}

/** The web servers that clients reach: those of the links are none on local. */
export type Listeners = { readonly main: HttpServer; readonly links: readonly HttpServer[] }

export type Edge = {
  readonly driver: Driver
  readonly sockets: Sockets
  readonly clock: ClockHandle
}

/** Puts the server behind its listeners, which answer from now on. */
export function wire(
  server: Server,
  options: ServerOptions,
  recorder: Recorder,
  listeners: Listeners,
  { onEntry, tamper, clocks }: Hooks,
): Edge {
  const responses = new Map<number, ServerResponse>()
  let lastRequest = 0
  const codec = createCodec()

  const carryOut = (input: Input, effects: readonly Effect[]): void => {
    const entry = { input, effects }
    recorder.record(entry)
    for (const effect of effects) if (effect.kind === 'reply') reply(effect)
    sockets.carryOut(effects)
    onEntry?.(entry)
  }
  const together = (work: () => void): void => sockets.together(work)
  const machine: Machine<Input, Effect> = {
    step: (input) => step(server, input),
    nextWakeMs: () => nextWakeMs(server),
    nowMs: () => server.state.nowMs,
    epochMs: server.options.epochMs,
  }
  const driver = createDriver<Input, Effect>(machine, options.clock, carryOut, together, tamper)
  const name = nameLike(options.like)
  const timeMs = (): number => server.options.epochMs + server.state.nowMs
  const readsCredentials = options.token !== null || options.deployment === 'hosted'
  const sockets = createSockets({
    dispatch: driver.dispatch,
    encode: (content) => encodeFrame(content, codec.encodeImage),
    timeMs,
    name,
    readsCredentials,
    compresses: options.wsCompress,
  })
  const clock = createClockHandle(options.clock, driver, () => sockets.flushed(), clocks)

  const reply = (effect: Extract<Effect, { kind: 'reply' }>): void => {
    const response = responses.get(effect.request)
    responses.delete(effect.request)
    if (response !== undefined) writeReply(response, effect, timeMs(), codec.encodeFile, name)
  }
  const write = (response: ServerResponse, found: Reply): void =>
    writeReply(response, found, timeMs(), codec.encodeFile, name)

  const enter = (
    { method, target, headers, body, fault }: IncomingRequest,
    response: ServerResponse,
    links: true | undefined,
  ): void => {
    const request = ++lastRequest
    responses.set(request, response)
    const kind = 'request'
    driver.dispatch((atMs) => ({
      kind,
      atMs,
      links,
      request,
      method,
      target,
      headers,
      body,
      fault,
    }))
  }
  const openapi = async (): Promise<string> =>
    (await import('./openapi.ts')).openapiText(options.deployment)
  const answer = (arrived: IncomingRequest, response: ServerResponse): Later<void> => {
    const { method, target } = arrived
    const loading = codec.ready(method === 'POST' || /\/(?:pre)?view/.test(target))
    return after(loading, () => answerReady(arrived, response))
  }
  const answerReady = (arrived: IncomingRequest, response: ServerResponse): Later<void> => {
    const { method, target, headers } = arrived
    if (target.startsWith(CONTROL_PREFIX) && method !== 'OPTIONS') {
      const admitted = admit(server, arrived)
      if ('refusal' in admitted) {
        const { refusal } = admitted
        return write(response, finish(server.options, target, headers['accept'], refusal))
      }
      const cors = corsHeaders(options)
      return answerControl(arrived, response, clock, recorder, openapi, cors)
    }
    enter(arrived, response, undefined)
  }
  const answerLink = (arrived: IncomingRequest, response: ServerResponse): Later<void> =>
    after(codec.ready(true), () => enter(arrived, response, true))

  const maxBytes = maxBodyBytes(options.maxUploadSize)
  serve(listeners.main, {
    readHeaders: (request) => readHeaders(request, readsCredentials),
    receive: receiveBody,
    limitBytes: (head) =>
      head.target.startsWith(CONTROL_PREFIX) || needsBody(server, head) ? maxBytes : null,
    answer,
    write,
    timeMs,
    name,
    isSocketPath: (path) => isSocketPath(options.deployment, path),
    refusals: refusalsOf(server.options),
    refuseExpectation:
      options.deployment === 'local' ? (expected) => refuse('expectation', {}, { expected }) : null,
    upgrade: sockets.upgrade,
  })
  // Their credentials are read although they open nothing: that they came is told as a leak.
  for (const links of listeners.links) {
    serve(links, {
      readHeaders: (request) => readHeaders(request, true),
      receive: receiveBody,
      limitBytes: () => null,
      answer: answerLink,
      write,
      timeMs,
      name,
      isSocketPath: () => false,
      refusals: refusalsOf(server.options),
      refuseExpectation: null,
      upgrade: null,
    })
  }
  return { driver, sockets, clock }
}

/** What is answered to what does not reach a world. */
function refusalsOf(options: WorldOptions): Behind['refusals'] {
  if (options.deployment === 'local')
    return { badRequest: refuse('badRequestText'), internal: refuse('internal') }
  const reason = 'This is no HTTP request, or one of its lines is too long.'
  const badRequest = refuseHosted('badRequest', { reason }, { Connection: 'close' })
  const inHosted = (reply: Reply): Reply => finish(options, '', undefined, reply)
  return { badRequest: inHosted(badRequest), internal: inHosted(refuseHosted('internal')) }
}
