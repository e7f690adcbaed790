// Opens connections: every byte that the suites send to a server leaves through here.

import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { watcherOf } from '../traffic.ts'
import { watched } from './gate.ts'

/** Connects to a host; nothing watches what is sent. */
export function connectTo(url: string): Socket {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const named = isIP(host) === 0 ? { servername: host } : {}
  return protocol === 'https:' || protocol === 'wss:'
    ? connectSecurely({ host, port: Number(port || 443), ...named })
    : connect({ host, port: Number(port || 80) })
}

/** Opens a connection without sending anything. */
export function openConnection(url: string): Socket {
  const socket = connectTo(url)
  const watcher = watcherOf(url)
  if (watcher === undefined) return socket
  socket.setNoDelay()
  return watched(socket, url, watcher)
}
