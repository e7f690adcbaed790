// The folder of serve --state: each world as a file, and beside them the uploads of all of them by their hashes. One process
// uses it. Files are replaced as a whole, and only their owner reads them: they contain the tokens of the worlds.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { both as deployments, type Deployment } from '../../../../spec/language.ts'
import { holdLock } from '../../../config/lock.ts'
import { usageError } from '../../../options/usage.ts'
import type { SavedWorld } from '../../world-parts.ts'
import { readWorld, writeWorld } from './world-file.ts'

export type StateFolder = {
  /** The worlds in it, the one at the root first, then in the order of their creation. Throws a usage error for a file that cannot be read. */
  readonly read: () => Promise<readonly SavedWorld[]>
  /** Replaces the file of a world. It is serialised before the function returns. */
  readonly write: (world: SavedWorld) => Promise<void>
  readonly remove: (name: string) => Promise<void>
  /** Lets other processes use it. */
  readonly release: () => Promise<void>
}

const ENDING = '.world'
const DRAFT = '.tmp'
const ROOT = `root${ENDING}`

/** The file of a world: some file systems do not distinguish capitals, in which names can differ. */
const fileOf = (name: string | null): string =>
  name === null
    ? ROOT
    : `w-${name}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}${ENDING}`

/** Creates folders, each in the one before, unless they exist. Throws a usage error if it cannot. */
async function createFolders(...paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await mkdir(path, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
      const isThere = error.code === 'EEXIST' && (await stat(path)).isDirectory()
      if (!isThere)
        throw usageError(`The state cannot be in ${path}: ${error.message}. Name another folder.`)
    })
}

/** The folder of a worker within that of all. */
export const folderOfWorker = (number: number, count: number): string =>
  `worker-${number}-of-${count}`

/**
 * Throws a usage error for a state folder that was that of another number of workers: each has the worlds whose names lead to
 * it [shared/workers-state].
 * @param count null for one process without workers.
 */
export function requireWorkers(path: string, files: readonly string[], count: number | null): void {
  const others = files.flatMap((file) => /^worker-\d+-of-(\d+)$/.exec(file)?.[1] ?? [])
  const other = others.find((one) => Number(one) !== count)
  if (other !== undefined)
    throw usageError(
      `The state in ${path} is that of --workers ${other}: start as many, or name another folder. Each world belongs to one worker by its name.`,
    )
  if (count !== null && deployments.some((one) => files.includes(one)))
    throw usageError(
      `The state in ${path} is that of one process: start without --workers, or name another folder.`,
    )
}

/**
 * Opens the folder of a deployment, and creates it if necessary. Throws a usage error if it cannot, and a refusal if another
 * process uses it.
 */
export async function openStateFolder(path: string, deployment: Deployment): Promise<StateFolder> {
  const folder = join(path, deployment)
  const uploadFolder = join(folder, 'uploads')
  await createFolders(path, folder, uploadFolder)
  requireWorkers(path, await readdir(path), null)
  const release = await holdLock(
    join(folder, 'worlds'),
    (pid) => `Process ${pid} uses the state in ${path}: stop it, or name another folder.`,
  )
  /** The uploads that each file names. */
  const named = new Map<string, ReadonlySet<string>>()
  const present = new Set(await readdir(uploadFolder))
  /** Files change one after the other. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  /** Removes the uploads that no file names. */
  const tidy = async (): Promise<void> => {
    const used = new Set(Array.from(named.values(), (uploads) => [...uploads]).flat())
    for (const sha256 of present) {
      if (used.has(sha256)) continue
      present.delete(sha256)
      await rm(join(uploadFolder, sha256), { force: true })
    }
  }
  /** Notes which uploads a file names. Seldom are there fewer than before. */
  const nowNames = async (file: string, uploads: ReadonlySet<string>): Promise<void> => {
    const before = [...(named.get(file) ?? [])]
    named.set(file, uploads)
    if (before.some((sha256) => !uploads.has(sha256))) await tidy()
  }

  const read: StateFolder['read'] = async () => {
    const all = await readdir(folder)
    // A process that was killed may have left half a file.
    for (const file of all) if (file.endsWith(DRAFT)) await rm(join(folder, file), { force: true })
    const files = all.filter((file) => file.endsWith(ENDING))
    const worlds: SavedWorld[] = []
    for (const file of files) {
      const uploads = new Set<string>()
      const place = join(folder, file)
      worlds.push(
        readWorld(await readFile(place), deployment, place, (sha256) => {
          uploads.add(sha256)
          return present.has(sha256)
            ? Uint8Array.from(readFileSync(join(uploadFolder, sha256)))
            : undefined
        }),
      )
      named.set(file, uploads)
    }
    await tidy()
    return worlds.toSorted(
      (a, b) => Number(b.name === null) - Number(a.name === null) || a.createdMs - b.createdMs,
    )
  }
  const write: StateFolder['write'] = (world) => {
    const file = fileOf(world.name)
    const written = writeWorld(world, deployment)
    return inTurn(async () => {
      for (const [sha256, bytes] of written.uploads) {
        if (present.has(sha256)) continue
        await replace(join(uploadFolder, sha256), bytes)
        present.add(sha256)
      }
      await replace(join(folder, file), written.bytes)
      await nowNames(file, new Set(written.uploads.keys()))
    })
  }
  const remove: StateFolder['remove'] = (name) =>
    inTurn(async () => {
      const file = fileOf(name)
      await rm(join(folder, file), { force: true })
      await nowNames(file, new Set())
      named.delete(file)
    })
  return { read, write, remove, release }
}

/** Replaces a file as a whole: after the end of a process it has its old content or the new one. */
async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const draft = path + DRAFT
  try {
    await writeFile(draft, bytes, { mode: 0o600, flush: true })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}
