// The worlds at one address: the one at the root, and others below /w/NAME, which are created, forked and closed while it
// runs. They share the listeners, the catalogue and the picture codecs, and nothing that changes.

import { limits } from '../../../spec/limits.ts'
import type { Effect, Input } from '../../machine.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
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
import { createLargePictures } from './large-pictures.ts'
import { nodeTypeFiles } from './node-types.ts'
import { hostOf, listen, portOf } from './ports.ts'
import {
  connectWorld,
  type FoundWorld,
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

/** The start of the paths of named worlds. */
const PREFIX = '/w/'
const namePattern = /^[\w-][\w.-]{0,63}$/
const noIds: LastIds = { request: 0, socket: 0 }

export function createWorlds(address: AddressParts): Worlds {
  const { given, hosted, ca, linksPort, listeners, closing } = address
  const codec = createCodec()
  const pictures = createLargePictures(codec)
  const named = new Map<string, ServedWorld>()
  let main: ServedWorld
  let lastName = 0
  /** The handle of each world, and what stops it. */
  const emulators = new WeakMap<ServedWorld, Emulator>()
  const closers = new WeakMap<ServedWorld, () => void>()

  const find = (target: string): FoundWorld => {
    if (named.size === 0 || !target.startsWith(PREFIX)) return { world: main, target }
    const [, name = '', rest = ''] = /^\/w\/([^/?]*)(.*)$/s.exec(target) ?? []
    const world = named.get(name)
    if (world === undefined) return { world: main, target }
    return { world, target: rest.startsWith('/') ? rest : `/${rest}` }
  }
  const nextName = (): string => {
    do lastName++
    while (named.has(`w${lastName}`))
    return `w${lastName}`
  }
  const nameFor = (asked: string | undefined): string => {
    if (named.size >= limits.worlds.value)
      throw usageError(`An address has at most ${limits.worlds.value} worlds. Close some of them.`)
    const name = asked ?? nextName()
    if (!namePattern.test(name))
      throw usageError('The name of a world has letters, digits, dots, dashes and underscores.')
    if (named.has(name)) throw usageError(`The world ${name} already exists. Close it first.`)
    return name
  }
  const open = (part: Part): Emulator => {
    const { name, server, options, recorder, hooks, lastIds } = part
    const base = name === null ? '' : PREFIX + name
    const control: WorldParts['control'] = async (move) =>
      (await import('../server-paths.ts')).serverPaths(emulator, move)
    const served = connectWorld(
      { server, options, recorder, hooks, base, lastIds, control },
      { codec, pictures },
    )
    if (name === null) main = served
    else named.set(name, served)
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
        fork: (asked?: string) => Promise.resolve(fork(part, served, nameFor(asked))),
        world: ({ name: asked, ...own }: WorldOptionsInput = {}) => create(nameFor(asked), own),
        worlds: () => Array.from(named.values(), (one) => emulators.get(one) as Emulator),
        close: async () => {
          stop()
          if (name !== null) named.delete(name)
          else await closeAll()
        },
      },
    )
    closers.set(served, stop)
    emulators.set(served, emulator)
    return emulator
  }
  const closeAll = async (): Promise<void> => {
    for (const one of named.values()) closers.get(one)?.()
    named.clear()
    pictures.close()
    await closing()
  }
  const fork = (part: Part, served: ServedWorld, name: string): Emulator => {
    const server = forkServer(part.server)
    const lastIds = { request: served.host.lastRequest(), socket: served.sockets.lastId() }
    const recorder = part.recorder.fork()
    const emulator = open({ name, server, options: part.options, recorder, hooks: {}, lastIds })
    named.get(name)?.host.changeWorld({ do: 'fork' })
    return emulator
  }
  const create = async (name: string, own: Omit<WorldOptionsInput, 'name'>): Promise<Emulator> => {
    const foreign = listenerOptions.find((option) => Object.hasOwn(own, option))
    if (foreign !== undefined)
      throw usageError(`All worlds at an address share ${foreign}. Start another server for that.`)
    const options = completeOptions(Object.assign({ port: 0 }, given, own))
    const isShared = !('objectInfo' in own || 'nodes' in own || 'scenario' in own)
    const objectInfo = isShared
      ? main.server.options.objectInfo
      : readCatalog(options, nodeTypeFiles)
    if (!isShared || 'failures' in own) requireKnownTypes(options, objectInfo)
    const made = worldOptions(options, objectInfo, Date.now(), linksPort)
    return open(await partOf(name, options, made, {}))
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
    const emulator = open(part)
    serveWorlds(listeners, main, options, find)
    return emulator
  }
  return { start }
}

/** Warnings for the operator, printed even with --quiet. */
const warn = (line: string): void => void process.stderr.write(`flowdouble: ${line}\n`)
