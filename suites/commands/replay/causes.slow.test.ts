// Each message of a replay follows what caused it, whenever that happens; and requests match whatever changes from client to
// client.

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Replay } from 'flowdouble'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { type Recording, runWorkflow } from '../../../dist/emulator/internal.js'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { replayOf } from '../../support/recordings/replayed.ts'
import {
  advance,
  flags,
  json,
  recordedWorld,
  type RecordingClient,
  rest,
} from '../../support/recordings/recorded-session.ts'
import { folder } from '../../support/folder.ts'

/** Records what a client does with a world whose nodes take 10 ms. */
const recorded = (
  use: (client: RecordingClient, advanceBy: (ms: number) => Promise<void>) => Promise<void>,
): Promise<Recording> =>
  recordedWorld({ pace: 10 }, (client, world) => use(client, (ms) => advance(client, world, ms)))

const submitTo = async (replay: Replay, body: object | string): Promise<any> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return (await fetch(`${replay.url}/prompt`, { method: 'POST', body: text })).json()
}

async function socketOf(replay: Replay, clientId: string): Promise<WebSocket> {
  const socket = new WebSocket(`${replay.url.replace('http', 'ws')}/ws?clientId=${clientId}`)
  await once(socket, 'message')
  return socket
}

/** When each run starts and ends, by the clock. */
async function spansOf(replay: Replay): Promise<Readonly<Record<string, readonly number[]>>> {
  const spans: Record<string, number[]> = {}
  for (const { type, run, nowMs } of await replay.messages({ direction: 'sent' }))
    if (run !== null && (type === 'execution_start' || type === 'execution_success'))
      (spans[run] ??= []).push(nowMs)
  return spans
}

const [one, two] = [textToImage(1, 3), textToImage(2, 3)]

/** Two runs of one client, the second 500 ms after the first. */
const twoRuns = (): Promise<Recording> =>
  recorded(async (client, advanceBy) => {
    await client.open('then')
    for (const body of [
      { prompt: one, client_id: 'then', prompt_id: 'a' },
      { prompt: two, client_id: 'then', prompt_id: 'b' },
    ]) {
      await client.request('POST', '/prompt', json(body))
      await advanceBy(500)
    }
  })

for (const gapMs of [200, 500, 2000])
  test(`replay/causes A second submit after ${gapMs} ms instead of 500 takes its messages along`, async () => {
    const recording = await twoRuns()
    const replay = await replayOf(recording)
    const socket = await socketOf(replay, 'now')
    await submitTo(replay, { prompt: one, client_id: 'now' })
    await replay.advance(gapMs)
    await submitTo(replay, { prompt: two, client_id: 'now' })
    await replay.until('idle')
    // The second run finds a part of its nodes in the cache.
    expect(await spansOf(replay)).toEqual({ a: [25, 135], b: [gapMs + 25, gapMs + 95] })
    socket.terminate()
  })

test('replay/order The second run can come first, and one without the other', async () => {
  const replay = await replayOf(await twoRuns())
  const socket = await socketOf(replay, 'now')
  await submitTo(replay, { prompt: two, client_id: 'now' })
  await replay.until('idle')
  expect(Object.keys(await spansOf(replay))).toEqual(['b'])
  await submitTo(replay, { prompt: one, client_id: 'now' })
  await replay.until('idle')
  expect(Object.keys(await spansOf(replay))).toEqual(['b', 'a'])
  socket.terminate()
})

test('replay/interrupt An interrupt ends its run after the messages before it, whenever it comes', async () => {
  const recording = await recorded(async (client, advanceBy) => {
    await client.open('then')
    const body = { prompt: slow(1, 10), client_id: 'then', prompt_id: 'a' }
    await client.request('POST', '/prompt', json(body))
    await advanceBy(450)
    await client.request('POST', '/interrupt', json({}))
    await advanceBy(2000)
  })
  for (const afterMs of [100, 450, 3000]) {
    const replay = await replayOf(recording)
    const socket = await socketOf(replay, 'now')
    await submitTo(replay, { prompt: slow(1, 10), client_id: 'now', prompt_id: 'mine' })
    await replay.advance(afterMs)
    expect(replay.runs().map(({ state }) => state)).toEqual(['running'])
    await fetch(`${replay.url}/interrupt`, { method: 'POST', body: '{}' })
    await replay.until('interrupted')
    const types = (await replay.messages({ run: 'mine' })).map(({ type }) => type)
    const own = recording.sockets[0]?.messages.map(({ data }) =>
      JSON.parse(data as string),
    ) as any[]
    expect(types).toEqual(
      own
        .filter(({ data }) => data.prompt_id === 'a')
        .map(({ type }) => type)
        .slice(0, types.length),
    )
    expect(types).toContain('execution_interrupted')
    socket.terminate()
  }
})

test('replay/clients Messages go to the client of a run, in whichever order the sockets open', async () => {
  const recording = await recorded(async (client, advanceBy) => {
    await client.open('alder')
    await client.open('birch')
    await client.request('POST', '/prompt', json({ prompt: one, client_id: 'birch' }))
    await advanceBy(500)
  })
  const replay = await replayOf(recording)
  const [first, second] = [await socketOf(replay, 'first'), await socketOf(replay, 'second')]
  const { prompt_id } = await submitTo(replay, { prompt: one, client_id: 'first' })
  await replay.until('idle')
  const sent = await replay.messages({ run: prompt_id, type: 'execution_start' })
  expect(sent.map(({ sockets }) => sockets)).toEqual([[1]])
  first.terminate()
  second.terminate()
})

test('replay/short-ids The id of a client is replaced only where a client is named', async () => {
  const prompt = { a: { class_type: 'PreviewAny', inputs: { source: 'a' } } }
  const recording = await recorded(async (client, advanceBy) => {
    await client.open('a')
    await client.request('POST', '/prompt', json({ prompt, client_id: 'a', prompt_id: 'then' }))
    await advanceBy(500)
    await client.request('GET', '/history/then')
  })
  const replay = await replayOf(recording)
  const socket = await socketOf(replay, 'b')
  await submitTo(replay, { prompt, client_id: 'b' })
  await replay.until('idle')
  const [{ data }] = (await replay.messages({ type: 'executed' })) as any
  expect([data.node, data.output.text]).toEqual(['a', ['a']])
  const [{ data: status }] = (await replay.messages({ type: 'status' })) as any
  expect(status.sid).toBe('b')
  const { then } = (await (await fetch(`${replay.url}/history/then`)).json()) as any
  expect(then.prompt[2]).toEqual(prompt)
  expect(then.prompt[3].client_id).toBe('b')
  socket.terminate()
})

test('replay/flags The features of the server follow those of the client, and nothing else does', async () => {
  const recording = await recorded(async (client) => {
    await client.open('then')
    await client.send(0, flags)
  })
  const replay = await replayOf(recording)
  const socket = await socketOf(replay, 'now')
  socket.send('{"type": "other"}')
  const answered = once(socket, 'message')
  socket.send(flags)
  expect(JSON.parse(String((await answered)[0]))).toMatchObject({ type: 'feature_flags' })
  expect((await replay.messages({ direction: 'sent' })).map(({ type }) => type)).toEqual([
    'status',
    'feature_flags',
  ])
  socket.terminate()
})

test('replay/matching Key order, 1.0 for 1, /api, further members and a parameter against caches make no difference; a seed does', async () => {
  const prompt = textToImage(2 ** 53, 2)
  const recording = await recorded(async (client, advanceBy) => {
    await client.request('POST', '/prompt', json({ prompt, client_id: 'then' }))
    await advanceBy(500)
    await client.request('GET', '/view?filename=image_00001_.png&type=output')
  })
  const replay = await replayOf(recording)
  const turned = Object.fromEntries(Object.entries(prompt).toReversed())
  const text = JSON.stringify({ extra_data: { a: 1 }, client_id: 'now', prompt: turned })
  const floats = text.replaceAll('"width":64', '"width":64.0')
  const submit = async (body: string): Promise<number> =>
    (await fetch(`${replay.url}/api/prompt`, { method: 'POST', body })).status
  expect(await submit(floats)).toBe(200)
  expect(await submit(text.replace('9007199254740992', '9007199254740993'))).toBe(404)
  const picture = `${replay.url}/api/view?type=output&filename=image_00001_.png&rand=0.5`
  expect((await fetch(picture)).headers.get('content-type')).toBe('image/png')
})

test('replay/cors-and-control With cors pages may read the replies, the control paths are there, and no secret is printed', async () => {
  const recording = await recorded(async (client) => {
    await client.request('GET', '/queue')
  })
  const cors = 'http://page.example'
  const { url } = await replayOf(recording, { cors })
  const preflight = await fetch(`${url}/prompt`, { method: 'OPTIONS' })
  const allowed = preflight.headers.get('access-control-allow-origin')
  expect({ status: preflight.status, allowed }).toEqual({ status: 200, allowed: cors })
  const unknown = await (await fetch(`${url}/nothing?token=SECRET-TOKEN`)).text()
  expect(unknown).not.toContain('SECRET')
  const moved = await fetch(`${url}/_flowdouble/advance`, { method: 'POST', body: '{"ms": 5}' })
  expect(await moved.json()).toMatchObject({ nowMs: 5 })
  const journal = await (await fetch(`${url}/_flowdouble/journal`)).text()
  expect(journal.split('\n')[0]).toContain('"flowdouble":"replay 1"')
  expect(journal).not.toContain('SECRET')
})

test('replay/hosted A hosted session is run again, its links lead to the replay, and its files are written', async () => {
  const place = folder()
  let bytes: Uint8Array = new Uint8Array()
  const recording = await recordedWorld(
    { deployment: 'hosted' },
    async (client, world) => {
      await client.open('then&token=test-key')
      const submitted = await client.request('POST', '/api/prompt', json({ prompt: one }))
      await rest(client, world)
      const job = await client.request('GET', `/api/jobs/${submitted.json.prompt_id}`)
      const [file = ''] = /[^"]*\.png/.exec(job.body.toString()) ?? []
      const view = await client.request('GET', `/api/view?filename=${file}&subfolder=&type=output`)
      expect(view.status).toBe(302)
      bytes = (await client.request('GET', view.location)).body
    },
    { 'X-API-Key': 'test-key' },
  )
  const workflowPath = join(place, 'workflow.json')
  writeFileSync(workflowPath, JSON.stringify(one))
  const { url } = await replayOf(recording, { clock: 'instant' })
  const result = await runWorkflow({
    url,
    apiKey: 'another-key',
    deployment: 'hosted',
    workflowPath,
    outDir: place,
  })
  expect([result.error, result.outcome]).toEqual([undefined, 'success'])
  expect(result.files.map(({ path }) => readFileSync(path))).toEqual([bytes])
})
