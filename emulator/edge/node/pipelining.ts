// Keeps the requests of each connection in order: handles them one after the other, and sends responses in that order.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { after, type Later, catchFailure } from '../later.ts'

type Connection = {
  /** Resolves when the last request has been handled; undefined if it already has. */
  turn: Promise<void> | undefined
  /** The responses to the last two requests. */
  last: ServerResponse | undefined
  previous: ServerResponse | undefined
  /** How many requests in a row arrived before the response to the one before them was sent. */
  behind: number
  /** Whether a response has ended the connection: no further request is answered. */
  isEnding: boolean
  /** Whether the connection no longer carries HTTP. */
  isBroken: boolean
}

export type Connections = {
  /** Handles a request after the previous ones; none after a response that ends the connection. */
  readonly take: (
    request: IncomingMessage,
    response: ServerResponse,
    handle: () => Later<void>,
    failed: (error: unknown) => void,
  ) => void
  /** Calls back once everything received on a connection has been answered, unless it is closed by then. */
  readonly afterAnswers: (raw: Duplex, work: () => void) => void
  /** Whether the last request on a connection has its answer, although the end of its body has not come. */
  readonly isAnsweredEarly: (raw: Duplex) => boolean
  /** Answers input that is not HTTP, after the previous requests, and ends the connection. */
  readonly end: (raw: Duplex, text: () => string) => void
}

/**
 * The maximum number of requests that are handled while an earlier response is being sent. Later ones wait: one
 * connection must neither block others nor fill the memory with unread responses.
 */
const MAX_BEHIND = 16

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) resolve()
    else response.once('close', () => resolve())
  })

export function createConnections(): Connections {
  const connections = new WeakMap<Duplex, Connection>()
  const of = (raw: Duplex): Connection => {
    const known = connections.get(raw)
    if (known !== undefined) return known
    const made: Connection = {
      turn: undefined,
      last: undefined,
      previous: undefined,
      behind: 0,
      isEnding: false,
      isBroken: false,
    }
    connections.set(raw, made)
    return made
  }

  const take: Connections['take'] = (request, response, handle, failed) => {
    const connection = of(request.socket)
    if (connection.isEnding) {
      request.resume()
      return
    }
    const before = connection.last
    connection.previous = before
    connection.last = response
    connection.behind = before === undefined || before.closed ? 0 : connection.behind + 1
    if (before !== undefined && connection.behind === MAX_BEHIND) {
      connection.behind = 0
      const { turn } = connection
      connection.turn = Promise.resolve(after(turn, () => closed(before)))
    }
    const begin = (): Later<void> => {
      if (connection.isEnding) return
      return after(handle(), () => {
        if (!response.shouldKeepAlive) connection.isEnding = true
      })
    }
    const handled = catchFailure(() => after(connection.turn, begin), failed)
    if (handled !== undefined) connection.turn = waitForTurn(connection, response, handled)
  }

  const afterAnswers: Connections['afterAnswers'] = (raw, work) => {
    const { last, previous } = of(raw)
    // An aborted request gets no response.
    const before = last === undefined || last.req.complete ? last : previous
    // Finished is not enough: until it is closed, Node still has it at the connection.
    if (before === undefined || before.closed) return work()
    before.once('close', () => {
      if (!raw.destroyed) work()
    })
  }

  const end: Connections['end'] = (raw, text) => {
    const connection = of(raw)
    if (connection.isBroken) return
    connection.isBroken = true
    afterAnswers(raw, () => {
      if (connection.isEnding) return
      connection.isEnding = true
      raw.on('error', () => raw.destroy())
      raw.write(text())
      closeGracefully(raw)
    })
  }

  const isAnsweredEarly: Connections['isAnsweredEarly'] = (raw) => {
    const { last } = of(raw)
    return last !== undefined && !last.req.complete && last.headersSent
  }

  return { take, afterAnswers, isAnsweredEarly, end }
}

/** Resolves when a request is handled; forgets the connection if that was the last request. */
async function waitForTurn(
  connection: Connection,
  response: ServerResponse,
  handled: Promise<void>,
): Promise<void> {
  await handled
  if (connection.last === response) connection.turn = undefined
}

/** How long a client that keeps sending after the last response may take to read it, in milliseconds. */
const MAX_LINGER_MS = 1000

/**
 * Ends a connection after the pending output. Reads and drops further input until the client ends its side: closing a
 * connection with unread input makes the system reset it, which discards responses that the client has not read
 * yet.
 */
export function closeGracefully(raw: Duplex): void {
  if (raw.destroyed) return
  raw.end()
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), MAX_LINGER_MS)
  raw.once('close', () => clearTimeout(timer))
}
