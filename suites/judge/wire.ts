// One HTTP exchange as bytes on a separate connection, including what HTTP clients hide.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { isInProcess } from './edges.ts'
import { missing } from './skip.ts'
import { addedHeaders, answered, outgoing, type Outgoing } from './traffic.ts'

/** A reply as it was on the wire. */
export type Exchange = {
  readonly status: number
  /** The reason phrase after the status. */
  readonly reason: string
  /** Header lines in their order and spelling. */
  readonly lines: readonly string[]
  /** The value of a header, whatever its spelling; undefined if it is absent. */
  readonly header: (name: string) => string | undefined
  /** All bytes after the headers, to the end of the connection. */
  readonly body: string
}

/**
 * Sends one request with `Connection: close` and reads to the end of the connection. Throws the reason of the signal when
 * that ends.
 */
export async function exchange(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
  signal?: AbortSignal,
): Promise<Exchange> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (isInProcess(url)) return exchangeHere(`${url}${path}`, method, headers, bytes)
  const sent = await outgoing({ url, method, path, headers, body: bytes })
  const { host } = new URL(url)
  const own = { Host: host, Connection: 'close', 'Content-Length': `${bytes.length}` }
  const lines = Object.entries({ ...own, ...sent.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = `${method} ${sent.path} HTTP/1.1\r\n${lines.join('')}\r\n`
  const reply = read((await receive(url, [head, bytes], signal)).toString())
  answered(sent, reply.status, reply.body)
  return reply
}

/** The same with a server in this process. The spelling of header lines is lost. */
async function exchangeHere(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): Promise<Exchange> {
  const body = bytes.length === 0 ? {} : { body: Buffer.from(bytes) }
  const reply = await fetch(url, { method, headers, redirect: 'manual', ...body })
  return {
    status: reply.status,
    reason: reply.statusText,
    lines: [...reply.headers].map(([name, value]) => `${name}: ${value}`),
    header: (name) => reply.headers.get(name) ?? undefined,
    body: await reply.text(),
  }
}

/**
 * Opens a connection without sending anything. Each request that is written to it gets the headers that a host of the
 * suites adds to all.
 */
export function dial(url: string): Socket {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket =
    protocol === 'https:'
      ? connectSecurely({ host, port: Number(port || 443), servername: host })
      : connect(Number(port || 80), host)
  const added = Object.entries(addedHeaders(url)).map(([name, value]) => `${name}: ${value}\r\n`)
  if (added.length > 0) {
    const write = socket.write.bind(socket)
    socket.write = (bytes: string | Uint8Array) => write(withLines(bytes, added.join('')))
  }
  return socket
}

/** Requests as bytes, with further lines behind the first of each. */
const withLines = (bytes: string | Uint8Array, lines: string): Buffer =>
  Buffer.from(
    Buffer.from(bytes as Uint8Array)
      .toString('latin1')
      .replace(/^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/gm, (first) => first + lines),
    'latin1',
  )

/** Sends these bytes and reads to the end of the connection, which the server must close. */
export async function exchangeBytes(
  url: string,
  ...sent: readonly (string | Uint8Array)[]
): Promise<Exchange> {
  return read((await receiveRaw(url, sent)).toString())
}

/**
 * Sends requests in one write and reads to the end of the connection, which one of them must request. Returns every
 * answer, each character of its body a byte; throws if one is cut off.
 */
export async function exchangeAll(url: string, sent: string): Promise<readonly Exchange[]> {
  const answers: Exchange[] = []
  for (let rest = (await receiveRaw(url, [sent])).toString('latin1'); rest !== '';) {
    const one = read(rest)
    const length = Number(one.header('content-length'))
    if (!(length <= one.body.length)) throw new Error(`Cut off: ${rest.slice(0, 200)}`)
    answers.push({ ...one, body: one.body.slice(0, length) })
    rest = one.body.slice(length)
  }
  return answers
}

/** The status of the answer to a request whose body never arrives; `head` ends with its last header. */
export async function statusOfHead(url: string, head: string): Promise<number> {
  await outgoing(requestIn(url, head))
  const socket = dial(url)
  socket.write(`${head}Content-Length: 1000\r\n\r\n`)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return read(bytes.toString()).status
}

/** The status and body of the first answer on a connection on which this was sent, while it stays open. */
export async function firstReply(
  url: string,
  ...sent: readonly string[]
): Promise<readonly [status: number, body: string]> {
  await outgoing(requestIn(url, sent[0] ?? ''))
  const socket = dial(url)
  socket.on('error', () => socket.destroy())
  for (const text of sent) socket.write(text)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  const { status, body } = read(chunk.toString())
  return [status, body]
}

/** The first request of raw bytes, as far as it can be read. */
function requestIn(url: string, bytes: string | Uint8Array): Outgoing {
  const [head = '', ...body] = Buffer.from(bytes as Uint8Array)
    .toString('latin1')
    .split('\r\n\r\n')
  const [method = '', path = ''] = head.split(' ')
  return { url, method, path, headers: {}, body: body.join('\r\n\r\n') }
}

/** Sends bytes that a case has written itself. */
async function receiveRaw(url: string, sent: readonly (string | Uint8Array)[]): Promise<Buffer> {
  const [first = ''] = sent
  const request = await outgoing(requestIn(url, first))
  const bytes = await receive(url, sent)
  answered(request, Number(/^HTTP\/1\.\d (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 0), bytes)
  return bytes
}

async function receive(
  url: string,
  sent: readonly (string | Uint8Array)[],
  signal?: AbortSignal,
): Promise<Buffer> {
  signal?.throwIfAborted()
  const socket = dial(url)
  if (signal !== undefined) addAbortSignal(signal, socket)
  for (const bytes of sent) socket.write(bytes)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of socket) {
      chunks.push(chunk as Buffer)
      // After a handshake that succeeds the connection stays open.
      if (chunks[0]?.toString('latin1').startsWith('HTTP/1.1 101 ')) break
    }
  } catch (error) {
    // A server that has answered need not read the rest of a request, and may end the connection so.
    if (chunks.length === 0) throw error
  }
  signal?.throwIfAborted()
  return Buffer.concat(chunks)
}

function read(text: string): Exchange {
  const cut = text.indexOf('\r\n\r\n')
  const [start = '', ...lines] = text.slice(0, cut).split('\r\n')
  const header = (name: string): string | undefined => {
    const prefix = `${name.toLowerCase()}: `
    return lines.find((line) => line.toLowerCase().startsWith(prefix))?.slice(prefix.length)
  }
  const [, status, ...reason] = start.split(' ')
  const body = text.slice(cut + 4)
  return { status: Number(status), reason: reason.join(' '), lines, header, body }
}

/** A header line with the name of the emulator in place of that of another server. In a world of the suites it stays. */
export const serverLine = (line = '', isOwn = false): string =>
  isOwn ? line : line.replace(/^Server: .+/, 'Server: flowdouble')

/** The origin that the replies of a local server in CORS mode name; undefined if it is not in that mode. */
export const corsOriginOf = async (url: string): Promise<string | undefined> =>
  (await exchange(url, 'GET', '/queue', { Origin: 'http://evil.example' })).header(
    'access-control-allow-origin',
  )

/** Ends a case about what a server in CORS mode does otherwise. */
export async function outsideCors(url: string): Promise<void> {
  if ((await corsOriginOf(url)) !== undefined) throw missing('The server is in CORS mode.')
}

/** The parts of a reply that show what kind of body it has. */
export const summaryOf = ({ status, header, body }: Exchange) => ({
  status,
  type: header('content-type'),
  length: header('content-length'),
  body,
})
