// Opens a world in its object: a new one, or one that continues with what is stored.

import { clientSettings } from '../../options/accounts.ts'
import { version } from '../../lib/version.ts'
import type { Effect, Input } from '../../machine.ts'
import { worldOptions } from '../../options/complete.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import { serverMachine } from '../../server/machine.ts'
import * as hosted from '../../server/surfaces/index.ts'
import { requireKnownTypes } from '../catalog.ts'
import { createCodec } from '../codec.ts'
import { type BuiltInTypes, catalogOf, completeContent } from '../fetch/content.ts'
import { rejectFiles } from '../fetch/scenarios.ts'
import { createTurns } from '../fetch/turns.ts'
import { connectWorld, type ServedWorld } from '../fetch/wiring.ts'
import type { Emulator } from '../handles.ts'
import type { Recorder } from '../recorder.ts'
import { createServerHandle } from '../server-handle.ts'
import { serverPaths } from '../server-paths.ts'
import { tokenFor } from '../shared/policy.ts'
import { scriptedTypes } from '../until-message.ts'
import { pathOf } from '../worlds.ts'
import {
  idsOf,
  type LastIds,
  newParts,
  resume,
  type SavedServer,
  savedServer,
  type WorldParts,
} from '../world-parts.ts'
import { createInputLog } from './inputs.ts'
import type { Kept, Store } from './store.ts'

/** What a world begins with, as it was given. */
export type Given = {
  readonly name: string
  readonly options: ServerOptionsInput
  /** Its token; null for a random one. */
  readonly token: string | null
  /** The address below which it was created. */
  readonly origin: string
}

/** A world as it is stored. */
export type StoredWorld = {
  /** The version that stored it. */
  readonly version: string
  readonly given: Given
  readonly saved: SavedServer
  readonly wallMs: number
}

/** Sends something to sockets once the inputs behind it are stored. */
export type Send = (work: () => void) => void

export type OpenWorld = ServedWorld & {
  readonly options: ServerOptions
  readonly handle: Emulator
  readonly send: Send
  /** Stops everything, and closes the sockets. */
  readonly stop: () => void
  /** Stores everything, and stores nothing more. */
  readonly rest: () => Promise<void>
}

/** After how many bytes of inputs a snapshot replaces them, if they are not too many before. */
const SNAPSHOT_BYTES = 16 * 2 ** 20

/** Those of all worlds of a process. */
const codec = createCodec()

/** The object of a world, as the world sees it. */
type Place = {
  readonly store: Store<StoredWorld>
  readonly types: BuiltInTypes
  /** Takes over the sockets that are still open, and returns whether one of the world is. */
  readonly attach: (world: ServedWorld, send: Send) => (socket: number) => boolean
  /** Called when its handle closes it. */
  readonly closed: () => Promise<void>
  /** After how many inputs a snapshot replaces them. */
  readonly snapshotInputs: number
}

/** @param kept what is stored of it; null for a new world, which is stored before the promise resolves. */
export async function openWorld(
  given: Given,
  kept: Kept<StoredWorld> | null,
  { store, types, attach, closed, snapshotInputs }: Place,
): Promise<OpenWorld> {
  requireSameVersion(kept)
  await codec.load()
  const options = await optionsOf(given, types)
  const parts = await partsOf(given, options, types, kept?.snapshot.saved)
  const { server, recorder } = parts
  const machine = serverMachine(server)
  const lastIds = replay(kept, parts)
  /** A token that was not chosen is chosen now. */
  const own: Given = { ...given, token: options.controlToken }

  let inputs = 0
  let replacing: Promise<void> | undefined
  let isStopped = false
  const replace = (): Promise<void> => {
    log.flush()
    inputs = 0
    const saved = savedServer(parts, idsOf(served))
    return store.replace({ version, given: own, saved, wallMs: log.wallMs() })
  }
  const replaceLater = (): void => {
    if (replacing !== undefined || isStopped) return
    replacing = replace()
      .catch((error: unknown) => {
        console.error('flowdouble could not store a snapshot; the inputs stay stored:', error)
      })
      .finally(() => {
        replacing = undefined
      })
  }
  const log = createInputLog(
    machine,
    () => server.state.script,
    store,
    (count) => {
      inputs += count
      const isDue = inputs >= snapshotInputs || store.rowBytes() >= SNAPSHOT_BYTES
      // Not before the answer to the present input.
      if (isDue) setTimeout(replaceLater)
    },
  )
  const recording: Recorder<Input, Effect> = {
    ...recorder,
    record: (entry) => {
      recorder.record(entry)
      log.add(entry)
    },
  }
  /** What waits for the end of a batch. */
  let held: (() => void)[] | undefined
  // A clock that runs fires the same timers again; any other one is where a client has moved it.
  const runsByItself = options.clock === 'real' || options.clock.startsWith('x')
  const batch = (work: () => void): void => {
    if (runsByItself || held !== undefined) return work()
    held = []
    try {
      work()
    } finally {
      log.flush()
      const sent = held
      held = undefined
      for (const one of sent) one()
    }
  }
  const send: Send = (work) => (held === undefined ? work() : void held.push(work))
  const turns = createTurns()
  const served = connectWorld(
    { ...parts, recorder: recording, lastIds },
    (move) => Promise.resolve(serverPaths(handle, move, () => scriptedTypes(server.state.script))),
    codec,
    turns,
    { callerAddress: 'unknown', batch },
  )
  const { clock, driver, changeWorld, watch, close } = served.host
  const stop = (): void => {
    isStopped = true
    log.stop()
    close()
    served.sockets.closeAll()
  }
  const rest = async (): Promise<void> => {
    await replacing
    log.flush()
    log.stop()
    isStopped = true
  }
  const url = given.origin + pathOf(given.name)
  const elsewhere = (): Promise<never> =>
    Promise.reject(
      usageError('A world of a worker stays in its object, alone: create another one.'),
    )
  const { flushed } = turns
  const handle: Emulator = {
    ...createServerHandle(
      parts,
      { ...clock, dispatch: driver.dispatch, changeWorld, watch, flushed },
      rejectFiles,
    ),
    ...clientSettings(options, url),
    name: given.name,
    url,
    port: Number(new URL(url).port),
    signedUrl: options.deployment === 'hosted' ? url : null,
    worldToken: options.controlToken,
    ca: null,
    options,
    fork: elsewhere,
    world: elsewhere,
    save: elsewhere,
    worlds: () => [handle],
    close: async () => {
      stop()
      // What is being stored would be there again.
      await replacing
      await closed()
    },
  }
  if (kept === null) await replace()
  resume(server, driver, awayMs(kept), attach(served, send))
  log.flush()
  return Object.assign(served, { options, handle, send, stop, rest })
}

/** Throws a usage error for a world that another version has stored: what is in it can have another form. */
function requireSameVersion(kept: Kept<StoredWorld> | null): void {
  if (kept === null || kept.snapshot.version === version) return
  throw usageError(
    `This world was stored by version ${kept.snapshot.version}, and this is ${version}: delete it with the control token, or use that version.`,
  )
}

/** Its complete options: a world has a token, which alone opens its control paths. */
async function optionsOf(
  { options, token, origin }: Given,
  types: BuiltInTypes,
): Promise<ServerOptions> {
  const isHosted = options.deployment === 'hosted'
  const complete = await completeContent(
    {
      ...(isHosted && { signedBaseUrl: origin }),
      ...options,
      // Only the options of its worlds require one: it is that of the world.
      controlToken: token ?? 'to-be-chosen',
      worldTokens: true,
    },
    types,
  )
  return tokenFor(complete, token ?? undefined)
}

async function partsOf(
  { name }: Given,
  options: ServerOptions,
  types: BuiltInTypes,
  saved: SavedServer | undefined,
): Promise<WorldParts> {
  const objectInfo = await catalogOf(options, types)
  requireKnownTypes(options, objectInfo)
  const isHosted = options.deployment === 'hosted'
  return newParts({
    name,
    options,
    // Links are at the same address, whose port they name.
    made: worldOptions(options, objectInfo, saved?.epochMs ?? Date.now(), isHosted ? 0 : null),
    hosted: isHosted ? hosted : null,
    hooks: {},
    codec,
    file: null,
    secrets: new Set(),
    saved,
  })
}

/** Applies the inputs since the snapshot; returns the last ids then. */
function replay(
  kept: Kept<StoredWorld> | null,
  { server, recorder, lastIds }: WorldParts,
): LastIds {
  const { nextWakeMs, step, wake } = serverMachine(server)
  let { request, socket } = lastIds
  const apply = (input: Input): void => {
    recorder.record({ input, effects: step(input) })
    if (input.kind === 'request') request = Math.max(request, input.request)
    if (input.kind === 'open') socket = Math.max(socket, input.socket)
  }
  for (const input of (kept?.rows ?? []).flatMap(({ inputs }) => inputs)) {
    if (typeof input !== 'number') apply(input)
    else for (let left = input; left > 0; left--) apply(wake(nextWakeMs() ?? 0))
  }
  return { request, socket }
}

/** How long nothing has driven it, in milliseconds. */
const awayMs = (kept: Kept<StoredWorld> | null): number =>
  kept === null ? 0 : Date.now() - (kept.rows.at(-1) ?? kept.snapshot).wallMs
