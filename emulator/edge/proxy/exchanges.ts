// Passes requests on to the target of a proxy and the responses back, as streams, and reports each exchange.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CutBody } from '../../../spec/recording.ts'
import type { HeaderList, RecordedResponse } from '../../session/recording.ts'
import { decodedBody, keepBody } from './bodies.ts'
import type { Place, Places } from './places.ts'
import { monotonicTimeMs, type Sink } from './sink.ts'
import { headerPairs, headersFor, type Upstream } from './upstream.ts'

/** What handlers of a proxy share. */
export type ProxyParts = {
  readonly places: Places
  readonly upstream: Upstream
  readonly sink: Sink
  /** Reports what can be said when the proxy stops, until the returned function is called. */
  readonly untilStopped: (report: () => void) => () => void
  /** Has the proxy wait for some work when it stops. */
  readonly waitFor: (work: Promise<void>) => void
}

/** Passes one request on. */
export function passRequest(
  { places, upstream, sink, untilStopped }: ProxyParts,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const startMs = monotonicTimeMs()
  const place = message.url?.startsWith('/') ? places.find(message.url) : undefined
  if (place === undefined) return refuse(response, 404, unknownPlace)
  const { method = 'GET' } = message
  const headers = headersFor(message, place)
  const requestBody = keepBody()
  let answer: { readonly head: IncomingMessage; readonly body: Buffer | undefined } | undefined
  let isWhole = false

  const report = once(() => {
    const body = decodedBody(requestBody.bytes(), headers)
    const [recorded, isCut] = recordedResponse(answer, isWhole)
    const cut: CutBody[] = [
      ...(body === undefined || !message.complete ? ['request' as const] : []),
      ...(isCut ? ['response' as const] : []),
    ]
    sink.exchange({
      entry: 0,
      startMs,
      endMs: monotonicTimeMs(),
      method,
      url: new URL(place.recorded).href,
      headers,
      body: body === undefined || !message.complete ? new Uint8Array() : body,
      response: recorded,
      ...(cut.length > 0 && { cut }),
    })
    forget()
  })
  const forget = untilStopped(report)
  const call = upstream.begin(message, place, headers)
  call.on('error', (error) => {
    report()
    if (response.headersSent || response.destroyed) return void response.destroy()
    refuse(response, 502, unreachableText(place, error))
  })
  call.on('response', (head) => {
    const { statusCode = 0 } = head
    // Node reads such a status, and throws for whoever writes it.
    if (statusCode < 100 || statusCode > 999) {
      report()
      head.destroy()
      return refuse(
        response,
        502,
        `${place.origin} answered with the status ${statusCode}, which HTTP does not know.`,
      )
    }
    const kept = keepBody()
    answer = { head, body: undefined }
    const end = (): void => {
      isWhole = head.complete
      answer = { head, body: kept.bytes() }
      report()
    }
    head.on('data', kept.add)
    head.once('end', end)
    head.once('close', end)
    // A text with links is rewritten whole; anything else passes as it comes.
    if (mayHoldLinks(head, method)) passLinks(places, message, place, head, kept.bytes, response)
    else passOn(places, message, place, head, response)
  })
  message.on('data', requestBody.add)
  message.pipe(call)
  response.once('close', () => {
    if (response.writableFinished) return
    report()
    call.destroy()
  })
}

const unknownPlace =
  'This is the proxy of flowdouble record. It knows the paths of its target, and no other hosts.'

/** The proxy as its client addresses it. */
const proxyOf = ({ headers }: IncomingMessage): string => `http://${headers.host ?? ''}`

/** The headers of a response for the client: a redirect leads through the proxy. */
function shownHeaders(
  places: Places,
  message: IncomingMessage,
  place: Place,
  head: IncomingMessage,
): HeaderList {
  return headerPairs(head.rawHeaders).map(([name, value]) =>
    name.toLowerCase() === 'location'
      ? [name, places.locationFor(proxyOf(message), place, value)]
      : [name, value],
  )
}

function writeHead(response: ServerResponse, head: IncomingMessage, headers: HeaderList): void {
  response.sendDate = false
  response.writeHead(head.statusCode ?? 502, head.statusMessage, headers.flat())
}

function passOn(
  places: Places,
  message: IncomingMessage,
  place: Place,
  head: IncomingMessage,
  response: ServerResponse,
): void {
  writeHead(response, head, shownHeaders(places, message, place, head))
  response.flushHeaders()
  head.pipe(response)
  head.once('close', () => {
    if (!head.complete) response.destroy()
  })
}

const mayHoldLinks = ({ headers, statusCode = 0 }: IncomingMessage, method: string): boolean =>
  method !== 'HEAD' &&
  statusCode !== 204 &&
  statusCode !== 304 &&
  /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')

function passLinks(
  places: Places,
  message: IncomingMessage,
  place: Place,
  head: IncomingMessage,
  bytes: () => Buffer | undefined,
  response: ServerResponse,
): void {
  // Too large to be rewritten: passes from here on as it comes.
  let isPassing = false
  const pending: Buffer[] = []
  head.on('data', (chunk: Buffer) => {
    pending.push(chunk)
    if (isPassing || bytes() !== undefined) return
    isPassing = true
    writeHead(response, head, shownHeaders(places, message, place, head))
    for (const one of pending.splice(0)) response.write(one)
    head.pipe(response)
  })
  head.once('close', () => {
    if (isPassing) return head.complete ? undefined : void response.destroy()
    const body = Buffer.concat(pending)
    const own = shownHeaders(places, message, place, head)
    const text = decodedBody(body, own)?.toString() ?? ''
    const shown = head.complete ? places.linksFor(proxyOf(message), text) : text
    if (shown === text) {
      writeHead(response, head, own)
      response.write(body)
    } else {
      const rewritten = own.filter(
        ([name]) => !/^(?:content-(?:length|encoding)|transfer-encoding)$/i.test(name),
      )
      const length = String(Buffer.byteLength(shown))
      writeHead(response, head, [...rewritten, ['Content-Length', length]])
      response.write(shown)
    }
    if (head.complete) response.end()
    else setImmediate(() => response.destroy())
  })
}

/** The response, and whether its body is not whole. */
function recordedResponse(
  answer: { readonly head: IncomingMessage; readonly body: Buffer | undefined } | undefined,
  isWhole: boolean,
): readonly [RecordedResponse | null, boolean] {
  if (answer === undefined) return [null, false]
  const headers = headerPairs(answer.head.rawHeaders)
  const body = isWhole ? decodedBody(answer.body, headers) : undefined
  const status = answer.head.statusCode ?? 0
  return [{ status, headers, body: body ?? new Uint8Array() }, body === undefined]
}

export function refuse(response: ServerResponse, status: number, why: string): void {
  const text = `${status}: ${why}\n`
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  })
  response.end(text)
}

/** What a client reads when the target cannot be reached. */
export function unreachableText({ origin }: Place, error: Error): string {
  const { code = error.message } = error as NodeJS.ErrnoException
  return `flowdouble record gets no response from ${origin} (${code}). Is the server running?`
}

function once(report: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    report()
  }
}
