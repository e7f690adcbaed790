// The listener of a gateway: how Node is to bound the heads of requests and the connections.

import type { Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Bounds } from './bounds.ts'

/** Largest request head. Real servers bound its lines alone, but thousands of clients may send one at the same time. */
const MAX_HEAD_BYTES = 64 * 2 ** 10

/** How often Node looks for heads that take too long, as a part of the time that they have. */
const LOOKS = 5

/** The options of Node's web server for these bounds. */
export const listenerOptions = ({ headMs, bodyMs, idleMs }: Bounds): ServerOptions => ({
  headersTimeout: headMs,
  // For what follows a head that is answered already. The gateway itself ends a body that it waits for before that.
  requestTimeout: headMs + bodyMs,
  connectionsCheckingInterval: Math.ceil(headMs / LOOKS),
  keepAliveTimeout: idleMs,
  maxHeaderSize: MAX_HEAD_BYTES,
})

/** Closes connections above the bound, and reports each with the address of its client. */
export function boundConnections(
  http: Server,
  { connections }: Bounds,
  refused: (address: string | undefined) => void,
): void {
  http.maxConnections = connections
  http.on('drop', (dropped) => refused((dropped as Pick<Socket, 'remoteAddress'>).remoteAddress))
}
