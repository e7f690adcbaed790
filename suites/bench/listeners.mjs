// Child process: WebSocket clients that read everything and look at nothing, so that they never hold up a server.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { answer } from './child.mjs'

let bytes = 0
let sockets = []

async function open(port, path) {
  const socket = connect({ port, host: '127.0.0.1' })
  const key = randomBytes(16).toString('base64')
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13`
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: bench\r\n${upgrade}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  )
  const [first] = await once(socket, 'data')
  if (!first.toString().startsWith('HTTP/1.1 101')) throw new Error(`No handshake: ${first}`)
  socket.on('data', (chunk) => (bytes += chunk.length))
  socket.on('error', () => socket.destroy())
  return socket
}

answer(null, {
  /**
   * Opens this many sockets, of a world below a path if that is set: with a key, those of its account; without one, the
   * first socket has this client id.
   */
  open: async ({ port, below = '', count, clientId, key }) => {
    for (let index = 0; index < count; index++) {
      const own = `clientId=${index === 0 ? clientId : `${clientId}-${index}`}`
      sockets.push(await open(port, `${below}/ws?${key === undefined ? own : `token=${key}`}`))
    }
  },
  /** Which sockets are still connected, and how many bytes have arrived since the last call. */
  received: () => {
    const answer = { open: sockets.filter(({ destroyed }) => !destroyed).length, bytes }
    bytes = 0
    return answer
  },
  close: () => {
    for (const socket of sockets) socket.destroy()
    sockets = []
  },
})
