// Runs a command with a time limit, and ends what it has started when the limit or this process is over.

import { spawn } from 'node:child_process'

const running = new Set()
const end = (child) => {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
process.on('exit', () => running.forEach(end))

/**
 * Runs a command in its own process group: its exit code, undefined after the time limit, and what it printed.
 * @param {readonly string[]} command
 * @param {{ limitMs: number, cwd?: string, env?: Readonly<Record<string, string | undefined>> }} how
 * @returns {Promise<{ code: number | undefined, printed: string, output: string }>}
 */
export const run = ([file, ...args], { limitMs, cwd, env }) =>
  new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe']
    const child = spawn(file, args, { cwd, env, stdio, detached: true })
    running.add(child)
    let [printed, output, isLate] = ['', '', false]
    child.stdout.on('data', (chunk) => {
      printed += chunk
      output += chunk
    })
    child.stderr.on('data', (chunk) => (output += chunk))
    const timer = setTimeout(() => {
      isLate = true
      end(child)
    }, limitMs)
    child.once('error', ({ code, message }) =>
      code === 'ENOENT' ? resolve({ code: 127, printed: '', output: message }) : reject(message),
    )
    child.once('close', (code) => {
      clearTimeout(timer)
      end(child)
      running.delete(child)
      resolve({ code: isLate ? undefined : (code ?? 1), printed, output })
    })
  })
