// The command of the client under test as a process: what it gets to know, its output, and its end.

import { spawn } from 'node:child_process'
import { endGroup } from '../end-group.ts'
import type { ClientTarget, RunClient } from './judge-client.ts'
import type { ClientEnd } from './observed.ts'

/** How much of the output is kept. */
const MOST_OUTPUT = 64 * 1024

export type ProcessOptions = {
  /** A line for the shell, in which {url}, {host} and {key} are replaced. */
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** How long one run may take, in seconds. */
  readonly seconds: number
  readonly signal?: AbortSignal | undefined
}

/** The environment variables that a client reads. */
const variablesOf = ({ url, deployment, apiKey, partnerKey, duty }: ClientTarget) => ({
  FLOWDOUBLE_URL: url,
  FLOWDOUBLE_DEPLOYMENT: deployment,
  FLOWDOUBLE_API_KEY: apiKey,
  FLOWDOUBLE_PARTNER_KEY: partnerKey,
  FLOWDOUBLE_DUTY: duty ?? '',
})

/** Runs the command for each target. One that does not end in time is ended, with the processes that it started. */
export const clientProcess =
  ({ command, cwd, env, seconds, signal }: ProcessOptions): RunClient =>
  async (target) => {
    const { url, apiKey } = target
    const line = command
      .replaceAll('{url}', url)
      .replaceAll('{host}', new URL(url).host)
      .replaceAll('{key}', apiKey)
    const child = spawn(line, {
      cwd,
      env: { ...env, ...variablesOf(target) },
      shell: true,
      // A group of processes, which can be ended as a whole.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const add = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-MOST_OUTPUT)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    let isLate = false
    const end = (): void => {
      isLate = true
      endGroup(child)
    }
    const limit = setTimeout(end, seconds * 1000)
    signal?.addEventListener('abort', end)
    try {
      return await new Promise<ClientEnd>((resolve, reject) => {
        child.on('error', reject)
        child.on('close', (code) => resolve({ exitCode: isLate ? null : (code ?? 1), output }))
      })
    } finally {
      clearTimeout(limit)
      signal?.removeEventListener('abort', end)
    }
  }
