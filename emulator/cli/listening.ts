// What commands that listen have in common: the file that says where, and why listening fails.

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { usageError } from '../options/usage.ts'

/** The file that says where a command listens, as long as it listens. */
export type ReadyFile = {
  /** Writes it in one step: whoever waits for it must never see half of it. Throws a usage error where it cannot. */
  readonly write: (addresses: object) => void
  /** Removes it, unless another command has written it since. */
  readonly remove: () => void
}

/**
 * The ready file of this command. One that a command left behind that no longer listens is removed at once, so that
 * nobody who waits reads a dead address.
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
    if (written !== undefined && textOf(path) === written) rmSync(path, { force: true })
    written = undefined
  }
  return { write, remove }
}

function textOf(path: string): string | undefined {
  try {
    // A pipe would keep the command waiting for ever.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a file is a ready file whose command is gone: its process has ended, or nobody listens at its address (the
 * number of a process is soon another's, above all in a container). Any other file is left alone.
 */
async function isStale(path: string): Promise<boolean> {
  let ready: unknown
  try {
    ready = JSON.parse(textOf(path) ?? '')
  } catch {
    return false
  }
  const { pid, url } = (ready ?? {}) as { pid?: unknown; url?: unknown }
  if (typeof pid !== 'number' || typeof url !== 'string' || !URL.canParse(url)) return false
  return !isAlive(pid) || !(await isListening(new URL(url)))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of somebody else is alive, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Longest wait for an answer of what may listen, in milliseconds. */
const CONNECT_MS = 1000

const isListening = ({ hostname, port }: URL): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
    const end = (isThere: boolean) => () => {
      socket.destroy()
      done(isThere)
    }
    socket.once('connect', end(true)).once('error', end(false))
    // Who does not answer in time may still be there.
    socket.setTimeout(CONNECT_MS, end(true))
  })

/** Why an address cannot be listened on, and what to do; undefined for any other error. */
export function listenMessage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const { code, port, address, hostname, isForLinks, isForGateway } =
    error as NodeJS.ErrnoException & {
      port?: number
      address?: string
      /** What is no address is looked up as a name, which is then told as one. */
      hostname?: string
      isForLinks?: boolean
      isForGateway?: boolean
    }
  const flag = isForGateway ? '--gateway-port' : '--port'
  if (code === 'EADDRINUSE') {
    const place = isForLinks ? ': signed links need the port behind that of their server' : ''
    return `Port ${port} is in use${place}. Take another with ${flag}, or a free one with ${flag} 0.`
  }
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} needs more rights. Take one above 1023 with ${flag}.`
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    ? `This machine has no address ${address ?? hostname} to listen on.`
    : undefined
}
