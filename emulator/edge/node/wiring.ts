// Connects the parts of an edge: requests and sockets go through the host into the server, its effects come back out.

import { isSocketPath } from '../../http/routes.ts'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Effect, Input, Machine } from '../../machine.ts'
import type { ServerOptions } from '../../options/complete.ts'
import { type Reply, refuse, refuseHosted } from '../../http/replies.ts'
import { admit } from '../../server/admit.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { corsHeaders, finish } from '../../server/world/response-headers.ts'
import { maxBodyBytes } from '../../server/world/features.ts'
import type { Server } from '../../server/server.ts'
import type { WorldOptions } from '../../server/world/world.ts'
import { receiveBody } from './bodies.ts'
import { createCodec } from '../codec.ts'
import { isControl, MAX_CONTROL_BYTES } from '../control.ts'
import { createHost, type Hooks, type Host } from '../host.ts'
import { readHeaders } from './http.ts'
import { type Arrived, type Behind, serve } from './listener.ts'
import type { Recorder } from '../recorder.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** The web servers that clients reach: those of the links are none on local. */
export type Listeners = { readonly main: HttpServer; readonly links: readonly HttpServer[] }

/** Puts the server behind its listeners, which answer from now on. */
export function wire(
  server: Server,
  machine: Machine<Input, Effect>,
  options: ServerOptions,
  recorder: Recorder<Input, Effect>,
  listeners: Listeners,
  hooks: Hooks<Input, Effect>,
): { readonly host: Host<Input, Effect>; readonly sockets: Sockets } {
  const codec = createCodec()
  const readsCredentials = options.token !== null || options.deployment === 'hosted'
  const host = createHost(
    machine,
    recorder,
    {
      clock: options.clock,
      emit: (effects) => sockets.emit(effects),
      batch: (work) => sockets.batch(work),
      flushed: () => sockets.flushed(),
      worked: () => undefined,
      hint: 'Was the workflow submitted?',
      encodeFile: codec.encodeFile,
      guard: {
        host: options.host,
        // The pages of any origin may use the server then, but not the double.
        origin: options.cors === '*' ? null : options.cors,
        token: options.controlToken,
      },
    },
    hooks,
  )
  const { timeMs, write } = host
  const sockets = createSockets({
    dispatch: host.driver.dispatch,
    encode: (content) => encodeFrame(content, codec.encodeImage),
    timeMs,
    readsCredentials,
    compresses: options.wsCompress,
  })

  const answer = async (arrived: Arrived, response: ServerResponse): Promise<void> => {
    const { method, target } = arrived
    const loading = codec.ready(method === 'POST' || /\/(?:pre)?view/.test(target))
    if (loading !== undefined) await loading
    if (isControl(method, target))
      return host.answerControl(arrived, response, corsHeaders(options))
    host.enter(response, (atMs, request) => ({ kind: 'request', atMs, request, ...arrived }))
  }
  const answerLink = async (arrived: Arrived, response: ServerResponse): Promise<void> => {
    await codec.ready(true)
    host.enter(response, (atMs, request) => {
      return { kind: 'request', atMs, links: true, request, ...arrived }
    })
  }
  const limitBytes = (asked: Omit<Arrived, 'body'>): number => {
    if (isControl(asked.method, asked.target)) return MAX_CONTROL_BYTES
    return 'refusal' in admit(server, asked) ? 0 : maxBodyBytes(options.maxBody)
  }

  serve(listeners.main, {
    readHeaders: (request) => readHeaders(request, readsCredentials),
    receive: receiveBody,
    limitBytes,
    answer,
    write,
    timeMs,
    isSocketPath: (path) => isSocketPath(options.deployment, path),
    refusals: refusalsOf(server.options),
    upgrade: sockets.upgrade,
  })
  // Their credentials are read although they open nothing: that they came is told as a leak.
  for (const links of listeners.links) {
    serve(links, {
      readHeaders: (request) => readHeaders(request, true),
      receive: receiveBody,
      limitBytes: () => 0,
      answer: answerLink,
      write,
      timeMs,
      isSocketPath: () => false,
      refusals: refusalsOf(server.options),
      upgrade: null,
    })
  }
  return { host, sockets }
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
