// A server within one process, without a network: requests of the fetch API in, responses out, and sockets in pairs.

import type { Entry } from '../../machine.ts'
import type { ScenarioInput } from '../../options/scenario.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { sharedNames } from '../../options/shared-table.ts'
import { usageError } from '../../options/usage.ts'
import { linkBase } from '../../server/hosted/index.ts'
import type { Tamper } from '../driver.ts'
import { requireContent } from './scenarios.ts'
import type { BuiltInTypes } from './content.ts'
import { type InProcessEmulator, type Places, startWorlds } from './worlds.ts'

/** Options that need a network or a disk. */
const NETWORK_OPTIONS = [
  'port',
  'host',
  'journal',
  'overwrite',
  'tls',
  'tlsCert',
  'tlsKey',
  'wsCompress',
  'controlToken',
  ...sharedNames,
  'explain',
  'webRoot',
  'templates',
] as const satisfies readonly (keyof ServerOptions)[]

/** Options of `createEmulator`: those of the server that need neither a network nor a disk, and callbacks. */
export type InProcessOptions = Omit<
  ServerOptionsInput,
  (typeof NETWORK_OPTIONS)[number] | 'scenario'
> & {
  /** The address that clients use, which needs no server: by default `http://127.0.0.1:8188`. */
  readonly url?: string
  /** The content of a scenario; several are merged in order. */
  readonly scenario?: ScenarioInput | readonly ScenarioInput[]
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: (entry: Entry) => void
  /** For suites only: creates a faulty server, to show that a case detects it. */
  readonly tamper?: Tamper
}

/**
 * @param given the options of the caller.
 * @param types return the texts of the built-in node types.
 */
export async function createEmulatorWith(
  { url = 'http://127.0.0.1:8188', onEntry, tamper, ...given }: InProcessOptions,
  types: BuiltInTypes,
): Promise<InProcessEmulator> {
  requireNoNetwork(given)
  const places = placesOf(url, given)
  const { base, port } = places
  // Nothing is encrypted: the option says that links are those of HTTPS, like the address.
  const tls = base.protocol === 'https:' ? 'auto' : null
  const options = { ...given, host: base.hostname, port, tls } as const
  return startWorlds(options, places, types, { onEntry, tamper })
}

function requireNoNetwork(given: Omit<InProcessOptions, 'url'>): void {
  const unusable = NETWORK_OPTIONS.find((name) => name in given)
  if (unusable !== undefined)
    throw usageError(
      `option ${unusable} needs a server on the network: use startEmulator of flowdouble.`,
    )
  requireContent(given.scenario)
}

function placesOf(
  address: string,
  { deployment, signedBaseUrl = null, strictSignedLinks: strict = false }: InProcessOptions,
): Places {
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw usageError(`option url must be an address such as http://127.0.0.1:8188, not ${address}.`)
  const base = new URL(address)
  const scheme = base.protocol === 'https:' ? 'https' : 'http'
  const port = Number(base.port) || (scheme === 'https' ? 443 : 80)
  const url = address.replace(/\/$/, '')
  if (deployment !== 'hosted') return { url, port, base, links: [], linksPort: null }
  const linksPort = port + 1
  const links = { scheme, port: linksPort, baseUrl: signedBaseUrl, strict } as const
  // One of two, by the host that a client has used.
  const bases = new Set([linkBase(links, '127.0.0.1'), linkBase(links, undefined)])
  return { url, port, base, links: [...bases], linksPort }
}
