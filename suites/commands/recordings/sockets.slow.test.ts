// The command `record`: sockets pass byte for byte, and their messages are recorded on the timeline of the requests.

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { eventsOf } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { certificate, startEcho } from '../../support/servers/echo-server.ts'
import { recorded, startRecord } from '../../support/recordings/recording.ts'

const socketAt = (url: string): string => url.replace(/^http/, 'ws')

const handshake = `GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`

/** An open socket of a server. */
async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${socketAt(url)}/ws`)
  await once(socket, 'open')
  return socket
}

/** Sends each message and resolves to the echoes. */
async function echoes(socket: WebSocket, messages: readonly (string | Buffer)[]) {
  const got: (string | Buffer)[] = []
  const all = new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer, isBinary) => {
      got.push(isBinary ? data : data.toString())
      if (got.length === messages.length) resolve()
    }),
  )
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open')
  for (const message of messages) socket.send(message)
  await all
  return got
}

/** The response that refuses a handshake. */
async function refusal(url: string): Promise<{ status: number; body: string }> {
  const socket = new WebSocket(socketAt(url))
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  const body = await text(response)
  socket.on('error', () => undefined)
  socket.terminate()
  return { status: response.statusCode ?? 0, body }
}

/** A message in few letters, to compare it. */
const digest = (data: string | Uint8Array): string =>
  `${typeof data} ${data.length} ${createHash('sha1').update(data).digest('hex')}`

for (const compresses of [false, true]) {
  test(`record/messages Messages and frames pass both ways${compresses ? ', compressed,' : ''} and are recorded in order`, async () => {
    const server = await startEcho({ compresses })
    const sizes = [0, 1, 125, 126, 65_535, 65_536, 1_000_000]
    const messages = sizes.flatMap((size) => [randomBytes(size), 'é'.repeat(size)])
    let got: readonly (string | Buffer)[] = []
    const result = await recorded(server.url, async (url) => {
      const socket = new WebSocket(`${socketAt(url)}/ws?clientId=me`, ['one', 'two'])
      got = await echoes(socket, messages)
      expect(socket.protocol).toBe('two')
      expect(socket.extensions !== '').toBe(compresses)
      socket.close(4001, 'bye')
      expect((await once(socket, 'close'))[0]).toBe(4001)
    })
    expect(got.map(digest)).toEqual(messages.map(digest))
    const { sockets } = result.recording()
    const [socket] = sockets
    expect(socket?.url).toBe(`${socketAt(server.url)}/ws?clientId=me`)
    const said = (from: string) =>
      socket!.messages.filter((one) => one.from === from).map(({ data }) => digest(data))
    expect(said('client')).toEqual(messages.map(digest))
    expect(said('server')).toEqual(messages.map(digest))
    expect(socket?.close).toMatchObject({ by: 'client', code: 4001, reason: 'bye' })
  })
}

test('record/timeline Requests and messages are on one timeline, which never goes back', async () => {
  const server = await startEcho({
    answer: (_, response) => response.setHeader('Content-Type', 'application/json').end('{}'),
  })
  const result = await recorded(server.url, async (url) => {
    const socket = new WebSocket(`${socketAt(url)}/ws`)
    for (const name of ['a', 'b', 'c']) {
      await echoes(socket, [name])
      socket.removeAllListeners('message')
      await (await fetch(`${url}/${name}`)).text()
    }
    socket.terminate()
    await once(socket, 'close')
  })
  const recording = result.recording()
  const events = eventsOf(recording).map((event) =>
    event.kind === 'message' ? `${event.message.from} ${String(event.message.data)}` : event.kind,
  )
  const round = (name: string) => [`client ${name}`, `server ${name}`, 'request', 'response']
  expect(events.slice(0, 13)).toEqual(['open', ...['a', 'b', 'c'].flatMap(round)])
  expect(Math.abs(recording.sockets[0]!.openMs - Date.now())).toBeLessThan(600_000)
})

let leave = (): void => undefined
const left = new Promise<void>((resolve) => (leave = resolve))

test('record/closes The end of a socket is recorded with its side and code', async () => {
  const server = await startEcho({
    connect: (socket) => {
      socket.on('close', (code) => code === 1006 && leave())
      socket.on('message', (data: Buffer) => {
        const code = Number(data.toString())
        if (code === 1006) socket.terminate()
        else socket.close(code, 'of the server')
      })
    },
  })
  const result = await recorded(server.url, async (url) => {
    for (const code of ['1000', '1012', '4999']) {
      const socket = await opened(url)
      socket.send(code)
      expect(String((await once(socket, 'close'))[0])).toBe(code)
    }
    const leaving = await opened(url)
    leaving.terminate()
    await left
    const dropped = await opened(url)
    dropped.send('1006')
    expect((await once(dropped, 'close'))[0]).toBe(1006)
  })
  const closes = result.recording().sockets.map(({ close }) => [close?.by, close?.code])
  expect(closes).toEqual([
    ['server', 1000],
    ['server', 1012],
    ['server', 4999],
    ['client', 1006],
    ['server', 1006],
  ])
})

test('record/open-sockets A socket that is open when the session ends has no end, and a request without its response no response', async () => {
  const server = await startEcho({ answer: () => undefined })
  const running = await startRecord(server.url)
  const socket = await opened(running.url)
  await echoes(socket, ['a'])
  const waiting = fetch(`${running.url}/never`).catch(() => 'ended')
  while (server.arrived.length < 2) await echoes(socket, ['b'])
  const result = await running.stop()
  expect(await waiting).toBe('ended')
  const { sockets, exchanges } = result.recording()
  expect(sockets[0]?.close).toBeNull()
  expect(exchanges.map(({ url, response }) => [new URL(url).pathname, response])).toEqual([
    ['/never', null],
  ])
})

test('record/refused-sockets A handshake that the server refuses is refused with its response, and recorded as an exchange', async () => {
  const server = await startEcho()
  const result = await recorded(server.url, async (url) => {
    expect(await refusal(`${url}/refuse`)).toEqual({ status: 403, body: 'no, "not" here' })
  })
  const { sockets, exchanges } = result.recording()
  expect(sockets).toEqual([])
  expect(exchanges[0]).toMatchObject({ method: 'GET', response: { status: 403 } })
  expect(Buffer.from(exchanges[0]!.response!.body).toString()).toBe('no, "not" here')
})

test('record/socket-down Without a server a handshake gets 502', async () => {
  const result = await recorded('http://127.0.0.1:1', async (url) => {
    expect(await refusal(`${url}/ws`)).toMatchObject({ status: 502 })
  })
  expect(result.recording().exchanges[0]?.response).toBeNull()
})

test('record/back-pressure A client that does not read stops the server from sending, through the proxy', async () => {
  const server = await startEcho()
  const size = 1 << 20
  await recorded(server.url, async (url) => {
    const socket = await opened(url)
    const echo = echoes(socket, Array<Buffer>(12).fill(Buffer.alloc(size)))
    socket.pause()
    // The server answers another client meanwhile: nothing blocks it.
    expect((await fetch(`${url}/a`)).status).toBe(200)
    socket.resume()
    expect((await echo).length).toBe(12)
    socket.close()
    await once(socket, 'close')
  })
})

test('record/closes A client that resets its socket ends that of a server with TLS too', async () => {
  let leave = (): void => undefined
  const left = new Promise<void>((resolve) => (leave = resolve))
  const connected = (socket: WebSocket): void => void socket.on('close', leave)
  const server = await startEcho({ isTls: true, connect: connected })
  const session = async (url: string): Promise<void> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(handshake)
    await once(socket, 'data')
    socket.resetAndDestroy()
    await left
  }
  const result = await recorded(server.url, session, '--ca', certificate)
  expect(result.recording().sockets[0]?.close).toMatchObject({ by: 'client', code: 1006 })
})

/** The connections of this process whose handles are open. */
const connections = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

test('record/cut-sockets A client that goes while the server sends leaves no connection open, so that the command ends', async () => {
  const before = connections()
  const ends: Promise<unknown>[] = []
  let opened = (_: WebSocket): void => undefined
  const connect = (socket: WebSocket): void => {
    ends.push(once(socket, 'close'))
    opened(socket)
  }
  const server = await startEcho({ connect })
  await recorded(server.url, async (url) => {
    for (let cut = 0; cut < 5; cut++) {
      const accepted = new Promise<WebSocket>((resolve) => (opened = resolve))
      const socket = new WebSocket(`${socketAt(url)}/ws`)
      const [own] = await Promise.all([accepted, once(socket, 'open')])
      socket.terminate()
      // The proxy reads the end of the client, and in the same turn more than it can pass on to it.
      own.send(Buffer.alloc(1_000_000))
      await once(socket, 'close')
    }
  })
  await Promise.all(ends)
  await new Promise(setImmediate)
  expect(connections()).toBeLessThanOrEqual(before)
})

test('record/odd-bytes What is not a WebSocket frame passes as it is', async () => {
  const server = await startEcho()
  const result = await recorded(server.url, async (url) => {
    const { hostname, port } = new URL(url)
    const raw = connect(Number(port), hostname)
    raw.write(handshake)
    await once(raw, 'data')
    raw.write(Buffer.from([0xff, 0xff, 0xff]))
    const chunks: Buffer[] = await raw.toArray()
    // The server closes with 1002: it got the bytes.
    expect(Buffer.concat(chunks).subarray(0, 4).toString('hex')).toBe('880203ea')
  })
  expect(result.recording().sockets[0]?.close).toMatchObject({ by: 'server', code: 1002 })
})
