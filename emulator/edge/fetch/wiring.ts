// Connects the parts of an edge without a network: requests and sockets go to the server, and effects come back.

import { isSocketPath } from '../../http/routes.ts'
import type { Reply } from '../../http/replies.ts'
import { nameLike } from '../../options/like.ts'
import type { Effect, Headers as HeaderValues, Input } from '../../machine.ts'
import { conflictError } from '../../options/usage.ts'
import { corsHeaders } from '../../server/cors.ts'
import { serverMachine } from '../../server/machine.ts'
import type { Server } from '../../server/state/server.ts'
import { needsBody } from '../../server/step.ts'
import { maxBodyBytes } from '../../server/world/features.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { splitTarget } from '../../http/requests.ts'
import type { Codec } from '../codec.ts'
import { type ControlLoader, MAX_CONTROL_BYTES } from '../control.ts'
import { createHost, type Host } from '../host.ts'
import { hostParts, refusalsOf, entryOf } from '../server-parts.ts'
import type { WorldParts } from '../world-parts.ts'
import type { ServerSide, SocketLine } from './client-socket.ts'
import { hasLongLine, noBody, readBody, readHeaders } from './requests.ts'
import { fetchResponses, type PendingResponse } from './responses.ts'
import { createSockets, type Sockets } from './sockets.ts'
import type { Turns } from './turns.ts'

/** A request on its way to a world. */
export type Asked = {
  readonly request: Request
  readonly url: URL
  /** Path and query, without the path of the world. */
  readonly target: string
  /** Whether it came to the host of the signed links. */
  readonly isLink: boolean
}

/** A server that requests and sockets reach. */
export type ServedWorld = {
  readonly server: Server
  readonly host: Host<Input, Effect, PendingResponse>
  readonly sockets: Sockets
  readonly answer: (asked: Asked) => Promise<Response>
  readonly connect: (url: URL, target: string, line: SocketLine) => ServerSide
}

/** What depends on where an edge without a listener runs. */
export type Place = {
  /** The address of its callers. */
  readonly callerAddress: string
  /** Does some work whose effects may leave together. */
  readonly batch: (work: () => void) => void
}

/** Clients and server are one process. */
const sameProcess: Place = { callerAddress: '127.0.0.1', batch: (work) => work() }

/**
 * Connects a server to its clients.
 * @param control loads its control paths.
 */
export function connectWorld(
  part: WorldParts,
  control: ControlLoader<Effect>,
  codec: Codec,
  turns: Turns,
  { callerAddress, batch }: Place = sameProcess,
): ServedWorld {
  const { server, options, recorder, hooks, lastIds } = part
  const host = createHost<Input, Effect, PendingResponse>(
    serverMachine(server),
    recorder,
    {
      emit: (effects) => sockets.emit(effects),
      batch,
      flushed: turns.flushed,
      // oxlint-disable-next-line no-restricted-globals -- pages have no other monotonic clock.
      monotonicMs: () => performance.now(),
      ready: () => undefined,
      openapi: () => Promise.reject(conflictError(noDocument)),
      ...hostParts(
        part,
        fetchResponses(
          (file) => codec.pictures().encodeFile(file),
          nameLike(options.like),
          callerAddress,
        ),
      ),
    },
    hooks,
    control,
  )
  const sockets = createSockets({
    dispatch: host.driver.dispatch,
    encode: (content) => encodeFrame(content, (of) => codec.pictures().encodeImage(of)),
    turns,
    lastSocket: lastIds.socket,
  })
  const answer = createAnswer(part, host)
  const connect: ServedWorld['connect'] = (url, target, line) => {
    if (isSocketPath(options.deployment, splitTarget(target)[0]))
      return sockets.connect(target, handshakeOf(url), line)
    // The server ignores the upgrade, and answers the request.
    const request = new Request(url.href.replace(/^ws/, 'http'))
    const refuse = (): void => line.end(NO_CLOSE_FRAME, '')
    void answer({ request, url, target, isLink: false }).then(refuse, refuse)
    return { message: () => undefined, closed: () => undefined }
  }
  return { server, host, sockets, answer, connect }
}

const NO_CLOSE_FRAME = 1006

const noDocument =
  'An emulator without a server has no OpenAPI document: the package has it as flowdouble/openapi.local.json.'

/** The headers of a handshake. */
const handshakeOf = ({ host }: URL): HeaderValues => ({
  host,
  upgrade: 'websocket',
  connection: 'Upgrade',
})

function createAnswer(
  part: WorldParts,
  host: Host<Input, Effect, PendingResponse>,
): ServedWorld['answer'] {
  const { server, options } = part
  const enter = entryOf(part, host)
  const maxBytes = maxBodyBytes(options.maxUploadSize)
  const refusals = refusalsOf(server.options)

  const handle = async (asked: Asked, response: PendingResponse): Promise<void> => {
    const { request, target, isLink } = asked
    const { method } = request
    if (hasLongLine(method, target, request.headers))
      return host.write(response, refusals.badRequest)
    const { headers } = response
    const head = { method, target, headers }
    const isControlled = !isLink && host.isControl(head)
    const takesBody = isControlled || (!isLink && needsBody(server, head))
    const { body, fault } = takesBody
      ? await readBody(request, isControlled ? MAX_CONTROL_BYTES : maxBytes)
      : noBody
    const arrived = { ...head, body, fault, links: isLink || undefined }
    if (isControlled) return host.answerControl(arrived, response, corsHeaders(options))
    enter(response, arrived)
  }
  return (asked) =>
    new Promise((resolve, reject) => {
      const response = pendingOf(asked, resolve, reject)
      const { signal } = response
      const abort = (): void => reject(signal.reason as Error)
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      handle(asked, response).catch((error: unknown) => {
        if (!signal.aborted) failed(host, response, refusals.internal, error)
      })
    })
}

/** A bug: reports it, and keeps the server running for other requests. */
function failed(
  { write }: Host<Input, Effect, PendingResponse>,
  response: PendingResponse,
  reply: Reply,
  error: unknown,
): void {
  console.error('flowdouble could not answer a request:', error)
  write(response, reply)
}

function pendingOf(
  { request: { method, headers, signal }, url }: Asked,
  resolve: PendingResponse['resolve'],
  reject: PendingResponse['reject'],
): PendingResponse {
  return { method, headers: readHeaders(headers, url), resolve, reject, signal }
}
