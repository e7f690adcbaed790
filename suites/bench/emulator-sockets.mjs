// Child process: sends messages to all of its sockets the way that the emulator applies the effects of a step.

import { createServer } from 'node:http'
import { createSockets } from '../../dist/emulator/internal.js'
import { answer } from './child.mjs'
import { messagesOf, timeSends } from './messages.mjs'

const opened = []

/** The world: it accepts each socket, and ignores what arrives. */
const dispatch = (at) => {
  const input = at(0)
  if (input.kind !== 'open') return
  opened.push(input.socket)
  sockets.emit([{ kind: 'accept', socket: input.socket }])
}
/** The frame is made in advance: only sending is measured. */
const sockets = createSockets({
  dispatch,
  encode: (content) => content.bytes,
  timeMs: () => 0,
  readsCredentials: false,
  compresses: false,
})

const effectOf = (message) =>
  typeof message === 'string'
    ? { kind: 'send', sockets: opened, text: message }
    : { kind: 'frame', sockets: opened, content: { bytes: message } }

const send = ({ what, times }) => {
  const effects = messagesOf(what).map(effectOf)
  return timeSends(() => sockets.emit(effects), sockets.flushed, times)
}

const server = createServer()
server.on('upgrade', (request, raw, head) => void sockets.upgrade(request, raw, head))
server.listen(0, '127.0.0.1', () => answer({ port: server.address().port }, { send }))
