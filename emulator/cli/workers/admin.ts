// The address of the admin: it creates, lists and closes worlds over all workers, and says where a world is. It has no world itself.

import type { Server, ServerResponse } from 'node:http'
import { metricsType } from '../../../spec/metrics.ts'
import { json } from '../../http/replies.ts'
import {
  answerControl,
  controlBytesFor,
  CONTROL_PREFIX,
  type ControlPaths,
  type ControlReply,
  isPage,
  ok,
  openPaths,
  refusal,
  whyClosed,
} from '../../edge/control.ts'
import { isForControl } from '../../edge/host.ts'
import { worldsPage } from '../../edge/inspector/page.ts'
import type { Later } from '../../edge/later.ts'
import { trackConnections } from '../../edge/lifetime.ts'
import { receiveBody } from '../../edge/node/bodies.ts'
import { headerReader, nodeResponses, noPictures } from '../../edge/node/http.ts'
import { createWebServer, serve } from '../../edge/node/http-listener.ts'
import { hostOf, listen, portOf } from '../../edge/node/ports.ts'
import { aboutOf, guardOf } from '../../edge/server-parts.ts'
import { pathOf, splitTarget } from '../../edge/worlds.ts'
import type { IncomingRequest, RequestHead } from '../../machine.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { corsHeaders } from '../../server/cors.ts'
import { type Ask, askerOf } from './ask.ts'
import { merged } from './merged-metrics.ts'
import { newName, workerOf } from './place.ts'
import type { Worker } from './worker.ts'

/** The workers, and the addresses of their worlds. */
export type Workers = {
  readonly all: readonly Worker[]
  /** The start of the addresses of its worlds. */
  readonly baseOf: (worker: Worker) => string
}

/** The value of the response header Server. */
const NAME = 'flowdouble'

/** An address that is open. What arrives there waits until it is served. */
export type Address = {
  readonly server: Server
  readonly url: string
  readonly port: number
  /** Stops listening, and closes all connections. */
  readonly close: () => Promise<void>
}

/** Opens the address of the admin. Rejects with the system's error. */
export async function openAddress({ host, port }: ServerOptions): Promise<Address> {
  const server = await createWebServer(null)
  const close = trackConnections([server])
  await listen(server, host, port)
  const own = portOf(server)
  return { server, url: `http://${hostOf(host, own)}`, port: own, close }
}

/** Serves the address of the admin. */
export function serveAdmin({ server }: Address, options: ServerOptions, workers: Workers): void {
  const { host, controlToken } = options
  const { write, writeControl, callerOf } = nodeResponses(noPictures, NAME)
  const guard = guardOf(options)
  const ask = askerOf(host, controlToken)
  const isReady = (): boolean => workers.all.every((worker) => worker.addresses() !== undefined)
  const state = {
    about: aboutOf(options),
    isDown: () => !isReady(),
    isClosing: () => false,
    metrics: () => metricsOf(workers, ask),
  }
  const open = Object.assign({}, openPaths(state), healthPath(workers))
  const paths = Object.assign({}, open, worldPaths(workers, ask))
  const control = async (arrived: IncomingRequest, response: ServerResponse): Promise<void> => {
    const refused = whyClosed(arrived, callerOf(response), guard, open)
    if (refused !== undefined) return writeControl(response, refused, {})
    const reply = await answerControl(arrived, paths, () => Promise.resolve(worldsPage()))
    writeControl(response, reply, corsHeaders(options))
  }
  const answer = (arrived: IncomingRequest, response: ServerResponse): Later<void> => {
    if (isForControl(arrived)) return control(arrived, response)
    const reply = arrived.method === 'OPTIONS' ? ok({}) : elsewhere(arrived, workers)
    writeControl(response, reply, corsHeaders(options))
  }
  serve(server, {
    readHeaders: headerReader(),
    receive: receiveBody,
    limitBytes: (head) => (isForControl(head) ? controlBytesFor(head, guard) : null),
    answer,
    write: (response, reply) => write(response, reply, Date.now()),
    isSocketPath: () => false,
    refusals: {
      badRequest: json('{"error":"This is not a valid HTTP request."}', 400),
      internal: json('{"error":"The request could not be answered."}', 500),
    },
    refuseExpectation: null,
    timeMs: Date.now,
    name: NAME,
    upgrade: null,
  })
}

/** The answer to what is for a world, or for nothing here [shared/workers-elsewhere]. */
function elsewhere(head: RequestHead, { all, baseOf }: Workers): ControlReply {
  const below = splitTarget(head.target)
  if (below === null) return refusal(404, adminOnly)
  const url = baseOf(ownerOf(all, below.name)) + pathOf(below.name)
  // The page of the worlds links to their inspectors [shared/workers-page].
  if (isPage(Object.assign({}, head, { target: below.target })))
    return { ...ok({ url }), status: 302, headers: { Location: url + CONTROL_PREFIX } }
  const error = `A world of this name is at ${url}: this address only creates, lists and closes worlds.`
  return { ...ok({ error, url }), status: 404 }
}

const ownerOf = (all: Workers['all'], name: string): Worker =>
  all[workerOf(name, all.length)] as Worker

const adminOnly =
  'This is the address of the admin, which creates, lists and closes worlds. PUT /_flowdouble/worlds/NAME returns the url of a world, at which clients use it.'

/** Which workers listen: the address is well as long as one of them does. */
const healthPath = ({ all, baseOf }: Workers): ControlPaths => ({
  'GET health': () => {
    const workers = all.map((worker) => ({
      status: worker.addresses() === undefined ? 'down' : 'ok',
      url: baseOf(worker),
    }))
    const isDown = workers.every(({ status }) => status === 'down')
    return isDown
      ? { ...ok({ status: 'down', workers }), status: 503 }
      : ok({ status: 'ok', workers })
  },
})

/** The metrics of the workers that listen, each with its number. */
async function metricsOf({ all }: Workers, ask: Ask): Promise<ControlReply> {
  const replies = await Promise.all(all.map((worker) => ask(worker, 'GET', 'metrics')))
  const found = replies.map(({ status, body }, at) => ({
    worker: all[at]?.number ?? 0,
    text: status === 200 ? textOf(body) : '',
  }))
  return { status: 200, type: metricsType, body: merged(found) }
}

/** The paths about worlds, over all workers. */
function worldPaths({ all }: Workers, ask: Ask): ControlPaths {
  const ofName = (name: string): Worker => ownerOf(all, name)
  const target = (name: string): string => `worlds/${encodeURIComponent(name)}`
  return {
    'GET worlds': async () => {
      const replies = await Promise.all(all.map((worker) => ask(worker, 'GET', 'worlds')))
      const refused = replies.find(({ status }) => status !== 200)
      return refused ?? ok(replies.flatMap(({ body }) => JSON.parse(textOf(body)) as unknown[]))
    },
    'POST worlds': async ({ body }) => {
      const name = nameIn(body)
      if (name === undefined) {
        const chosen = newName()
        const reply = await ask(ofName(chosen), 'PUT', target(chosen), body)
        return reply.status === 201 ? { ...reply, status: 200 } : reply
      }
      // Any worker refuses what is not a name.
      return ask(ofName(typeof name === 'string' ? name : ''), 'POST', 'worlds', body)
    },
    'GET worlds/{name}/state': ({ segment }) =>
      ask(ofName(segment), 'GET', `${target(segment)}/state`),
    'PUT worlds/{name}/state': ({ body, segment }) =>
      ask(ofName(segment), 'PUT', `${target(segment)}/state`, body),
    'PUT worlds/{name}': ({ body, segment }) => ask(ofName(segment), 'PUT', target(segment), body),
    'DELETE worlds/{name}': async ({ segment }) => {
      const owner = ofName(segment)
      const reply = await ask(owner, 'DELETE', target(segment))
      if (reply.status !== 200 || isClosed(reply)) return reply
      // A fork is where the world is that it copies.
      const others = all.filter((one) => one !== owner && one.addresses() !== undefined)
      const more = await Promise.all(others.map((one) => ask(one, 'DELETE', target(segment))))
      return more.find(isClosed) ?? reply
    },
    'POST fork': () =>
      refusal(
        404,
        'This address has no world that can be forked. Fork a world at its own address.',
      ),
  }
}

const textOf = (body: ControlReply['body']): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body)

const isClosed = ({ status, body }: ControlReply): boolean =>
  status === 200 && (JSON.parse(textOf(body)) as { closed?: unknown }).closed === true

/** The name in a body; null in one that a worker refuses. */
function nameIn(body: Uint8Array): unknown {
  if (body.length === 0) return undefined
  try {
    return (JSON.parse(textOf(body as Uint8Array<ArrayBuffer>)) as { name?: unknown }).name
  } catch {
    return null
  }
}
