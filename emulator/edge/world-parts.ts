// A world before an edge connects it to its clients: its server with its journal, new, forked or saved, and where its ids
// begin.

import type { Effect, Input } from '../machine.ts'
import { serverMachine } from '../server/machine.ts'
import { adopt, createServer, forkServer } from '../server/server.ts'
import { beginsWithRuns } from '../server/start.ts'
import type { WorldOptions } from '../server/state/options.ts'
import type { ServerOptionsInput } from '../options/server-options.ts'
import { usageError } from '../options/usage.ts'
import type { Hosted, Server, ServerState } from '../server/state/server.ts'
import type { Codec } from './codec.ts'
import type { Driver } from './driver.ts'
import type { Hooks } from './host.ts'
import type { JournalFile } from './journal-file.ts'
import { createRecorder, type SavedJournal } from './recorder.ts'
import type { ServerParts } from './server-handle.ts'

/** The last ids of requests and sockets: a fork continues after those of the other world, which are in its state. */
export type LastIds = { readonly request: number; readonly socket: number }

export type WorldParts = ServerParts & {
  /** The name below which it is served; null at the root. */
  readonly name: string | null
  readonly hooks: Hooks<Input, Effect>
  readonly lastIds: LastIds
  /** Whether it has used up its share of the memory, so that bodies of requests are refused. Absent where none is bounded. */
  readonly share?: { isFull: boolean }
}

/** What a server and its journal contain, as plain data with shared references. */
export type SavedServer = {
  /** The start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  readonly state: ServerState
  readonly snapshots: ReadonlyMap<string, ServerState>
  readonly lastIds: LastIds
  readonly journal: SavedJournal<Input, Effect>
}

/** A world as it is saved, so that another process can continue it. */
export type SavedWorld = SavedServer & {
  readonly name: string | null
  /** Its options as they were given, without those of its listener. */
  readonly options: ServerOptionsInput
  /** Its token, where worlds have tokens. */
  readonly worldToken: string | null
  /** When it was created and when it was saved, in milliseconds since 1970. */
  readonly createdMs: number
  readonly savedMs: number
}

/** What a server and its journal contain now. They share what changes with it: write it before the next input. */
export const savedServer = (
  { server, recorder }: Pick<ServerParts, 'server' | 'recorder'>,
  lastIds: LastIds,
): SavedServer => ({
  epochMs: server.options.epochMs,
  state: server.state,
  snapshots: server.snapshots,
  lastIds,
  journal: recorder.save(),
})

/**
 * Continues a saved server: its clients are gone, and what was due meanwhile happens [shared/saved-clients].
 * @param isConnected whether a socket is still there.
 */
export function resume(
  { state }: Server,
  { dispatch, resume: goOn }: Pick<Driver<Input, Effect>, 'dispatch' | 'resume'>,
  awayMs: number,
  isConnected: (socket: number) => boolean = () => false,
): void {
  // Each input removes one of them.
  const known = [...state.sockets.keys(), ...(state.wire?.opening ?? [])]
  const sockets = known.filter((socket) => !isConnected(socket))
  const streams = Array.from(state.streams.keys())
  for (const socket of sockets) dispatch((atMs) => ({ kind: 'close', atMs, socket }))
  for (const request of streams) dispatch((atMs) => ({ kind: 'leave', atMs, request }))
  goOn(Math.max(0, awayMs))
}

const noIds: LastIds = { request: 0, socket: 0 }

/** What a new world begins with. */
type NewWorld = Pick<WorldParts, 'name' | 'options' | 'hooks'> & {
  readonly made: WorldOptions
  readonly hosted: Hosted | null
  readonly codec: Codec
  /** The journal is also written to it; null for none. */
  readonly file: JournalFile | null
  /** Those of all worlds at the address. */
  readonly secrets: Set<string>
  /** What it continues; absent for a world that begins. */
  readonly saved?: SavedServer | undefined
}

/**
 * A new world. The options in its journal name the node types that its scenario adds, and do not repeat the catalogue.
 */
export async function newParts(world: NewWorld): Promise<WorldParts> {
  const { name, options, hooks, made, hosted, codec, file, secrets, saved } = world
  if (saved !== undefined || beginsWithRuns(made.script)) await codec.load()
  const server = createServer(made, hosted)
  if (saved !== undefined) {
    requireFitting(server, saved)
    adopt(server, saved.state)
    for (const [snapshot, state] of saved.snapshots) server.snapshots.set(snapshot, state)
  }
  const recorder = await createRecorder(
    serverMachine(server),
    () => {
      const { objectInfo: _, ...recorded } = made
      return { ...recorded, types: options.scenario.types }
    },
    async () => (await import('../server/journal.ts')).serverFormat(() => made.objectInfo),
    file,
    secrets,
    saved?.journal,
  )
  return { name, server, options, recorder, hooks, lastIds: saved?.lastIds ?? noIds }
}

/**
 * Throws a usage error unless a saved state has the members of a new one: a file with the same version can come from another
 * build.
 */
function requireFitting({ state }: Server, saved: SavedServer): void {
  const { worlds } = saved.state
  const fits =
    hasMembersOf(saved.state, state) &&
    worlds.length === state.worlds.length &&
    worlds.every((world, at) => hasMembersOf(world, state.worlds[at] ?? {}))
  if (!fits)
    throw usageError('The saved world does not fit this server: save it again with this one.')
}

/** Whether an object has the members of another one, of the same kinds; null fits any. */
const hasMembersOf = (value: unknown, model: object): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(model).every(([name, member]) => {
    const kinds = [kindOf(member), kindOf((value as Readonly<Record<string, unknown>>)[name])]
    return kinds.includes('Null') || kinds[0] === kinds[1]
  })

const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

/** A world with the state and the journal of another one. */
export const forkedParts = (
  { server, options, recorder }: ServerParts,
  name: string,
  hooks: WorldParts['hooks'],
  lastIds: LastIds,
): WorldParts => ({
  name,
  server: forkServer(server),
  options,
  recorder: recorder.fork(),
  hooks,
  lastIds,
})

/** The last ids of a world that an edge has connected. */
export const idsOf = ({
  host,
  sockets,
}: {
  readonly host: { readonly lastRequest: () => number }
  readonly sockets: { readonly lastId: () => number }
}): LastIds => ({ request: host.lastRequest(), socket: sockets.lastId() })
