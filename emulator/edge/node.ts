// A server behind Node's sockets: starts one, and gives the tests a handle on its clock.

import type { Entry } from '../journal.ts'
import { completeOptions, type ServerOptions, worldOptions } from '../options.ts'
import { createServer } from '../server/server.ts'
import { readCatalog } from './catalog.ts'
import type { ClockGroup, ClockHandle } from './clock.ts'
import type { Tamper } from './driver.ts'
import { track } from './lifetime.ts'
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
  /** For commands only: servers whose manual clocks are one. */
  readonly clocks?: ClockGroup
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
  const { onEntry, tamper, clocks, ...rest } = given
  const options = completeOptions({ port: 0, ...rest })
  const server = createServer(worldOptions(options, readCatalog(options.objectInfo), Date.now()))
  const recorder = await createRecorder(server.options, options.journal)
  const hooks = { onEntry, tamper, clocks }
  const { http, driver, sockets, clock } = connect(server, options, recorder, hooks)
  const open = track(http)
  await open.listen(options)
  try {
    recorder.open()
  } catch (error) {
    http.close()
    throw error
  }
  return {
    ...open.address(options),
    options,
    ...clock,
    journal: () => recorder.lines(),
    close: async () => {
      driver.stop()
      sockets.closeAll()
      await open.close()
      recorder.close()
    },
  }
}
