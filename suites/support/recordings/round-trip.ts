// Sessions of a client that are played twice, with other ids: at a server, and at its replay.

import * as fc from 'fast-check'
import {
  identitiesOf,
  pairs,
  type RecordedExchange,
  type Recording,
  replaceFrame,
  replaceText,
} from '../../../dist/emulator/internal.js'
import { failing, type Graph, saying, slow, solid, textToImage } from '../../generate/graphs.ts'
import { advance, flags, form, json, type RecordingClient } from './recorded-session.ts'

/** What a client does. */
export type Action =
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

/** Any of it. */
export const actions: fc.Arbitrary<Action> = fc.oneof(
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
export type Stage = {
  readonly place: 'local' | 'hosted'
  readonly prefix: string
  /** The credentials in the query of a socket, and in the headers of requests. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  /** The paths of the state of a run: what precedes its id, and what follows it. */
  readonly entries: readonly (readonly [before: string, after: string])[]
}

export const stages: readonly Stage[] = [
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

/** Plays a session, and returns what its client saw. */
export async function play(
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
    else if (action.do === 'flags') await client.send(action.socket, flags)
    else if (action.do === 'submit') {
      const body = {
        prompt: graphs[action.graph],
        ...(action.client !== null && { client_id: names.client + action.client }),
        ...(action.hasOwnId && { prompt_id: names.run + ids.length }),
      }
      const reply = await client.request('POST', `${prefix}/prompt`, json(body))
      ids.push(reply.json.prompt_id as string)
    } else if (action.do === 'advance') await advance(client, server, action.ms)
    else if (action.do === 'poll') await get(action.path)
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
export function normalised(
  { exchanges, sockets }: Recording,
  replacement: ReadonlyMap<string, string>,
) {
  const text = (one: string): string => replaceText(one, replacement)
  /** Those that a replay repeats: others are about the connection. */
  const headersOf = ({ response }: RecordedExchange) =>
    (response?.headers ?? []).flatMap(([name, value]) =>
      /^(content-type|location)$/i.test(name) ? [[name, withoutOrigin(value)]] : [],
    )
  const bodyOf = ({ response, ...one }: RecordedExchange) => {
    const isText = headersOf({ response, ...one }).some(([, value]) =>
      /json|text/.test(value ?? ''),
    )
    const bytes = response?.body ?? new Uint8Array()
    return isText ? text(decoder.decode(bytes)) : [...bytes]
  }
  return {
    exchanges: exchanges.map((one) => ({
      method: one.method,
      status: one.response?.status,
      headers: headersOf(one).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
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

/** The ids of the client that is recorded, and of the one that comes later. */
export const recordedNames = { client: 'client-of-then-', run: 'run-of-then-', file: 'then' }
export const presentNames = { client: 'another-client-', run: 'another-', file: 'now-and-here' }

/** The values of then with those that stand for them now. */
export function valuesOf(recorded: Recording, present: Recording): ReadonlyMap<string, string> {
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
