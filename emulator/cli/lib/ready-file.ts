// The ready file: it says where a command listens, as long as it does.

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { processExists } from '../../config/processes.ts'
import { usageError } from '../../options/usage.ts'

/** The file that holds the address of a command while it listens. */
export type ReadyFile = {
  /** Writes it atomically: a program that waits for it never reads half of it. Throws a usage error if it cannot. */
  readonly write: (addresses: object) => void
  /** Removes it, unless another command has written it since. */
  readonly remove: () => void
}

/**
 * The ready file of this command. Removes a file that a stopped command left behind immediately, so that a program that
 * waits does not read a stale address.
 */
export async function readyFile(file: string, cwd: string): Promise<ReadyFile> {
  const path = resolve(cwd, file)
  if (await isStale(path)) rmSync(path, { force: true })
  let written: string | undefined
  const write = (addresses: object): void => {
    const text = `${JSON.stringify(addresses)}\n`
    const draft = `${path}.${process.pid}.tmp`
    try {
      writeFileSync(draft, text)
      renameSync(draft, path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw usageError(`Cannot write the ready file: ${(error as Error).message}`)
    }
    written = text
  }
  const remove = (): void => {
    if (written !== undefined && readIfPresent(path) === written) rmSync(path, { force: true })
    written = undefined
  }
  return { write, remove }
}

function readIfPresent(path: string): string | undefined {
  try {
    // A pipe would keep the command waiting for ever.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the command that wrote a ready file is gone: its process has ended, or nothing listens at its address (process
 * numbers are reused, above all in containers). Leaves any other file alone.
 */
async function isStale(path: string): Promise<boolean> {
  let ready: unknown
  try {
    ready = JSON.parse(readIfPresent(path) ?? '')
  } catch {
    return false
  }
  const { pid, url } = (ready ?? {}) as { pid?: unknown; url?: unknown }
  if (typeof pid !== 'number' || typeof url !== 'string' || !URL.canParse(url)) return false
  return !processExists(pid) || !(await isListening(new URL(url)))
}

/** Longest wait for a connection to a possible listener, in milliseconds. */
const CONNECT_MS = 1000

const isListening = ({ hostname, port }: URL): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
    const end = (isThere: boolean) => () => {
      socket.destroy()
      done(isThere)
    }
    socket.once('connect', end(true)).once('error', end(false))
    // A listener that is too slow to answer counts as running.
    socket.setTimeout(CONNECT_MS, end(true))
  })
