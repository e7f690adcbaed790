// Passes requests on to the target of a proxy and the responses back, as streams, and reports each exchange.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CutBody, PlayedFault } from '../../../spec/recording.ts'
import { type HeaderList, type RecordedResponse, targetOf } from '../../session/recording.ts'
import { decodedBody, keepBody } from './bodies.ts'
import type { FaultPlayer } from './fault-player.ts'
import { answerByFault, passFaulty } from './faulty-responses.ts'
import type { Place, Places } from './places.ts'
import {
  mayHoldLinks,
  shownHeaders,
  shownResponse,
  withLinks,
  writeHead,
} from './shown-responses.ts'
import { monotonicTimeMs, type Sink } from './sink.ts'
import { readHeaders } from '../node/http.ts'
import { headerPairs, headersFor, type Upstream } from './upstream.ts'

/** What handlers of a proxy share. */
export type ProxyParts = {
  readonly places: Places
  readonly upstream: Upstream
  readonly sink: Sink
  /** Null without faults. */
  readonly faults: FaultPlayer | null
  /** Answers a request whose target cannot be reached. */
  readonly unreachable: (message: IncomingMessage, response: ServerResponse, why: string) => void
  /** Reports what can be said when the proxy stops, until the returned function is called. */
  readonly untilStopped: (report: () => void) => () => void
  /** Has the proxy wait for some work when it stops. */
  readonly waitFor: (work: Promise<void>) => void
}

let lastRequest = 0

/**
 * Passes one request on, or answers it as a fault says.
 * @param read the body, if it has been read: without its content encoding.
 */
export function passRequest(
  { places, upstream, sink, faults, unreachable, untilStopped }: ProxyParts,
  message: IncomingMessage,
  response: ServerResponse,
  read?: Uint8Array,
): void {
  const startMs = monotonicTimeMs()
  const place = message.url?.startsWith('/') ? places.find(message.url) : undefined
  if (place === undefined) return refuse(response, 404, unknownPlace)
  const { method = 'GET' } = message
  const own = headersFor(message, place)
  const headers = read === undefined ? own : withLength(own, read.length)
  const requestBody = keepBody()
  let answer: { readonly head: IncomingMessage; readonly body: Buffer | undefined } | undefined
  let isWhole = false
  const request = ++lastRequest
  const asked = { method, target: targetOf(place.recorded), headers: readHeaders(message) }
  const played = faults?.arrive(asked)
  /** What faults do to the response of the server, or in place of it. */
  const faulty = faults && played && { player: faults, request, head: asked, faults: played }
  let ofFault: RecordedResponse | undefined

  const report = once(() => {
    const body = decodedBody(requestBody.bytes(), headers)
    const [recorded, isCut] = ofFault ? [ofFault, false] : recordedResponse(answer, isWhole)
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
      ...(played && { fault: markOf(played.mark, isOfFault) }),
    })
    forget()
  })
  const forget = untilStopped(report)
  const isOfFault = played?.hit.then.status !== undefined
  message.on('data', requestBody.add)
  if (faulty && isOfFault) {
    response.once('close', report)
    message.once('end', () => answerByFault(faulty, response, (sent) => (ofFault = sent)))
    return
  }
  const call = upstream.begin(message, place, headers)
  call.on('error', (error) => {
    report()
    if (response.headersSent || response.destroyed) return void response.destroy()
    unreachable(message, response, unreachableText(place, error))
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
    if (faulty)
      passFaulty(
        faulty,
        head,
        (bytes) => shownResponse(places, message, place, head, bytes),
        response,
      )
    else if (mayHoldLinks(head, method))
      passLinks(places, message, place, head, kept.bytes, response)
    else passOn(places, message, place, head, response)
  })
  if (read === undefined) message.pipe(call)
  else {
    requestBody.add(Buffer.from(read))
    call.end(read)
  }
  response.once('close', () => {
    if (response.writableFinished) return
    report()
    call.destroy()
  })
}

const unknownPlace =
  'This is a proxy of flowdouble. It knows the paths of its target, and no other hosts.'

/** The headers of a request whose body has been read. */
const withLength = (headers: HeaderList, length: number): HeaderList => {
  const isKept = ([name]: HeaderList[number]): boolean =>
    !/^(?:content-(?:length|encoding)|transfer-encoding)$/i.test(name)
  const own = headers.filter(isKept)
  return length === 0 ? own : [...own, ['Content-Length', String(length)]]
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
    const shown = withLinks(places, message, place, head, Buffer.concat(pending))
    writeHead(response, head, shown.headers)
    response.write(shown.body)
    if (head.complete) response.end()
    else setImmediate(() => response.destroy())
  })
}

const markOf = (mark: PlayedFault, answers: boolean): PlayedFault =>
  answers ? { ...mark, answers } : mark

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
  return `flowdouble gets no response from ${origin} (${code}). Is the server running?`
}

function once(report: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    report()
  }
}
