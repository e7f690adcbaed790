// What holds for the requests of one connection: each is handled after the one before it, and answers leave in that order.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { after, type Later, rescue } from '../later.ts'

type Connection = {
  /** Ends when the last request has been handled; undefined when it has been already. */
  turn: Promise<void> | undefined
  /** The answers to the last request, and to the one before it. */
  last: ServerResponse | undefined
  previous: ServerResponse | undefined
  /** How many requests in a row came while the answer before them had not left. */
  behind: number
  /** Whether an answer has ended it: no further request is answered. */
  isEnding: boolean
  /** Whether what comes is not HTTP any more. */
  isBroken: boolean
}

export type Connections = {
  /** Handles a request when those before it have been handled; none that comes after an answer that ends the connection. */
  readonly take: (
    request: IncomingMessage,
    response: ServerResponse,
    handle: () => Later<void>,
    failed: (error: unknown) => void,
  ) => void
  /** Does something with a connection when all that came on it before has been answered, unless it is gone by then. */
  readonly afterAnswers: (raw: Duplex, work: () => void) => void
  /** Answers what is not HTTP, after all that came before it, and ends the connection. */
  readonly end: (raw: Duplex, text: () => string) => void
}

/**
 * So many requests are handled while an answer before them is on its way. Those behind them wait for it: one connection
 * neither keeps the server from the others nor fills its memory with answers that nobody reads.
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
    const handled = rescue(() => after(connection.turn, begin), failed)
    if (handled !== undefined) connection.turn = turnOf(connection, response, handled)
  }

  const afterAnswers: Connections['afterAnswers'] = (raw, work) => {
    const { last, previous } = of(raw)
    // A request that breaks off gets no answer of its own.
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
      endGently(raw)
    })
  }

  return { take, afterAnswers, end }
}

/** Ends with the handling of a request, and leaves a connection without a turn where it was the last. */
async function turnOf(
  connection: Connection,
  response: ServerResponse,
  handled: Promise<void>,
): Promise<void> {
  await handled
  if (connection.last === response) connection.turn = undefined
}

/** A client that goes on sending after the last answer has so long to read it, in milliseconds. */
const MAX_LINGER_MS = 1000

/**
 * Ends a connection after what has been written to it. What still comes is read and dropped until the client has ended its
 * side, too: a system resets a connection that is closed with something unread, and takes answers away that the client
 * has not read.
 */
export function endGently(raw: Duplex): void {
  if (raw.destroyed) return
  raw.end()
  raw.resume()
  const timer = setTimeout(() => raw.destroy(), MAX_LINGER_MS)
  raw.once('close', () => clearTimeout(timer))
}
