// Requests that are rejected before the path is checked: from pages of a foreign origin, or with bodies that are too
// large.

import { once } from 'node:events'
import { errors, limits } from '../../../spec/index.ts'
import { slow, solid, talking } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { openSocket } from '../../judge/edges.ts'
import { exchange, outsideCors, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const refused = { status: 403, type: undefined, length: '0', body: '' }

proves('http/foreign-origin', async ({ url }) => {
  await outsideCors(url)
  const passes = async (Host: string, Origin: string) =>
    (await exchange(url, 'GET', '/queue', { Host, Origin })).status
  const foreign: [host: string, origin: string][] = [
    ['127.0.0.1:8188', 'http://evil.example'],
    ['127.0.0.1:8188', 'http://localhost:8188'],
    ['127.0.0.1:8188', 'http://127.0.0.1:3000'],
    ['127.0.0.1:8188', 'http://127.0.0.1.evil.example'],
    ['127.0.0.1:8188', 'http://evil.example:8188'],
    // A scheme is not needed.
    ['127.0.0.1:8188', '//evil.example'],
    ['localhost:8188', 'http://localhost:3000'],
    ['LOCALHOST:8188', 'HTTP://EVIL.EXAMPLE'],
    ['127.8.8.8:8188', 'https://evil.example'],
    ['[::1]:8188', 'http://[::2]:8188'],
    ['localhost', 'http://evil.example:3000'],
    // A user and a port without digits are compared too.
    ['127.0.0.1:8188', 'http://me@127.0.0.1:8188'],
    ['127.0.0.1:8188', 'http://127.0.0.1:'],
    ['[::1]:8188', 'http://[::1]'],
  ]
  for (const [Host, Origin] of foreign) {
    expect([Origin, summaryOf(await exchange(url, 'GET', '/queue', { Host, Origin }))]).toEqual([
      Origin,
      refused,
    ])
  }
  const own: [host: string, origin: string][] = [
    ['127.0.0.1:8188', 'http://127.0.0.1:8188'],
    ['127.0.0.1:8188', 'https://127.0.0.1:8188'],
    ['127.0.0.1:8188', 'http://127.0.0.1'],
    ['LOCALHOST:8188', 'http://localhost:8188'],
    ['localhost', 'http://localhost:3000'],
    ['[::1]:8188', 'http://[::1]:8188'],
    ['localhost', 'http://me@localhost:3000'],
    ['127.0.0.1:8188', 'null'],
    ['127.0.0.1:8188', ''],
    ['example.com', 'http://evil.example'],
    ['0.0.0.0:8188', 'http://evil.example'],
  ]
  for (const [Host, Origin] of own)
    expect({ Host, Origin, status: await passes(Host, Origin) }).toEqual({
      Host,
      Origin,
      status: 200,
    })
  expect(await passes('127.0.0.1:8188', 'http://127.0.0.1:bad')).toBe(500)
  expect(await passes('127.0.0.1:8188', 'http://127.0.0.1:65536')).toBe(500)
})

// A page can send a form without a preflight: every method is rejected, and has no effect.
proves('http/foreign-origin', async ({ url, get, submit }) => {
  await submit(slow())
  const headers = { Origin: 'http://evil.example' }
  const ways = [
    ['POST', '/queue'],
    ['POST', '/api/prompt'],
    ['OPTIONS', '/prompt'],
    ['HEAD', '/queue'],
    ['DELETE', '/prompt'],
    ['GET', '/nowhere'],
    ['GET', '/'],
  ] as const
  const body = JSON.stringify({ clear: true, prompt: solid() })
  for (const [method, path] of ways) {
    const { length, ...rest } = refused
    expect([path, summaryOf(await exchange(url, method, path, headers, body))]).toEqual([
      path,
      { ...rest, length: method === 'HEAD' ? undefined : length },
    ])
  }
  expect((await get('/queue')).json().queue_pending).toHaveLength(1)
})

proves('http/foreign-origin', async ({ url }) => {
  await outsideCors(url)
  const open = (origin: string) => openSocket(url, '/ws', { origin })
  const foreign = open('http://evil.example')
  const [, response] = await once(foreign, 'unexpected-response')
  expect({
    statusCode: response.statusCode,
    contentLength: response.headers['content-length'],
  }).toEqual({ statusCode: 403, contentLength: '0' })
  response.destroy()
  const own = open(url)
  const [first] = await once(own, 'message')
  expect(JSON.parse(`${first}`).type).toBe('status')
  own.close()
})

const limit = limits.body.value

proves('http/body-limit', async ({ url, get }) => {
  const reply = await exchange(url, 'POST', '/prompt', {}, Buffer.alloc(limit + 1, ' '))
  expect({ status: reply.status, contentType: reply.header('content-type') }).toEqual({
    status: 413,
    contentType: 'text/plain; charset=utf-8',
  })
  expect(reply.body).toBe(errors.refusals.bodyTooLarge.body.text.replace('{limit}', `${limit}`))
  const prompt = Buffer.from(JSON.stringify({ prompt: talking() }))
  const filled = Buffer.concat([prompt, Buffer.alloc(limit - prompt.length, ' ')])
  expect((await exchange(url, 'POST', '/prompt', {}, filled)).status).toBe(200)
  expect((await get('/features')).json().max_upload_size).toBe(limit)
})
