// The socket as a transport: its handshake, what closes it, compression, and readers that are too slow.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { limits } from '../../../spec/index.ts'
import type { EmulatorOptions, Entry } from 'flowdouble'
import { saying, talking, textToImage } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { openSocket } from '../../judge/edges.ts'
import { startSubject } from '../../judge/subject.ts'
import { dial } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const key = 'dGhlIHNhbXBsZSBub25jZQ=='
const handshake = (path: string, ...more: readonly string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: here',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
    ...more,
    '\r\n',
  ].join('\r\n')

/** A frame of a client, masked with zeros so that its bytes stay readable. */
function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const head = Buffer.from([opcode, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, payload])
}

/** Opens a socket by hand. */
async function open(
  url: string,
  path: string,
  ...more: readonly string[]
): Promise<[Socket, string]> {
  const socket = dial(url)
  socket.write(handshake(path, ...more))
  const [answer] = await once(socket, 'data')
  return [socket, `${answer}`.split('\r\n\r\n')[0] as string]
}

/** The lines of the answer to a handshake that offers subprotocols. */
async function handshakeLines(url: string): Promise<readonly string[]> {
  const [socket, head] = await open(url, '/ws', 'Sec-WebSocket-Protocol: chat, superchat')
  socket.destroy()
  return head.split('\r\n')
}

proves('messages/handshake-headers', async ({ url, isOwn }) => {
  const [start, ...lines] = await handshakeLines(url)
  expect(start).toBe('HTTP/1.1 101 Switching Protocols')
  expect(lines).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  for (const one of [/^Upgrade: websocket$/i, /^Server: \S/i, /^Date: \S/i])
    expect(lines.filter((line) => one.test(line))).toHaveLength(1)
  expect(lines.filter((line) => /protocol/i.test(line))).toEqual([])
  if (isOwn)
    for (const line of ['Upgrade: websocket', 'Server: flowdouble']) expect(lines).toContain(line)
})

/** Sends bytes on a separate socket and returns the code with which the server closes it. */
async function closeCode(url: string, sent: Uint8Array): Promise<number> {
  const socket = openSocket(url, '/ws')
  await once(socket, 'message')
  const { _socket: raw } = socket as unknown as { _socket: Socket }
  raw.write(sent)
  const [code] = await once(socket, 'close')
  return code as number
}

const text = 0x81
const limit = limits.clientMessage.value

proves('messages/too-large', async ({ url, connect, isOwn }) => {
  const other = await connect('other')
  // A reset can overtake the code of a server elsewhere, as it does not read the whole message.
  const codes = isOwn ? [1009] : [1009, 1006]
  expect(codes).toContain(await closeCode(url, frameOf(text, Buffer.alloc(limit + 1, ' '))))
  expect(codes).toContain(await closeCode(url, frameOf(0x82, Buffer.alloc(limit + 1))))
  other.send(Buffer.alloc(limit, ' ').toString())
  other.send(`{"type": "feature_flags"${' '.repeat(limit - 25)}}`)
  await other.next(({ type }) => type === 'feature_flags')
})

proves('messages/malformed', async ({ url, get }) => {
  expect(await closeCode(url, frameOf(text, Buffer.from([0x7b, 0xff])))).toBe(1007)
  expect(await closeCode(url, frameOf(0x83, Buffer.from('{}')))).toBe(1002)
  expect(await closeCode(url, frameOf(0x80, Buffer.from('{}')))).toBe(1002)
  expect((await get('/prompt')).status).toBe(200)
})

/** This much text reaches both sockets with each run. */
const LONG = 10 * 2 ** 20

/** Connects a socket that never reads after its handshake, and reports which of its events reach the world. */
async function startWithSlow(options: EmulatorOptions = {}) {
  const closed: number[] = []
  const onEntry = ({ input }: Entry): void => {
    if (input.kind === 'close') closed.push(input.socket)
  }
  const subject = await startSubject({ ...options, onEntry })
  const [slow] = await open(subject.url, '/ws?clientId=slow')
  slow.pause()
  slow.on('error', () => undefined)
  return { subject, slow, closed }
}

proves(
  'messages/slow-reader',
  async () => {
    const { subject, slow, closed } = await startWithSlow({ clock: 'instant' })
    const { connect, submit, get } = subject
    try {
      const other = await connect('other')
      let runs = 0
      while (closed.length === 0 && runs < 20) {
        // Without a client id, what a node sends goes to every socket.
        await submit(saying(`${runs++}`.padEnd(LONG, 'x')))
        await other.next(() => other.frames().length === runs)
      }
      // It takes what may wait, and what the system buffers for a connection.
      expect(runs).toBeGreaterThan(Math.floor(limits.behind.value / LONG))
      expect(runs).toBeLessThan(2 * Math.floor(limits.behind.value / LONG))
      expect(closed).toEqual([1])
      expect(other.frames()).toHaveLength(runs)
      await submit(talking('still here'), { client_id: 'other' })
      await other.next(({ type }) => type === 'execution_success')
      expect((await get('/prompt')).json().exec_info.queue_remaining).toBe(0)
    } finally {
      slow.destroy()
      await subject.close()
    }
  },
  ownWorld,
)

// A client with one thread reads its socket after the answer to its advance: it must not wait for itself.
proves(
  'messages/slow-reader',
  async () => {
    const { subject, slow, closed } = await startWithSlow()
    try {
      for (const run of [1, 2]) {
        await subject.submit(saying(`${run}`.padEnd(LONG, 'x')))
        const reply = await subject.post('/_flowdouble/advance', { until: 'idle' })
        expect(reply.status).toBe(200)
      }
      expect(slow.bytesRead).toBeLessThan(LONG)
      slow.resume()
      while (slow.bytesRead < 2 * LONG) await once(slow, 'data')
      expect(closed).toEqual([])
      // Nor does the server wait for it when it closes.
      slow.pause()
      await subject.submit(saying('3'.padEnd(LONG, 'x')))
      await subject.post('/_flowdouble/advance', { until: 'idle' })
      await subject.close()
    } finally {
      slow.destroy()
      await subject.close()
    }
  },
  ownWorld,
)

const deflate = 'Sec-WebSocket-Extensions: permessage-deflate'
const offered = (head: string) => /^sec-websocket-extensions: (.*)$/im.exec(head)?.[1]

proves('messages/uncompressed', async ({ url }) => {
  const [socket, head] = await open(url, '/ws', deflate)
  expect(offered(head)).toBeUndefined()
  socket.destroy()
})

proves(
  'messages/uncompressed',
  async ({ url, connect, run }) => {
    const [socket, head] = await open(url, '/ws', deflate)
    expect(offered(head)).toBe('permessage-deflate')
    socket.destroy()
    const [plain, none] = await open(url, '/ws')
    expect(offered(none)).toBeUndefined()
    plain.destroy()
    const session = await connect('me')
    const { messages } = await run(session, textToImage(1, 20))
    expect(messages.filter(({ type }) => type === 'progress')).toHaveLength(20)
    expect(session.frames().length).toBeGreaterThan(10)
  },
  { wsCompress: true, preview: 'jpeg' },
)
