// A server behind Node's sockets: starts one, and gives the tests a handle on its clock.

import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Entry } from '../journal.ts'
import { completeOptions, type ServerOptions, usageError, worldOptions } from '../options.ts'
import { createServer } from '../server/server.ts'
import { readCatalog } from './catalog.ts'
import type { ClockHandle } from './clock.ts'
import type { Tamper } from './driver.ts'
import { createRecorder } from './recorder.ts'
import { connect } from './wiring.ts'

/** Options of `startEmulator`: those of the server, with a free port by default, and an ear for what happens. */
export type EmulatorOptions = Partial<Omit<ServerOptions, 'seed'>> & {
  /** A number is as good as its text. */
  readonly seed?: string | number
  /** Called with each input and its effects, after they have been carried out. */
  readonly onEntry?: (entry: Entry) => void
  /** For suites only: makes a deliberately wrong server, to show that a case catches it. */
  readonly tamper?: Tamper
}

/** A running server. */
export type Emulator = ClockHandle & {
  /** Base address, such as `http://127.0.0.1:8188`. */
  readonly url: string
  readonly port: number
  readonly options: ServerOptions
  /** The latest entries of the journal as lines of JSON, after a line that tells the options of the server. */
  readonly journal: () => Promise<readonly string[]>
  /** Stops listening and closes all connections. */
  readonly close: () => Promise<void>
}

/**
 * Starts a server and resolves when it listens.
 * Throws a usage error for options that cannot be used, and the system's error when the address is taken.
 */
export async function startEmulator(given: EmulatorOptions = {}): Promise<Emulator> {
  const { onEntry, tamper, ...rest } = given
  if ((rest.deployment as string | undefined) === 'both')
    throw usageError('startEmulator starts one server: start a local and a hosted one.')
  const options = completeOptions({ port: 0, ...rest })
  const server = createServer(worldOptions(options, readCatalog(options.objectInfo), Date.now()))
  const recorder = await createRecorder(server.options, options.journal)
  const { http, driver, sockets, clock } = connect(server, options, recorder, { onEntry, tamper })
  const connections = new Set<Socket>()
  http.on('connection', (raw: Socket) => {
    connections.add(raw)
    raw.once('close', () => connections.delete(raw))
  })
  await listen(http, options)
  try {
    recorder.open()
  } catch (error) {
    http.close()
    throw error
  }
  const { port } = http.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    port,
    options,
    ...clock,
    journal: () => recorder.lines(),
    close: async () => {
      driver.stop()
      sockets.closeAll()
      await closeServer(http, connections)
      recorder.close()
    },
  }
}

/** A client that keeps its side of a connection open is given so long to end it, in milliseconds. */
const MAX_GOODBYE_MS = 500

async function closeServer(server: HttpServer, connections: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  const timer = setTimeout(() => connections.forEach((raw) => raw.destroy()), MAX_GOODBYE_MS)
  await closed
  clearTimeout(timer)
}

function listen(server: HttpServer, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
