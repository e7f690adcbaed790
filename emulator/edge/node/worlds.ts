// The worlds at one address on Node: they share the listeners, the catalogue and the picture codecs.

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
import { scriptedTypes } from '../until-message.ts'
import { memoryOf } from '../shared/memory.ts'
import { type ExpiryClock, policyOf, tokenFor } from '../shared/policy.ts'
import { createWorlds, pathOf, requireOwnOptions, type Running, splitTarget } from '../worlds.ts'
import { forkedParts, idsOf, newParts, type WorldParts } from '../world-parts.ts'
import type { RuleHeaders } from './explain.ts'
import type { Pages } from './pages.ts'
import { createLargePictures } from './pictures/large-pictures.ts'
import { nodeTypeFiles } from './node-types.ts'
import { createPortGate, hostOf, listen, type OwnListener, type PortGate, portOf } from './ports.ts'
import { readScenarioFiles, withContent } from './scenarios.ts'
import { connectWorld, type Listeners, type ServedWorld, serveWorlds } from './wiring.ts'

/** What an address has before its first world. */
export type AddressParts = {
  /** The options of the caller, */
  readonly given: ServerOptionsInput
  /** and those on which the options of further worlds are based. */
  readonly laterOptions: () => ServerOptionsInput
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
  /** Whether its clock moves over HTTP alone, so that its port stays open while it is down. */
  readonly movesOverHttp: boolean
  /** By what clock worlds expire; undefined for the real one. */
  readonly expiry: ExpiryClock | undefined
}

/** How the worlds at an address run. */
type RunningWorld = Running<ServedWorld, Emulator>

/** Starts the world at the root, and listens. */
export async function startWorlds(
  address: AddressParts,
  options: ServerOptions,
  made: WorldOptions,
  hooks: Hooks<Input, Effect>,
): Promise<Emulator> {
  const { given, laterOptions, hosted, ca, linksPort, listeners, closing, openOwn } = address
  const { explain, pages, onWorld, movesOverHttp } = address
  const codec = createCodec()
  const shared = { codec, pictures: createLargePictures(codec), explain, pages }
  const secrets = new Set<string>()
  let mainPort = options.port
  let mainGate: PortGate | null = null
  /** The options of worlds that change none: these share them. */
  let plainOptions: ServerOptions | undefined

  /** The gate of a world's port: of the shared one for the world at the root, unless others need it. */
  const gateOf = ({ name, server }: WorldParts, own: OwnListener | null): PortGate | null => {
    const isThere = (): boolean => !server.state.isDown
    if (own !== null)
      return createPortGate(own.server, { host: options.host, port: own.port }, isThere)
    if (name !== null || movesOverHttp) return null
    const place = { host: options.host, port: mainPort }
    return (mainGate = createPortGate(listeners.main, place, () => isThere() || worlds.count() > 0))
  }
  const open = (part: WorldParts, own: OwnListener | null = null): RunningWorld => {
    const gate = gateOf(part, own)
    const { name, server, options, recorder } = part
    let { lastIds } = part
    const memory = memoryOf(part, (at) => running.served().host.driver.dispatch(at))
    const running = worlds.add(name, {
      connect: ({ handle }) =>
        connectWorld(
          Object.assign({}, part, { lastIds, share: memory.share }),
          controlOf(handle, part),
          shared,
          gate,
        ),
      disconnect: (edge) => {
        // A clock that runs by itself has a timer and a start.
        const isStill = options.clock === 'manual'
        if (!isStill || !edge.host.isIdle() || !edge.sockets.isIdle()) return false
        lastIds = idsOf(edge)
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
        return Object.assign(createServerHandle(part, currentHost(served), readScenarioFiles), {
          ...methods,
          url: `${ca === null && options.tlsCert === null ? 'http' : 'https'}://${place}${path}`,
          worldToken: name !== null && options.worldTokens ? options.controlToken : null,
          port,
          signedUrl: hosted && signedLinks && hosted.linkBase(signedLinks, place) + pathOf(name),
          ca,
          options,
        })
      },
      fork: (to, edge) => open(forkedParts(part, to, hooksOf(to, options), idsOf(edge))),
    })
    return running
  }
  const hooksOf = (name: string, own: ServerOptions): Hooks<Input, Effect> => ({
    onEntry: onWorld?.(name, own),
  })
  const create = async (
    name: string,
    { port, worldToken, ...own }: Omit<WorldOptionsInput, 'name'>,
  ): Promise<Emulator> => {
    if (port !== undefined && port !== 0)
      throw usageError('All worlds at an address share port, or have a free one with port 0.')
    requireOwnOptions(own, listenerOptions)
    const base = laterOptions()
    const content = await withContent(own, base)
    const isAsGiven = base === given
    const isPlain = isAsGiven && Object.keys(own).length === 0
    const completed = isPlain
      ? (plainOptions ??= completeOptions(Object.assign({ port: 0 }, given)))
      : completeOptions(Object.assign({ port: 0 }, base, content))
    const complete = tokenFor(completed, worldToken)
    const isShared = isAsGiven && !('objectInfo' in own || 'nodes' in own || 'scenario' in content)
    const objectInfo = isShared ? made.objectInfo : readCatalog(complete, nodeTypeFiles)
    if (!isShared || 'failures' in own) requireKnownTypes(complete, objectInfo)
    const part = await newParts({
      name,
      options: complete,
      made: worldOptions(complete, objectInfo, Date.now(), linksPort, pages?.scripts),
      hosted,
      hooks: hooksOf(name, complete),
      codec,
      file: null,
      secrets,
    })
    if (port !== undefined) return openAlone(part, await openOwn())
    const world = open(part)
    mainGate?.look()
    await mainGate?.settled()
    return world.handle()
  }
  /** Opens a world with a separate listener, in addition to its path at the shared one. */
  const openAlone = async (part: WorldParts, own: OwnListener): Promise<Emulator> => {
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
  const policy = policyOf(options, warn, address.expiry)
  const worlds = createWorlds<ServedWorld, Emulator, WorldOptionsInput>(
    {
      create,
      close: () => {
        policy.stop()
        return Promise.all([closing(), shared.pictures.close()])
      },
    },
    policy,
  )
  policy.start(worlds)

  const file =
    options.journal === null ? null : journalFile(options.journal, options.overwrite, warn)
  const part = await newParts({ name: null, options, made, hosted, hooks, codec, file, secrets })
  await listen(listeners.main, options.host, options.port)
  mainPort = portOf(listeners.main)
  part.recorder.open()
  const main = open(part)
  serveWorlds(listeners, main.served(), options, worlds)
  return main.handle()
}

/** Loads the control paths of a world with the first control request. */
const controlOf =
  (handle: () => Emulator, { server, recorder }: WorldParts): ControlLoader<Effect> =>
  async (move) => {
    const { serverPaths } = await import('../server-paths.ts')
    const { explainPath, picturePath } = await import('../inspector/paths.ts')
    const paths = serverPaths(handle(), move, () => scriptedTypes(server.state.script))
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
