// Child process: sends messages to all of its sockets with the plain `ws.send`, one after the other.

import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { answer } from './child.mjs'
import { messagesOf, timeSends } from './messages.mjs'

const server = createServer()
const sockets = new WebSocketServer({ server })

/** The callback of an empty write runs after everything that was written before it. */
const flushed = () =>
  Promise.all(
    Array.from(
      sockets.clients,
      (client) => new Promise((resolve) => client._socket.write('', resolve)),
    ),
  )

/** Sends messages of a kind, or those given. */
const send = ({ what, messages = messagesOf(what), times }) => {
  const sendAll = () => {
    for (const message of messages) for (const client of sockets.clients) client.send(message)
  }
  return timeSends(sendAll, flushed, times)
}

server.listen(0, '127.0.0.1', () => answer({ port: server.address().port }, { send }))
