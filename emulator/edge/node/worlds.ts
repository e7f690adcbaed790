// The worlds at one address: the one at the root, and others below /w/NAME, which are created, forked and closed while it
// runs. They share the listeners, the catalogue and the picture codecs, and nothing that changes.

import type { Effect, Input } from '../../machine.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import type { ScenarioInput } from '../../options/scenario.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { serverMachine } from '../../server/machine.ts'
import { createServer, forkServer } from '../../server/server.ts'
import type { WorldOptions } from '../../server/state/options.ts'
import type { Hosted, Server } from '../../server/state/server.ts'
import { readCatalog, requireKnownTypes } from '../catalog.ts'
import { createCodec } from '../codec.ts'
import { type Emulator, listenerOptions, type WorldOptionsInput } from '../handles.ts'
import type { Hooks } from '../host.ts'
import { journalFile } from '../journal-file.ts'
import { createRecorder, type Recorder } from '../recorder.ts'
import { createServerHandle } from '../server-handle.ts'
import { createNames, pathOf, requireOwnOptions } from '../world-names.ts'
import { createLargePictures } from './large-pictures.ts'
import { nodeTypeFiles } from './node-types.ts'
import { hostOf, listen, portOf } from './ports.ts'
import {
  connectWorld,
  type LastIds,
  type Listeners,
  type ServedWorld,
  serveWorlds,
  type WorldParts,
} from './wiring.ts'

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
}

export type Worlds = {
  /** Starts the world at the root, and listens. */
  readonly start: (
    options: ServerOptions,
    made: WorldOptions,
    hooks: Hooks<Input, Effect>,
  ) => Promise<Emulator>
}

/** A world with its name; null at the root. */
type Part = {
  readonly name: string | null
  readonly server: Server
  readonly options: ServerOptions
  readonly recorder: Recorder<Input, Effect>
  readonly hooks: Hooks<Input, Effect>
  readonly lastIds: LastIds
}

/** A world that is served, with its handle. */
type Running = {
  readonly served: ServedWorld
  readonly emulator: Emulator
  /** Stops its clock and closes its sockets. */
  readonly stop: () => void
}

const noIds: LastIds = { request: 0, socket: 0 }

export function createWorlds(address: AddressParts): Worlds {
  const { given, hosted, ca, linksPort, listeners, closing } = address
  const codec = createCodec()
  const pictures = createLargePictures(codec)
  const named = createNames<Running>()
  let main: Running

  const open = (part: Part): Running => {
    const { name, server, options, recorder, hooks, lastIds } = part
    const base = pathOf(name)
    const control: WorldParts['control'] = async (move) =>
      (await import('../server-paths.ts')).serverPaths(emulator, move)
    const served = connectWorld(
      { server, options, recorder, hooks, base, lastIds, control },
      { codec, pictures },
    )
    const { host, sockets } = served
    const port = portOf(listeners.main)
    const place = hostOf(options.host, port)
    const { signedLinks } = server.options
    const stop = (): void => {
      host.driver.stop()
      sockets.closeAll()
      recorder.close()
    }
    const emulator: Emulator = Object.assign(
      createServerHandle({ server, options, host, recorder, flushed: sockets.flushed }),
      {
        name,
        url: `${ca === null && options.tlsCert === null ? 'http' : 'https'}://${place}${base}`,
        port,
        signedUrl: hosted && signedLinks && hosted.linkBase(signedLinks, place) + base,
        ca,
        options,
        fork: (asked?: string) => Promise.resolve(fork(part, served, named.nameFor(asked))),
        world: ({ name: asked, ...own }: WorldOptionsInput = {}) =>
          create(named.nameFor(asked), own),
        worlds: () => named.all().map((one) => one.emulator),
        close: async () => {
          stop()
          if (name === null) await closeAll()
          else named.remove(name)
        },
      },
    )
    const running = { served, emulator, stop }
    if (name !== null) named.add(name, running)
    return running
  }
  const closeAll = async (): Promise<void> => {
    for (const { stop } of named.all()) stop()
    pictures.close()
    await closing()
  }
  const fork = (part: Part, served: ServedWorld, name: string): Emulator => {
    const server = forkServer(part.server)
    const lastIds = { request: served.host.lastRequest(), socket: served.sockets.lastId() }
    const recorder = part.recorder.fork()
    const { options } = part
    const running = open({ name, server, options, recorder, hooks: {}, lastIds })
    running.served.host.changeWorld({ do: 'fork' })
    return running.emulator
  }
  const create = async (name: string, own: Omit<WorldOptionsInput, 'name'>): Promise<Emulator> => {
    requireOwnOptions(own, listenerOptions)
    const scenario = await readScenarios(own.scenario)
    const options = completeOptions(Object.assign({ port: 0 }, given, own, scenario))
    const isShared = !('objectInfo' in own || 'nodes' in own || 'scenario' in own)
    const objectInfo = isShared
      ? main.served.server.options.objectInfo
      : readCatalog(options, nodeTypeFiles)
    if (!isShared || 'failures' in own) requireKnownTypes(options, objectInfo)
    const made = worldOptions(options, objectInfo, Date.now(), linksPort)
    return open(await partOf(name, options, made, {})).emulator
  }
  const partOf = async (
    name: string | null,
    options: ServerOptions,
    made: WorldOptions,
    hooks: Hooks<Input, Effect>,
  ): Promise<Part> => {
    const server = createServer(made, hosted)
    const { objectInfo, ...recorded } = made
    const recorder = await createRecorder(
      serverMachine(server),
      recorded,
      async () => (await import('../../server/journal.ts')).serverFormat(objectInfo),
      name !== null || options.journal === null
        ? null
        : journalFile(options.journal, options.overwrite, warn),
    )
    return { name, server, options, recorder, hooks, lastIds: noIds }
  }
  const start: Worlds['start'] = async (options, made, hooks) => {
    const part = await partOf(null, options, made, hooks)
    await listen(listeners.main, options.host, options.port)
    part.recorder.open()
    main = open(part)
    const { served } = main
    serveWorlds(listeners, served, options, (target) => {
      const found = named.find(target, main)
      return { world: found.world.served, target: found.target }
    })
    return main.emulator
  }
  return { start }
}

/** The scenarios with the content of the files that they name; without any, loads nothing. */
export async function readScenarios(
  given: ServerOptionsInput['scenario'],
): Promise<{ readonly scenario?: readonly ScenarioInput[] }> {
  if (given === undefined) return {}
  const { loadScenarios } = await import('../../config/scenario-files.ts')
  return { scenario: await loadScenarios(given, process.cwd()) }
}

/** Warnings for the operator, printed even with --quiet. */
const warn = (line: string): void => void process.stderr.write(`flowdouble: ${line}\n`)
