// Responses on which faults are played, on their way to a client: later, in parts, cut off, reset, or those of the fault.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHead } from '../../machine.ts'
import type { RecordedResponse } from '../../session/recording.ts'
import { endBroken, resetConnection, sendChunk, sendPart } from '../node/broken-connections.ts'
import type { FaultPlayer, RequestFaults, ResponseEffect } from './fault-player.ts'
import { type ShownResponse, writeHead } from './shown-responses.ts'

/** A request to which faults apply. */
export type FaultyRequest = {
  readonly player: FaultPlayer
  readonly request: number
  readonly head: RequestHead
  readonly faults: RequestFaults
}

type Reply = Extract<ResponseEffect, { kind: 'reply' }>

/** Has faults act on a response; `send` sends it when it is due. */
function respond(
  { player, request, head, faults }: FaultyRequest,
  response: ServerResponse,
  send: (reply: Reply) => void,
): void {
  response.once('close', () => player.leave(request))
  player.respond(request, head, faults, (effect) => {
    if (response.destroyed) return
    if (effect.kind === 'reply') send(effect)
    else if (effect.kind === 'part') sendPart(response)
    else void resetConnection(response.req.socket)
  })
}

/** Answers with the response of the fault. `sent` is called with it before it is sent. */
export function answerByFault(
  faulty: FaultyRequest,
  response: ServerResponse,
  sent: (recorded: RecordedResponse) => void,
): void {
  respond(faulty, response, ({ status, headers, body, transport }) => {
    const bytes = Buffer.from(body as string)
    const own = Object.entries(headers)
    sent({ status, headers: own, body: bytes })
    response.writeHead(status, [...own, ['Content-Length', String(bytes.length)]].flat())
    if (transport === undefined) response.end(bytes)
    else endBroken(response, bytes, transport)
  })
}

/**
 * Sends the response of the server as faults say, when it is whole: a part of a body is a part of the whole. A stream of
 * events does not end, and passes as it comes.
 * @param shown the response for the client, with this body.
 */
export function passFaulty(
  faulty: FaultyRequest,
  head: IncomingMessage,
  shown: (body: Buffer) => ShownResponse,
  response: ServerResponse,
): void {
  if (/^text\/event-stream/i.test(head.headers['content-type'] ?? ''))
    return passEvents(faulty, head, shown, response)
  const chunks: Buffer[] = []
  head.on('data', (chunk: Buffer) => chunks.push(chunk))
  head.once('close', () => {
    respond(faulty, response, ({ transport }) => {
      const { headers, body } = shown(Buffer.concat(chunks))
      writeHead(response, head, headers)
      if (transport !== undefined) endBroken(response, body, transport)
      else if (head.complete) response.end(body)
      else response.write(body, () => response.destroy())
    })
  })
}

function passEvents(
  faulty: FaultyRequest,
  head: IncomingMessage,
  shown: (body: Buffer) => ShownResponse,
  response: ServerResponse,
): void {
  /** What has come before the head was due. */
  const waiting: Buffer[] = []
  let take = (chunk: Buffer): unknown => waiting.push(chunk)
  head.on('data', (chunk: Buffer) => take(chunk))
  respond(faulty, response, ({ transport }) => {
    writeHead(response, head, shown(Buffer.alloc(0)).headers)
    response.flushHeaders()
    const end = transport !== undefined && 'afterBytes' in transport ? transport : undefined
    let leftBytes = end?.afterBytes ?? Infinity
    take = (chunk) => {
      if (leftBytes <= 0) return
      const text = chunk.subarray(0, leftBytes).toString('latin1')
      leftBytes -= chunk.length
      const then = end?.then === 'end' ? 'cut' : end?.then
      sendChunk(response, text, leftBytes > 0 ? undefined : then)
    }
    for (const chunk of waiting) take(chunk)
    const finish = (): unknown => (head.complete ? response.end() : response.destroy())
    if (head.closed) finish()
    else head.once('close', finish)
  })
}
