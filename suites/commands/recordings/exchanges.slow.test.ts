// The command `record`: HTTP passes byte for byte, and is recorded as it passed.

import { randomBytes } from 'node:crypto'
import { request as send } from 'node:http'
import { createServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { certificate, startEcho } from '../../support/servers/echo-server.ts'
import { listening } from '../../support/for-test.ts'
import { recorded, runRecord, startRecord } from '../../support/recordings/recording.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Sends a request with these headers and no others. */
const raw = (
  url: string,
  method: string,
  target: string,
  headers: readonly string[],
  body: Buffer | string = '',
): Promise<{ status: number; headers: readonly string[]; body: Buffer }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const call = send({ hostname, port, method, path: target, headers: [...headers] as never })
    call.on('error', reject)
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      )
    })
    call.end(body)
  })

test('record/header The target gets the headers of --header in place of those of the client, and no recording has them', async () => {
  const seen: string[][] = []
  const server = await startEcho({
    answer: (message, response) => {
      seen.push([message.headers.authorization ?? '', String(message.headers['x-gate'])])
      response.end('{"gate": "open-sesame-1"}')
    },
  })
  const gate = ['--header', 'X-Gate: open-sesame-1']
  const flags = ['--header', 'Authorization: Basic bWU6b3Blbg==', ...gate]
  const session = async (url: string): Promise<void> => {
    await fetch(`${url}/queue`, { headers: { authorization: 'Bearer of-the-client' } })
  }
  const result = await recorded(server.url, session, ...flags)
  expect(seen).toEqual([['Basic bWU6b3Blbg==', 'open-sesame-1']])
  expect(result.text()).not.toMatch(/open-sesame|bWU6/)
})

const answered = ['X-One', '1', 'x-one', '2']

test('record/bytes Requests and responses pass byte for byte, with their headers in order, and are recorded so', async () => {
  const server = await startEcho({
    answer: (_, response, body) => {
      response.sendDate = false
      response.writeHead(201, 'Made', [...answered, 'Content-Length', `${body.length}`])
      response.end(body)
    },
  })
  const body = randomBytes(100_000)
  const { host } = new URL(server.url)
  const result = await recorded(server.url, async (url) => {
    const own = new URL(url).host
    const headers = ['Host', own, 'X-Two', 'a', 'x-two', 'b', 'Origin', url]
    headers.push('Content-Length', `${body.length}`)
    const reply = await raw(url, 'PUT', '/a%2fb//c?d=%20&e', headers, body)
    expect(reply.status).toBe(201)
    expect(reply.headers.slice(0, 6)).toEqual([...answered, 'Content-Length', '100000'])
    expect(reply.body.equals(body)).toBe(true)
  })
  const [arrived] = server.arrived
  expect(arrived?.target).toBe('/a%2fb//c?d=%20&e')
  expect(arrived?.body.equals(body)).toBe(true)
  const sent = ['Host', host, 'X-Two', 'a', 'x-two', 'b', 'Origin', server.url]
  expect(arrived?.rawHeaders.slice(0, 10)).toEqual([...sent, 'Content-Length', '100000'])
  const [exchange] = result.recording().exchanges
  expect(exchange?.url).toBe(`${server.url}/a%2fb//c?d=%20&e`)
  expect(exchange?.headers.flat().slice(0, 8)).toEqual(sent)
  expect(text(exchange!.body)).toBe(text(body))
  expect(text(exchange!.response!.body)).toBe(text(body))
  expect([exchange?.method, exchange?.response?.status]).toEqual(['PUT', 201])
  expect([result.code, result.hasPart()]).toEqual([0, false])
})

test('record/forms A form with a file passes in pieces, and is recorded whole', async () => {
  const server = await startEcho()
  const file = randomBytes(300_000)
  const result = await recorded(server.url, async (url) => {
    const form = new FormData()
    form.append('overwrite', 'true')
    form.append('image', new Blob([file]), 'a b.png')
    expect((await fetch(`${url}/upload/image`, { method: 'POST', body: form })).status).toBe(200)
  })
  const [exchange] = result.recording().exchanges
  expect(text(exchange!.body)).toBe(text(server.arrived[0]!.body))
  expect(text(exchange!.body)).toContain(text(file))
})

const encodings = { gzip: gzipSync, br: brotliCompressSync }
test('record/encodings Compressed bodies pass as they are, and are recorded without their encoding', async () => {
  const server = await startEcho({
    answer: ({ url = '' }, response) => {
      const encoding = url.slice(1) as keyof typeof encodings
      response.setHeader('Content-Encoding', encoding)
      response.end(encodings[encoding]('the text'))
    },
  })
  const result = await recorded(server.url, async (url) => {
    for (const encoding of Object.keys(encodings))
      expect(await (await fetch(`${url}/${encoding}`)).text()).toBe('the text')
  })
  const { exchanges } = result.recording()
  expect(exchanges.map(({ response }) => text(response!.body))).toEqual(['the text', 'the text'])
})

test('record/large A body of more than 64 MiB passes, and is marked as left out', async () => {
  const server = await startEcho({ answer: (_, response, body) => response.end(`${body.length}`) })
  const size = 65 * 2 ** 20
  const result = await recorded(server.url, async (url) => {
    const headers = ['Host', 'a', 'Content-Length', `${size}`]
    const reply = await raw(url, 'POST', '/', headers, Buffer.alloc(size))
    expect(reply.body.toString()).toBe(`${size}`)
  })
  const [exchange] = result.recording().exchanges
  expect([exchange?.cut, exchange?.body.length]).toEqual([['request'], 0])
  expect(text(exchange!.response!.body)).toBe(`${size}`)
})

test('record/broken A response that breaks off breaks off for the client as well', async () => {
  const server = await startEcho({
    answer: ({ url }, response) => {
      const type = url === '/json' ? 'application/json' : 'image/png'
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': 1000 })
      response.write('{"begun"', () => response.destroy())
    },
  })
  const result = await recorded(server.url, async (url) => {
    for (const path of ['/json', '/png']) {
      const reply = await fetch(url + path)
      expect(reply.status).toBe(200)
      await expect(reply.text()).rejects.toThrow()
    }
  })
  const { exchanges } = result.recording()
  expect(exchanges.map(({ cut, response }) => [cut, response?.status])).toEqual([
    [['response'], 200],
    [['response'], 200],
  ])
})

test('record/no-status A target whose status is none of HTTP gets 502, and the proxy goes on', async () => {
  const target = createServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n'))
  })
  const { url: listens } = await listening(target)
  const result = await recorded(listens, async (url) => {
    for (let turn = 0; turn < 2; turn++) {
      const reply = await fetch(`${url}/queue`)
      expect([reply.status, await reply.text()]).toEqual([
        502,
        expect.stringContaining('answered with the status 0, which HTTP'),
      ])
    }
  })
  expect(result.recording().exchanges.map(({ response }) => response)).toEqual([null, null])
})

test('record/down Without a server the client gets 502 with the reason, and no response is recorded', async () => {
  const result = await recorded('http://127.0.0.1:1', async (url) => {
    const reply = await fetch(`${url}/queue`)
    expect(reply.status).toBe(502)
    expect(await reply.text()).toMatch(/no response from http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)/)
  })
  const [exchange] = result.recording().exchanges
  expect([exchange?.url, exchange?.response]).toEqual(['http://127.0.0.1:1/queue', null])
})

test('record/tls A server with its own certificate is reached with --ca, and not without', async () => {
  const server = await startEcho({ isTls: true })
  const ask = async (url: string): Promise<number> => (await fetch(`${url}/a`)).status
  let status = 0
  const session = async (url: string): Promise<void> => void (status = await ask(url))
  await recorded(server.url, session)
  expect(status).toBe(502)
  const result = await recorded(server.url, session, '--ca', certificate)
  expect(status).toBe(200)
  expect(result.recording().exchanges[0]?.url).toBe(`${server.url}/a`)
})

test('record/base A server below a path is recorded like one at the root, as commands read it', async () => {
  const server = await startEcho()
  const session = async (url: string): Promise<void> => void (await fetch(`${url}/queue`))
  const result = await recorded(`${server.url}/comfy/`, session)
  expect(server.arrived[0]?.target).toBe('/comfy/queue')
  expect(result.recording().exchanges[0]?.url).toBe(`${server.url}/queue`)
})

test('record/progress On a terminal a line counts what passes, and no file is written over another', async () => {
  const server = await startEcho()
  const running = await startRecord(server.url, [], 80)
  await fetch(`${running.url}/a`)
  const { stderr, stdout, file } = await running.stop()
  expect(stderr).toContain('1 exchange, 0 sockets, 0 messages')
  expect(stdout).toContain(`Wrote ${file}: 1 exchange, 0 sockets, 0 messages.`)
  const again = await runRecord(server.url, '--port', '0', '--out', file)
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('already exists')
})
