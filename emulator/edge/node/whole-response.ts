// Sends a whole response in one write. Node composes head, body and end one after the other, which costs more than
// everything else that a server does for a small reply: a third of `GET /system_stats`. What this file sets and emits is
// what Node's `end` would; anything unusual is left to Node.

import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { WireReply } from '../../http/respond.ts'

/** What Node keeps about a response that has been written. */
type Written = { _header: string; _headerSent: boolean; finished: boolean }

/** Sends a response, unless something about it is unusual. Returns whether it did. */
export function sendWhole(response: ServerResponse, wire: WireReply): boolean {
  const { socket } = response
  if (socket === null || !socket.writable || !isUsual(response, wire)) return false
  const head = headOf(wire)
  if (head === undefined) return false
  const { body } = wire
  const written: Written = { _header: head, _headerSent: true, finished: true }
  Object.assign(response, written)
  // The next response of the connection begins after that, so a slow reader holds up no more than one.
  const finish = (error?: Error | null): void => {
    if (!error) response.emit('finish')
  }
  if (typeof body === 'string') socket.write(head + body, 'latin1', finish)
  else writeBoth(socket, head, body, finish)
  return true
}

/** Whether the connection goes on after a response with a body whose length is known. */
const isUsual = (
  { req, shouldKeepAlive }: ServerResponse,
  { status, headers, isLast }: WireReply,
): boolean =>
  shouldKeepAlive &&
  !isLast &&
  !req.isPaused() &&
  req.httpVersionMinor === 1 &&
  req.method !== 'HEAD' &&
  status >= 200 &&
  status !== 204 &&
  status !== 304 &&
  !headers.includes('Transfer-Encoding')

const token = /^[\w!#$%&'*+.^`|~-]+$/
const text = /^[\t\x20-\x7e\x80-\xff]*$/

/** The head as it is sent; undefined if it has a name or a value that Node would not send. */
function headOf({ status, reason = STATUS_CODES[status], headers }: WireReply): string | undefined {
  if (reason === undefined || !text.test(reason)) return undefined
  let head = `HTTP/1.1 ${status} ${reason}\r\n`
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at] as string, headers[at + 1] as string]
    if (!token.test(name) || !text.test(value)) return undefined
    head += `${name}: ${value}\r\n`
  }
  return `${head}\r\n`
}

function writeBoth(
  socket: Socket,
  head: string,
  body: Uint8Array,
  finish: (error?: Error | null) => void,
): void {
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(body, finish)
  socket.uncork()
}
