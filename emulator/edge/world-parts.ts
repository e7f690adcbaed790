// A world before an edge connects it to its clients: its server with its journal, new or forked, and where its ids begin.

import type { Effect, Input } from '../machine.ts'
import { serverMachine } from '../server/machine.ts'
import { createServer, forkServer } from '../server/server.ts'
import { beginsWithRuns } from '../server/start.ts'
import type { WorldOptions } from '../server/state/options.ts'
import type { Hosted } from '../server/state/server.ts'
import type { Codec } from './codec.ts'
import type { Hooks } from './host.ts'
import type { JournalFile } from './journal-file.ts'
import { createRecorder } from './recorder.ts'
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
}

/**
 * A new world. The options in its journal name the node types that its scenario adds, and do not repeat the catalogue.
 */
export async function newParts(world: NewWorld): Promise<WorldParts> {
  const { name, options, hooks, made, hosted, codec, file, secrets } = world
  if (beginsWithRuns(made.script)) await codec.load()
  const server = createServer(made, hosted)
  const recorder = await createRecorder(
    serverMachine(server),
    () => {
      const { objectInfo: _, ...recorded } = made
      return { ...recorded, types: options.scenario.types }
    },
    async () => (await import('../server/journal.ts')).serverFormat(() => made.objectInfo),
    file,
    secrets,
  )
  return { name, server, options, recorder, hooks, lastIds: noIds }
}

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
