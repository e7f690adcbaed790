// Puts emulators behind the fetch and WebSocket of a page: requests to their addresses reach them, all others the network.

import type { InProcessEmulator } from './worlds.ts'

type Installable = Pick<InProcessEmulator, 'addresses' | 'fetch' | 'WebSocket'>
type SocketArguments = [url: string | URL, protocols?: string | string[]]
type Globals = { fetch: typeof fetch; WebSocket: unknown }

const globals = globalThis as unknown as Globals & { readonly location?: { readonly href: string } }

const installed = new Set<Installable>()
let originals: Globals | undefined

/**
 * Puts an emulator behind `fetch` and `WebSocket` of this page or process, for its addresses alone. Returns a function
 * that removes it. Clients that use XMLHttpRequest, or a socket library of Node, do not meet it.
 */
export function install(emulator: Installable): () => void {
  installed.add(emulator)
  if (originals === undefined) {
    originals = { fetch: globals.fetch, WebSocket: globals.WebSocket }
    globals.fetch = createFetch(originals.fetch)
    globals.WebSocket = createSocketClass(originals.WebSocket, emulator)
  }
  return () => {
    installed.delete(emulator)
    if (installed.size > 0 || originals === undefined) return
    Object.assign(globals, originals)
    originals = undefined
  }
}

/** The emulator at an address, and the absolute URL. */
function find(target: string | URL): { url: URL; emulator: Installable } | undefined {
  const base = globals.location?.href
  if (!URL.canParse(String(target), base)) return undefined
  const url = new URL(target, base)
  const href = url.href.replace(/^ws/, 'http')
  const isAt = (address: string): boolean =>
    href.startsWith(address) && /^$|^[/?#]/.test(href.slice(address.length))
  const emulator = [...installed].find(({ addresses }) => addresses.some(isAt))
  return emulator && { url, emulator }
}

const createFetch =
  (original: typeof fetch): typeof fetch =>
  (input, init) => {
    const target = input instanceof Request ? input.url : input
    const found = find(target)
    if (found === undefined) return original(input, init)
    return follow(new Request(input instanceof Request ? input : found.url, init))
  }

const MAX_REDIRECTS = 20

/** Sends a request to its emulator, and follows redirects as its mode says. */
async function follow(request: Request, count = 0): Promise<Response> {
  const response = await (find(request.url)?.emulator.fetch ?? globals.fetch)(request)
  const location = response.headers.get('location')
  if (location === null || response.status < 300 || response.status > 399) return response
  if (request.redirect === 'manual') return response
  if (request.redirect === 'error' || count === MAX_REDIRECTS)
    throw new TypeError('Failed to fetch')
  const url = new URL(location, request.url)
  const headers = new Headers(request.headers)
  for (const name of ['host', 'content-type', 'content-length']) headers.delete(name)
  if (url.origin !== new URL(request.url).origin) headers.delete('authorization')
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  return follow(new Request(url, { method, headers, signal: request.signal }), count + 1)
}

/** A class that opens sockets to emulators, and to the network by the original class. */
function createSocketClass(original: unknown, { WebSocket: own }: Installable): unknown {
  const construct = (_: unknown, [url, protocols]: SocketArguments): object => {
    const found = find(url)
    if (found !== undefined) return new found.emulator.WebSocket(found.url)
    if (typeof original !== 'function')
      throw new TypeError(`No emulator has the address ${String(url)}, and there is no WebSocket.`)
    const given: SocketArguments = protocols === undefined ? [url] : [url, protocols]
    return Reflect.construct(original, given) as object
  }
  return new Proxy(typeof original === 'function' ? original : own, { construct })
}
