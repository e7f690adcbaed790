// The edges on which subjects run: Node sockets, the emulator in this process, or msw in front of it. Within the process,
// clients are the fetch and the WebSocket of this process.

import { type Emulator, type EmulatorOptions, startEmulator } from 'flowdouble'
import type { InProcessEmulator, InProcessOptions } from 'flowdouble/browser'
import type { mswHandlers } from 'flowdouble/msw'
import type { SetupServer } from 'msw/node'

export const edges = ['node', 'fetch', 'msw'] as const
export type Edge = (typeof edges)[number]

const named = process.env['SUBJECT_EDGE'] ?? 'node'
/** The edge of subjects that do not name one: that of SUBJECT_EDGE, by default Node sockets. */
export const usualEdge: Edge = edges.find((edge) => edge === named) ?? 'node'

/** Starts an emulator on an edge. */
export const startOn = (edge: Edge, options: EmulatorOptions): Promise<Emulator> =>
  edge === 'node' ? startEmulator(options) : startInProcess(edge, options)

/** Emulators in this process by their addresses. */
const inProcess = new Set<InProcessEmulator>()

/** Whether an address is that of an emulator in this process. */
export const isInProcess = (url: string): boolean =>
  [...inProcess].some(({ addresses }) => addresses.includes(new URL(url).origin))

let lastPort = 10_000

async function startInProcess(edge: 'fetch' | 'msw', options: EmulatorOptions): Promise<Emulator> {
  // No server listens there. Links have the next port.
  const port = (lastPort += 2)
  const url = `http://127.0.0.1:${port}`
  const { createEmulator, install } = await import('flowdouble/browser')
  const emulator = await createEmulator({ ...(options as InProcessOptions), url })
  const leave = edge === 'fetch' ? install(emulator) : await intercept(emulator)
  inProcess.add(emulator)
  const close = async (): Promise<void> => {
    await emulator.close()
    inProcess.delete(emulator)
    leave()
  }
  return { ...emulator, port, ca: null, close }
}

/** The handlers of the emulators behind msw. */
const intercepted = new Map<InProcessEmulator, ReturnType<typeof mswHandlers>>()
let server: SetupServer | undefined

/** Puts msw in front of an emulator. Returns a function that removes it. */
async function intercept(emulator: InProcessEmulator): Promise<() => void> {
  const { mswHandlers: handlersOf } = await import('flowdouble/msw')
  const { setupServer } = await import('msw/node')
  if (globalThis.WebSocket === undefined) {
    const { WebSocket } = await import('undici')
    Object.assign(globalThis, { WebSocket })
  }
  intercepted.set(emulator, handlersOf(emulator))
  const own = (server ??= setupServer())
  if (intercepted.size === 1) own.listen({ onUnhandledRequest: 'bypass' })
  const update = (): void => own.resetHandlers(...[...intercepted.values()].flat())
  update()
  return () => {
    intercepted.delete(emulator)
    if (intercepted.size > 0) return update()
    own.close()
  }
}
