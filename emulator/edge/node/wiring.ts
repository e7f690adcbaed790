// Connects the parts of an edge: requests and sockets go through the host to the server, and effects come back.

import { limits } from '../../../spec/limits.ts'
import { generationLike } from '../../../spec/truth/servers.ts'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { isSocketPath } from '../../http/routes.ts'
import type { Server as HttpServer, ServerResponse } from 'node:http'
import type { Effect, Input, RequestHead } from '../../machine.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import { json, type Reply, refuse } from '../../http/replies.ts'
import { nameLike } from '../../options/like.ts'
import { encodeFrame } from '../../server/world/frames.ts'
import { isOnDemand } from '../../server/local/on-demand.ts'
import { corsHeaders } from '../../server/cors.ts'
import { maxBodyBytes } from '../../server/world/features.ts'
import type { Server } from '../../server/state/server.ts'
import { serverMachine } from '../../server/machine.ts'
import { needsBody, takesPage } from '../../server/step.ts'
import { entryOf, guardOf, hostParts, refusalsOf } from '../server-parts.ts'
import { receiveBody } from './bodies.ts'
import type { RuleHeaders } from './explain.ts'
import type { Codec } from '../codec.ts'
import { controlBytesFor, type ControlLoader, type ControlReply } from '../control.ts'
import { isConflict, isUsageError } from '../../options/usage.ts'
import { after } from '../later.ts'
import { createHost, type Host } from '../host.ts'
import { headerReader, nodeParts, nodeResponses } from './http.ts'
import { type RequestHooks, serve } from './http-listener.ts'
import type { Pages } from './pages.ts'
import { encodesElsewhere } from './pictures/frame-pictures.ts'
import type { LargePictures } from './pictures/large-pictures.ts'
import type { Traffic } from '../shared/traffic.ts'
import type { Worlds } from '../worlds.ts'
import type { PortGate } from './ports.ts'
import type { WorldParts } from '../world-parts.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** The web servers that clients reach; a local server has none for links. */
export type Listeners = { readonly main: HttpServer; readonly links: readonly HttpServer[] }

/** What the worlds at an address share. */
export type Shared = {
  readonly codec: Codec
  readonly pictures: LargePictures
  /** Adds to replies which rules are behind them; null without the option. */
  readonly explain: RuleHeaders | null
  /** The files of a front end; null without one. */
  readonly pages: Pages | null
  /** Counts what goes through all of them. */
  readonly traffic: Traffic
  /** Loads their metrics. */
  readonly metrics: () => Promise<ControlReply>
}

/** A server behind an address: what its listeners need. */
export type ServedWorld = {
  readonly server: Server
  readonly host: Host<Input, Effect, ServerResponse>
  readonly sockets: Sockets
  /** Resolves when all effects are on the wire, and its port is open or closed as they say. */
  readonly flushed: () => Promise<unknown>
  readonly limitBytes: RequestHooks['limitBytes']
  readonly answer: RequestHooks['answer']
  readonly answerLink: RequestHooks['answer']
  /** Adds to a reply that bypasses the world which rules are behind it, if replies have that. */
  readonly explainReply: (reply: Reply) => Reply
}

/**
 * Connects a server to its edge.
 * @param control loads its control paths.
 * @param gate opens and closes its port; null where that stays open.
 */
export function connectWorld(
  part: WorldParts,
  control: ControlLoader<Effect>,
  { codec, pictures, explain, pages, traffic, metrics }: Shared,
  gate: PortGate | null,
): ServedWorld {
  const { server, options, recorder, hooks, lastIds, share } = part
  const name = nameLike(options.like)
  const where = { place: options.deployment, generation: generationLike(options.like) }
  let wasDown = false
  const tendGate = (): void => {
    // A server that is there does not ask; one that is down may share its port with a new world.
    if (!server.state.isDown && !wasDown) return
    wasDown = server.state.isDown
    gate?.look()
  }
  const host = createHost(
    serverMachine(server),
    recorder,
    {
      before: gate === null ? undefined : tendGate,
      emit: (effects) => {
        if (count(traffic, effects)) sockets.emit(effects)
      },
      batch: (work) => sockets.batch(work),
      flushed: () => flushed(),
      ready: pictures.ready,
      ...hostParts(
        part,
        nodeResponses((file) => codec.pictures().encodeFile(file), name),
      ),
      ...nodeParts(where),
      metrics: part.name === null ? metrics : undefined,
      ...(part.name === null && options.worldTokens && { page: loadWorldsPage }),
    },
    explain === null
      ? hooks
      : Object.assign({}, hooks, {
          explain: explain.explainEffects(where, faultIn(server)),
        }),
    control,
  )
  const sockets = createSockets({
    dispatch: host.driver.dispatch,
    encode: (content) => encodeFrame(content, (of) => codec.pictures().encodeImage(of)),
    // An instant clock lets nobody in until its runs are done.
    encodeElsewhere: options.clock === 'instant' ? undefined : encodesElsewhere(codec),
    timeMs: host.timeMs,
    name,
    compresses: options.wsCompress,
    lastSocket: lastIds.socket,
  })
  const flushed = (): Promise<unknown> => Promise.all([sockets.flushed(), gate?.settled()])
  const enter = entryOf(part, host)
  const answer: RequestHooks['answer'] = (arrived, response) => {
    const { method, target } = arrived
    const loading = codec.ready(() => isOnDemand(method, target))
    return after(loading, () => {
      if (host.isControl(arrived))
        return host.answerControl(arrived, response, corsHeaders(options))
      if (arrived.fault === 'tooLarge' && share?.isFull)
        return enter(response, Object.assign({}, arrived, { fault: 'full' }))
      if (pages === null || !takesPage(server, arrived)) return enter(response, arrived)
      const beside = { setup: server.worlds[0].setup, timeMs: host.timeMs(), name }
      return pages.answer(arrived, response, beside, () => enter(response, arrived))
    })
  }
  const answerLink: RequestHooks['answer'] = (arrived, response) =>
    after(codec.load(), () => host.enter(response, Object.assign({}, arrived, { links: true })))
  const maxBytes = maxBodyBytes(options.maxUploadSize)
  const limitBytes: RequestHooks['limitBytes'] = (head) => {
    if (host.isControl(head)) return controlBytesFor(head, guardOf(options))
    if (!needsBody(server, head)) return null
    return share?.isFull ? Math.min(maxBytes, limits.fullBody.value) : maxBytes
  }
  const explainReply = (reply: Reply): Reply =>
    explain === null ? reply : explain.explainReply(where, reply)
  return { server, host, sockets, flushed, limitBytes, answer, answerLink, explainReply }
}

/** Counts effects; returns whether sockets have anything to do with one: replies, for example, do not concern them. */
function count(traffic: Traffic, effects: readonly Effect[]): boolean {
  let isForSockets = false
  for (const effect of effects) {
    const { kind } = effect
    if (kind === 'reply') traffic.requests++
    else if (kind === 'send') traffic.text += effect.sockets.length
    else if (kind === 'frame') traffic.binary += effect.sockets.length
    else if (kind === 'run' && effect.state !== 'started') traffic[effect.state]++
    isForSockets ||= socketKinds.has(kind)
  }
  return isForSockets
}

const socketKinds: ReadonlySet<Effect['kind']> = new Set([
  'accept',
  'refuse',
  'end',
  'send',
  'frame',
])

/** The page at the root of a server whose worlds have tokens [shared/page]. */
const loadWorldsPage = async (): Promise<ControlReply> =>
  (await import('../inspector/page.ts')).worldsPage()

/** Finds the faults in force of a server. */
const faultIn =
  ({ state }: Server) =>
  (id: string): Fault | undefined =>
    state.script.faults.find((one) => one.id === id)?.fault

/** The answer below the name of no world, and why it is not created [shared/unknown-refused]. */
const noWorld = (status: number, error: string): Reply => json(JSON.stringify({ error }), status)

/** The same to a handshake. */
const noSocket = 'HTTP/1.1 409 Conflict\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/**
 * Serves worlds, which answer from now on.
 * @param main the world at the root.
 */
export function serveWorlds(
  listeners: Listeners,
  main: ServedWorld,
  options: ServerOptions,
  { find, ensure }: Pick<Worlds<ServedWorld, unknown, unknown>, 'find' | 'ensure'>,
): void {
  const { timeMs, write } = main.host
  const name = nameLike(options.like)
  const { badRequest, internal } = refusalsOf(main.server.options)
  const refusals = {
    badRequest: main.explainReply(badRequest),
    internal: main.explainReply(internal),
  }
  const shared = { receive: receiveBody, write, timeMs, name, refusals }
  /** A request as the world sees it, without its path. */
  const within = <H extends RequestHead>(head: H, target: string): H =>
    target === head.target ? head : Object.assign({}, head, { target })
  serve(listeners.main, {
    readHeaders: headerReader(),
    limitBytes: (head) => {
      const { world, target } = find(head.target)
      return world.limitBytes(within(head, target))
    },
    answer: (arrived, response) => {
      const { world, target, missing } = find(arrived.target)
      if (missing === null) return world.answer(within(arrived, target), response)
      if (options.unknownWorlds === 'refuse') {
        const advice = 'Create it: PUT /_flowdouble/worlds/NAME'
        return write(
          response,
          noWorld(404, `There is no world ${JSON.stringify(missing)}. ${advice}`),
        )
      }
      return ensure(missing).then(
        (created) => created.answer(within(arrived, target), response),
        (error: unknown) => {
          if (!isUsageError(error)) throw error
          write(response, noWorld(isConflict(error) ? 409 : 404, error.message))
        },
      )
    },
    isSocketPath: (path) => {
      const { target, missing } = find(path)
      // As a request without an upgrade it gets the refusal.
      const isRefused = missing !== null && options.unknownWorlds === 'refuse'
      return !isRefused && isSocketPath(options.deployment, target)
    },
    refuseExpectation:
      options.deployment === 'local'
        ? (expected) => main.explainReply(refuse('expectation', {}, { expected }))
        : null,
    upgrade: (request, raw, head, giveBack) => {
      const { world, target, missing } = find(request.url ?? '/ws')
      const into = (found: ServedWorld): Promise<void> => {
        request.url = target
        return found.sockets.upgrade(request, raw, head, giveBack)
      }
      if (missing === null) return into(world)
      return ensure(missing).then(into, () => void raw.end(noSocket))
    },
    ...shared,
  })
  // Read their credentials although links need none: the server reports the leak.
  for (const links of listeners.links) {
    serve(links, {
      readHeaders: headerReader(),
      // Only uploads of customers have a body.
      limitBytes: ({ method }) => (method === 'PUT' ? maxBodyBytes(options.maxUploadSize) : null),
      answer: (arrived, response) => {
        const { world, target } = find(arrived.target)
        return world.answerLink(within(arrived, target), response)
      },
      isSocketPath: () => false,
      refuseExpectation: null,
      upgrade: null,
      ...shared,
    })
  }
}
