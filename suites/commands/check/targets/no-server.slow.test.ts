// Targets that are not servers: probing ends, and says in one sentence what it saw and what to do next.

import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:net'
import { test } from 'vitest'
import type { TargetOptions } from '../../../../spec/check.ts'
import { probeGateway } from '../../../check/gateway/probe.ts'
import { NotMeasured } from '../../../check/probe/ask.ts'
import { probe } from '../../../check/probe/probe.ts'
import { unreachable } from '../../../check/probe/unreachable.ts'
import { ownSender } from '../../../generate/sender.ts'
import { expect } from '../../../judge/expect.ts'
import { listening } from '../../../support/for-test.ts'
import { newFiles } from '../../../support/files.ts'

const nothing = { headers: {}, allow: [], isReadOnly: true, maxRuns: 1 }

type Probe = (options: TargetOptions, signal: AbortSignal) => Promise<unknown>

/** What probing says of a server. `giveUp` lets the time of the probe run out. */
async function verdictOn(
  serverFor: (giveUp: () => void) => Server,
  more: Partial<TargetOptions> = {},
  probeIt: Probe = probe,
): Promise<string> {
  const stop = new AbortController()
  const server = serverFor(() => stop.abort(new DOMException('late', 'TimeoutError')))
  const { url } = await listening(server)
  return (await saidOf({ ...nothing, url, ...more }, stop.signal, probeIt)).replaceAll(url, 'URL')
}

async function saidOf(
  options: TargetOptions,
  signal: AbortSignal,
  probeIt: Probe = probe,
): Promise<string> {
  const error: unknown = await probeIt(options, signal).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(NotMeasured)
  return (error as NotMeasured).message
}

const answering =
  (listener: RequestListener): (() => Server) =>
  () =>
    createHttpServer({ keepAlive: false }, (request, response) => {
      response.setHeader('Connection', 'close')
      listener(request, response)
    })

const json = (body: string): (() => Server) =>
  answering((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(body)
  })

test('check/no-server-page A web server that answers everything with a page is named as such.', async () => {
  const page = answering((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<p>Welcome</p>')
  })
  expect(await verdictOn(page)).toBe(
    'URL answers /system_stats with 200 text/html, without the "system" and "devices" of a workflow server: check host, port and base path.',
  )
})

test.each(['null', '[]', '7', '{', '{"system":null,"devices":[]}', '{"system":{},"devices":{}}'])(
  'check/no-server-json Statistics that are %s are not those of a workflow server.',
  async (body) => {
    expect(await verdictOn(json(body))).toBe(
      'URL answers /system_stats with 200 application/json, without the "system" and "devices" of a workflow server: check host, port and base path.',
    )
  },
)

test('check/no-server-closed A port at which nothing listens is named.', async () => {
  const { url, close } = await listening(createServer())
  await close()
  expect(await saidOf({ ...nothing, url }, new AbortController().signal)).toBe(
    `Nothing listens at ${url}: start the server, or check host and port.`,
  )
})

test('check/no-server-silent A server that accepts and never answers is given up.', async () => {
  const silent = (giveUp: () => void): Server =>
    createServer((socket) => socket.once('data', giveUp))
  expect(await verdictOn(silent)).toBe(
    'URL did not answer /system_stats within 8 s: check host and port, and whether the server hangs.',
  )
})

test('check/no-server-slow A server that does not come to the end of its answer is given up.', async () => {
  const slow = (giveUp: () => void): Server =>
    createServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{')
      socket.once('data', giveUp)
    })
  // Whether the probe has seen the first byte when its time runs out is up to the sockets.
  expect(await verdictOn(slow)).toMatch(/^URL (began to answer|did not answer) \/system_stats /)
  const error = new DOMException('late', 'TimeoutError')
  const attempt = { url: 'http://a', path: '/system_stats', error, hasBegun: true, seconds: 8 }
  expect(unreachable(attempt)).toBe(
    'http://a began to answer /system_stats and was not done after 8 s: check that this is the address of a workflow server, and that it is not overloaded.',
  )
})

test('check/no-server-drops A server that drops every socket is asked once, and named as such.', async () => {
  let connections = 0
  const dropping = (): Server =>
    createServer((socket) => {
      connections++
      socket.destroy()
    })
  expect(await verdictOn(dropping)).toBe(
    'URL closed the connection before it had answered /system_stats: look into the log of the server, or write https:// if it serves HTTPS.',
  )
  expect(connections).toBe(1)
})

test('check/no-server-key A key that a hosted server refuses is named, before each case fails with it.', async () => {
  const hosted = answering(({ url }, response) => {
    if (url === '/api/system_stats') response.end('{"system":{},"devices":[]}')
    else response.writeHead(url === '/system_stats' ? 404 : 401).end()
  })
  expect(await verdictOn(hosted, { key: 'wrong' })).toBe(
    'URL refuses /api/object_info with 401: give a valid key with --key, or its bearer token with --token.',
  )
})

test('check/no-server-deadline All requests of a probe have one deadline.', async () => {
  const half = (giveUp: () => void): Server =>
    answering(({ url }, response) => {
      if (url === '/system_stats') response.end('{"system":{},"devices":[]}')
      else giveUp()
    })()
  expect(await verdictOn(half)).toMatch(/^URL did not answer \/object_info within 8 s: /)
})

/** No gateway runs: the probe only signs what it posts. */
const noGateway = {
  advance: () => Promise.resolve(),
  until: () => Promise.reject(new Error('No gateway runs.')),
  subscribe: () => undefined,
  runs: () => [],
  outbox: () => [],
}

test('check/no-server-gateway The same for a gateway: the posts to it have the deadline of the probe.', async () => {
  const half = (giveUp: () => void): Server =>
    answering(({ url }, response) => {
      if (url === '/health') response.end('{"platform":"webhook"}')
      else giveUp()
    })()
  const facts = { route: 'ci', secret: 'secret' }
  const sender = ownSender(facts.secret, noGateway)
  const said = await verdictOn(half, {}, (options, signal) =>
    probeGateway({ ...options, isReadOnly: false }, facts, sender, signal),
  )
  expect(said).toMatch(/^URL did not answer \/webhooks\/ci within 8 s: /)
})

test('check/no-server-protocol A server of another protocol is named as such.', async () => {
  const mail = (): Server => createServer((socket) => socket.end('220 mail.example.com ready\r\n'))
  expect(await verdictOn(mail)).toBe(
    'URL does not answer /system_stats in HTTP: check that this is the port of a workflow server.',
  )
})

test('check/no-server-redirect A redirect is not followed, and its target named without control characters.', async () => {
  const loop = answering(({ url = '' }, response) => {
    response.writeHead(302, { Location: `${url}?\u009b31m` }).end()
  })
  expect(await verdictOn(loop)).toBe(
    'URL redirects /system_stats to /system_stats?\\u{9b}31m: check the server at the address where it answers itself.',
  )
})

test.each([
  [
    404,
    'URL has neither /system_stats nor /api/system_stats: it is not a workflow server, so check host, port and base path.',
  ],
  [
    401,
    'URL refuses /system_stats with 401: give a valid key with --key, or its bearer token with --token.',
  ],
  [
    503,
    'URL answers /system_stats with 503: check again when the server, or the one behind this proxy, is ready.',
  ],
])(
  'check/no-server-status A server that answers %i gets the fitting advice.',
  async (status, says) => {
    expect(await verdictOn(answering((_, response) => response.writeHead(status).end()))).toBe(says)
  },
)

test('check/no-server-password A user and password in the URL are refused and never printed.', async () => {
  const url = 'http://user:hidden-word@127.0.0.1:1/base'
  expect(await saidOf({ ...nothing, url }, new AbortController().signal)).toBe(
    "http://127.0.0.1:1/base was given with a user or password: write the URL without them, and send them with --header 'Authorization: ...'.",
  )
})

/** Arguments that cannot be used, and what check says of them. */
const unusable: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
  [
    ['--only', 'quue/listing'],
    /--only "quue\/listing" matches no case\. Did you mean queue\/listing\?/,
  ],
  [['--only', 'x'], /--only "x" matches no case\. List the cases with: --list/],
  [['--seed', '7'], /--sessions and --seed need --allow slow/],
  [['--baseline', 'broken.yaml'], /broken\.yaml:1:6/],
  [['--baseline', 'missing.yaml'], /Create it with: --update-baseline/],
]

test('check/no-server-usage What cannot be used is reported before anything is asked at the address.', async () => {
  const { write, check } = newFiles()
  write('broken.yaml', '{"a":')
  for (const [argv, says] of unusable) {
    const stderr = expect.stringMatching(says)
    const output = await check('http://127.0.0.1:1', ...argv)
    expect(output).toMatchObject({ code: 2, stdout: '', stderr })
  }
})
