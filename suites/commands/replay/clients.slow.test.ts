// Clients that cut their sockets and open them again, name themselves in any request, and come in any order: in a replay
// each receives what it received from the recorded server.

import { startReplay } from 'flowdouble'
import { test } from 'vitest'
import { slow } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import {
  advance,
  json,
  recordedWorld,
  type RecordingClient,
  withClient,
} from '../../support/recordings/recorded-session.ts'
import { contentOf } from '../../support/recordings/replayed.ts'

/** What differs between the clients: the id, the wait until it cuts, and how long its first run takes. */
type Program = { readonly id: string; readonly cutMs: number; readonly seconds: number }

type Server = {
  readonly client: RecordingClient
  readonly advance: (ms: number) => Promise<void>
  /** How many sockets there have been. */
  sockets: number
}

/** What a client has received: replies, and the messages of each of its sockets. */
type Received = { readonly replies: readonly string[]; readonly sockets: readonly string[][] }

/** Runs a program; `id` is the one of its client here. */
async function play(
  server: Server,
  { cutMs, seconds }: Program,
  id: string,
  isCut = true,
): Promise<Received> {
  const { client } = server
  const first = server.sockets
  const replies: string[] = []
  const request = async (method: string, path: string, body?: object): Promise<any> => {
    const reply = await client.request(method, path, body && json(body))
    replies.push(`${reply.status} ${reply.body.toString()}`)
    return reply.json
  }
  const open = async (): Promise<void> => {
    server.sockets++
    await client.open(id)
  }
  const submit = async (lasts: number, steps: number): Promise<string> =>
    (await request('POST', '/prompt', { prompt: slow(lasts, steps), client_id: id })).prompt_id
  await request('GET', `/system_stats?clientId=${id}`)
  await request('PATCH', '/internal/logs/subscribe', { enabled: true, clientId: id })
  await open()
  const run = await submit(seconds, 10)
  await server.advance(cutMs)
  if (isCut) {
    await client.cut(first)
    await server.advance(cutMs)
    await open()
  }
  await server.advance(20_000)
  await request('GET', `/history/${run}`)
  await submit(seconds / 10, 2)
  await server.advance(20_000)
  await request('GET', '/queue')
  for (let at = first; at < server.sockets; at++) await client.cut(at)
  const messages = client
    .recording()
    .sockets.slice(first)
    .map((one) => one.messages.map(({ data }) => (typeof data === 'string' ? data : '(frame)')))
  const asMe = (text: string): string => text.replaceAll(id, 'me')
  return { replies: replies.map(asMe), sockets: messages.map((all) => all.map(asMe)) }
}

/** A server as programs use it. */
const serverOf = (
  client: RecordingClient,
  server: { readonly advance: (ms: number) => Promise<void> },
): Server => ({ client, advance: (ms) => advance(client, server, ms), sockets: 0 })

const withReplayOf = (recording: object, use: (server: Server) => Promise<void>): Promise<void> =>
  withClient(
    ({ onEntry }) => startReplay({ recording, clock: 'manual', onEntry }),
    (client, replay) => use(serverOf(client, replay)),
  )

const programs: readonly Program[] = [
  { id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', cutMs: 1300, seconds: 4 },
  { id: '6fa459ea-ee8a-4ca4-894e-db77e160355e', cutMs: 2100, seconds: 5 },
  { id: 'fixed', cutMs: 700, seconds: 3 },
]

/** The programs on a world, one after the other: what they received, and the recording. */
async function recordedPrograms(
  all: readonly Program[],
): Promise<{ readonly received: readonly Received[]; readonly recording: object }> {
  const received: Received[] = []
  const recording = await recordedWorld({ pace: 50 }, async (client, world) => {
    const server = serverOf(client, world)
    for (const program of all) received.push(await play(server, program, program.id))
  })
  return { received, recording: contentOf(recording) }
}

/** All orders of three positions. */
const orders: readonly (readonly number[])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]

test('replay/reconnects Three clients that cut their sockets in mid-run receive in any order what they received then', async () => {
  const { received, recording } = await recordedPrograms(programs)
  for (const { sockets } of received) {
    expect(sockets).toHaveLength(2)
    expect(sockets[0]?.join()).not.toContain('execution_success')
    expect(sockets[1]?.join().split('execution_success')).toHaveLength(3)
  }
  for (const order of orders)
    await withReplayOf(recording, async (server) => {
      for (const at of order) {
        const program = programs[at] as Program
        const id = program.id === 'fixed' ? 'fixed' : `00000000-0000-4000-8000-00000000000${at}`
        expect({ order, ...(await play(server, program, id)) }).toEqual({ order, ...received[at] })
      }
    })
})

test('replay/reconnects A client that comes again gets the same on its sockets, and one that is not cut gets all on one', async () => {
  const { received, recording } = await recordedPrograms(programs.slice(0, 1))
  const [program] = programs as [Program]
  await withReplayOf(recording, async (server) => {
    await play(server, program, 'a')
    const { sockets } = await play(server, program, 'b')
    expect(sockets.map((all) => all.length)).toEqual(received[0]?.sockets.map((all) => all.length))
  })
  await withReplayOf(recording, async (server) => {
    const { sockets } = await play(server, program, 'a', false)
    const types = (all: readonly string[]): readonly string[] =>
      all.map((one) => /"type": "(\w+)"/.exec(one)?.[1] ?? '')
    const successes = types(sockets[0] ?? []).filter((type) => type === 'execution_success')
    expect([sockets.length, successes.length]).toEqual([1, 2])
  })
})
