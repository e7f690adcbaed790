// A session that is replayed with other ids, or recorded again behind a proxy, is the same session.

import { type Replay, startReplay, type Emulator, startEmulator } from 'flowdouble'
import {
  identitiesOf,
  pairs,
  type Recording,
  replaceFrame,
  replaceTarget,
  replaceText,
  targetOf,
} from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { readSession, realSessions, sessionFile } from '../../support/recordings/real-sessions.ts'
import { type RecordingClient, withClient } from '../../support/recordings/recorded-session.ts'
import * as fc from 'fast-check'
import { test } from 'vitest'
import { runs } from '../../support/effort.ts'
import { type RecordResult, startRecord } from '../../support/recordings/recording.ts'
import {
  type Action,
  actions,
  normalised,
  play,
  presentNames,
  recordedNames,
  type Stage,
  stages,
  valuesOf,
} from '../../support/recordings/round-trip.ts'

/** What another client names otherwise: its sockets, the runs that it names itself, its uploads. */
function ownNames({ exchanges, sockets }: Recording): Map<string, string> {
  const names = new Map<string, string>()
  for (const { url } of sockets) {
    const id = new URL(url).searchParams.get('clientId')
    if (id !== null) names.set(id, `another-client-${names.size}`)
  }
  for (const { url, body } of exchanges) {
    if (new URL(url).pathname === '/prompt' && body.length > 0) {
      const { prompt_id } = JSON.parse(Buffer.from(body).toString()) as { prompt_id?: string }
      if (prompt_id !== undefined) names.set(prompt_id, 'an-id-of-another-client')
    }
    const [, upload] = /filename="([^"]+)"/.exec(Buffer.from(body).toString('latin1')) ?? []
    if (upload !== undefined) names.set(upload, `another-${upload}`)
  }
  return names
}

type Step =
  | { readonly atMs: number; readonly exchange: Recording['exchanges'][number] }
  | { readonly atMs: number; readonly url: string }
  | { readonly atMs: number; readonly socket: number; readonly text: string }

const stepsOf = ({ exchanges, sockets }: Recording): readonly Step[] =>
  [
    ...sockets.map(({ openMs, url }) => ({ atMs: openMs, url })),
    ...sockets.flatMap(({ messages }, socket) =>
      messages.flatMap(({ from, atMs, data }) =>
        from === 'client' && typeof data === 'string' ? [{ atMs, socket, text: data }] : [],
      ),
    ),
    ...exchanges.map((exchange) => ({ atMs: exchange.startMs, exchange })),
  ].toSorted((a, b) => a.atMs - b.atMs)

const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))

for (const file of realSessions)
  test(`round-trip/own-ids Another client of ${file} gets the recorded session with its ids`, async () => {
    const recorded = readSession(file)
    const names = ownNames(recorded)
    expect(names.size).toBeGreaterThan(0)
    const start = ({ onEntry }: RecordingClient): Promise<Replay> =>
      startReplay({ recording: sessionFile(file), clock: 'instant', onEntry })
    await withClient(start, async (client) => {
      for (const step of stepsOf(recorded)) {
        if ('url' in step) {
          const id = new URL(step.url).searchParams.get('clientId') ?? ''
          await client.open(names.get(id) ?? id)
        } else if ('text' in step) await client.send(step.socket, step.text)
        else {
          const { method, url, headers, body, response } = step.exchange
          const type = headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''
          // The bytes of a form are not text: names are replaced letter by letter.
          const sent = [...names].reduce(
            (text, [then, now]) => text.replaceAll(`"${then}"`, `"${now}"`),
            Buffer.from(body).toString('latin1'),
          )
          const { status, body: bytes } = await client.request(
            method,
            replaceTarget(targetOf(url), names),
            ...(method === 'GET' ? [] : ([{ type, bytes: latin1(sent) }] as const)),
          )
          const now = { ...step.exchange, response: { status, headers: [], body: bytes } }
          for (const [then, other] of pairs(identitiesOf(step.exchange), identitiesOf(now)))
            if (then !== other) names.set(then, other)
          const answer = Buffer.from(response?.body ?? [])
          expect(status).toBe(response?.status)
          if (answer[0] === 0x7b)
            expect(bytes.toString()).toBe(replaceText(answer.toString(), names))
          else expect(bytes).toEqual(answer)
        }
      }
      await client.received()
      const { sockets } = client.recording()
      const received = (own: Recording['sockets'][number], values: ReadonlyMap<string, string>) =>
        own.messages
          .filter(({ from }) => from === 'server')
          .map(({ data }) =>
            typeof data === 'string' ? replaceText(data, values) : replaceFrame(data, values),
          )
      expect(sockets.map((one) => received(one, new Map()))).toEqual(
        recorded.sockets.map((one) => received(one, names)),
      )
    })
  })

type Names = Parameters<typeof play>[3]

/** Time stands still: runs are over immediately, at the server as at its replay. */
const still = { advance: () => Promise.resolve() }

/** Records a session at a server, through the proxy and into a file. */
async function recordAt(
  start: (client: RecordingClient) => Promise<Emulator | Replay>,
  session: readonly Action[],
  names: Names,
  stage: Stage,
): Promise<{ readonly file: string; readonly recording: Recording }> {
  const results: RecordResult[] = []
  await withClient(
    async (client) => {
      const server = await start(client)
      const proxy = await startRecord(server.url, ['--deployment', stage.place])
      const close = async (): Promise<void> => {
        results.push(await proxy.stop())
        await server.close()
      }
      return { url: proxy.url, close }
    },
    (client) => play(client, still, session, names, stage),
    stage.place,
    stage.headers,
  )
  const [{ code, stderr, file, recording }] = results as [RecordResult]
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return { file, recording: recording() }
}

/** Without the times of this machine. */
const plain = (recording: Recording): Recording => ({
  ...recording,
  sockets: recording.sockets.map(({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map((one) => ({ ...one, atMs: 0 })),
  })),
})

for (const stage of stages)
  test(`round-trip/proxied A session on ${stage.place}, recorded, replayed with other ids and recorded again, is the same, frames byte for byte`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 1, maxLength: 10 }), async (session) => {
        const then = await recordAt(
          ({ onEntry }) => startEmulator({ deployment: stage.place, clock: 'instant', onEntry }),
          session,
          recordedNames,
          stage,
        )
        if (then.recording.exchanges.length + then.recording.sockets.length === 0) return
        const now = await recordAt(
          ({ onEntry }) => startReplay({ recording: then.file, clock: 'instant', onEntry }),
          session,
          presentNames,
          stage,
        )
        const [a, b] = [plain(then.recording), plain(now.recording)]
        expect(normalised(b, new Map())).toEqual(normalised(a, valuesOf(a, b)))
      }),
      { numRuns: runs(40) },
    )
  })
