// Sends the requests of the suites unchanged, over connections that stay open, and fetches signed links without a key and
// without following redirects.

import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { openConnection } from './connection/open.ts'
import { isInProcess } from './edges.ts'
import { guarded, outgoing } from './traffic.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

export type HttpClient = {
  /**
   * Sends a request and resolves when its whole answer is here. A text is sent as a form unless the headers say
   * otherwise.
   */
  readonly send: (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string | Uint8Array,
  ) => Promise<Answer>
  /** Closes the connections. */
  readonly close: () => void
}

/** Appended to dot segments, which a URL parser would resolve. */
const mark = '~kept~'

/** A path with the characters escaped that no path may contain. Dot segments stay. */
function escaped(path: string, base: string): string {
  const [way = '', ...rest] = path.split('?')
  const marked = way.replace(/(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi, `$&${mark}`)
  const { pathname, search } = new URL(base + [marked, ...rest].join('?'))
  return pathname.replaceAll(mark, '') + search
}

/** A client of the server at this address. */
export const createHttpClient = (base: string): HttpClient =>
  isInProcess(base) ? createFetchClient(base) : createSocketClient(base)

/** The type of a text that a request sends without saying what it is. */
function typeOf(
  given: Readonly<Record<string, string>>,
  body: string | Uint8Array | undefined,
): Readonly<Record<string, string>> {
  const isNamed = Object.keys(given).some((name) => name.toLowerCase() === 'content-type')
  return typeof body === 'string' && !isNamed
    ? { 'Content-Type': 'application/x-www-form-urlencoded' }
    : {}
}

/** A client that uses the fetch of this process. */
const createFetchClient = (base: string): HttpClient => ({
  send: async (method, path, given, body) => {
    const headers = { ...typeOf(given, body), ...given }
    const content = body === undefined ? {} : { body: Buffer.from(body) }
    const init: RequestInit = { method, headers, redirect: 'manual', ...content }
    const response = await fetch(base + escaped(path, base), init)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      bytes: Buffer.from(await response.arrayBuffer()),
    }
  },
  close: () => undefined,
})

/** A client that opens connections. */
function createSocketClient(base: string): HttpClient {
  const { protocol, hostname, port } = new URL(base)
  const agent = Object.assign(new Agent({ keepAlive: true }), {
    createConnection: () => openConnection(base),
  })
  // An address of IPv6 stands in brackets there, and without them here.
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { agent, port, hostname: host, defaultPort: protocol === 'https:' ? 443 : 80 }
  return {
    send: async (method, path, given, body) => {
      const allowed = outgoing({ url: base, method, path, headers: given, body: body ?? '' })
      const content = body === undefined ? undefined : allowed.body
      const length = content === undefined ? {} : { 'Content-Length': Buffer.byteLength(content) }
      const headers = { ...typeOf(given, body), ...length, ...allowed.headers }
      const options = { ...to, method, path: escaped(allowed.path, base), headers }
      return new Promise<Answer>((resolve, reject) => {
        const sent: ClientRequest = request(
          options,
          (response) => void answerOf(response).then(resolve, reject),
        )
        sent.on('error', reject)
        sent.end(content)
      })
    },
    close: () => agent.destroy(),
  }
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    bytes: Buffer.concat(chunks),
  }
}

/** What a link answers, without following it further. */
export type FetchedLink = {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly text: string
}

/** Fetches a link as it is, with only these headers. */
export async function fetchLink(
  link: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  body: Uint8Array | '' = '',
): Promise<FetchedLink> {
  const { origin, pathname, search } = new URL(link)
  await guarded({ url: origin, method, path: pathname + search, headers, body })
  const given = body === '' ? {} : { body: Buffer.from(body) }
  const reply = await fetch(link, { method, headers, ...given, redirect: 'manual' })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, headers: reply.headers, bytes, text: bytes.toString() }
}
