// The responses of Node: how a host writes replies to them, and what they know about the caller.

import type { ServerResponse } from 'node:http'
import type { Where } from '../../../spec/language.ts'
import type { EncodeFile } from '../../http/respond.ts'
import type { Edge } from '../host.ts'
import type { Responses } from '../responses.ts'
import { resetConnection, sendChunk, sendPart } from './broken-connections.ts'
import { writeReply } from './http.ts'

/** `name` is the value of the response header Server. */
export const nodeResponses = (encodeFile: EncodeFile, name: string): Responses<ServerResponse> => ({
  write: (response, reply, timeMs) => {
    // A response that has begun cannot become another one.
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) writeReply(response, reply, timeMs, encodeFile, name)
  },
  writePart: sendPart,
  writeChunk: sendChunk,
  reset: (response) => void resetConnection(response.req.socket),
  drop: (response) => void response.destroy(),
  onceClosed: (response, closed) => {
    if (response.destroyed) closed()
    else response.once('close', closed)
  },
  callerOf: ({ req: { socket, headers, headersDistinct } }) => ({
    address: socket.remoteAddress ?? '',
    // Node keeps the first of several.
    headers:
      (headersDistinct.host ?? []).length > 1
        ? Object.assign({}, headers, { host: headersDistinct.host })
        : headers,
  }),
  writeControl: (response, { status, type, body, headers }, more) => {
    const own = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
    response.writeHead(status, Object.assign(own, headers, more))
    response.end(body)
  },
})

/** Node's parts of an edge that are the same for every machine. */
export const nodeParts = (
  where: Where,
): Pick<Edge<never, never>, 'monotonicMs' | 'openapi' | 'page'> => ({
  monotonicMs,
  // Read and parsed only on demand.
  openapi: async () => (await import('./openapi.ts')).openapiText(where),
  page: async () => (await import('../inspector/page.ts')).inspectorPage(),
})

/** The time of a monotonic clock, in milliseconds. `performance` would take longer to load. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}
