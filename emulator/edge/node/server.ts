// A server behind Node's sockets: starts one, and gives the tests a handle on its clock.

import type { Entry } from '../../server/journal.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import { usageError } from '../../options/usage.ts'
import { createServer } from '../../server/server.ts'
import type { Hosted } from '../../server/state/server.ts'
import { readCatalog, requireKnownTypes } from './catalog.ts'
import type { ClockGroup, ClockHandle } from '../clock.ts'
import type { Tamper } from '../driver.ts'
import { followConnections } from '../lifetime.ts'
import { createWebServer } from './listener.ts'
import { hostOf, listen, openLinks, portOf } from './listening.ts'
import { createRecorder } from '../recorder.ts'
import { readCertificate } from './tls.ts'
import { wire } from './wiring.ts'
import type { ServerOptions, ServerOptionsGiven } from '../../options/server-options.ts'

/** Options of `startEmulator`: those of the server, with a free port by default, and an ear for what happens. */
export type EmulatorOptions = ServerOptionsGiven & {
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
  /** What the signed links begin with for clients of `url`; null on local, which has none. */
  readonly signedUrl: string | null
  /** The certificate, in PEM form, that clients have to trust with `tls: 'auto'`; else null. */
  readonly ca: string | null
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
  const hooks = { onEntry, tamper, clocks }
  if ((rest.deployment as string | undefined) === 'both')
    throw usageError('startEmulator starts one server: start a local and a hosted one.')
  const options = completeOptions({ port: 0, ...rest })
  const isHosted = options.deployment === 'hosted'
  const certificate = await readCertificate(options)
  const objectInfo = readCatalog(options)
  requireKnownTypes(options, objectInfo)
  const hosted = isHosted ? await loadHosted() : null
  const main = await createWebServer(certificate)
  // Links name their port: it has to be known before there is a server that makes them.
  const links = isHosted ? await openLinks(options.host, options.port, certificate) : []
  const closing = followConnections([main, ...links])
  try {
    const linksPort = links[0] === undefined ? null : portOf(links[0])
    const made = worldOptions(options, objectInfo, Date.now(), linksPort)
    const server = createServer(made, hosted)
    const recorder = await createRecorder(made, options.journal)
    const { driver, sockets, clock } = wire(server, options, recorder, { main, links }, hooks)
    await listen(main, options.host, options.port)
    recorder.open()
    const port = portOf(main)
    const host = hostOf(options.host, port)
    return {
      url: `${certificate === null ? 'http' : 'https'}://${host}`,
      port,
      signedUrl: hosted && made.signedLinks && hosted.linkBase(made.signedLinks, host),
      ca: certificate?.ca ?? null,
      options,
      ...clock,
      journal: () => recorder.lines(),
      close: async () => {
        driver.stop()
        sockets.closeAll()
        await closing()
        recorder.close()
      },
    }
  } catch (error) {
    await closing()
    throw error
  }
}

/** What only a hosted server needs; Node computes its hashes. */
async function loadHosted(): Promise<Hosted> {
  const { hmacHex, sha256Hex } = await import('./hashing.ts')
  const parts = await import('../../server/hosted/index.ts')
  return Object.assign({}, parts, { hmacHex, sha256Hex })
}
