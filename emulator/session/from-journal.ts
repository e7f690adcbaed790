// The session that a journal has, as a recording: requests with the responses as they were sent, and sockets.

import type { RecordedClose, RecordingInfo } from '../../spec/recording.ts'
import { respond, type EncodeFile } from '../http/respond.ts'
import { concat, latin1 } from '../lib/bytes.ts'
import type {
  ChunkEffect,
  Effect,
  Entry,
  FrameContent,
  Headers,
  Input,
  SocketEnd,
} from '../machine.ts'
import {
  type HeaderList,
  inOrder,
  type RecordedExchange,
  type RecordedMessage,
  type RecordedSocket,
  type Recording,
} from './recording.ts'

/** What a journal does not say. */
export type JournalSource = {
  readonly info: RecordingInfo
  readonly scheme: 'http' | 'https'
  /** The start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  /** The value of the response header Server. */
  readonly serverName: string
  readonly encodeFile: EncodeFile
  readonly encodeFrame: (content: FrameContent) => Uint8Array
}

type RequestInput = Extract<Input, { kind: 'request' }>
type OpenInput = Extract<Input, { kind: 'open' }>
type ReplyEffect = Extract<Effect, { kind: 'reply' }>

/** Members that change while the journal is read. */
type Open<T> = { -readonly [Name in keyof T]: T[Name] }
type OpenSocket = Open<RecordedSocket> & { readonly messages: RecordedMessage[] }

/**
 * The recording of a server's journal, secrets included.
 * @param entries those since the last change of the whole state.
 */
export function recordingOfJournal(entries: readonly Entry[], source: JournalSource): Recording {
  const session = createSession(source)
  for (const { input, effects } of entries) {
    session.input(input)
    for (const effect of effects) session.effect(effect, source.epochMs + input.atMs)
  }
  session.end()
  return inOrder({ info: source.info, exchanges: session.exchanges, sockets: session.sockets })
}

function createSession(source: JournalSource) {
  const { scheme, epochMs, encodeFrame } = source
  const exchanges: Open<RecordedExchange>[] = []
  const sockets: OpenSocket[] = []
  const waiting = new Map<
    number,
    { readonly input: RequestInput; exchange: Open<RecordedExchange> }
  >()
  /** The exchanges of open streams, with the parts of their bodies so far. */
  const streams = new Map<
    number,
    { readonly exchange: Open<RecordedExchange>; readonly parts: Uint8Array[] }
  >()
  const handshakes = new Map<number, OpenInput>()
  const open = new Map<number, OpenSocket>()

  const urlOf = ({ headers, target }: RequestInput | OpenInput, protocol: string): string =>
    new URL(`${protocol}://${headers['host'] ?? 'localhost'}${target}`).href
  const close = (id: number, end: Omit<RecordedClose, 'atMs'>, atMs: number): void => {
    const socket = open.get(id)
    if (socket !== undefined) socket.close = { ...end, atMs }
    open.delete(id)
  }
  const exchangeOf = (asked: RequestInput | OpenInput): Open<RecordedExchange> => ({
    entry: 0,
    startMs: epochMs + asked.atMs,
    endMs: epochMs + asked.atMs,
    method: asked.kind === 'open' ? 'GET' : asked.method,
    url: urlOf(asked, scheme),
    headers: headersOf(asked),
    body: asked.kind === 'open' ? new Uint8Array() : asked.body,
    response: null,
    ...(asked.kind === 'request' && asked.fault !== undefined && { cut: ['request'] as const }),
  })
  const send = (ids: readonly number[], data: RecordedMessage['data'], atMs: number): void => {
    for (const id of ids) open.get(id)?.messages.push({ from: 'server', atMs, data })
  }

  const input = (given: Input): void => {
    const atMs = epochMs + given.atMs
    if (given.kind === 'request') {
      const exchange = exchangeOf(given)
      exchanges.push(exchange)
      waiting.set(given.request, { input: given, exchange })
    } else if (given.kind === 'open') handshakes.set(given.socket, given)
    else if (given.kind === 'message')
      open.get(given.socket)?.messages.push({ from: 'client', atMs, data: given.text })
    // The journal does not have the code of a client.
    else if (given.kind === 'close') close(given.socket, { by: 'client', code: 1005 }, atMs)
  }
  const effect = (given: Effect, atMs: number): void => {
    if (given.kind === 'reply') reply(given, atMs)
    else if (given.kind === 'chunk') chunk(given, atMs)
    else if (given.kind === 'accept') accept(given.socket, atMs)
    else if (given.kind === 'refuse') refuse(given, atMs)
    else if (given.kind === 'send' && given.cutBytes === undefined)
      send(given.sockets, given.text, atMs)
    else if (given.kind === 'frame' && given.cutBytes === undefined)
      send(given.sockets, encodeFrame(given.content).subarray(0, given.shortBytes), atMs)
    else if (given.kind === 'end' && given.how !== 'silence')
      for (const id of given.sockets) close(id, endOf(given.how), atMs)
  }
  const reply = (given: ReplyEffect, atMs: number): void => {
    const asked = waiting.get(given.request)
    if (asked === undefined) return
    waiting.delete(given.request)
    const { exchange, input } = asked
    exchange.endMs = atMs
    exchange.response = responseOf(given, input.method, input.headers, atMs, source)
    if (given.stream) streams.set(given.request, { exchange, parts: [exchange.response.body] })
    if (given.transport !== undefined && 'afterBytes' in given.transport) {
      exchange.response = { ...exchange.response, body: new Uint8Array() }
      exchange.cut = [...(exchange.cut ?? []), 'response']
    }
  }
  const chunk = ({ request, text, then }: ChunkEffect, atMs: number): void => {
    const stream = streams.get(request)
    if (stream === undefined) return
    stream.parts.push(latin1(text))
    stream.exchange.endMs = atMs
    if (then === undefined) return
    endStream(request, then !== 'end')
  }
  /** Joins the body of a stream. One that its client left, or that goes on, has what was sent. */
  const endStream = (request: number, isBroken: boolean): void => {
    const { exchange, parts } = streams.get(request) ?? {}
    streams.delete(request)
    if (!exchange?.response || !parts) return
    exchange.response = { ...exchange.response, body: isBroken ? new Uint8Array() : concat(parts) }
    if (isBroken) exchange.cut = [...(exchange.cut ?? []), 'response']
  }
  const end = (): void => {
    for (const request of streams.keys()) endStream(request, false)
  }
  const accept = (id: number, atMs: number): void => {
    const asked = handshakes.get(id)
    if (asked === undefined) return
    handshakes.delete(id)
    const url = urlOf(asked, scheme.replace('http', 'ws'))
    const headers = headersOf(asked)
    const socket = { entry: 0, openMs: atMs, url, headers, messages: [], close: null }
    sockets.push(socket)
    open.set(id, socket)
  }
  const refuse = (given: Extract<Effect, { kind: 'refuse' }>, atMs: number): void => {
    const asked = handshakes.get(given.socket)
    if (asked === undefined) return
    handshakes.delete(given.socket)
    const response = responseOf(given, 'GET', asked.headers, atMs, source)
    exchanges.push({ ...exchangeOf(asked), endMs: atMs, response })
  }
  return { exchanges, sockets, input, effect, end }
}

/**
 * The headers without those of the connection. The journal has a body unpacked, or not at all if the reply did not depend
 * on it: the length is another one.
 */
const headersOf = ({ headers }: RequestInput | OpenInput): HeaderList =>
  Object.entries(headers).filter(
    ([name]) => name !== 'content-length' && (name !== 'connection' || 'upgrade' in headers),
  )

const endOf = (how: Exclude<SocketEnd, 'silence'>): Omit<RecordedClose, 'atMs'> => ({
  by: 'server',
  code: how === 'reset' ? 1006 : how.close,
})

/** A response as the edge sends it. */
function responseOf(
  reply: Pick<ReplyEffect, 'status' | 'headers' | 'body' | 'reason' | 'file'>,
  method: string,
  headers: Headers,
  atMs: number,
  { encodeFile, serverName }: JournalSource,
): NonNullable<RecordedExchange['response']> {
  const recipient = { method, headers, takesChunks: true }
  const sent = respond(reply, recipient, atMs, encodeFile, serverName)
  const body = typeof sent.body === 'string' ? latin1(sent.body) : sent.body
  const isBare = method === 'HEAD' || sent.status === 204 || sent.status === 304
  return {
    status: sent.status,
    headers: pairs(sent.headers),
    body: isBare ? new Uint8Array() : body,
  }
}

const pairs = (flat: readonly string[]): HeaderList =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []))
