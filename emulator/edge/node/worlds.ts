// The worlds at one address on Node: they share the listeners, the catalogue and the picture codecs.

import { clientSettings } from '../../options/accounts.ts'
import { setFlagsFromString } from 'node:v8'
import type { Effect, Input } from '../../machine.ts'
import { usageError } from '../../options/usage.ts'
import type { ServerOptions } from '../../options/server-options.ts'
import type { WorldOptions } from '../../server/state/options.ts'
import { createCodec } from '../codec.ts'
import type { ControlLoader, ControlReply } from '../control.ts'
import { type Emulator, listenerOptions, type WorldOptionsInput } from '../handles.ts'
import type { Hooks } from '../host.ts'
import { journalFile } from '../journal-file.ts'
import { withoutEntries } from '../recorder.ts'
import { createServerHandle, type HandledHost } from '../server-handle.ts'
import { scriptedTypes } from '../until-message.ts'
import type { LoopLag } from './metrics/loop-lag.ts'
import { noTraffic } from '../shared/traffic.ts'
import { memoryOf } from '../shared/memory.ts'
import { type ExpiryClock, policyOf } from '../shared/policy.ts'
import {
  createWorlds,
  pathOf,
  requireOwnOptions,
  type Running,
  splitTarget,
  type World,
  type Worlds,
} from '../worlds.ts'
import { idsOf, resume, type SavedWorld, savedServer, type WorldParts } from '../world-parts.ts'
import { type AddressParts, createMaker, type MadeWorld } from './made-worlds.ts'
import { createLargePictures } from './pictures/large-pictures.ts'
import { createPortGate, hostOf, listen, type OwnListener, type PortGate, portOf } from './ports.ts'
import { requireSameOptions, worldOptionsIn } from './saved/given-options.ts'
import type { Kept } from './saved/keeper.ts'
import { readScenarioFiles } from './scenarios.ts'
import { connectWorld, type ServedWorld, serveWorlds } from './wiring.ts'

/**
 * How far the heap of the engine grows beyond what is in use before it is collected, in percent, where memory is bounded.
 * Without a bound it grows to several times as much, which costs less time: 28 % of a core instead of 36 in
 * suites/bench/teams.mjs.
 */
const GROWTH_PERCENT = 60

/** How the worlds at an address run. */
type RunningWorld = Running<ServedWorld, Emulator>

/** Starts the world at the root, and listens. */
export async function startWorlds(
  address: AddressParts,
  options: ServerOptions,
  made: WorldOptions,
  hooks: Hooks<Input, Effect>,
): Promise<Emulator> {
  const policy = policyOf(options, warn, address.expiry)
  const kept = await keptIn(options, policy.every)
  try {
    return await start(address, options, made, hooks, policy, kept)
  } catch (error) {
    await kept.keeper?.release()
    throw error
  }
}

async function start(
  address: AddressParts,
  options: ServerOptions,
  made: WorldOptions,
  hooks: Hooks<Input, Effect>,
  policy: ReturnType<typeof policyOf>,
  { keeper, found }: MaybeKept,
): Promise<Emulator> {
  const { given, hosted, ca, listeners, closing, openOwn, explain, pages, movesOverHttp } = address
  if (options.memoryMib !== null) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  const codec = createCodec()
  const traffic = noTraffic()
  /** Measures from the first reading of the metrics on. */
  let lag: LoopLag | undefined
  const shared = { codec, pictures: createLargePictures(codec), explain, pages, traffic, metrics }
  const maker = createMaker(address, options, made, codec)
  let mainPort = options.port
  let mainGate: PortGate | null = null

  /** The gate of a world's port: of the shared one for the world at the root, unless others need it. */
  const gateOf = ({ name, server }: WorldParts, own: OwnListener | null): PortGate | null => {
    const isThere = (): boolean => !server.state.isDown
    if (own !== null)
      return createPortGate(own.server, { host: options.host, port: own.port }, isThere)
    if (name !== null || movesOverHttp) return null
    const place = { host: options.host, port: mainPort }
    return (mainGate = createPortGate(listeners.main, place, () => isThere() || worlds.count() > 0))
  }
  const open = (part: MadeWorld, own: OwnListener | null = null): RunningWorld => {
    const gate = gateOf(part, own)
    const { name, server, options, recorder, given, createdMs } = part
    const worldToken = name !== null && options.worldTokens ? options.controlToken : null
    let { lastIds } = part
    let connected: ServedWorld | undefined
    const save = (): SavedWorld =>
      Object.assign(savedServer(part, connected === undefined ? lastIds : idsOf(connected)), {
        name,
        options: given,
        worldToken,
        createdMs,
        savedMs: Date.now(),
      })
    keeper?.add(name, { version: recorder.next, save })
    const memory = memoryOf(part, (at) => running.served().host.driver.dispatch(at))
    const world: World<ServedWorld, Emulator, WorldOptionsInput> = {
      connect: ({ handle }) => {
        const from = Object.assign({}, part, { lastIds, share: memory.share })
        const control = controlOf(handle, part, worlds.usage)
        return (connected = connectWorld(from, control, shared, gate))
      },
      disconnect: (edge) => {
        // A clock that runs by itself has a timer and a start.
        const isStill = options.clock === 'manual'
        if (!isStill || !edge.host.isIdle() || !edge.sockets.isIdle()) return false
        lastIds = idsOf(edge)
        connected = undefined
        edge.host.driver.stop()
        return true
      },
      isInUse: (edge) => !edge.sockets.isIdle(),
      memory,
      stop: async (edge) => {
        edge?.host.close()
        edge?.sockets.closeAll()
        recorder.close()
        await own?.close()
      },
      handle: (methods, { served }) => {
        const port = own?.port ?? mainPort
        const path = own === null ? pathOf(name) : ''
        const place = hostOf(options.host, port)
        const { signedLinks } = server.options
        const url = `${ca === null && options.tlsCert === null ? 'http' : 'https'}://${place}${path}`
        return Object.assign(createServerHandle(part, currentHost(served), readScenarioFiles), {
          ...methods,
          ...clientSettings(options, url),
          url,
          worldToken,
          port,
          signedUrl: hosted && signedLinks && hosted.linkBase(signedLinks, place) + pathOf(name),
          ca,
          options,
          save: async () => {
            const { writeWorld, wholeFile } = await import('./saved/world-file.ts')
            const saved = save()
            const journal = withoutEntries(saved.journal)
            const forOthers = Object.assign(saved, { journal, worldToken: null })
            return Uint8Array.from(wholeFile(writeWorld(forOthers, options.deployment)))
          },
        })
      },
      fork: (to, edge) => open(maker.fork(part, to, idsOf(edge))),
    }
    const running = worlds.add(name, world, part.ageMs)
    return running
  }
  async function metrics(): Promise<ControlReply> {
    const [{ metricsOf }, { createLoopLag }, { processFacts }] = await Promise.all([
      import('../shared/metrics.ts'),
      import('./metrics/loop-lag.ts'),
      import('./metrics/process-facts.ts'),
    ])
    lag ??= createLoopLag()
    return metricsOf({
      traffic,
      worlds: worlds.used(),
      created: worlds.created(),
      expired: policy.expired(),
      trims: policy.trims(),
      limitBytes: (options.memoryMib ?? Infinity) * 2 ** 20,
      lag: lag.read(),
      facts: processFacts(),
    })
  }
  const create = async (
    name: string,
    { port, saved: file, ...own }: Omit<WorldOptionsInput, 'name'>,
  ): Promise<Emulator> => {
    if (port !== undefined && port !== 0)
      throw usageError('All worlds at an address share port, or have a free one with port 0.')
    requireOwnOptions(own, listenerOptions)
    let running: RunningWorld
    if (file === undefined) {
      const created = await maker.create(name, own)
      if (port !== undefined) return openAlone(created, await openOwn())
      running = open(created)
    } else {
      const { worldToken = null, ...others } = own
      if (port !== undefined || Object.keys(others).length > 0)
        throw usageError('A saved world has the options that it had: leave out others.')
      const { readWorld } = await import('./saved/world-file.ts')
      const saved = Object.assign(readWorld(file, options.deployment, 'The file'), { worldToken })
      running = resumed(await maker.continue(name, saved), saved)
    }
    mainGate?.look()
    await Promise.all([mainGate?.settled(), keeper?.stored(name)])
    return running.handle()
  }
  /** Opens a saved world, and continues it. */
  const resumed = (world: MadeWorld, { savedMs }: SavedWorld): RunningWorld => {
    const running = open(world)
    resume(world.server, running.served().host.driver, Date.now() - savedMs)
    return running
  }
  /** Opens a world with a separate listener, in addition to its path at the shared one. */
  const openAlone = async (part: MadeWorld, own: OwnListener): Promise<Emulator> => {
    try {
      const { served, handle } = open(part, own)
      // The links in its replies begin with its path.
      const find = (target: string) => {
        const below = splitTarget(target)
        const inside = below?.name === part.name ? below.target : target
        return { world: served(), target: inside, missing: null }
      }
      const ensure = (): Promise<ServedWorld> => Promise.resolve(served())
      serveWorlds({ main: own.server, links: [] }, served(), part.options, { find, ensure })
      return handle()
    } catch (error) {
      await own.close()
      throw error
    }
  }
  const worlds = createWorlds<ServedWorld, Emulator, WorldOptionsInput>(
    {
      create,
      removed: async (name) => keeper?.remove(name),
      close: () => {
        policy.stop()
        lag?.stop()
        return Promise.all([closing(), shared.pictures.close(), keeper?.close()])
      },
    },
    policy,
  )
  policy.start(worlds)

  const file =
    options.journal === null ? null : journalFile(options.journal, options.overwrite, warn)
  const [first] = found
  const saved = first?.name === null ? first : undefined
  if (saved !== undefined)
    requireSameOptions(saved.options, worldOptionsIn(given), options.state ?? '')
  const root = await maker.root(hooks, file, saved)
  const others: [MadeWorld, SavedWorld][] = []
  for (const one of found)
    if (one.name !== null) others.push([await maker.continue(one.name, one), one])
  await listen(listeners.main, options.host, options.port)
  mainPort = portOf(listeners.main)
  root.recorder.open()
  const main = saved === undefined ? open(root) : resumed(root, saved)
  for (const [world, of] of others) resumed(world, of)
  serveWorlds(listeners, main.served(), options, worlds)
  return main.handle()
}

type MaybeKept = Kept | { readonly keeper?: undefined; readonly found: readonly [] }

/** What keeps the worlds in a state folder, and those in it; nothing without the option. */
const keptIn = async (options: ServerOptions, every: ExpiryClock['every']): Promise<MaybeKept> => {
  const { state } = options
  if (state === null) return { found: [] }
  const { openKeeper } = await import('./saved/keeper.ts')
  return openKeeper(Object.assign({}, options, { state }), every, warn)
}

/** Loads the control paths of a world with the first control request. */
const controlOf =
  (
    handle: () => Emulator,
    { server, recorder }: WorldParts,
    usageOf: Worlds<ServedWorld, Emulator, never>['usage'],
  ): ControlLoader<Effect> =>
  async (move) => {
    const { serverPaths } = await import('../server-paths.ts')
    const { explainPath, picturePath } = await import('../inspector/paths.ts')
    const paths = serverPaths(handle(), move, () => scriptedTypes(server.state.script), usageOf)
    return { ...paths, ...explainPath(recorder), ...picturePath(recorder) }
  }

/** The host of a world for a handle, which outlives the edge. */
const currentHost = (served: () => ServedWorld): HandledHost => ({
  advance: (byMs) => served().host.clock.advance(byMs),
  until: (what, limit) => served().host.clock.until(what, limit),
  dispatch: (at) => served().host.driver.dispatch(at),
  changeWorld: (change) => served().host.changeWorld(change),
  watch: (changed) => served().host.watch(changed),
  flushed: () => served().flushed(),
})

/** Warnings for the operator, printed even with --quiet. */
const warn = (line: string): void => void process.stderr.write(`flowdouble: ${line}\n`)
