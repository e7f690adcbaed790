// What the tests of a file have started in this thread, and what of it still listens or runs.

import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:net'
import type { Worker } from 'node:worker_threads'

/** What was started, with a function that says in words that it is still there. */
const started = new Map<object, () => string | undefined>()

subscribe('tracing:net.server.listen:asyncStart', (message) => {
  const { server } = message as { readonly server: Server }
  const place = callers()
  started.set(server, () =>
    server.listening ? `a server at ${JSON.stringify(server.address())}, ${place}` : undefined,
  )
})

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess }
  const place = callers()
  started.set(child, () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null
      ? `a process: ${child.spawnargs.join(' ')}, ${place}`
      : undefined,
  )
})

// All worlds share the threads that encode pictures, and these keep no process alive.
subscribe('worker_threads', (message) => {
  const { worker } = message as { readonly worker: Worker }
  const place = callers()
  const unref = worker.unref.bind(worker)
  worker.unref = () => {
    started.delete(worker)
    unref()
  }
  started.set(worker, () => (worker.threadId === -1 ? undefined : `a thread, ${place}`))
})

/** The place in the suites that starts something. */
function callers(): string {
  const lines = (new Error().stack ?? '').split('\n').slice(3)
  return lines.find((line) => line.includes('/suites/'))?.trim() ?? 'started by no test'
}

/** What was started since the last call and is still there, in words. */
export function leftRunning(): readonly string[] {
  const left = [...started.values()].flatMap((says) => says() ?? [])
  started.clear()
  return left
}
