// A relay before a server that tampers with what it sends: with it, any server becomes a wrong one.

import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Effect, Input } from 'flowdouble'
import type { Reply, Tamper } from '../../mutants/tamper.ts'

type SentMessage = Extract<Effect, { readonly kind: 'send' }>
type SentFrame = Extract<Effect, { readonly kind: 'frame' }>

export type Relay = { readonly url: string; readonly close: () => void }

/** The input behind what a socket carries: no request asked for it. */
const unasked: Input = { kind: 'wake', atMs: 0 }

/** Starts a relay to the server at this address. */
export async function startRelay(target: string, tamper: Tamper): Promise<Relay> {
  const clients = new Map<number, Duplex>()

  async function passRequest(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(message)
    const call = callTo(target, message, message.rawHeaders)
    call.end(body)
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    const { method = '', url = '' } = message
    const asked = { method, target: url, headers: {}, body }
    const reply = await replyOf(answer)
    for (const effect of tamper([reply], { kind: 'request', request: 0, atMs: 0, ...asked }))
      if (effect.kind === 'reply') write(response, reply, effect)
  }

  function passSocket(message: IncomingMessage, client: Duplex): void {
    const socket = clients.size
    clients.set(socket, client)
    const call = callTo(target, message, uncompressed(message.rawHeaders))
    call.on('response', (answer) => {
      client.write(headOf(answer))
      answer.pipe(client)
    })
    call.on('upgrade', (answer, server: Duplex, head: Buffer) => {
      client.write(headOf(answer))
      client.pipe(server)
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const)
        one.on('error', () => other.destroy()).on('end', () => other.end())
      const read = frameReader((frame) => {
        const effect = effectOf(frame, socket)
        if (effect === undefined) client.write(frame)
        else for (const one of tamper([effect], unasked)) emit(one)
      })
      read(head)
      server.on('data', read)
    })
    call.on('error', () => client.destroy())
    call.end()
  }

  function emit(effect: Effect): void {
    if (effect.kind !== 'send' && effect.kind !== 'frame') return
    for (const socket of effect.sockets) clients.get(socket)?.write(frameOf(effect))
  }

  const server = createServer((message, response) => {
    passRequest(message, response).catch(() => message.socket.destroy())
  })
  server.on('upgrade', passSocket)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** Headers without the offer to compress messages, which would hide what they say. */
const uncompressed = (headers: readonly string[]): string[] =>
  pairsOf(headers)
    .filter(([name]) => !/^sec-websocket-extensions$/i.test(name))
    .flat()

/** A request to a server, with the headers of another. */
function callTo(
  target: string,
  { method, url }: IncomingMessage,
  headers: readonly string[],
): ClientRequest {
  const { hostname, port } = new URL(target)
  return request({
    agent: false,
    host: hostname,
    port,
    method: method!,
    path: url!,
    headers: [...headers],
    setHost: false,
  })
}

/** The pairs of alternating names and values. */
const pairsOf = (headers: readonly string[]): (readonly [name: string, value: string])[] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))

async function replyOf(answer: IncomingMessage): Promise<Reply> {
  const body = await buffer(answer)
  const isJson = answer.headers['content-type']?.startsWith('application/json')
  return {
    kind: 'reply',
    request: 0,
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(pairsOf(answer.rawHeaders)),
    body: isJson ? body.toString() : body,
  }
}

/** Writes a reply. Its length is that of its body if somebody has tampered with that; a HEAD has none. */
function write(response: ServerResponse, before: Reply, { status, headers, body }: Reply): void {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('A relay cannot draw pictures.')
  const length = String(Buffer.byteLength(body))
  const isLength = (name: string): boolean => /^content-length$/i.test(name)
  const written = Object.entries(headers).map(([name, value]) =>
    isLength(name) && body !== before.body ? [name, length] : [name, value],
  )
  response.sendDate = false
  response.writeHead(status, written.flat())
  response.end(body)
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = pairsOf(rawHeaders).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n')
}

/** The opcodes of messages. */
const opcodes = { text: 1, binary: 2 }

/** Reads whole frames from the bytes of a server, which sends them unmasked. */
function frameReader(take: (frame: Buffer) => void): (bytes: Buffer) => void {
  let left = Buffer.alloc(0)
  return (bytes) => {
    left = Buffer.concat([left, bytes])
    for (let end = endOf(left); end <= left.length; end = endOf(left)) {
      take(left.subarray(0, end))
      left = left.subarray(end)
    }
  }
}

/** Where the first frame ends; infinite as long as its head is not complete. */
function endOf(bytes: Buffer): number {
  const start = startOf(bytes)
  if (bytes.length < start) return Infinity
  if (start === 2) return start + (bytes[1]! & 0x7f)
  return start + (start === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)))
}

/** Where the payload of a frame begins. */
function startOf(bytes: Buffer): number {
  const length = (bytes[1] ?? 0) & 0x7f
  return length < 126 ? 2 : length === 126 ? 4 : 10
}

/** A frame as what a server has sent to a socket; undefined if it controls the socket, or is a part of a message. */
function effectOf(frame: Buffer, socket: number): Effect | undefined {
  const payload = frame.subarray(startOf(frame))
  if (frame[0] === (0x80 | opcodes.text))
    return { kind: 'send', sockets: [socket], text: payload.toString() }
  if (frame[0] === (0x80 | opcodes.binary))
    return { kind: 'frame', sockets: [socket], content: { frame: 'recorded', bytes: payload } }
  return undefined
}

/** A message as a frame. */
function frameOf(sent: SentMessage | SentFrame): Buffer {
  const payload = sent.kind === 'send' ? Buffer.from(sent.text) : bytesOf(sent.content)
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10)
  head[0] = 0x80 | (sent.kind === 'send' ? opcodes.text : opcodes.binary)
  head[1] = head.length === 2 ? payload.length : head.length === 4 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(payload.length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, payload])
}

function bytesOf(content: SentFrame['content']): Uint8Array {
  if (content.frame !== 'recorded') throw new TypeError('A relay cannot draw previews.')
  return content.bytes
}
