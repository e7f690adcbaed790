// Which process a process id stands for now: ids are used again, and a dead process keeps its id until its parent asks.

import { readFile } from 'node:fs/promises'

/** Fields of /proc/<pid>/stat behind the name of the program, which can hold anything, also a bracket. */
const STATE = 0
const START = 19

/**
 * When a process started, as a word that no other process with its id has; undefined where no process lives. On systems
 * without /proc it is one word for all that live.
 */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  if (stat === undefined) return isThere(pid) ? 'unknown' : undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // What is dead, and only waits for its parent to ask, holds nothing any more.
  return /^[ZXx]/.test(fields[STATE] ?? '') ? undefined : fields[START]
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Without the right to signal it, it is there all the same.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
