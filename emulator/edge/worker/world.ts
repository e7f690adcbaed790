// A world as a Durable Object: what reaches the object goes to the world, which is there again after the object has slept.

import { splitTarget as pathAndQuery } from '../../http/requests.ts'
import { dateText } from '../../http/respond.ts'
import { isSocketPath } from '../../http/routes.ts'
import { nameLike } from '../../options/like.ts'
import { answerControl, type ControlPaths, MAX_CONTROL_BYTES, ok, refusal } from '../control.ts'
import { type Guard, whyRefused } from '../control-access.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import type { SocketLine } from '../fetch/client-socket.ts'
import type { BuiltInTypes } from '../fetch/content.ts'
import { readBody, readHeaders } from '../fetch/requests.ts'
import { requireContent } from '../fetch/scenarios.ts'
import type { ServedWorld } from '../fetch/wiring.ts'
import { type Emulator, listenerOptions, type WorldOptionsInput } from '../handles.ts'
import { worldPaths } from '../world-paths.ts'
import { requireOwnOptions, splitTarget, worldName } from '../worlds.ts'
import { type Given, type OpenWorld, openWorld, type Send, type StoredWorld } from './open-world.ts'
import {
  type Environment,
  newSocketPair,
  type ObjectContext,
  type ServerSocket,
  upgraded,
} from './runtime.ts'
import { createStore, type Kept, type Store } from './store.ts'

/** After how many inputs a snapshot replaces them, unless the configuration says otherwise. */
const SNAPSHOT_INPUTS = 500

const NORMAL = 1000
const NO_CLOSE_FRAME = 1006
/** The code of a connection that breaks off: none ends without a close frame here. */
const BROKEN = 1011
/** The code for a socket that its world does not know any more. */
const RESTARTED = 1012

type ServerSide = ReturnType<ServedWorld['sockets']['connect']>

/** The object of a world. The runtime calls its methods. */
export class WorldObject {
  readonly #context: ObjectContext
  readonly #environment: Environment
  readonly #types: BuiltInTypes
  readonly #store: Store<StoredWorld>
  #world: OpenWorld | undefined
  /** Why what is stored cannot be used. */
  #unusable: string | undefined
  /** Control requests for the object are answered one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  /** What reaches the world from its sockets, by their ids. */
  readonly #sides = new Map<number, ServerSide>()

  constructor(context: ObjectContext, environment: Environment, types: BuiltInTypes) {
    this.#context = context
    this.#environment = environment
    this.#types = types
    this.#store = createStore(context.storage)
    void context.blockConcurrencyWhile(() => this.#restore())
  }

  async #restore(): Promise<void> {
    const kept = await this.#store.read()
    if (kept === null) return
    try {
      this.#world = await this.#open(kept.snapshot.given, kept)
    } catch (error) {
      if (!isUsageError(error)) throw error
      this.#unusable = error.message
    }
  }

  #open(given: Given, kept: Kept<StoredWorld> | null): Promise<OpenWorld> {
    const snapshotInputs = Number(this.#environment.SNAPSHOT_INPUTS ?? SNAPSHOT_INPUTS)
    return openWorld(given, kept, {
      store: this.#store,
      types: this.#types,
      attach: this.#attach,
      closed: this.#closed,
      snapshotInputs,
    })
  }

  /** Answers a request for the world, or to create or close it. */
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const whole = targetOf(request)
    const below = splitTarget(whole)
    if (below === null) return this.#control(request, url, whole)
    const { name, target } = below
    const world = this.#world
    if (this.#unusable !== undefined) return responseOf(refusal(409, this.#unusable))
    if (world === undefined) return responseOf(refusal(404, noWorld(name)))
    const { deployment } = world.options
    const isSocket =
      request.headers.get('upgrade')?.toLowerCase() === 'websocket' &&
      isSocketPath(deployment, pathAndQuery(target)[0])
    if (isSocket) return this.#connect(world, request, url, target)
    // Links are at the same address.
    const isLink = deployment === 'hosted' && /[?&]X-Goog-Signature=/.test(target)
    return world.answer({ request, url, target, isLink })
  }

  webSocketMessage(socket: ServerSocket, data: string | ArrayBuffer): void {
    this.#sideOf(socket)?.message(typeof data === 'string' ? data : new Uint8Array(data))
  }

  webSocketClose(socket: ServerSocket): void {
    this.#sideOf(socket)?.closed()
    this.#sides.delete(idOf(socket))
    // The answer to any code [messages/pings-and-closes].
    lineOf(socket, (work) => work()).end(NORMAL, '')
  }

  webSocketError(socket: ServerSocket): void {
    this.webSocketClose(socket)
  }

  /** Stores what waits, as it is before a sleep: for tests, which throw the object away and create another one. */
  async rest(): Promise<void> {
    await this.#world?.rest()
  }

  #sideOf(socket: ServerSocket): ServerSide | undefined {
    return this.#sides.get(idOf(socket))
  }

  /** The sockets that stayed open while the object slept. */
  readonly #attach = (world: ServedWorld, send: Send): ((socket: number) => boolean) => {
    for (const socket of this.#context.getWebSockets()) {
      const id = idOf(socket)
      const line = lineOf(socket, send)
      if (world.server.state.sockets.has(id)) this.#sides.set(id, world.sockets.attach(id, line))
      else line.end(RESTARTED, '')
    }
    return (id) => this.#sides.has(id)
  }

  readonly #closed = async (): Promise<void> => {
    this.#world = undefined
    this.#sides.clear()
    await this.#store.clear()
  }

  #connect(world: OpenWorld, request: Request, url: URL, target: string): Promise<Response> {
    const headers = readHeaders(request.headers, url)
    return new Promise((resolve, reject) => {
      const pair = newSocketPair()
      const socket = pair[1]
      const line = lineOf(socket, world.send)
      let isOpen = false
      const side = world.sockets.connect(target, headers, {
        open: (id) => {
          isOpen = true
          this.#context.acceptWebSocket(socket)
          socket.serializeAttachment(id)
          this.#sides.set(id, side)
          resolve(
            upgraded(pair[0], {
              Date: dateText(world.host.timeMs()),
              Server: nameLike(world.options.like),
            }),
          )
        },
        refuse: (reply) => {
          const { method, signal } = request
          world.host.write({ method, headers, resolve, reject, signal }, reply)
        },
        send: line.send,
        end: (code, reason) => {
          if (isOpen) line.end(code, reason)
          else reject(new Error('The handshake of a socket is reset.'))
        },
      })
    })
  }

  /** Creates and closes the world: with the control token. */
  async #control(request: Request, url: URL, target: string): Promise<Response> {
    const { method } = request
    const headers = readHeaders(request.headers, url)
    const guard: Guard = {
      host: url.hostname,
      origin: null,
      token: this.#environment.TOKEN ?? null,
      isTokenOnly: true,
    }
    const why = whyRefused({ address: 'unknown', headers }, guard)
    if (why !== undefined) return responseOf(refusal(403, why))
    const body = await readBody(request, MAX_CONTROL_BYTES)
    const reply = this.#turn.then(() =>
      answerControl({ method, target, headers, ...body }, this.#paths(url.origin)),
    )
    this.#turn = reply.catch(() => undefined)
    return responseOf(await reply)
  }

  #paths(origin: string): ControlPaths {
    const worlds = (): readonly Emulator[] => (this.#world ? [this.#world.handle] : [])
    const all = worldPaths({ worlds } as unknown as Emulator, (given) =>
      this.#create(given, origin),
    )
    const put = all['PUT worlds/{name}'] as Answer
    const close = all['DELETE worlds/{name}'] as Answer
    return {
      'PUT worlds/{name}': (request) =>
        this.#unusable ? refusal(409, this.#unusable) : put(request),
      'DELETE worlds/{name}': async (request) => {
        if (this.#unusable === undefined) return close(request)
        this.#unusable = undefined
        await this.#store.clear()
        return ok({ closed: true })
      },
    }
  }

  async #create(given: WorldOptionsInput, origin: string): Promise<Emulator> {
    const { name, worldToken = null, ...own } = given
    requireOwnOptions(own, listenerOptions)
    requireContent(own.scenario)
    const options = { ...optionsIn(this.#environment.OPTIONS ?? '{}'), ...own }
    const begun = { name: worldName(name), options, token: worldToken, origin }
    this.#world = await this.#open(begun, null)
    return this.#world.handle
  }
}

type Answer = ControlPaths[`PUT ${string}`]

function optionsIn(json: string): ServerOptionsInput {
  try {
    return JSON.parse(json) as ServerOptionsInput
  } catch {
    throw usageError('OPTIONS of the worker must be JSON, such as {"deployment": "hosted"}.')
  }
}

const noWorld = (name: string): string =>
  `There is no world ${JSON.stringify(name)}. Create it with PUT /_flowdouble/worlds/${name} and the control token.`

/** Path and query of a request, as its address has them. */
export const targetOf = ({ url }: Request): string => /^[^/]*\/\/[^/?]*(.*)$/s.exec(url)?.[1] ?? '/'

const responseOf = ({ status, type, body, headers }: ReturnType<typeof refusal>): Response =>
  new Response(body, { status, headers: { 'Content-Type': type, ...headers } })

const idOf = (socket: ServerSocket): number => socket.deserializeAttachment() as number

/** What the world does with an open socket. */
function lineOf(socket: ServerSocket, send: Send): SocketLine {
  // Its client can have left, of which the world learns later.
  const unlessClosed = (work: () => void): void =>
    send(() => {
      try {
        work()
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
      }
    })
  return {
    open: () => undefined,
    send: (data) => unlessClosed(() => socket.send(data)),
    end: (code, reason) =>
      unlessClosed(() => socket.close(code === NO_CLOSE_FRAME ? BROKEN : code, reason)),
  }
}
