// Recordings that browsers export: what they leave out is known to be missing, and no law takes it for a fault of the server.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReplay } from 'flowdouble'
import { readHar, readRecording } from '../../dist/emulator/internal.js'
import { traceOf } from '../../dist/emulator/session/index.js'
import { judgeTraces } from '../check/trace/judge-traces.ts'
import { laws } from '../laws/index.ts'
import { expect } from '../judge/expect.ts'
import { test } from '../judge/proves.ts'
import { fileOf } from '../support/spawned.ts'

const startedDateTime = '2026-01-01T00:00:00.000Z'
const length = (bytes: number) => [{ name: 'content-length', value: String(bytes) }]

/** An entry of a HAR file, with these members. */
const entry = (request: object = {}, response: object = {}, more: object = {}) => ({
  startedDateTime,
  request: { method: 'GET', url: 'http://server/queue', ...request },
  response: { status: 200, ...response },
  ...more,
})
const harOf = (...entries: readonly object[]): string => JSON.stringify({ log: { entries } })
const read = (one: object) => readHar(harOf(one), 'a.har')

test('foreign/encoding A file can begin with the mark of its encoding, and lack the object around the log.', () => {
  const text = harOf(entry())
  const log = JSON.stringify({ entries: [entry()] })
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  const files = [Buffer.from(`\ufeff${text}`), utf16, Buffer.from(utf16).swap16(), Buffer.from(log)]
  for (const file of files)
    expect(readRecording(file, 'a.har').exchanges.map(({ url }) => url)).toEqual([
      'http://server/queue',
    ])
})

test('foreign/no-messages A replay says that its recording has runs without messages.', async () => {
  const submit = entry(
    { method: 'POST', url: 'http://server/prompt', postData: { text: '{"prompt": {}}' } },
    { content: { text: '{"prompt_id": "a", "number": 0, "node_errors": {}}' } },
  )
  const warningsOf = async (...entries: readonly object[]) => {
    const replay = await startReplay({ recording: { log: { entries } }, clock: 'instant' })
    await replay.close()
    return replay.warnings
  }
  expect(await warningsOf(entry())).toEqual([])
  expect(await warningsOf(submit)).toEqual([
    expect.stringMatching(/has runs, but no messages of sockets.*waits without end\.$/),
  ])
})

test('foreign/cut A body that a size announces and the file lacks is cut.', () => {
  const cutOf = (one: object) => read(one).exchanges[0]?.cut
  const posted = { method: 'POST', headers: length(9) }
  expect(cutOf(entry())).toBeUndefined()
  expect(cutOf(entry(posted))).toEqual(['request'])
  expect(cutOf(entry({ ...posted, postData: { text: '{"a": 1}\n' } }))).toBeUndefined()
  expect(cutOf(entry({}, { headers: length(2) }))).toEqual(['response'])
  expect(cutOf(entry({}, { content: { size: 2 } }))).toEqual(['response'])
  expect(cutOf(entry({}, { content: { size: -1 } }))).toEqual(['response'])
  expect(cutOf(entry({}, { headers: length(0), content: { size: -1 } }))).toBeUndefined()
  expect(cutOf(entry({}, { headers: length(2), content: { size: 2, text: '{}' } }))).toBeUndefined()
  expect(cutOf(entry({}, { headers: length(0), content: { size: 0 } }))).toBeUndefined()
  expect(cutOf(entry({ method: 'HEAD' }, { headers: length(2) }))).toBeUndefined()
  expect(cutOf(entry({}, { status: 304, headers: length(2) }))).toBeUndefined()
  expect(cutOf(entry(posted, { headers: length(2) }))).toEqual(['request', 'response'])
})

test('foreign/no-response A request without a response has none, with status 0 or -1.', () => {
  for (const status of [0, -1])
    expect(read(entry({}, { status })).exchanges[0]).toMatchObject({ response: null })
})

const socket = (response: object, more: object = {}) =>
  entry({ url: 'ws://server/ws?clientId=a' }, { status: 101, ...response }, more)

test('foreign/silent-socket A socket without messages is a socket, and a rejected one is not.', () => {
  expect(read(socket({}))).toMatchObject({ sockets: [{ messages: [] }], exchanges: [] })
  expect(read(socket({ status: 403 }))).toMatchObject({
    sockets: [],
    exchanges: [{ response: { status: 403 } }],
  })
})

test('foreign/elsewhere Messages in another file and messages without a time are refused with advice.', () => {
  expect(() => read(socket({ content: { _file: 'a.jsonl' } }))).toThrow("content: 'embed'")
  const message = { type: 'receive', time: -1, opcode: 1, data: '{}' }
  expect(() => read(socket({}, { _webSocketMessages: [message] }))).toThrow("mode: 'full'")
})

const browserRun = readFileSync(
  join(import.meta.dirname, '../../recordings/sessions/browser-run.har'),
  'utf8',
)

test('foreign/unread A session whose replies the page did not read keeps every law.', () => {
  const { entries } = JSON.parse(browserRun).log
  for (const { response, _webSocketMessages: messages } of entries)
    if (messages === undefined) response.content = { size: -1 }
  const trace = traceOf(readHar(harOf(...entries), 'a.har'), 'a.har')
  expect(trace?.sockets.length).toBe(1)
  const results = judgeTraces(trace === undefined ? [] : [trace], laws)
  expect(results.flatMap(({ found }) => found.map(({ says }) => says))).toEqual([])
})

test('foreign/upload A replay answers an upload whose form the browser did not export, whatever it contains.', async () => {
  const replay = await startReplay({ recording: fileOf(browserRun), clock: 'instant' })
  try {
    const body = new FormData()
    body.set('image', new Blob([Uint8Array.of(1)]), 'other.bin')
    const reply = await fetch(`${replay.url}/upload/image`, { method: 'POST', body })
    expect([reply.status, await reply.json()]).toMatchObject([200, { name: 'my.bin' }])
    const unknown = await fetch(`${replay.url}/upload/mask`, { method: 'POST', body })
    expect(unknown.status).toBe(404)
  } finally {
    await replay.close()
  }
})

test('foreign/no-body A replay says where the recording lacks the body of a response, and answers from what it knows.', async () => {
  const recording = JSON.parse(browserRun)
  for (const one of recording.log.entries) {
    const { request, response } = one
    if (/\/(?:upload|history|view)/.test(request.url)) {
      response.content = { size: -1 }
      delete one._flowdouble
    }
  }
  const replay = await startReplay({ recording, clock: 'manual' })
  const markOf = (reply: Response): string | null => reply.headers.get('x-flowdouble-replay')
  try {
    const upload = await fetch(`${replay.url}/upload/image`, { method: 'POST', body: 'anything' })
    expect([upload.status, markOf(upload)]).toEqual([200, 'no-body'])
    const { error } = (await upload.json()) as { readonly error: string }
    expect(error).toMatch(/does not hold the body of this response: .* \(entry \d+\)\.$/)
    const { prompt_id } = JSON.parse(
      recording.log.entries.find(({ request }: any) => request.url.endsWith('/prompt')).response
        .content.text,
    )
    const submit = recording.log.entries.find(({ request }: any) => request.url.endsWith('/prompt'))
    await fetch(`${replay.url}/prompt`, { method: 'POST', body: submit.request.postData.text })
    await replay.until('idle')
    const history = await fetch(`${replay.url}/history/${prompt_id}`)
    expect([history.status, markOf(history)]).toEqual([200, 'state'])
    expect(Object.keys((await history.json()) as object)).toEqual([prompt_id])
    const { url } = recording.log.entries.find(({ request }: any) =>
      request.url.includes('/view'),
    ).request
    const view = await fetch(replay.url + new URL(url).pathname + new URL(url).search)
    expect([view.status, markOf(view)]).toEqual([200, 'sample'])
  } finally {
    await replay.close()
  }
})

test('foreign/prefix A hosted replay serves what was recorded with the prefix only with it, so that no client takes it for a local server.', async () => {
  const statistics = (path: string, status: number, text: string) =>
    entry(
      { url: `http://server${path}`, headers: [{ name: 'X-API-Key', value: '<1>' }] },
      { status, content: { text } },
    )
  const whole = JSON.parse(harOf(statistics('/api/system_stats', 200, '{"system":{}}')))
  const both = JSON.parse(
    harOf(
      statistics('/system_stats', 404, '{}'),
      statistics('/api/system_stats', 200, '{"system":{}}'),
    ),
  )
  for (const recording of [whole, both]) {
    const replay = await startReplay({ recording, clock: 'instant' })
    try {
      const paths = ['/api/system_stats', '/system_stats', '/features']
      const replies = await Promise.all(paths.map((path) => fetch(replay.url + path)))
      expect(replies.map(({ status }) => status)).toEqual([200, 404, 404])
    } finally {
      await replay.close()
    }
  }
})
