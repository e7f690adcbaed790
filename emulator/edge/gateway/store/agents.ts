// The processes of agents in a store: one that its gateway left behind is ended when the next gateway starts.

import { hostname } from 'node:os'
import { startOfProcess } from '../../../config/processes.ts'

/** What a store notes of the process of an agent: a process id alone can belong to another process by then. */
export const agentText = async (pid: number): Promise<string> =>
  JSON.stringify({ pid, started: await startOfProcess(pid), host: hostname() })

/** Ends the processes of an agent, if they still run on this machine. */
export async function endAgent(text: string): Promise<void> {
  const { pid, started, host } = JSON.parse(text) as Readonly<Record<string, unknown>>
  if (host !== hostname() || typeof pid !== 'number') return
  if ((await startOfProcess(pid)) !== started) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by now.
  }
}
