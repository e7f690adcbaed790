// A lock beside a file, for processes that change it: one process holds it, and a dead process never does.
//
// A process that needs the lock creates a claim, a file with a unique name, and holds the lock once no other living process
// has a claim. Two simultaneous claims see each other: the one whose name sorts first stays and waits, the other steps back.
// A process that sees a claim does not create one. Names are never reused, so any process can remove the claim of a dead one.

import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { refused } from '../lib/refused.ts'
import { startOfProcess } from './processes.ts'

/** How long a process waits for the same other process, in milliseconds. */
const MAX_WAIT_MS = 5000
const MIN_PAUSE_MS = 2
const MAX_PAUSE_MS = 25

/** Process ids are valid on one machine only: claims of other machines count as living. */
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

const claimPrefix = (path: string): string => `${basename(path)}.lock-`

/** Runs `work` while no other process holds the lock of this path. Throws a refusal after too long a wait. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const claim = await acquire(path, changing)
  try {
    return await work()
  } finally {
    await rm(claim, { force: true })
  }
}

/** Holds the lock of a path until the returned function is called. Throws a refusal if another process holds it. */
export async function holdLock(
  path: string,
  describe: (pid: number) => string,
): Promise<() => Promise<void>> {
  const claim = await acquire(path, (pid) => describe(pid))
  return () => rm(claim, { force: true })
}

/** A living process that holds the lock of a path, and its claim; undefined if none does. */
export async function lockHolder(
  path: string,
): Promise<{ readonly pid: number; readonly claim: string } | undefined> {
  const [first] = await livingClaims(path)
  if (first === undefined) return undefined
  return { pid: pidOf(path, first), claim: join(dirname(path), first) }
}

const changing = (pid: number, path: string): string =>
  `Another command, process ${pid}, is changing ${basename(path)}. Try again when it has finished.`

async function acquire(
  path: string,
  describe: (pid: number, path: string) => string,
): Promise<string> {
  const folder = dirname(path)
  const started = await startOfProcess(process.pid)
  const name = `${claimPrefix(path)}${process.pid}-${started}-${host}-${randomBytes(6).toString('hex')}`
  const claim = join(folder, name)
  let endAt = performance.now() + MAX_WAIT_MS
  let awaited: string | undefined
  const others = async (): Promise<readonly string[]> =>
    (await livingClaims(path)).filter((other) => other !== name)
  for (let isClaimed = false; ;) {
    let before = await others()
    if (!isClaimed && before.length === 0) {
      await writeFile(claim, `${process.pid}\n`, { flag: 'wx', mode: 0o600 }).catch(
        async (error: unknown) => {
          await rm(claim, { force: true })
          throw error
        },
      )
      isClaimed = true
      before = await others()
    }
    const [first] = before
    if (first === undefined) return claim
    if (first !== awaited) endAt = performance.now() + MAX_WAIT_MS
    awaited = first
    const isOver = performance.now() > endAt
    if (isClaimed && (isOver || before.some((other) => other < name))) {
      await rm(claim, { force: true })
      isClaimed = false
    }
    if (isOver) {
      throw refused(
        `${describe(pidOf(path, first), path)} If this process does not exist, remove ${join(folder, first)}.`,
      )
    }
    await pause(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS))
  }
}

const pidOf = (path: string, claim: string): number =>
  parseInt(claim.slice(claimPrefix(path).length))

/** The claims of living processes, sorted. Removes those of dead ones. */
async function livingClaims(path: string): Promise<readonly string[]> {
  const folder = dirname(path)
  const prefix = claimPrefix(path)
  const claims = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort()
  const living: string[] = []
  for (const claim of claims) {
    if (await isProcessAlive(path, claim)) living.push(claim)
    else await rm(join(folder, claim), { force: true })
  }
  return living
}

/** Distinguishes a dead process from a new one with the same id by its start time. */
async function isProcessAlive(path: string, claim: string): Promise<boolean> {
  if (!claim.includes(`-${host}-`)) return true
  const [pid, started] = claim.slice(claimPrefix(path).length).split('-')
  return (await startOfProcess(Number(pid))) === started
}
