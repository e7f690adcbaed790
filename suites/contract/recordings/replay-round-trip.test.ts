// A recorded session that is replayed with other ids, and recorded again, is the same session.

import * as fc from 'fast-check'
import { startEmulator, startReplay } from 'flowdouble'
import { test } from 'vitest'
import {
  identitiesOf,
  pairs,
  type RecordedExchange,
  type Recording,
  replaceFrame,
  replaceText,
  writeHar,
} from '../../../dist/emulator/internal.js'
import { failing, type Graph, saying, slow, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { runs } from '../../support/effort.ts'
import { recordingClient, type RecordingClient, startMs } from '../../support/recorded-session.ts'

type Action =
  | { readonly do: 'open'; readonly client: number }
  | { readonly do: 'flags'; readonly socket: number }
  | {
      readonly do: 'submit'
      readonly graph: number
      readonly client: number | null
      readonly hasOwnId: boolean
    }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'poll'; readonly path: string }
  | { readonly do: 'entry'; readonly run: number }
  | { readonly do: 'upload'; readonly bytes: Uint8Array }
  | { readonly do: 'post'; readonly path: string; readonly body: object }

const graphs: readonly Graph[] = [
  solid(255),
  solid(65280, 'below/solid'),
  textToImage(1, 3),
  textToImage(2 ** 60, 2),
  saying('Grüße'),
  failing(),
  slow(1, 4),
]

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(60) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      graph: fc.nat(graphs.length - 1),
      client: fc.option(fc.nat(1)),
      hasOwnId: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('entry' as const), run: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('poll' as const),
      path: fc.constantFrom(
        '/queue',
        '/prompt',
        '/history',
        '/history?max_items=1',
        '/view?filename=solid_00001_.png&subfolder=&type=output',
        '/view?filename=image_00001_.png&type=output&subfolder=',
        '/models/loras',
        '/jobs',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open' as const), client: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('flags' as const), socket: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('upload' as const),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('post' as const),
      path: fc.constantFrom('/interrupt', '/history', '/queue'),
      body: fc.constantFrom({}, { clear: true }),
    }),
  },
)

/** Where a session takes place. */
type Stage = {
  readonly place: 'local' | 'hosted'
  readonly prefix: string
  /** The credentials in the query of a socket, and in the headers of requests. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  /** The paths of the state of a run: what precedes its id, and what follows it. */
  readonly entries: readonly (readonly [before: string, after: string])[]
}

const stages: readonly Stage[] = [
  { place: 'local', prefix: '', query: '', headers: {}, entries: [['/history/', '']] },
  {
    place: 'hosted',
    prefix: '/api',
    query: '&token=test-key',
    headers: { 'X-API-Key': 'test-key' },
    entries: [
      ['/jobs/', ''],
      ['/job/', '/status'],
      ['/history_v2/', ''],
    ],
  },
]

/** The ids of one client of a session: those of another one have other lengths. */
type Names = { readonly client: string; readonly run: string; readonly file: string }

const json = (value: object) => ({
  type: 'application/json',
  bytes: new TextEncoder().encode(JSON.stringify(value)),
})

function form(file: string, bytes: Uint8Array) {
  const head = `--line\r\nContent-Disposition: form-data; name="image"; filename="${file}"\r\nContent-Type: image/png\r\n\r\n`
  const parts = [Buffer.from(head), Buffer.from(bytes), Buffer.from('\r\n--line--\r\n')]
  return { type: 'multipart/form-data; boundary=line', bytes: new Uint8Array(Buffer.concat(parts)) }
}

/** Plays a session, and returns what its client saw. */
async function play(
  client: RecordingClient,
  server: { readonly advance: (ms: number) => Promise<void> },
  session: readonly Action[],
  names: Names,
  { prefix, query, entries }: Stage,
): Promise<Recording> {
  const ids: string[] = []
  let uploads = 0
  const get = (path: string): Promise<unknown> => client.request('GET', prefix + path)
  for (const action of session) {
    if (action.do === 'open') await client.open(names.client + action.client + query)
    else if (action.do === 'flags')
      await client.send(
        action.socket,
        '{"type": "feature_flags", "data": {"supports_preview_metadata": true}}',
      )
    else if (action.do === 'submit') {
      const body = {
        prompt: graphs[action.graph],
        ...(action.client !== null && { client_id: names.client + action.client }),
        ...(action.hasOwnId && { prompt_id: names.run + ids.length }),
      }
      const reply = await client.request('POST', `${prefix}/prompt`, json(body))
      ids.push((JSON.parse(reply.body.toString()) as { prompt_id: string }).prompt_id)
    } else if (action.do === 'advance') {
      await server.advance(action.ms)
      await client.received()
    } else if (action.do === 'poll') await get(action.path)
    else if (action.do === 'entry') {
      const id = ids[action.run]
      const [before, after] = entries[(action.run + ids.length) % entries.length] ?? ['', '']
      if (id !== undefined) await get(before + id + after)
    } else if (action.do === 'upload')
      await client.request(
        'POST',
        `${prefix}/upload/image`,
        form(`${names.file}${uploads++}.png`, action.bytes),
      )
    else await client.request('POST', prefix + action.path, json(action.body))
  }
  return client.recording()
}

const decoder = new TextDecoder()

/** A link of a replay leads to itself. */
const withoutOrigin = (link: string): string => link.replace(/^http:\/\/[^/]*/, '')

/** A session as values, with other ids. */
function normalised({ exchanges, sockets }: Recording, replacement: ReadonlyMap<string, string>) {
  const text = (one: string): string => replaceText(one, replacement)
  const bodyOf = ({ response }: RecordedExchange) => {
    const type = response?.headers[0]?.[1] ?? ''
    const bytes = response?.body ?? new Uint8Array()
    return /json|text/.test(type) ? text(decoder.decode(bytes)) : [...bytes]
  }
  return {
    exchanges: exchanges.map((one) => ({
      method: one.method,
      status: one.response?.status,
      headers: one.response?.headers.map(([name, value]) => [name, withoutOrigin(value)]),
      body: bodyOf(one),
    })),
    sockets: sockets.map(({ messages }) =>
      messages.map(({ from, atMs, data }) => ({
        from,
        atMs: Math.floor(atMs),
        data: typeof data === 'string' ? text(data) : [...replaceFrame(data, replacement)],
      })),
    ),
  }
}

const recordedNames = { client: 'client-of-then-', run: 'run-of-then-', file: 'then' }
const presentNames = { client: 'another-client-', run: 'another-', file: 'now-and-here' }

async function recordSession(session: readonly Action[], stage: Stage): Promise<Recording> {
  const client = recordingClient(stage.place, stage.headers)
  const { onEntry } = client
  const options = { deployment: stage.place, clock: 'manual', epoch: startMs, pace: 7 } as const
  const world = await startEmulator({ ...options, onEntry })
  client.connectTo(world)
  try {
    return await play(client, world, session, recordedNames, stage)
  } finally {
    client.close()
    await world.close()
  }
}

async function replaySession(
  recorded: Recording,
  session: readonly Action[],
  stage: Stage,
): Promise<Recording> {
  const client = recordingClient(stage.place, stage.headers)
  const { onEntry } = client
  const recording = JSON.parse(writeHar(recorded)) as object
  const replay = await startReplay({ recording, clock: 'manual', epoch: startMs, onEntry })
  client.connectTo(replay)
  try {
    return await play(client, replay, session, presentNames, stage)
  } finally {
    client.close()
    await replay.close()
  }
}

/** The values of then with those that stand for them now. */
function valuesOf(recorded: Recording, present: Recording): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [at, exchange] of recorded.exchanges.entries()) {
    const other = present.exchanges[at]
    if (other === undefined) continue
    for (const [before, now] of pairs(identitiesOf(exchange), identitiesOf(other)))
      if (!/_\d{5}_/.test(before)) values.set(before, now)
  }
  for (const client of [0, 1])
    values.set(recordedNames.client + client, presentNames.client + client)
  return values
}

async function comesBack(stage: Stage, session: readonly Action[]): Promise<void> {
  const recorded = await recordSession(session, stage)
  if (recorded.exchanges.length + recorded.sockets.length === 0) return
  const present = await replaySession(recorded, session, stage)
  const values = valuesOf(recorded, present)
  expect(normalised(present, new Map())).toEqual(normalised(recorded, values))
}

for (const stage of stages) {
  test(`replay/round-trip A replay with other ids on ${stage.place}, recorded again, is the recorded session, frames byte for byte`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 1, maxLength: 14 }), (session) =>
        comesBack(stage, session),
      ),
      { numRuns: runs(60) },
    )
  })

  test(`replay/whole-run Sockets with and without metadata, an upload, a failure and an interrupt come back on ${stage.place}`, async () => {
    await comesBack(stage, [
      { do: 'open', client: 0 },
      { do: 'open', client: 1 },
      { do: 'flags', socket: 0 },
      { do: 'upload', bytes: new Uint8Array([1, 2, 3]) },
      { do: 'submit', graph: 2, client: 0, hasOwnId: true },
      { do: 'poll', path: '/queue' },
      { do: 'advance', ms: 40 },
      { do: 'poll', path: '/queue' },
      { do: 'entry', run: 0 },
      { do: 'submit', graph: 2, client: 1, hasOwnId: false },
      { do: 'advance', ms: 400 },
      { do: 'entry', run: 0 },
      { do: 'submit', graph: 5, client: 0, hasOwnId: false },
      { do: 'submit', graph: 6, client: 1, hasOwnId: true },
      { do: 'advance', ms: 150 },
      { do: 'post', path: '/interrupt', body: {} },
      { do: 'advance', ms: 500 },
      { do: 'poll', path: '/history' },
      { do: 'post', path: '/history', body: { clear: true } },
      { do: 'poll', path: '/history' },
      { do: 'entry', run: 0 },
    ])
  })
}
