// Connects the parts of an edge without a network: requests and sockets go to the server, and effects come back.

import { isSocketPath } from '../../http/routes.ts'
import type { Effect, Headers as HeaderValues, Input, Machine } from '../../machine.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import { corsHeaders } from '../../server/cors.ts'
import type { Server } from '../../server/state/server.ts'
import { needsBody } from '../../server/step.ts'
import { maxBodyBytes } from '../../server/world/features.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { splitTarget } from '../../http/requests.ts'
import { createCodec } from '../codec.ts'
import { isControl, MAX_CONTROL_BYTES } from '../control.ts'
import { createHost, type Hooks, type Host } from '../host.ts'
import type { Recorder } from '../recorder.ts'
import { guardOf, refusalsOf } from '../server-parts.ts'
import type { Connect } from './client-socket.ts'
import { hasLongLine, noBody, readBody, readHeaders } from './requests.ts'
import { fetchResponses, type PendingResponse } from './responses.ts'
import { createSockets, type Sockets } from './sockets.ts'
import { createTurns, type Turns } from './turns.ts'

/** Where clients find a server: its address, and those of its signed links. */
type Places = { readonly base: URL; readonly links: readonly URL[] }

type Wired = {
  readonly host: Host<Input, Effect, PendingResponse>
  readonly sockets: Sockets
  readonly turns: Turns
  readonly answer: (request: Request) => Promise<Response>
  readonly connect: Connect
}

/** Connects the server to its clients. `name` is the value of the response header Server. */
export async function connectServer(
  server: Server,
  machine: Machine<Input, Effect>,
  options: ServerOptions,
  recorder: Recorder<Input, Effect>,
  places: Places,
  name: string,
  hooks: Hooks<Input, Effect>,
): Promise<Wired> {
  const codec = createCodec()
  await codec.ready(true)
  const turns = createTurns()
  const host = createHost<Input, Effect, PendingResponse>(
    machine,
    recorder,
    {
      clock: options.clock,
      emit: (effects) => sockets.emit(effects),
      batch: (work) => work(),
      flushed: turns.flushed,
      worked: () => undefined,
      // oxlint-disable-next-line no-restricted-globals -- pages have no other monotonic clock.
      monotonicMs: () => performance.now(),
      hint: 'Was the workflow submitted?',
      responses: fetchResponses(codec.encodeFile, name),
      ready: () => undefined,
      guard: guardOf(options, places.base.hostname),
      openapi: () => Promise.reject(usageError(noDocument)),
    },
    hooks,
  )
  const sockets = createSockets({
    dispatch: host.driver.dispatch,
    encode: (content) => encodeFrame(content, codec.encodeImage),
    turns,
  })
  const answer = createAnswer(server, options, host, places)
  const connect: Connect = (url, line) => {
    const target = targetOf(url, places.base)
    if (isSocketPath(options.deployment, splitTarget(target)[0]))
      return sockets.connect(target, handshakeOf(url), line)
    // The server ignores the upgrade, and answers the request.
    const asked = new Request(url.href.replace(/^ws/, 'http'))
    const refuse = (): void => line.end(NO_CLOSE_FRAME, '')
    void answer(asked).then(refuse, refuse)
    return { message: () => undefined, closed: () => undefined }
  }
  return { host, sockets, turns, answer, connect }
}

const NO_CLOSE_FRAME = 1006

const noDocument =
  'An emulator without a server has no OpenAPI document: the package has it as flowdouble/openapi.local.json.'

/** The headers of a handshake that the protocol uses. */
const handshakeOf = ({ host }: URL): HeaderValues => ({
  host,
  upgrade: 'websocket',
  connection: 'Upgrade',
})

/** Path and query of a URL below a base. */
function targetOf({ pathname, search }: URL, base: URL): string {
  const prefix = base.pathname.replace(/\/$/, '')
  const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
  return path + search
}

/** Answers requests: those to the host of signed links as such, control requests by the guard of their paths. */
function createAnswer(
  server: Server,
  options: ServerOptions,
  host: Host<Input, Effect, PendingResponse>,
  { base, links }: Places,
): Wired['answer'] {
  const readsCredentials = options.token !== null || options.deployment === 'hosted'
  const maxBytes = maxBodyBytes(options.maxUploadSize)
  const refusals = refusalsOf(server.options)

  const handle = async (request: Request, response: PendingResponse): Promise<void> => {
    const url = new URL(request.url)
    const link = links.find(
      (one) => one.origin === url.origin && url.pathname.startsWith(one.pathname),
    )
    const target = targetOf(url, link ?? base)
    const { method } = request
    if (hasLongLine(method, target, request.headers))
      return host.write(response, refusals.badRequest)
    const isControlled = link === undefined && isControl(method, target)
    const headers = readHeaders(request.headers, url, readsCredentials || link !== undefined)
    const head = { method, target, headers }
    const takesBody = isControlled || (link === undefined && needsBody(server, head))
    const { body, fault } = takesBody
      ? await readBody(request, isControlled ? MAX_CONTROL_BYTES : maxBytes)
      : noBody
    if (isControlled)
      return host.answerControl({ ...head, body, fault }, response, corsHeaders(options))
    host.enter(response, (atMs, request) => ({
      kind: 'request',
      atMs,
      links: link === undefined ? undefined : true,
      request,
      ...head,
      body,
      fault,
    }))
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const { method, signal } = request
      const response = pendingOf(request, readsCredentials, resolve, reject)
      if (signal.aborted) return reject(signal.reason as Error)
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      handle(request, response).catch((error: unknown) => {
        if (signal.aborted) return
        console.error(`flowdouble could not answer ${method} ${request.url}:`, error)
        host.write(response, refusals.internal)
      })
    })
}

function pendingOf(
  { method, url, headers, signal }: Request,
  credentials: boolean,
  resolve: PendingResponse['resolve'],
  reject: PendingResponse['reject'],
): PendingResponse {
  const at = new URL(url)
  const allHeaders: Record<string, string> = { host: at.host, ...Object.fromEntries(headers) }
  const used = readHeaders(headers, at, credentials)
  return { method, headers: used, allHeaders, resolve, reject, signal }
}
