// A server within one process, without a network: requests of the fetch API in, responses out, and sockets in pairs.

import { nameLike } from '../../options/like.ts'
import { completeOptions, worldOptions } from '../../options/complete.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import type { Entry } from '../../machine.ts'
import * as hosted from '../../server/hosted/index.ts'
import { serverMachine } from '../../server/machine.ts'
import { createServer } from '../../server/server.ts'
import { readCatalog, requireKnownTypes } from '../catalog.ts'
import type { Tamper } from '../driver.ts'
import type { Emulator } from '../handles.ts'
import { createRecorder } from '../recorder.ts'
import { untilMessageOf } from '../until-message.ts'
import { ClientSocket } from './client-socket.ts'
import { connectServer } from './wiring.ts'

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
] as const satisfies readonly (keyof ServerOptions)[]

/** Options of `createEmulator`: those of the server that need neither a network nor a disk, and callbacks. */
export type InProcessOptions = Omit<ServerOptionsInput, (typeof NETWORK_OPTIONS)[number]> & {
  /** The address that clients use, which needs no server: by default `http://127.0.0.1:8188`. */
  readonly url?: string
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: (entry: Entry) => void
  /** For suites only: creates a faulty server, to show that a case detects it. */
  readonly tamper?: Tamper
}

/** A socket class whose sockets all connect to one emulator. URLs may be relative. */
export type SocketClass = Pick<
  typeof ClientSocket,
  'CONNECTING' | 'OPEN' | 'CLOSING' | 'CLOSED'
> & { new (url: string | URL, protocols?: string | string[]): ClientSocket }

/** A server within this process. */
export type InProcessEmulator = Omit<Emulator, 'port' | 'ca'> & {
  /** Answers a request, whatever its host. Relative URLs are completed. Does not follow redirects. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly WebSocket: SocketClass
  /** The addresses of the emulator: its own, and on hosted those of its signed links. */
  readonly addresses: readonly string[]
}

/**
 * @param given the options of the caller.
 * @param builtIn returns the text of the built-in node types.
 */
export async function createEmulatorWith(
  { url: address = 'http://127.0.0.1:8188', onEntry, tamper, ...given }: InProcessOptions,
  builtIn: () => string,
): Promise<InProcessEmulator> {
  const unusable = NETWORK_OPTIONS.find((name) => name in given)
  if (unusable !== undefined)
    throw usageError(
      `option ${unusable} needs a server on the network: use startEmulator of flowdouble.`,
    )
  const base = baseOf(address)
  const options = completeOptions({ ...given, host: base.hostname, port: portOf(base) })
  const objectInfo = readCatalog(options, { builtIn, readFile })
  requireKnownTypes(options, objectInfo)
  const isHosted = options.deployment === 'hosted'
  const made = worldOptions(options, objectInfo, Date.now(), isHosted ? portOf(base) + 1 : null)
  const scheme: 'http' | 'https' = base.protocol === 'https:' ? 'https' : 'http'
  const signedLinks = made.signedLinks && { ...made.signedLinks, scheme }
  const world = { ...made, signedLinks }
  const server = createServer(world, isHosted ? hosted : null)
  const machine = serverMachine(server)
  const { objectInfo: _, ...recorded } = world
  const recorder = await createRecorder(
    machine,
    recorded,
    async () => (await import('../../server/journal.ts')).serverFormat(objectInfo),
    null,
  )
  const links = signedLinks === null ? [] : linkAddresses(signedLinks)
  const places = { base, links: links.map(baseOf) }
  const hooks = { onEntry, tamper }
  const name = nameLike(options.like)
  const wired = await connectServer(server, machine, options, recorder, places, name, hooks)
  const { host, sockets, turns, answer } = wired
  const url = address.replace(/\/$/, '')
  return {
    url,
    signedUrl: signedLinks && hosted.linkBase(signedLinks, base.host),
    options,
    addresses: [url, ...links],
    ...host.clock,
    untilMessage: untilMessageOf(host.clock),
    journal: recorder.lines,
    fetch: (input, init) =>
      answer(new Request(input instanceof Request ? input : new URL(input, `${url}/`), init)),
    WebSocket: class extends ClientSocket {
      constructor(target: string | URL) {
        super(socketUrl(target, `${url}/`), turns, wired.connect)
      }
    },
    close: async () => {
      host.driver.stop()
      sockets.closeAll()
      await turns.flushed()
      recorder.close()
    },
  }
}

function baseOf(address: string): URL {
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw usageError(
      `option url must be an address such as http://127.0.0.1:8188, not "${address}".`,
    )
  return new URL(address)
}

const portOf = ({ protocol, port }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Where clients find signed links: see linkBase. */
const linkAddresses = (links: Parameters<typeof hosted.linkBase>[0]): readonly string[] => [
  ...new Set([hosted.linkBase(links, '127.0.0.1'), hosted.linkBase(links, undefined)]),
]

/** The address of a socket. Its scheme may be that of HTTP. */
function socketUrl(target: string | URL, base: string): URL {
  if (!URL.canParse(String(target), base))
    throw new DOMException(`"${String(target)}" is not a URL.`, 'SyntaxError')
  const url = new URL(target, base)
  url.protocol = url.protocol.replace('http', 'ws')
  url.hash = ''
  return url
}

/** There is no disk. */
function readFile(path: string): string {
  throw new Error(`${path} is a file, and there is no disk here. Pass the node types themselves`)
}
