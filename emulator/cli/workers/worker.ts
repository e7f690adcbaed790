// A worker: a separate process that serves worlds. It is started again when it ends, at the same port, and ends with its parent.

import { type ChildProcess, spawn } from 'node:child_process'
import { usageError } from '../../options/usage.ts'
import type { Launch } from './command.ts'

/** What a worker prints on its first line. */
export type WorkerAddresses = {
  readonly url: string
  readonly ws: string
  readonly port: number
  readonly pid: number
}

export type Worker = {
  /** From 1. */
  readonly number: number
  /** Where it listens; undefined while it does not. */
  readonly addresses: () => WorkerAddresses | undefined
  /** The same of the last time that it listened. */
  readonly lastAddresses: () => WorkerAddresses | undefined
  /** Resolves when it listens for the first time; rejects with a usage error if it ends before. */
  readonly started: Promise<void>
  /** Ends it in order, and kills it if that takes too long. */
  readonly stop: () => Promise<void>
}

/** The shortest and the longest wait before a worker starts again, in milliseconds: each time twice as long. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [100, 10_000]

/** A worker that has run this long did not end because of its start, in milliseconds. */
const STABLE_MS = 10_000

/** How long a worker may take to end, in milliseconds. */
const MAX_END_MS = 20_000

/**
 * Starts a worker.
 * @param port where it listens; 0 for any, which it keeps.
 * @param note takes a line about its end, and one when it listens again.
 * @param changed called when it listens, and when it no longer does.
 */
export function startWorker(
  number: number,
  port: number,
  launchAt: (port: number) => Launch,
  note: (line: string) => void,
  changed: () => void,
): Worker {
  let child: ChildProcess | undefined
  let [now, last]: [WorkerAddresses | undefined, WorkerAddresses | undefined] = [
    undefined,
    undefined,
  ]
  let isStopping = false
  let waitMs = MIN_WAIT_MS
  let waiting: ReturnType<typeof setTimeout> | undefined
  let [listening, failing] = [(): void => undefined, (_: Error): void => undefined]
  const started = new Promise<void>((resolve, reject) => {
    listening = resolve
    failing = reject
  })

  const launch = (): void => {
    const { words, env, cwd } = launchAt(last?.port ?? port)
    const [program = '', ...args] = words
    const sinceMs = performance.now()
    const spawned = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
    child = spawned
    // Whatever goes wrong there, its end says so.
    spawned.stdin.on('error', () => undefined)
    const listens = async (): Promise<void> => {
      const line = await firstLine(spawned)
      const isAgain = last !== undefined
      now = last = JSON.parse(line) as WorkerAddresses
      if (isAgain) note(`worker ${number} listens again at ${now.url}`)
      listening()
      changed()
    }
    void listens()
    const ended = (why: string): void => {
      if (child !== spawned) return
      child = undefined
      now = undefined
      if (isStopping) return
      if (last === undefined)
        return failing(usageError(`Worker ${number} could not start: it has ended with ${why}.`))
      changed()
      if (performance.now() - sinceMs >= STABLE_MS) waitMs = MIN_WAIT_MS
      note(`worker ${number} has ended with ${why}: it starts again in ${waitMs / 1000} s`)
      waiting = setTimeout(launch, waitMs)
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
    }
    spawned.once('exit', (code, signal) => ended(signal ?? `code ${code}`))
    spawned.once('error', ({ message }) => ended(message))
  }

  const stop = async (): Promise<void> => {
    isStopping = true
    clearTimeout(waiting)
    const running = child
    if (running === undefined) return
    const end = new Promise<unknown>((resolve) => running.once('exit', resolve))
    running.stdin?.end()
    const late = setTimeout(() => running.kill('SIGKILL'), MAX_END_MS)
    await end
    clearTimeout(late)
  }

  launch()
  return {
    number,
    addresses: () => now,
    lastAddresses: () => last,
    started,
    stop,
  }
}

/** The first line that a process prints. Pending for ever if it ends before. Reads on, so that it is never stopped by a full pipe. */
const firstLine = ({ stdout }: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    stdout?.setEncoding('utf8').on('data', (part: string) => {
      if (text.includes('\n')) return
      text += part
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
  })
