// What the state of a server takes of memory, and how its oldest part goes when there is no more of it [shared/memory*].

import { remove, takeOldest, type Bounded } from '../lib/bounded.ts'
import type { Server, ServerState } from './state/server.ts'
import type { WorldState } from './state/world.ts'
import { lengthOf } from './world/history.ts'
import { release } from './world/upload-quota.ts'

/** Approximate sizes in bytes. */
export type StateSizes = {
  /** What can be dropped: ended runs, and what they made. */
  readonly history: number
  /** Uploads and user files. */
  readonly uploads: number
  /** The workflows that wait. */
  readonly waiting: number
}

/** What is kept of a file beside the bytes of uploads, which count separately: mostly the recipe of its picture. */
const FILE_BYTES = 700

/** Of the present state and of the snapshots. None of them is walked: each counts what it has. */
export function stateSizes(server: Server): StateSizes {
  let [history, uploads, waiting] = [0, uploadsOfSnapshots(server), 0]
  for (const { worlds } of server.snapshots.values())
    for (const one of worlds) history += ended(one)
  for (const one of server.state.worlds) {
    history += ended(one)
    uploads += one.held.total + one.userFolder.bytes + one.assets.textLength
    uploads += one.account?.workflowBytes ?? 0
    waiting += one.pendingBytes
  }
  return { history, uploads, waiting }
}

/** How many runs, waiting ones among them, and sockets there are. */
export function stateCounts({
  state,
}: Server): Readonly<Record<'runs' | 'waiting' | 'sockets', number>> {
  let [runs, waiting] = [0, 0]
  for (const { history, pendingCount, workers } of state.worlds) {
    runs += history.entries.size + pendingCount
    for (const { running } of workers) if (running !== null) runs++
    waiting += pendingCount
  }
  return { runs, waiting, sockets: state.sockets.size }
}

const ended = ({ historyLength, files }: WorldState): number =>
  historyLength + FILE_BYTES * files.entries.size

/** The uploads in the snapshots of a server, and how large those are that the present state does not have any more. */
type KeptUploads = { readonly of: readonly ServerState[]; readonly uploads: Set<Uint8Array> }
const keptUploads = new WeakMap<Server, KeptUploads>()

/** The size of the uploads that only snapshots have: all of them share the bytes. */
function uploadsOfSnapshots(server: Server): number {
  const { snapshots, state } = server
  if (snapshots.size === 0) return 0
  const now = [...snapshots.values()]
  let kept = keptUploads.get(server)
  if (kept?.of.length !== now.length || kept.of.some((one, at) => one !== now[at])) {
    const all = now.flatMap(({ worlds }) => worlds.flatMap(({ held }) => [...held.files.keys()]))
    kept = { of: now, uploads: new Set(all) }
    keptUploads.set(server, kept)
  }
  let bytes = 0
  for (const one of kept.uploads)
    if (!state.worlds.some(({ held }) => held.files.has(one))) bytes += one.length
  return bytes
}

/**
 * Drops the oldest part, from 0 to 1, of the ended runs of each account and of the files that runs made: now, and in the
 * snapshots. Forks share these, so that each is replaced.
 */
export function trimState({ state, snapshots }: Server, part: number): void {
  for (const world of state.worlds) trimWorld(world, part)
  for (const [name, snapshot] of snapshots) {
    const worlds = snapshot.worlds.map(copyForTrim)
    for (const world of worlds) trimWorld(world, part)
    snapshots.set(name, Object.assign({}, snapshot, { worlds }))
  }
}

/** A state whose history and files are copies: the rest never changes in a snapshot. */
const copyForTrim = (state: WorldState): WorldState =>
  Object.assign({}, state, {
    history: copyOfBounded(state.history),
    files: copyOfBounded(state.files),
    held: { files: new Map(state.held.files), total: state.held.total },
  })

const copyOfBounded = <T>(bounded: Bounded<T>): Bounded<T> =>
  Object.assign({}, bounded, {
    entries: new Map(bounded.entries),
    arrivals: [...bounded.arrivals],
  })

function trimWorld(state: WorldState, part: number): void {
  for (let left = Math.ceil(part * state.history.entries.size); left > 0; left--)
    state.historyLength -= lengthOf(takeOldest(state.history))
  const made = [...state.files.entries].filter(([key]) => /^(output|temp)\//.test(key))
  for (const [key, { value }] of made.slice(0, Math.ceil(part * made.length))) {
    remove(state.files, key)
    release({ state }, value.content)
  }
}
