// Identifies processes across reuse of their ids; a dead process keeps its id until its parent reaps it.

import { readFile } from 'node:fs/promises'

/** Fields of /proc/<pid>/stat after the program name, which can contain anything, even a bracket. */
const STATE = 0
const START = 19

/**
 * The start time of a process, as a word that is unique for its id; undefined if it is not alive. Without /proc it is
 * the same word for all living processes.
 */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  if (stat === undefined) return processExists(pid) ? 'unknown' : undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // A zombie holds no lock.
  return /^[ZXx]/.test(fields[STATE] ?? '') ? undefined : fields[START]
}

/** Whether a process of this id exists; a dead one keeps its id until its parent reaps it. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
