// A structured clone of the state forks a server or a gateway: with equal inputs both branches stay equal, and with
// different ones they do not.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Effect, Input } from 'flowdouble'
import {
  completeGatewayOptions,
  completeOptions,
  createGatewayWorld,
  createServer,
  forkGateway,
  forkServer,
  hosted as hostedParts,
  nextGatewayWakeMs,
  nextWakeMs,
  stateOptions,
  stepGateway,
  stepServer as step,
  worldOptions,
  typeTexts,
} from '../../dist/emulator/internal.js'
import type { Deployment } from '../../spec/language.ts'
import { formOf } from '../generate/form.ts'
import { failing, type Graph, slow, textToImage } from '../generate/graphs.ts'
import { nodeTypesText } from '../generate/node-types.ts'

type Server = ReturnType<typeof createServer>
/** An input without its time. */
type TimelessInput = Input extends infer One
  ? One extends Input
    ? Omit<One, 'atMs'>
    : never
  : never

const types = typeTexts(nodeTypesText())

const start = (deployment: Deployment): Server =>
  createServer(
    worldOptions(
      completeOptions({ deployment, ...(deployment === 'local' && { manager: true }) }),
      () => types,
      0,
      deployment === 'hosted' ? 8190 : null,
    ),
    deployment === 'hosted' ? hostedParts : null,
  )

let lastRequest = 0
const request = (
  deployment: Deployment,
  method: string,
  path: string,
  body: string | Uint8Array = '',
  headers: Readonly<Record<string, string>> = {},
): TimelessInput => ({
  kind: 'request',
  request: ++lastRequest,
  method,
  target: deployment === 'hosted' ? `/api${path}` : path,
  headers: { 'content-type': 'application/json', 'x-api-key': 'test-key', ...headers },
  body: typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body),
})

const submit = (deployment: Deployment, prompt: Graph): TimelessInput =>
  request(deployment, 'POST', '/prompt', JSON.stringify({ prompt, client_id: 'me' }))

const upload = (deployment: Deployment, name: string, text: string): TimelessInput => {
  const [body, headers] = formOf({
    name: 'image',
    filename: name,
    content: new TextEncoder().encode(text),
  })
  const type = { 'content-type': headers['Content-Type'] ?? '' }
  return request(deployment, 'POST', '/upload/image', body, type)
}

/** The inputs of both branches: some for everything that a state holds. */
const inputsOf = (deployment: Deployment): readonly TimelessInput[] => [
  upload(deployment, 'a.txt', 'another text'),
  submit(deployment, textToImage(2)),
  submit(deployment, failing()),
  request(deployment, 'POST', '/interrupt', '{}'),
  request(deployment, 'GET', '/queue'),
  request(deployment, 'POST', '/settings', '{"b": 2}'),
  request(deployment, 'POST', '/queue', '{"clear": true}'),
  submit(deployment, textToImage(3)),
  submit(deployment, textToImage(4, 5, 2)),
  { kind: 'open', socket: 3, target: '/ws?clientId=other&token=test-key', headers: {} },
  { kind: 'message', socket: 1, text: '{"type": "feature_flags", "data": {}}' },
  request(deployment, 'GET', '/settings'),
  request(deployment, 'GET', deployment === 'hosted' ? '/history_v2' : '/history'),
  request(deployment, 'GET', '/object_info/LoadImage'),
]

const hashOf = (effects: readonly Effect[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(effects, (_, value: unknown) => {
        if (typeof value === 'bigint') return `${value}`
        if (value instanceof Map) return [...value]
        return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
      }),
    )
    .digest('hex')

/** Applies these inputs, 7 milliseconds apart, then everything due. Returns a hash of the effects of each. */
function live(server: Server, inputs: readonly TimelessInput[]): readonly string[] {
  const hashes: string[] = []
  const feed = (input: TimelessInput, atMs: number): void => {
    hashes.push(hashOf(step(server, { ...input, atMs })))
  }
  for (const input of inputs) feed(input, server.state.nowMs + 7)
  for (let due = nextWakeMs(server); due !== undefined; due = nextWakeMs(server))
    feed({ kind: 'wake' }, due)
  return hashes
}

/**
 * A server with one finished run, one in progress and one that waits, with sockets, files, settings and an
 * installation.
 */
function inMidRun(deployment: Deployment): Server {
  const server = start(deployment)
  const open = { kind: 'open', target: '/ws?clientId=me&token=test-key', headers: {} } as const
  live(server, [
    { ...open, socket: 1 },
    { ...open, socket: 2 },
    upload(deployment, 'a.txt', 'a text'),
    submit(deployment, textToImage(1, 3, 2)),
    request(deployment, 'POST', '/settings', '{"a": 1}'),
  ])
  const { nowMs } = server.state
  const body = '{"git_url": "https://git.example/pack"}'
  const install = request(deployment, 'POST', '/manager/queue/install', body)
  for (const input of [submit(deployment, textToImage(3)), submit(deployment, slow()), install]) {
    step(server, { ...input, atMs: nowMs })
  }
  step(server, { kind: 'wake', atMs: nowMs + 60 })
  return server
}

test.each(['local', 'hosted'] as const)(
  'determinism/fork A fork of a %s server in mid-run goes on as the server does, and alone.',
  (deployment) => {
    const server = inMidRun(deployment)
    expect(server.worlds[0].state.workers[0]?.running).not.toBe(null)
    expect(nextWakeMs(server)).toBeDefined()
    const [fork, untouched] = [forkServer(server), forkServer(server)]
    expect(untouched.state).toEqual(server.state)
    const inputs = inputsOf(deployment)
    const hashes = live(server, inputs)
    expect(hashes.length).toBeGreaterThan(inputs.length + 10)
    // What the server has done since then left no trace in its forks.
    expect(untouched.state).not.toEqual(server.state)
    expect(live(fork, inputs)).toEqual(hashes)
    expect(fork.state).toEqual(server.state)
    expect(live(untouched, inputs.slice(1))).not.toEqual(hashes.slice(1))
  },
)

const secret = 'a-long-secret-of-the-hook'
const chat = { deliver: 'telegram', deliver_extra: { chat_id: '1' } }
const routes = {
  hook: { secret, prompt: 'Build {status}', ...chat },
  direct: { secret, prompt: 'Build {status}', deliver_only: true, ...chat },
}

const post = (route: string, id: string, status: string) => ({
  kind: 'request' as const,
  request: ++lastRequest,
  method: 'POST',
  target: `/webhooks/${route}`,
  headers: { 'x-gitlab-token': secret, 'x-request-id': id, 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify({ status })),
})

test('determinism/fork A fork of a gateway in mid-run continues as the gateway does, and independently.', () => {
  const world = createGatewayWorld(
    stateOptions(completeGatewayOptions({ routes, epoch: 0, agent: { delayMs: 50 } }), 0),
  )
  const feed = (one: typeof world, input: Parameters<typeof stepGateway>[1]): string =>
    createHash('sha256')
      .update(JSON.stringify(stepGateway(one, input)))
      .digest('hex')
  feed(world, { kind: 'fail', atMs: 0, target: '*', error: 'out of reach', times: 1 })
  feed(world, { ...post('hook', 'one', 'green'), atMs: 1 })
  feed(world, { ...post('direct', 'two', 'red'), atMs: 2 })
  expect(nextGatewayWakeMs(world)).toBeDefined()
  const [fork, untouched] = [forkGateway(world), forkGateway(world)]
  expect(untouched.state).toEqual(world.state)
  const inputs = [
    post('hook', 'one', 'again'),
    post('hook', 'three', 'blue'),
    post('none', 'x', ''),
  ]
  const live = (one: typeof world, begun: typeof inputs): readonly string[] => {
    const hashes = begun.map((input, index) => feed(one, { ...input, atMs: 3 + index }))
    for (let due = nextGatewayWakeMs(one); due !== undefined; due = nextGatewayWakeMs(one))
      hashes.push(feed(one, { kind: 'wake', atMs: due }))
    return hashes
  }
  const hashes = live(world, inputs)
  expect(hashes.length).toBeGreaterThan(inputs.length)
  expect(untouched.state).not.toEqual(world.state)
  expect(live(fork, inputs)).toEqual(hashes)
  expect(fork.state).toEqual(world.state)
  expect(live(untouched, inputs.slice(1))).not.toEqual(hashes.slice(1))
})
