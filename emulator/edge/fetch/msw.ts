// Handlers of msw that pass requests and sockets to an emulator in this process.

import { http, type RequestHandler, ws, type WebSocketHandler } from 'msw'
import { binary } from './client-socket.ts'
import type { InProcessEmulator } from './worlds.ts'

/** The client side of a socket that msw has intercepted. */
type Client = Parameters<Parameters<ReturnType<typeof ws.link>['addEventListener']>[1]>[0]['client']

/**
 * The handlers of an emulator for `setupServer` or `setupWorker`: its HTTP requests, and its sockets. Sockets need a
 * global WebSocket, which Node 20 lacks: use that of undici 7. Sockets of the package ws cannot be intercepted, and are
 * refused.
 */
export const mswHandlers = (
  emulator: InProcessEmulator,
): readonly (RequestHandler | WebSocketHandler)[] => [
  ...emulator.addresses.map((address) =>
    http.all(`${address}/*`, ({ request }) =>
      isOfLibrary(request)
        ? refuseLibrary(request)
        : // msw would answer 500 instead of breaking the connection.
          emulator.fetch(request).catch(() => Response.error()),
    ),
  ),
  ws
    .link(`${emulator.url.replace(/^http/, 'ws')}/*`)
    .addEventListener('connection', ({ client }) => join(client, emulator)),
]

/** Whether a handshake comes from a library of Node. Those of a global WebSocket do not arrive as requests. */
const isOfLibrary = ({ headers }: Request): boolean =>
  headers.get('upgrade')?.toLowerCase() === 'websocket' && headers.has('sec-websocket-key')

const NOT_IMPLEMENTED = 501

function refuseLibrary({ url }: Request): Response {
  const why =
    `flowdouble/msw cannot open ${url}: msw intercepts sockets of the global WebSocket only, not those of the ` +
    'package ws. Start a server for this client with startEmulator of flowdouble, or give it the global WebSocket.'
  console.error(why)
  return new Response(why, { status: NOT_IMPLEMENTED })
}

/** The clients that have joined an emulator. */
const joined = new WeakSet<Client>()

/**
 * Joins a socket that msw has intercepted with a new one of the emulator. msw passes on a socket to every handler that
 * matches, and twice to each if it has listened before there was a global WebSocket: the first time counts, as with
 * requests.
 */
function join(client: Client, { WebSocket }: InProcessEmulator): void {
  if (joined.has(client)) return
  joined.add(client)
  const inner = new WebSocket(client.url)
  inner.binaryType = 'arraybuffer'
  const early: Parameters<typeof inner.send>[0][] = []
  inner.addEventListener('open', () => early.forEach((data) => inner.send(data)))
  inner.addEventListener('message', (event) => {
    const data = event.data as string | ArrayBuffer
    client.send(typeof data === 'string' ? data : binary(new Uint8Array(data), formOf(client)))
  })
  inner.addEventListener('close', ({ code, reason }) => client.close(code, reason))
  client.addEventListener('message', ({ data }) => {
    if (inner.readyState === inner.CONNECTING) early.push(data)
    else inner.send(data)
  })
  client.addEventListener('close', () => inner.close())
}

/** The form in which a client asks for binary messages: msw passes them on as they are. */
const formOf = (client: Client): 'blob' | 'arraybuffer' =>
  (client as { readonly socket?: { readonly binaryType?: string } }).socket?.binaryType ===
  'arraybuffer'
    ? 'arraybuffer'
    : 'blob'
