// A server that answers each request with what a test says, and echoes the messages of sockets.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type WebSocket, WebSocketServer } from 'ws'
import { listening } from '../for-test.ts'

/** A request as it arrived. */
export type Arrived = {
  readonly method: string
  readonly target: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

export type EchoServer = { readonly url: string; readonly arrived: Arrived[] }

export type EchoOptions = {
  readonly answer?: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void
  /** What happens to a socket beyond the echo. */
  readonly connect?: (socket: WebSocket) => void
  readonly compresses?: boolean
  readonly isTls?: boolean
}

const tls = join(import.meta.dirname, '..', '..', 'tls')
/** The certificate of a server with TLS. */
export const certificate = join(tls, 'cert.pem')

/** It listens until the test is over. */
export async function startEcho(options: EchoOptions = {}): Promise<EchoServer> {
  const { answer = (_, response) => response.end('ok'), connect, compresses, isTls } = options
  const arrived: Arrived[] = []
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: target = '', rawHeaders } = request
      const body = Buffer.concat(chunks)
      arrived.push({ method, target, rawHeaders, body })
      answer(request, response, body)
    })
  }
  const server = isTls
    ? createTlsServer(
        { cert: readFileSync(certificate), key: readFileSync(join(tls, 'key.pem')) },
        listener,
      )
    : createServer(listener)
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: compresses ? { threshold: 0 } : false,
    verifyClient: ({ req }, done) => done(req.url !== '/refuse', 403, 'no, "not" here'),
    handleProtocols: (protocols) => [...protocols].at(-1) ?? false,
  })
  sockets.on('connection', (socket, request) => {
    arrived.push({
      method: 'GET',
      target: request.url ?? '',
      rawHeaders: request.rawHeaders,
      body: Buffer.alloc(0),
    })
    socket.on('error', () => undefined)
    socket.on('message', (data: Buffer, isBinary) => socket.send(data, { binary: isBinary }))
    connect?.(socket)
  })
  const { url, port } = await listening(server)
  return { url: isTls ? `https://localhost:${port}` : url, arrived }
}
