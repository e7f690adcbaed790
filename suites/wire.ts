// One HTTP exchange as bytes on a connection of its own: what the usual clients hide, shown as it came.

import { connect } from 'node:net'

/** A reply as it stood on the wire. */
export type Exchange = {
  readonly status: number
  /** Header lines in their order and spelling. */
  readonly lines: readonly string[]
  /** The value of a header, whatever its spelling; undefined when it is absent. */
  readonly header: (name: string) => string | undefined
  /** All bytes after the headers, to the end of the connection. */
  readonly body: string
}

/** Sends one request and reads to the end of the connection, which it asks to be closed. */
export async function exchange(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
): Promise<Exchange> {
  const { hostname, port, host } = new URL(url)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const all = { Host: host, Connection: 'close', 'Content-Length': `${bytes.length}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''))
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return read(Buffer.concat(chunks).toString())
}

function read(text: string): Exchange {
  const cut = text.indexOf('\r\n\r\n')
  const [start = '', ...lines] = text.slice(0, cut).split('\r\n')
  const header = (name: string): string | undefined => {
    const prefix = `${name.toLowerCase()}: `
    return lines.find((line) => line.toLowerCase().startsWith(prefix))?.slice(prefix.length)
  }
  return { status: Number(start.split(' ')[1]), lines, header, body: text.slice(cut + 4) }
}

/** The parts of a reply that show what kind of body it has. */
export const told = ({ status, header, body }: Exchange) => ({
  status,
  type: header('content-type'),
  length: header('content-length'),
  body,
})
