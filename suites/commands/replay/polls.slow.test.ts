// Clients of a replay that poll at other rates than the recorded one, or instead of listening, get through to the files; and
// what a recording does not hold is answered from the state of its runs.

import type { Replay } from 'flowdouble'
import { test } from 'vitest'
import type { Recording } from '../../../dist/emulator/internal.js'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { replayOf } from '../../support/recordings/replayed.ts'
import { advance, json, recordedWorld, rest } from '../../support/recordings/recorded-session.ts'
import { expectSame } from '../../support/same.ts'

const submitBody = (more: object = {}) => json({ prompt: textToImage(1, 4), ...more })
const file = '/view?filename=image_00001_.png&subfolder=&type=output'

/** Records a run of 200 ms or so that is polled at this rate; 0 for a client that listens. */
const recorded = (everyMs: number): Promise<Recording> =>
  recordedWorld({ pace: 20 }, async (client, world) => {
    const poll = async (): Promise<string> => {
      await client.request('GET', '/queue')
      await client.request('GET', '/prompt')
      return (await client.request('GET', '/history/of-then')).body.toString()
    }
    const client_id = 'client-of-then'
    if (everyMs === 0) await client.open(client_id)
    await client.request('POST', '/prompt', submitBody({ prompt_id: 'of-then', client_id }))
    if (everyMs > 0)
      do await advance(client, world, everyMs)
      while ((await poll()) === '{}')
    await rest(client, world)
    await client.request('GET', '/history/of-then')
    await client.request('GET', file)
  })

type Row = readonly [number: number, id: string]
type Queue = { readonly queue_running: readonly Row[]; readonly queue_pending: readonly Row[] }

const read = async (replay: Replay, path: string): Promise<any> =>
  (await fetch(replay.url + path)).json()

/** Submits the workflow, and returns the id of its run. */
async function submit({ url }: Replay, more: object = {}): Promise<string> {
  const body = Buffer.from(submitBody(more).bytes)
  const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
  return ((await reply.json()) as { prompt_id: string }).prompt_id
}

/** Polls a run under another id until it is over. Returns the states in the queue. */
async function pollToTheEnd(replay: Replay, everyMs: number): Promise<readonly string[]> {
  expect(await submit(replay, { prompt_id: 'of-now' })).toBe('of-now')
  const states: string[] = []
  for (let polls = 0; polls < 100; polls++) {
    const { queue_running, queue_pending } = (await read(replay, '/queue')) as Queue
    const { exec_info } = (await read(replay, '/prompt')) as {
      exec_info: { queue_remaining: number }
    }
    const rows = [...queue_running, ...queue_pending]
    expect(rows.map(([, id]) => id)).toEqual(rows.map(() => 'of-now'))
    expect(exec_info.queue_remaining).toBe(rows.length)
    states.push(queue_running.length > 0 ? 'running' : rows.length > 0 ? 'pending' : 'empty')
    const entry = (await read(replay, '/history/of-now')) as Record<string, any>
    if ('of-now' in entry) {
      expect(entry['of-now'].status.status_str).toBe('success')
      expect(Object.keys(entry['of-now'].outputs as object)).toEqual(['9'])
      return states
    }
    expect(entry).toEqual({})
    await replay.advance(everyMs)
  }
  throw new Error('The run never ended.')
}

const order = ['pending', 'running', 'empty']

for (const recordedMs of [0, 10, 40])
  for (const everyMs of [5, 20, 40, 80, 1000])
    test(`replay/polls A session that was ${recordedMs === 0 ? 'not polled' : `polled each ${recordedMs} ms`} is polled each ${everyMs} ms to its end and its file`, async () => {
      const recording = await recorded(recordedMs)
      const bytes = recording.exchanges.at(-1)?.response?.body ?? new Uint8Array()
      const replay = await replayOf(recording)
      const states = await pollToTheEnd(replay, everyMs)
      const ranks = states.map((state) => order.indexOf(state))
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      expect(states.at(-1)).toBe('empty')
      if (everyMs <= 40) expect(states).toContain('running')
      const viewed = await fetch(replay.url + file)
      expect(Buffer.from(await viewed.arrayBuffer())).toEqual(Buffer.from(bytes))
    })

test('replay/other-order A client whose next request comes after the end of a run, and not before it, gets the recorded answer', async () => {
  const key = { 'X-API-Key': 'test-key' }
  const forget = json({ delete: ['another'] })
  let [job, answer] = ['', '']
  const recording = await recordedWorld(
    { deployment: 'hosted' },
    async (client, world) => {
      const submitted = await client.request('POST', '/api/prompt', submitBody())
      await client.request('POST', '/api/history', forget)
      await world.advance(1000)
      job = `/api/jobs/${submitted.json.prompt_id}`
      const completed = await client.request('GET', job)
      expect(completed.json).toHaveProperty('status', 'completed')
      answer = completed.body.toString()
    },
    key,
  )
  const replay = await replayOf(recording)
  const headers = { ...key, 'Content-Type': 'application/json' }
  const post = (path: string, bytes: Uint8Array) =>
    fetch(`${replay.url}/api${path}`, { method: 'POST', headers, body: Buffer.from(bytes) })
  await post('/prompt', submitBody().bytes)
  await replay.advance(2000)
  await post('/history', forget.bytes)
  const reply = await fetch(replay.url + job, { headers })
  expect(reply.headers.get('X-Flowdouble-Replay')).toBe(null)
  expect(await reply.text()).toBe(answer)
})

test('replay/state-of-runs A listening client sees the end before the history has it, and the history has it at that end', async () => {
  const replay = await replayOf(await recorded(10))
  await submit(replay)
  await replay.until('started')
  expect(await read(replay, '/history/of-then')).toEqual({})
  await replay.until('success')
  expect(await read(replay, '/history/of-then')).toHaveProperty('of-then')
  expect(replay.runs()).toEqual([{ prompt_id: 'of-then', state: 'success', user: null }])
})

test('replay/new-ids A run that is submitted once more than recorded has a new id and the same messages', async () => {
  const replay = await replayOf(await recorded(0))
  const ids: string[] = []
  for (const _ of [1, 2]) {
    ids.push(await submit(replay))
    await replay.until('idle')
  }
  expect(ids[0]).toBe('of-then')
  expect(ids[1]).not.toBe('of-then')
  expect(Object.keys((await read(replay, '/history')) as object)).toEqual(ids)
  expect(await read(replay, `/history/${ids[1]}`)).toHaveProperty(ids[1] as string)
})

test('replay/determinism The same requests get the same bytes from two replays of a recording', async () => {
  const recording = await recorded(10)
  const transcripts: string[] = []
  for (const _ of [1, 2]) {
    const replay = await replayOf(recording)
    await pollToTheEnd(replay, 7)
    await submit(replay)
    await replay.until('idle')
    transcripts.push(
      (await replay.journal()).slice(1).join('\n').replaceAll(replay.url.slice(7), ''),
    )
  }
  expectSame('The second session', transcripts[1], transcripts[0])
})

test('replay/reset A reset returns a replay to its start, and a snapshot to the state that it had', async () => {
  const replay = await replayOf(await recorded(0))
  await submit(replay)
  await replay.until('started')
  replay.snapshot('during')
  await replay.until('idle')
  await replay.restore('during')
  expect(replay.runs().map(({ state }) => state)).toEqual(['running'])
  await replay.until('success')
  await replay.reset()
  expect(replay.runs()).toEqual([])
  await submit(replay)
  expect(replay.runs().map(({ prompt_id }) => prompt_id)).toEqual(['of-then'])
  const { passed } = await replay.verify({ method: 'POST', path: '/prompt', times: 1 })
  expect(passed).toBe(true)
})
