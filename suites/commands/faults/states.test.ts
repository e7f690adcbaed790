// Servers with faults as plain data: they fork like others; and a server without faults never looks for them.

import type { Input } from 'flowdouble'
import {
  completeOptions,
  createServer,
  forkServer,
  hosted,
  nextWakeMs,
  stepServer,
  worldOptions,
  typeTexts,
} from '../../../dist/emulator/internal.js'
import { both, type Deployment } from '../../../spec/language.ts'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { formOf } from '../../generate/form.ts'
import { slow, textToImage } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'

const types = typeTexts(nodeTypesText())

type Server = ReturnType<typeof createServer>

function start(deployment: Deployment, ...faults: readonly Fault[]): Server {
  const scenario = { version: 1, faults: [...faults] } as const
  const linksPort = deployment === 'hosted' ? 8190 : null
  const options = worldOptions(
    completeOptions({ deployment, preview: 'jpeg', scenario }),
    () => types,
    0,
    linksPort,
  )
  return createServer(options, deployment === 'hosted' ? hosted : null)
}

const headers = {
  'x-api-key': 'test-key',
  authorization: 'Bearer test-key',
  'content-type': 'application/json',
}

const request = (
  deployment: Deployment,
  request: number,
  method: string,
  path: string,
  body: string | Uint8Array = '',
): Input => ({
  kind: 'request',
  atMs: 0,
  request,
  method,
  target: deployment === 'hosted' ? `/api${path}` : path,
  headers,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})

const open = (socket: number, clientId: string): Input => ({
  kind: 'open',
  atMs: 0,
  socket,
  target: `/ws?clientId=${clientId}&token=test-key`,
  headers: {},
})

const submit = (deployment: Deployment, number: number, prompt: object): Input =>
  request(deployment, number, 'POST', '/prompt', JSON.stringify({ prompt, client_id: 'me' }))

/** Applies inputs one millisecond apart, and returns the effects of each as text. */
const feed = (server: Server, inputs: readonly Input[]): string[] =>
  inputs.map((input) => {
    const atMs = server.state.nowMs + 1
    return JSON.stringify(stepServer(server, Object.assign({}, input, { atMs })))
  })

/** Fires everything that is due, and returns the effects as text. */
function finish(server: Server): string[] {
  const all: string[] = []
  for (let due = nextWakeMs(server); due !== undefined; due = nextWakeMs(server))
    all.push(JSON.stringify(stepServer(server, { kind: 'wake', atMs: due })))
  return all
}

const ofStreams: readonly Fault[] = [
  { when: { message: 'progress', nth: 2 }, then: { delayMs: 400 } },
  { when: { message: 'preview', nth: 3 }, then: { swap: true } },
]

test('a fork of a server whose faults are at work goes on like the server, and alone', () => {
  for (const deployment of both) {
    const server = start(
      deployment,
      { when: { path: '/queue' }, then: { delayMs: 5000 } },
      { when: { path: '/features' }, then: { slow: { parts: 4, everyMs: 1000 } } },
      { when: { socket: 'open', nth: 2 }, then: { delayMs: 4000 } },
      { when: { message: 'progress', probability: 0.5 }, then: { delayMs: 700 } },
      { when: { message: 'executing', nth: [1, 3] }, then: { swap: true } },
      { when: { message: 'preview' }, then: { short: 30 } },
      { when: { message: 'status', nth: 4 }, then: { silence: { forMs: 300 } } },
      ...(deployment === 'hosted' ? ofStreams : []),
      { when: { atMs: 9000 }, then: { restart: true } },
    )
    feed(server, [
      open(1, 'me'),
      open(2, 'late'),
      request(deployment, 1, 'GET', '/queue'),
      request(deployment, 2, 'GET', '/features'),
      submit(deployment, 3, textToImage(1, 3)),
    ])
    if (deployment === 'hosted') {
      const jobs = request(deployment, 9, 'GET', '/jobs')
      const [id = ''] =
        /[\da-f-]{36}/.exec(feed(server, [jobs]).join('').replaceAll('\\"', '')) ?? []
      feed(server, [request(deployment, 10, 'GET', `/v2/jobs/${id}/events`)])
    }
    // In the middle of everything.
    stepServer(server, { kind: 'wake', atMs: 60 })
    const [fork, untouched] = [forkServer(server), forkServer(server)]
    const more = [open(3, 'other'), submit(deployment, 4, slow(20, 50))]
    const expected = [...feed(server, more), ...finish(server)]
    expect(expected.join('')).toContain('"kind":"restart"')
    expect(expected.join('')).toContain('"kind":"part"')
    expect(expected.join('').includes('"kind":"chunk"')).toBe(deployment === 'hosted')
    expect([...feed(fork, more), ...finish(fork)]).toEqual(expected)
    expect(fork.state).toEqual(server.state)
    expect(finish(untouched)).not.toEqual(expected)
  }
})

/** The list of a server's faults, which counts how often something other than its length is read. */
function countReads(server: Server): { readonly lengths: () => number; readonly others: string[] } {
  let lengths = 0
  const others: string[] = []
  const { script } = server.state
  script.faults = new Proxy(script.faults, {
    get: (list, name) => {
      if (name === 'length') lengths++
      else others.push(String(name))
      return Reflect.get(list, name) as unknown
    },
  })
  return { lengths: () => lengths, others }
}

test('a server without faults reads the length of their list once or twice a step, and no fault', () => {
  for (const deployment of both) {
    const server = start(deployment)
    const { lengths, others } = countReads(server)
    const [form, { 'Content-Type': type = '' }] = formOf({
      name: 'image',
      filename: 'a.txt',
      content: 'a text',
    })
    const upload = request(deployment, 2, 'POST', '/upload/image', form)
    const effects = feed(server, [
      open(1, 'me'),
      request(deployment, 1, 'GET', '/queue'),
      Object.assign({}, upload, { headers: Object.assign({}, headers, { 'content-type': type }) }),
      submit(deployment, 3, textToImage(1, 20)),
      { kind: 'message', atMs: 0, socket: 1, text: '{"type": "feature_flags", "data": {}}' },
    ])
    const steps = effects.length
    const fired = finish(server)
    expect(fired.length).toBeGreaterThan(20)
    stepServer(server, { kind: 'close', atMs: server.state.nowMs, socket: 1 })
    expect(others).toEqual([])
    expect(server.state.wire).toBe(null)
    // One for each input and each timer, one more for each request and handshake.
    expect(lengths()).toBeLessThanOrEqual(2 * (steps + 1) + 2 * fired.length)
  }
})

test('the same count sees the work of a fault', () => {
  const server = start('local', { when: { path: '/nowhere' }, then: { status: 500 } })
  const { others } = countReads(server)
  feed(server, [request('local', 1, 'GET', '/queue')])
  expect(others.length).toBeGreaterThan(0)
})
