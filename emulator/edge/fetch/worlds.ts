// The worlds at one address without a server: how requests and sockets reach them.

import { clientSettings } from '../../options/accounts.ts'
import type { Effect, Input } from '../../machine.ts'
import { worldOptions } from '../../options/complete.ts'
import type { ServerOptions, ServerOptionsInput } from '../../options/server-options.ts'
import { usageError } from '../../options/usage.ts'
import * as hosted from '../../server/surfaces/index.ts'
import { requireKnownTypes } from '../catalog.ts'
import { createCodec } from '../codec.ts'
import { type Emulator, listenerOptions, type WorldOptionsInput } from '../handles.ts'
import type { Hooks } from '../host.ts'
import { createServerHandle } from '../server-handle.ts'
import { serverPaths } from '../server-paths.ts'
import { scriptedTypes } from '../until-message.ts'
import { createWorlds, pathOf, requireOwnOptions, type Running, type Worlds } from '../worlds.ts'
import { forkedParts, idsOf, newParts, type WorldParts } from '../world-parts.ts'
import { ClientSocket } from './client-socket.ts'
import { type BuiltInTypes, catalogOf, completeContent } from './content.ts'
import { rejectFiles } from './scenarios.ts'
import { createTurns } from './turns.ts'
import { connectWorld, type ServedWorld } from './wiring.ts'

/** A socket class whose sockets all connect to one emulator. URLs may be relative. */
export type SocketClass = Pick<
  typeof ClientSocket,
  'CONNECTING' | 'OPEN' | 'CLOSING' | 'CLOSED'
> & { new (url: string | URL, protocols?: string | string[]): ClientSocket }

/** A server within this process. */
export type InProcessEmulator = Omit<Emulator, 'fork' | 'world' | 'worlds'> & {
  /** Answers a request, whatever its host. Relative URLs are completed. Does not follow redirects. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly WebSocket: SocketClass
  /** The addresses of the emulator: its URL, and on hosted those of its signed links. */
  readonly addresses: readonly string[]
  /** Creates a world with the state of this one, below `/w/NAME` at the same address (see `Emulator`). */
  readonly fork: (name?: string) => Promise<InProcessEmulator>
  /** Creates a separate world below `/w/NAME` at the same address (see `Emulator`). */
  readonly world: (options?: WorldOptionsInput) => Promise<InProcessEmulator>
  /** The worlds below `/w/NAME` at this address, in the order in which they were created. */
  readonly worlds: () => readonly InProcessEmulator[]
}

/** Where clients find the worlds: the address, and those of the signed links. */
export type Places = {
  readonly url: string
  readonly port: number
  readonly base: URL
  readonly links: readonly string[]
  /** The port of the signed links; null on a local server. */
  readonly linksPort: number | null
}

/**
 * Creates the world at the root.
 * @param given the options of the caller, on which those of further worlds are based.
 */
export async function startWorlds(
  given: ServerOptionsInput,
  places: Places,
  types: BuiltInTypes,
  hooks: Hooks<Input, Effect>,
): Promise<InProcessEmulator> {
  const codec = createCodec()
  await codec.load()
  const turns = createTurns()
  const secrets = new Set<string>()

  const open = (part: WorldParts): Running<ServedWorld, InProcessEmulator> => {
    const { name, server, options, recorder } = part
    const url = places.url + pathOf(name)
    return worlds.add(name, {
      connect: ({ handle }) =>
        connectWorld(
          part,
          (move) =>
            Promise.resolve(
              serverPaths(handle() as Emulator, move, () =>
                scriptedTypes(part.server.state.script),
              ),
            ),
          codec,
          turns,
        ),
      stop: (edge) => {
        edge?.host.close()
        edge?.sockets.closeAll()
        recorder.close()
        return turns.flushed()
      },
      handle: (methods, { served }) => {
        const { clock, driver, changeWorld, watch } = served().host
        const { dispatch } = driver
        const { flushed } = turns
        const { signedLinks } = server.options
        return {
          ...createServerHandle(
            part,
            { ...clock, dispatch, changeWorld, watch, flushed },
            rejectFiles,
          ),
          ...methods,
          ...clientSettings(options, url),
          url,
          port: places.port,
          worldToken: null,
          signedUrl: signedLinks && hosted.linkBase(signedLinks, places.base.host) + pathOf(name),
          ca: null,
          options,
          save: () =>
            Promise.reject(usageError('A world without a server is not saved: use startEmulator.')),
          addresses: [url, ...places.links.map((link) => link + pathOf(name))],
          fetch: (input, init) =>
            reach.answer(
              new Request(input instanceof Request ? input : new URL(input, `${url}/`), init),
            ),
          WebSocket: class extends ClientSocket {
            constructor(target: string | URL) {
              super(socketUrl(target, `${url}/`), turns, reach.connect)
            }
          },
        }
      },
      fork: (to, edge) => open(forkedParts(part, to, {}, idsOf(edge))),
    })
  }
  const partOf = async (
    name: string | null,
    options: ServerOptions,
    own: Hooks<Input, Effect>,
  ): Promise<WorldParts> => {
    const objectInfo = await catalogOf(options, types)
    requireKnownTypes(options, objectInfo)
    return newParts({
      name,
      options,
      made: worldOptions(options, objectInfo, Date.now(), places.linksPort),
      hosted: options.deployment === 'hosted' ? hosted : null,
      hooks: own,
      codec,
      file: null,
      secrets,
    })
  }
  const worlds = createWorlds<ServedWorld, InProcessEmulator, WorldOptionsInput>({
    create: async (name, own) => {
      requireOwnOptions(own, listenerOptions)
      return open(
        await partOf(name, await completeContent({ ...given, ...own }, types), {}),
      ).handle()
    },
    close: () => Promise.resolve(),
  })
  const reach = createReach(places, worlds.find)
  return open(await partOf(null, await completeContent(given, types), hooks)).handle()
}

/** How requests and sockets reach a world: by their target, or the host of the signed links. */
type Reach = {
  readonly answer: (request: Request) => Promise<Response>
  readonly connect: ConstructorParameters<typeof ClientSocket>[2]
}

function createReach(
  { base, links }: Places,
  find: Worlds<ServedWorld, unknown, unknown>['find'],
): Reach {
  const linkBases = links.map((link) => new URL(link))
  const answer: Reach['answer'] = (request) => {
    const url = new URL(request.url)
    const link = linkBases.find(
      ({ origin, pathname }) => origin === url.origin && url.pathname.startsWith(pathname),
    )
    const { world, target } = find(targetOf(url, link ?? base))
    return world.answer({ request, url, target, isLink: link !== undefined })
  }
  const connect: Reach['connect'] = (url, line) => {
    const { world, target } = find(targetOf(url, base))
    return world.connect(url, target, line)
  }
  return { answer, connect }
}

/** Path and query of a URL below a base. */
function targetOf({ pathname, search }: URL, base: URL): string {
  const prefix = base.pathname.replace(/\/$/, '')
  const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
  return path + search
}

/** The address of a socket. Its scheme may be that of HTTP. */
function socketUrl(target: string | URL, base: string): URL {
  if (!URL.canParse(String(target), base))
    throw new DOMException(`"${String(target)}" is not a URL.`, 'SyntaxError')
  const url = new URL(target, base)
  url.protocol = url.protocol.replace('http', 'ws')
  url.hash = ''
  return url
}
