// Keeps the worlds of an address in a state folder: saves those that have changed every so often and at the end.

import type { ServerOptions } from '../../../options/server-options.ts'
import type { ExpiryClock } from '../../shared/policy.ts'
import type { SavedWorld } from '../../world-parts.ts'
import { openStateFolder, type StateFolder } from './state-folder.ts'

/** A world at work, as its keeper sees it. */
export type KeptWorld = {
  /** A number that changes with the world. */
  readonly version: () => number
  readonly save: () => SavedWorld
}

export type Keeper = {
  /** Keeps a world from now on. */
  readonly add: (name: string | null, world: KeptWorld) => void
  /** Resolves when a world is in the folder, or could not be saved. */
  readonly stored: (name: string) => Promise<void>
  /** Forgets a world that is closed, and removes its file. */
  readonly remove: (name: string) => Promise<void>
  /** Saves the worlds that have changed since they were saved last. */
  readonly save: () => Promise<void>
  /** Saves them for the last time. */
  readonly close: () => Promise<void>
  /** Saves nothing more: for a server that cannot start. */
  readonly release: () => Promise<void>
}

/** What keeps the worlds of a server with the option `state`, and those that it finds there. */
export type Kept = { readonly keeper: Keeper; readonly found: readonly SavedWorld[] }

/**
 * Opens the state folder of a server. Throws a usage error if a file in it cannot be used, and a refusal if another process
 * uses it.
 * @param warn takes a line for the operator.
 */
export async function openKeeper(
  { state, stateEvery, deployment }: ServerOptions & { readonly state: string },
  every: ExpiryClock['every'],
  warn: (line: string) => void,
): Promise<Kept> {
  const folder = await openStateFolder(state, deployment)
  try {
    const found = await folder.read()
    const keeper = createKeeper(folder, new Set(found.map(({ name }) => name)), warn)
    const stop = every(stateEvery * 1000, keeper.save)
    const stopped = (end: () => Promise<void>) => (): Promise<void> => {
      stop()
      return end()
    }
    const [close, release] = [stopped(keeper.close), stopped(keeper.release)]
    return { keeper: { ...keeper, close, release }, found }
  } catch (error) {
    await folder.release()
    throw error
  }
}

/**
 * @param stored the names of the worlds that are in the folder as they begin.
 * @param failed takes the reason why a world could not be saved, or removed.
 */
function createKeeper(
  folder: StateFolder,
  stored: Set<string | null>,
  failed: (why: string) => void,
): Keeper {
  type Held = KeptWorld & { savedVersion: number; first?: Promise<void> }
  const worlds = new Map<string | null, Held>()
  let saving: Promise<void> | undefined

  const attempt = async (what: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      failed(`${what}: ${(error as Error).message}. The server goes on, and tries again.`)
      return false
    }
  }
  const saveOne = async (name: string | null, world: Held): Promise<void> => {
    const version = world.version()
    if (version === world.savedVersion) return
    const what = `Cannot save the world ${name ?? 'at the root'}`
    // The next look tries again.
    if (await attempt(what, () => folder.write(world.save()))) world.savedVersion = version
  }
  const saveAll = async (): Promise<void> => {
    for (const [name, world] of worlds) await saveOne(name, world)
  }
  const save = (): Promise<void> =>
    (saving ??= saveAll().finally(() => {
      saving = undefined
    }))
  const close = async (): Promise<void> => {
    await saving
    await saveAll()
    await folder.release()
  }
  return {
    add: (name, world) => {
      const kept: Held = Object.assign(
        { savedVersion: stored.delete(name) ? world.version() : NaN },
        world,
      )
      worlds.set(name, kept)
      // Whoever knows of a world finds it after the end of the process.
      kept.first = saveOne(name, kept)
    },
    stored: async (name) => worlds.get(name)?.first,
    remove: async (name) => {
      worlds.delete(name)
      await attempt(`Cannot remove the world ${name}`, () => folder.remove(name))
    },
    save,
    close,
    release: folder.release,
  }
}
