// Connects the parts of an edge: requests and sockets go through the host to the server, and effects come back.

import { isSocketPath } from '../../http/routes.ts'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Effect, IncomingRequest, Input, Machine } from '../../machine.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { refuse } from '../../http/replies.ts'
import { nameLike } from '../../options/like.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { corsHeaders } from '../../server/cors.ts'
import { maxBodyBytes } from '../../server/world/features.ts'
import type { Server } from '../../server/state/server.ts'
import { needsBody } from '../../server/step.ts'
import { guardOf, refusalsOf } from '../server-parts.ts'
import { receiveBody } from './bodies.ts'
import { createCodec } from '../codec.ts'
import { isControl, MAX_CONTROL_BYTES } from '../control.ts'
import { after, type Later } from '../later.ts'
import { createHost, type Hooks, type Host } from '../host.ts'
import { readHeaders } from './http.ts'
import { nodeParts, nodeResponses } from './responses.ts'
import { serve } from './http-listener.ts'
import type { Recorder } from '../recorder.ts'
import { createLargePictures, type LargePictures } from './large-pictures.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** The web servers that clients reach; a local server has none for links. */
export type Listeners = { readonly main: HttpServer; readonly links: readonly HttpServer[] }

/** Connects the server to its listeners, which answer from now on. */
export function connectServer(
  server: Server,
  machine: Machine<Input, Effect>,
  options: ServerOptions,
  recorder: Recorder<Input, Effect>,
  listeners: Listeners,
  hooks: Hooks<Input, Effect>,
): {
  readonly host: Host<Input, Effect, ServerResponse>
  readonly sockets: Sockets
  readonly pictures: LargePictures
} {
  const codec = createCodec()
  const pictures = createLargePictures(codec)
  const name = nameLike(options.like)
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
      responses: nodeResponses(codec.encodeFile, name),
      ready: pictures.ready,
      guard: guardOf(options, options.host),
      ...nodeParts(options.deployment),
    },
    hooks,
  )
  const { timeMs, write } = host
  const sockets = createSockets({
    dispatch: host.driver.dispatch,
    encode: (content) => encodeFrame(content, codec.encodeImage),
    timeMs,
    name,
    readsCredentials,
    compresses: options.wsCompress,
  })

  const enter = (
    { method, target, headers, body, fault }: IncomingRequest,
    response: ServerResponse,
    links: true | undefined,
  ): void => {
    const kind = 'request'
    host.enter(response, (atMs, request) => {
      return { kind, atMs, links, request, method, target, headers, body, fault }
    })
  }
  const answer = (arrived: IncomingRequest, response: ServerResponse): Later<void> => {
    const { method, target } = arrived
    const loading = codec.ready(method === 'POST' || /\/(?:pre)?view/.test(target))
    return after(loading, () =>
      isControl(method, target)
        ? host.answerControl(arrived, response, corsHeaders(options))
        : enter(arrived, response, undefined),
    )
  }
  const answerLink = (arrived: IncomingRequest, response: ServerResponse): Later<void> =>
    after(codec.ready(true), () => enter(arrived, response, true))

  const maxBytes = maxBodyBytes(options.maxUploadSize)
  serve(listeners.main, {
    readHeaders: (request) => readHeaders(request, readsCredentials),
    receive: receiveBody,
    limitBytes: (head) => {
      if (isControl(head.method, head.target)) return MAX_CONTROL_BYTES
      return needsBody(server, head) ? maxBytes : null
    },
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
  // Read their credentials although links need none: the server reports the leak.
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
  return { host, sockets, pictures }
}
