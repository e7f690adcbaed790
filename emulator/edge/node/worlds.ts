// The worlds at one address: the one at the root, and others below /w/NAME, which are created, forked and closed while it
// runs. They share the listeners, the catalogue and the picture codecs, and nothing that changes.

import type { Effect, Input } from '../../machine.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import { usageError } from '../../options/usage.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import type { WorldOptions } from '../../server/state/options.ts'
import type { Hosted } from '../../server/state/server.ts'
import { readCatalog, requireKnownTypes } from '../catalog.ts'
import { createCodec } from '../codec.ts'
import type { ControlLoader } from '../control.ts'
import {
  type Emulator,
  listenerOptions,
  type WorldOptionsInput,
  type WorldReader,
} from '../handles.ts'
import type { Hooks } from '../host.ts'
import { journalFile } from '../journal-file.ts'
import { createServerHandle, type HandledHost } from '../server-handle.ts'
import { createNames, pathOf, requireOwnOptions } from '../world-names.ts'
import { forkedParts, idsOf, newParts, type WorldParts } from '../world-parts.ts'
import type { RuleHeaders } from './explain.ts'
import type { Pages } from './pages.ts'
import { createLargePictures } from './pictures/large-pictures.ts'
import { nodeTypeFiles } from './node-types.ts'
import { hostOf, listen, type OwnListener, portOf } from './ports.ts'
import { readScenarioFiles, withScenarioFiles } from './scenarios.ts'
import { connectWorld, type Listeners, type ServedWorld, serveWorlds } from './wiring.ts'

/** What an address has before its first world. */
export type AddressParts = {
  /** The options of the caller, on which those of further worlds are based. */
  readonly given: ServerOptionsInput
  readonly hosted: Hosted | null
  readonly ca: string | null
  /** The port of the signed links, if any. */
  readonly linksPort: number | null
  readonly listeners: Listeners
  /** Stops listening and closes all connections. */
  readonly closing: () => Promise<void>
  /** Opens a listener for one world alone. */
  readonly openOwn: () => Promise<OwnListener>
  /** Adds to replies which rules are behind them; null without the option. */
  readonly explain: RuleHeaders | null
  /** The files of a front end; null without one. */
  readonly pages: Pages | null
  readonly onWorld: WorldReader | undefined
}

export type Worlds = {
  /** Starts the world at the root, and listens. */
  readonly start: (
    options: ServerOptions,
    made: WorldOptions,
    hooks: Hooks<Input, Effect>,
  ) => Promise<Emulator>
}

/** A world that is served. */
type Running = {
  /** Its edge, connected if it is not. */
  readonly served: () => ServedWorld
  /** Creates a handle: nobody may need one, and there can be thousands of worlds. */
  readonly handle: () => Emulator
  /** Disconnects its edge unless something is under way; returns whether it did. */
  readonly sleep: () => boolean
  /** Stops its clock, and closes its sockets and its own listener. */
  readonly stop: () => Promise<void>
}

/** How many named worlds keep their edges while nothing happens: an edge takes as much memory as a new world. */
const MAX_AWAKE = 256
/** How many of the others to look at for one that can sleep. */
const MAX_LOOKS = 16

export function createWorlds(address: AddressParts): Worlds {
  const { given, hosted, ca, linksPort, listeners, closing, openOwn, onWorld } = address
  const { explain, pages } = address
  const codec = createCodec()
  const shared = { codec, pictures: createLargePictures(codec), explain, pages }
  const named = createNames<Running>()
  const secrets = new Set<string>()
  const awake = createAwake()
  /** The options of worlds that change none: these share them. */
  let plainOptions: ServerOptions | undefined
  let main: Running

  const open = (part: WorldParts, own: OwnListener | null = null): Running => {
    const { name, options, recorder } = part
    let { lastIds } = part
    let edge: ServedWorld | undefined
    const control: ControlLoader<Effect> = async (move) => {
      const { serverPaths } = await import('../server-paths.ts')
      const { explainPath, picturePath } = await import('../inspector/paths.ts')
      const paths = serverPaths(running.handle(), move)
      return { ...paths, ...explainPath(recorder), ...picturePath(recorder) }
    }
    const served = (): ServedWorld => {
      if (edge !== undefined) return edge
      edge = connectWorld(Object.assign({}, part, { lastIds }), control, shared)
      if (name !== null) awake.add(running)
      return edge
    }
    const sleep = (): boolean => {
      // A clock that runs by itself has a timer and a start.
      const isStill = options.clock === 'manual'
      if (!isStill || edge === undefined || !edge.host.isIdle() || !edge.sockets.isIdle())
        return false
      lastIds = idsOf(edge)
      edge.host.driver.stop()
      edge = undefined
      return true
    }
    const stop = async (): Promise<void> => {
      edge?.host.close()
      edge?.sockets.closeAll()
      awake.delete(running)
      recorder.close()
      await own?.close()
    }
    const running: Running = { served, handle: () => handleOf(part, own, running), sleep, stop }
    if (name !== null) named.add(name, running)
    return running
  }
  const handleOf = (
    part: WorldParts,
    own: OwnListener | null,
    { served, stop }: Running,
  ): Emulator => {
    const { name, server, options } = part
    const port = portOf(own?.server ?? listeners.main)
    const path = own === null ? pathOf(name) : ''
    const place = hostOf(options.host, port)
    const { signedLinks } = server.options
    return Object.assign(createServerHandle(part, currentHost(served), readScenarioFiles), {
      name,
      url: `${ca === null && options.tlsCert === null ? 'http' : 'https'}://${place}${path}`,
      port,
      signedUrl: hosted && signedLinks && hosted.linkBase(signedLinks, place) + pathOf(name),
      ca,
      options,
      fork: (asked?: string) => Promise.resolve(fork(part, served(), named.nameFor(asked))),
      world: ({ name: asked, ...options }: WorldOptionsInput = {}) =>
        create(named.nameFor(asked), options),
      worlds: () => named.all().map(({ handle }) => handle()),
      close: async () => {
        const stopped = stop()
        if (name !== null) named.remove(name)
        else await closeAll()
        await stopped
      },
    })
  }
  const closeAll = async (): Promise<void> => {
    const stopped = named.all().map(({ stop }) => stop())
    await Promise.all([closing(), shared.pictures.close(), ...stopped])
  }
  const hooksOf = (name: string, options: ServerOptions): Hooks<Input, Effect> => ({
    onEntry: onWorld?.(name, options),
  })
  const fork = (part: WorldParts, served: ServedWorld, name: string): Emulator => {
    const running = open(forkedParts(part, name, hooksOf(name, part.options), idsOf(served)))
    running.served().host.changeWorld({ do: 'fork' })
    return running.handle()
  }
  const create = async (
    name: string,
    { port, ...own }: Omit<WorldOptionsInput, 'name'>,
  ): Promise<Emulator> => {
    if (port !== undefined && port !== 0)
      throw usageError('All worlds at an address share port, or have a free one with port 0.')
    requireOwnOptions(own, listenerOptions)
    const scenario = await withScenarioFiles(own.scenario)
    const isPlain = Object.keys(own).length === 0
    const options = isPlain
      ? (plainOptions ??= completeOptions(Object.assign({ port: 0 }, given)))
      : completeOptions(Object.assign({ port: 0 }, given, own, scenario))
    const isShared = !('objectInfo' in own || 'nodes' in own || 'scenario' in own)
    const objectInfo = isShared
      ? main.served().server.options.objectInfo
      : readCatalog(options, nodeTypeFiles)
    if (!isShared || 'failures' in own) requireKnownTypes(options, objectInfo)
    const made = worldOptions(options, objectInfo, Date.now(), linksPort, pages?.scripts)
    const hooks = hooksOf(name, options)
    const part = await newParts({ name, options, made, hosted, hooks, codec, file: null, secrets })
    return port === undefined ? open(part).handle() : openAlone(part, await openOwn())
  }
  /** Opens a world with a separate listener, in addition to its path at the shared one. */
  const openAlone = async (part: WorldParts, own: OwnListener): Promise<Emulator> => {
    try {
      const { served, handle } = open(part, own)
      const find = (target: string) => ({ world: served(), target })
      serveWorlds({ main: own.server, links: [] }, served(), part.options, find)
      return handle()
    } catch (error) {
      await own.close()
      throw error
    }
  }
  const start: Worlds['start'] = async (options, made, hooks) => {
    const file =
      options.journal === null ? null : journalFile(options.journal, options.overwrite, warn)
    const part = await newParts({ name: null, options, made, hosted, hooks, codec, file, secrets })
    await listen(listeners.main, options.host, options.port)
    part.recorder.open()
    main = open(part)
    serveWorlds(listeners, main.served(), options, (target) => {
      const found = named.find(target, main)
      return { world: found.world.served(), target: found.target }
    })
    return main.handle()
  }
  return { start }
}

/** The named worlds with an edge. When there are too many, those that were connected first sleep if they can. */
function createAwake(): {
  readonly add: (world: Running) => void
  readonly delete: (world: Running) => void
} {
  /** Those connected last at the end. */
  const awake = new Set<Running>()
  const add = (world: Running): void => {
    awake.add(world)
    if (awake.size <= MAX_AWAKE) return
    let looks = 0
    for (const one of awake) {
      if (++looks > MAX_LOOKS) return
      awake.delete(one)
      if (one !== world && one.sleep()) return
      awake.add(one)
    }
  }
  return { add, delete: (world) => void awake.delete(world) }
}

/** The host of a world for a handle, which outlives the edge. */
const currentHost = (served: () => ServedWorld): HandledHost => ({
  advance: (byMs) => served().host.clock.advance(byMs),
  until: (what, limit) => served().host.clock.until(what, limit),
  dispatch: (at) => served().host.driver.dispatch(at),
  changeWorld: (change) => served().host.changeWorld(change),
  watch: (changed) => served().host.watch(changed),
  flushed: () => served().sockets.flushed(),
})

/** Warnings for the operator, printed even with --quiet. */
const warn = (line: string): void => void process.stderr.write(`flowdouble: ${line}\n`)
