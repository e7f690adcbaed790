// HTTP exchanges as bytes on a separate connection, including what HTTP clients hide.

import type { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { type Answer, createAnswerReader, isLast } from './connection/answers.ts'
import { openConnection } from './connection/open.ts'
import { createRequestReader } from './connection/requests.ts'
import { isInProcess } from './edges.ts'
import { missing } from './skip.ts'
import { addedHeaders, outgoing, watcherOf } from './traffic.ts'

/** A reply as it was on the wire. */
export type Exchange = Pick<Answer, 'status' | 'before' | 'reason' | 'lines' | 'header'> & {
  /** Its body, with all that came behind it on the connection. */
  readonly body: string
}

/** How long a server elsewhere may take for its first answer, and be silent after it, in milliseconds. */
const MAX_ANSWER_MS = 15_000
const MAX_SILENCE_MS = 3000

/**
 * Sends one request with `Connection: close`, and reads its answer: to the end of the connection if the server says that
 * it ends it. Throws the reason of the signal when that ends.
 */
export async function exchange(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
  signal?: AbortSignal,
): Promise<Exchange> {
  const given = typeof body === 'string' ? Buffer.from(body) : body
  if (isInProcess(url)) return exchangeHere(`${url}${path}`, method, headers, given)
  const sent = outgoing({ url, method, path, headers, body: given })
  const bytes = Buffer.from(sent.body as Uint8Array)
  const { host } = new URL(url)
  const own = { Host: host, Connection: 'close', 'Content-Length': `${bytes.length}` }
  const lines = Object.entries({ ...own, ...sent.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = `${method} ${below(url, sent.path)} HTTP/1.1\r\n${lines.join('')}\r\n`
  signal?.throwIfAborted()
  const socket = openConnection(url)
  if (signal !== undefined) addAbortSignal(signal, socket)
  try {
    return firstOf(await receive(socket, url, [Buffer.concat([Buffer.from(head), bytes])]))
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    socket.destroy()
  }
}

/** A path of a server as its address has it, which may lead below a prefix. */
const below = (url: string, path: string): string =>
  path.startsWith('/') ? new URL(url).pathname.replace(/\/$/, '') + path : path

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
    before: [],
    reason: reply.statusText,
    lines: [...reply.headers].map(([name, value]) => `${name}: ${value}`),
    header: (name) => reply.headers.get(name) ?? undefined,
    body: await reply.text(),
  }
}

/**
 * Opens a connection without sending anything. Each request that is written to it gets the headers that a host of the
 * suites adds to all, and the prefix of the address.
 */
export function dial(url: string): Socket {
  const socket = openConnection(url)
  const added = Object.entries(addedHeaders(url)).map(([name, value]) => `${name}: ${value}\r\n`)
  if (added.length > 0 || below(url, '/') !== '/') {
    const write = socket.write.bind(socket)
    socket.write = (bytes: string | Uint8Array) => write(completed(url, bytes, added.join('')))
  }
  return socket
}

/** Requests as bytes, with their whole path, and with further lines behind the first of each. */
const completed = (url: string, bytes: string | Uint8Array, lines: string): Buffer =>
  Buffer.from(
    Buffer.from(bytes as Uint8Array)
      .toString('latin1')
      .replace(
        /^([A-Z]+ )(\S+)( HTTP\/1\.[01]\r\n)/gm,
        (_, method: string, path: string, end: string) => method + below(url, path) + end + lines,
      ),
    'latin1',
  )

/** Sends these bytes, and reads the first answer to them, to the end of the connection if the server says that it ends it. */
export async function exchangeBytes(
  url: string,
  ...sent: readonly (string | Uint8Array)[]
): Promise<Exchange> {
  const socket = dial(url)
  try {
    return firstOf(await receive(socket, url, sent, 1))
  } finally {
    socket.destroy()
  }
}

/**
 * Sends requests in one write, and reads the answer to each, or until one says that the connection ends. Each character of
 * a body is a byte. Throws if an answer is cut off.
 */
export async function exchangeAll(url: string, sent: string): Promise<readonly Exchange[]> {
  const socket = dial(url)
  const { answers, cut, surplus } = await receive(socket, url, [sent])
  socket.destroy()
  if (cut !== undefined || surplus.length > 0)
    throw new Error(`Cut off: ${(cut?.bytes ?? surplus).toString('latin1').slice(0, 200)}`)
  return answers.map((one) => Object.assign(one, { body: one.bytes.toString('latin1') }))
}

/** The status of the answer to a request whose body never arrives; `head` ends with its last header. */
export async function statusOfHead(url: string, head: string): Promise<number> {
  return (await firstReply(url, `${head}Content-Length: 1000\r\n\r\n`))[0]
}

/** The status and body of the first answer on a connection on which this was sent, while it stays open. */
export async function firstReply(
  url: string,
  ...sent: readonly string[]
): Promise<readonly [status: number, body: string]> {
  const { status, body } = await exchangeBytes(url, ...sent)
  return [status, body]
}

/** A connection on which one request follows the answer to another. */
export type Talk = {
  /** Sends a request, and reads its answer. */
  readonly ask: (sent: string | Uint8Array) => Promise<Exchange>
  readonly end: () => void
}

export function openTalk(url: string): Talk {
  const socket = dial(url)
  return {
    ask: async (sent) => firstOf(await receive(socket, url, [sent], 1)),
    end: () => void socket.destroy(),
  }
}

/** What came on a connection. */
type Received = {
  readonly answers: readonly Answer[]
  /** An answer that is cut off, */
  readonly cut: Answer | undefined
  /** and what came after the last one. */
  readonly surplus: Buffer
}

/** The first answer, even if it is cut off, with all that came behind it. */
function firstOf({ answers, cut, surplus }: Received): Exchange {
  const first = answers[0] ?? cut
  if (first === undefined) {
    if (surplus.length === 0) throw new Error('The connection ended without an answer.')
    throw new Error(`This is not an answer: ${surplus.toString('latin1').slice(0, 200)}`)
  }
  return { ...first, body: Buffer.concat([first.bytes, surplus]).toString() }
}

/**
 * Sends bytes and reads the answers to them: as many as there are requests, or as are wanted. It ends with the connection
 * if an answer says so. A server elsewhere need not be waited for without end.
 */
async function receive(
  socket: Socket,
  url: string,
  sent: readonly (string | Uint8Array)[],
  wanted = Number.POSITIVE_INFINITY,
): Promise<Received> {
  const reader = createRequestReader()
  const written = sent.map((bytes) => reader.read(Buffer.from(bytes as Uint8Array)))
  const requests = [...new Set(written.flatMap((one) => one.requests))]
  const isOpen =
    requests.some((one) => !one.isWhole()) || written.some((one) => one.doubtful !== undefined)
  const methods = requests.map(({ method }) => method)
  // Also bytes that are not a valid request may be answered.
  const count = Math.min(wanted, methods.length + (written.some((one) => one.doubtful) ? 1 : 0))
  const answers: Answer[] = []
  const from = createAnswerReader(() => methods.shift() ?? 'GET')
  const limits =
    watcherOf(url) === undefined
      ? undefined
      : { first: isOpen ? MAX_SILENCE_MS : MAX_ANSWER_MS, silence: MAX_SILENCE_MS }
  await new Promise<void>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const end = (error?: Error): void => {
      clearTimeout(timer)
      socket.off('data', take).off('close', close).off('error', fail)
      if (error === undefined) resolve()
      else reject(error)
    }
    const close = (): void => end()
    const wait = (ms: number | undefined): void => {
      clearTimeout(timer)
      if (ms !== undefined) timer = setTimeout(close, ms)
    }
    const take = (chunk: Buffer): void => {
      answers.push(...from.read(chunk))
      const last = answers.at(-1)
      const isDone = last !== undefined && (last.status === 101 || !isLast(last))
      if (isDone && (answers.length >= count || last.status === 101)) end()
      else wait(limits?.silence)
    }
    // A server that has answered need not read the rest of a request, and may end the connection so.
    const fail = (error: Error): void =>
      end(answers.length === 0 && from.end() === undefined ? error : undefined)
    wait(limits?.first)
    socket.on('data', take).on('close', close).on('error', fail)
    for (const bytes of sent) socket.write(bytes)
  })
  const last = from.end()
  if (last?.isCut === false) answers.push(last.answer)
  return { answers, cut: last?.isCut ? last.answer : undefined, surplus: from.surplus() }
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
