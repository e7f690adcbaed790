// A server on Node sockets: starts one, and returns a handle to its clock.

import type { Entry } from '../../machine.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import { usageError } from '../../options/usage.ts'
import type { ServerOptionsInput } from '../../options/server-options.ts'
import { readCatalog, requireKnownTypes } from '../catalog.ts'
import { nodeTypeFiles } from './node-types.ts'
import type { ClockGroup } from '../clock-handle.ts'
import type { Tamper } from '../driver.ts'
import type { Emulator, WorldReader } from '../handles.ts'
import type { ExpiryClock } from '../shared/policy.ts'
import { trackConnections } from '../lifetime.ts'
import { loadRuleHeaders } from './explain.ts'
import { createWebServer } from './http-listener.ts'
import { openLinks, openOwn, portOf } from './ports.ts'
import { readCertificate } from './tls/tls.ts'
import { loadHosted } from './hosted.ts'
import type { PageOptions, Pages } from './pages.ts'
import { withContent } from './scenarios.ts'
import { startWorlds } from './worlds.ts'

/** Options of `startEmulator`: those of the server, with a free port by default, and callbacks. */
export type EmulatorOptions = ServerOptionsInput & {
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: (entry: Entry) => void
  /** For suites only: creates a faulty server, to show that a case detects it. */
  readonly tamper?: Tamper
  /** For commands only: takes the entries of each further world at its address. */
  readonly onWorld?: WorldReader
  /** For commands only: the options on which those of further worlds are based from now on; by default these. */
  readonly laterOptions?: () => ServerOptionsInput
  /** For commands only: servers that share a manual clock. */
  readonly clocks?: ClockGroup
  /** For suites only: another clock by which worlds expire. */
  readonly expiry?: ExpiryClock
  /** For commands only: whether its clock moves over HTTP alone, so that its port stays open while it is down. */
  readonly movesOverHttp?: boolean
}

/**
 * Starts a server and resolves when it listens.
 * Throws a usage error for invalid options, and the system's error if the address is in use.
 * @example
 * import assert from 'node:assert'
 * import { startEmulator } from 'flowdouble'
 *
 * const server = await startEmulator({ clock: 'manual', pace: 10 })
 * const prompt = {
 *   '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
 *   '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
 * }
 * const body = JSON.stringify({ prompt })
 * const submitted = await fetch(`${server.url}/prompt`, { method: 'POST', body })
 * const { prompt_id } = await submitted.json()
 * await server.until('idle')
 * const history = await (await fetch(`${server.url}/history/${prompt_id}`)).json()
 * assert.equal(history[prompt_id].status.status_str, 'success')
 * await server.close()
 */
export async function startEmulator(given: EmulatorOptions = {}): Promise<Emulator> {
  const { onEntry, onWorld, tamper, clocks, laterOptions, expiry, ...others } = given
  const { movesOverHttp = false, ...rest } = others
  const content = await withContent(rest)
  const options = completeOptions({ port: 0, ...content })
  if ((options.deployment as string) === 'both')
    throw usageError(
      'startEmulator starts one server: call it twice, for a local and a hosted one.',
    )
  const isHosted = options.deployment === 'hosted'
  const certificate = await readCertificate(options)
  const objectInfo = readCatalog(options, nodeTypeFiles)
  requireKnownTypes(options, objectInfo)
  const hosted = isHosted ? await loadHosted() : null
  const pages = await loadPages(options)
  const explain = await loadRuleHeaders(options.explain)
  const main = await createWebServer(certificate)
  // Links contain their port, so it must be known before the world exists.
  const links = isHosted ? await openLinks(options.host, options.port, certificate) : []
  const closing = trackConnections([main, ...links])
  const linksPort = links[0] === undefined ? null : portOf(links[0])
  const address = {
    given: content,
    laterOptions: laterOptions ?? ((): ServerOptionsInput => content),
    hosted,
    ca: certificate?.ca ?? null,
    linksPort,
    listeners: { main, links },
    closing,
    openOwn: () => openOwn(options.host, certificate),
    explain,
    pages,
    onWorld,
    movesOverHttp,
    expiry,
  }
  try {
    const made = worldOptions(options, objectInfo, Date.now(), linksPort, pages?.scripts)
    return await startWorlds(address, options, made, { onEntry, tamper, clocks })
  } catch (error) {
    await closing()
    throw error
  }
}

/** The files of a front end, which few servers have; null without any. */
const loadPages = async (options: PageOptions): Promise<Pages | null> =>
  options.webRoot === null && options.templates === null
    ? null
    : (await import('./pages.ts')).openPages(options)
