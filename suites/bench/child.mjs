// Child processes of the benchmark: starts them, sends them questions, and reads the processor time that they have
// used.

import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Child
 * @property {number} pid
 * @property {any} ready what the child sent when it was ready
 * @property {(question: string, details?: object) => Promise<any>} ask one question at a time
 * @property {() => Promise<number>} cpuSeconds processor time of all its threads since its start
 * @property {() => Promise<void>} stop
 */

const running = new Set()

/**
 * Starts a script of this folder that calls `answer` (below).
 * @param {string} file
 * @param {object} [options] handed to the script as JSON
 * @param {readonly string[]} [flags] further flags of Node
 * @returns {Promise<Child>}
 */
export async function startChild(file, options = {}, flags = []) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = fork(path, [JSON.stringify(options)], {
    execArgv: ['--expose-gc', ...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  running.add(child)
  /** Settles the open question. */
  let settle
  const next = () =>
    new Promise((resolve, reject) => {
      settle = ({ answer, error }) =>
        error === undefined ? resolve(answer) : reject(new Error(error))
    })
  child.on('message', (message) => settle(message))
  child.once('exit', () => {
    running.delete(child)
    settle({ error: `${file} has ended` })
  })
  const ask = (question, details = {}) => {
    const answer = next()
    child.send({ question, details })
    return answer
  }
  return {
    pid: child.pid,
    ready: await next(),
    ask,
    cpuSeconds: async () => cpuSecondsOf(child.pid) ?? (await ask('cpuSeconds')),
    stop: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** Ends the children that a failed measurement left running. */
export const stopChildren = () => {
  for (const child of running) child.kill()
}

let ticksPerSecond

/** User and system time of a process; undefined where the system has no /proc. */
export function cpuSecondsOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the process, in parentheses, may hold blanks; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

const own = {
  cpuSeconds: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
  /** Resident size as it is, and the heap that remains after garbage collection. */
  memory: () => {
    const rss = process.memoryUsage.rss()
    globalThis.gc()
    globalThis.gc()
    return { rss, heap: process.memoryUsage().heapUsed }
  },
}

/** In a child: its options. */
export const childOptions = () => JSON.parse(process.argv[2] ?? '{}')

/**
 * In a child: reports that it is ready, then answers questions until the benchmark is done.
 * @param {any} ready
 * @param {Record<string, (details: any) => unknown>} answers
 */
export function answer(ready, answers = {}) {
  const known = { ...own, ...answers }
  process.on('message', ({ question, details }) => {
    // An answer that throws and one that rejects are reported alike.
    new Promise((resolve) => resolve(known[question](details))).then(
      (found) => process.send({ answer: found }),
      (error) => process.send({ error: String(error?.stack ?? error) }),
    )
  })
  process.on('disconnect', () => process.exit())
  process.send({ answer: ready })
}
