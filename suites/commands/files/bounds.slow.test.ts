// The limits of uploads and of the queue: all bytes that some file or pending run refers to count, and no others.

import { encode } from 'fast-png'
import {
  createServer,
  hosted as hostedParts,
  stepServer as step,
  type WorldOptions,
  typeTexts,
} from '../../../dist/emulator/internal.js'
import { errors, limits } from '../../../spec/index.ts'
import { formOf } from '../../generate/form.ts'
import { type Graph, node, talking } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** A server like this one, in which a limit is reached sooner, and what it replies to posts. */
async function serverLike(
  { emulator }: Subject,
  limited: Partial<Pick<WorldOptions, 'uploadLimitBytes' | 'pendingLimitBytes'>>,
) {
  const [first = ''] = (await emulator?.journal()) ?? []
  const { options } = JSON.parse(first) as { options: WorldOptions }
  const { uploadLimitBytes, pendingLimitBytes } = options
  expect([uploadLimitBytes, pendingLimitBytes]).toEqual([
    limits.uploads.value,
    limits.pending.value,
  ])
  const types = typeTexts(nodeTypesText())
  const accounts = [account('one'), account('two')]
  const server = createServer(
    { ...options, objectInfo: () => types, accounts, ...limited },
    hostedParts,
  )
  let request = 0
  const post = (target: string, body: Buffer, headers = {}, atMs = 0) => {
    const input = { kind: 'request', atMs, method: 'POST', target, headers, body } as const
    const reply = step(server, { ...input, request: ++request }).find(
      ({ kind }) => kind === 'reply',
    )
    if (reply?.kind !== 'reply') throw new Error('no reply')
    return reply
  }
  return { server, post }
}

const LIMIT = 20_000

/** Uploads and runs on a server that stores fewer bytes. */
async function storing(subject: Subject) {
  const { server, post } = await serverLike(subject, { uploadLimitBytes: LIMIT })
  const isHosted = subject.deployment === 'hosted'
  const [prefix, own] = isHosted ? ['/api', { 'x-api-key': 'one' }] : ['', {}]
  let atMs = 0
  const upload = (content: Uint8Array, fields: Readonly<Record<string, string>> = {}) => {
    const parts = Object.entries(fields).map(([name, value]) => ({ name, content: value }))
    const [body, type] = formOf({ name: 'image', filename: 'mine.png', content }, ...parts)
    const path = 'original_ref' in fields ? '/upload/mask' : '/upload/image'
    const headers = { ...own, 'content-type': type['Content-Type'] ?? '' }
    return { status: post(prefix + path, body, headers, atMs).status }
  }
  const run = (prompt: Graph) => {
    const body = Buffer.from(JSON.stringify({ prompt }))
    expect(post(`${prefix}/prompt`, body, own, atMs).status).toBe(200)
    atMs += 1000
    for (let due = atMs - 1000; due < atMs; due += 5) step(server, { kind: 'wake', atMs: due })
  }
  return { upload, run, held: () => server.worlds[0].state.held }
}

/** An incompressible picture of about 6,000 bytes. */
const noise = (seed: number): Uint8Array => {
  let state = seed
  const data = Uint8Array.from({ length: 6000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
  return encode({ width: 50, height: 40, channels: 3, data })
}

const copy = (image: string): Graph => ({
  load: node('LoadImage', { image }),
  turn: node('ImageInvert', { image: ['load', 0] }),
  save: node('SaveImage', { images: ['turn', 0], filename_prefix: 'copy' }),
})

proves('files/upload-bounds', async (subject) => {
  const { upload, run, held } = await storing(subject)
  const statuses: number[] = []
  for (let round = 1; round <= 5; round++) {
    const { status } = upload(noise(round), { overwrite: 'true' })
    statuses.push(status)
    if (status === 200) run(copy('mine.png'))
  }
  // Each file has been overwritten, and stays for the picture that was derived from it.
  expect(statuses).toEqual([200, 200, 200, 413, 413])
  expect(held().total).toBeLessThanOrEqual(LIMIT)
  expect(held().total).toBeGreaterThan(18_000)
  expect(held().files.size).toBe(3)
})

proves('files/upload-bounds', async (subject) => {
  const { upload, run, held } = await storing(subject)
  // Unreferenced content makes room, and content that several files share counts once.
  for (let round = 1; round <= 9; round++) {
    const { status } = upload(noise(round), { overwrite: 'true' })
    expect({ round, status }).toEqual({ round, status: 200 })
  }
  for (let round = 1; round <= 9; round++) run(copy('mine.png'))
  expect([held().files.size, [...held().files.values()]]).toEqual([1, [2]])
  const reference = JSON.stringify({ filename: 'mine.png', type: 'input' })
  for (let round = 1; round <= 3; round++) {
    const fields = { original_ref: reference, overwrite: 'true' }
    const { status } = upload(noise(20 + round), fields)
    expect({ round, status }).toEqual({ round, status: 200 })
  }
  expect(held().files.size).toBe(2)
})

proves('files/hosted-upload-bounds', async (subject) => {
  const { upload, held } = await storing(subject)
  const statuses = [1, 2, 3, 4, 1].map((seed) => upload(noise(seed)).status)
  expect(statuses).toEqual([200, 200, 200, 413, 200])
  const bytes = [...held().files.keys()].reduce((sum, { length }) => sum + length, 0)
  expect(held().total).toBe(bytes)
})

/** Posts to a server whose queue holds fewer bytes: their statuses, and the bodies of refusals. */
async function queueing(subject: Subject) {
  const { server, post } = await serverLike(subject, { pendingLimitBytes: 100_000 })
  const send = (target: string, value: unknown, atMs = 0, headers = {}) => {
    const { status, body } = post(target, Buffer.from(JSON.stringify(value)), headers, atMs)
    return [status, status > 400 ? body : '']
  }
  return { server, send }
}

proves('queue/bounded', async (subject) => {
  const { server, send } = await queueing(subject)
  const submit = (length: number, fields = {}, atMs = 0) =>
    send('/prompt', { prompt: talking('x'.repeat(length)), ...fields }, atMs)
  const full = [413, 'The queue is full: the limit for pending workflows is 100000 bytes.']
  expect(submit(98_000)[0]).toBe(200)
  expect(submit(1000)).toEqual(full)
  expect(send('/queue', { clear: true })[0]).toBe(200)
  for (const prompt_id of ['a', 'b', 'c', 'd']) expect(submit(20_000, { prompt_id })[0]).toBe(200)
  expect(submit(20_000)).toEqual(full)
  // Data beside the graph counts too, including hidden keys.
  expect(submit(0, { extra_data: { mine: 'x'.repeat(10_000) } })).toEqual(full)
  expect(submit(0, { extra_data: { api_key_comfy_org: 'x'.repeat(20_000) } })).toEqual(full)
  expect(send('/queue', { delete: ['b'] })[0]).toBe(200)
  expect(submit(20_000, { prompt_id: 'e' })[0]).toBe(200)
  expect(submit(20_000)).toEqual(full)
  // A run that begins no longer waits.
  expect(submit(20_000, {}, 25)[0]).toBe(200)
  expect(submit(20_000, {}, 25)).toEqual(full)
  // However many are removed again, none of them stays in memory.
  for (let count = 0; count < 500; count++) {
    send('/queue', { delete: ['last'] }, 25)
    send('/queue', { delete: ['a', 'b', 'c', 'd', 'e'] }, 25)
    expect(submit(20_000, { prompt_id: 'last', number: 1e9 }, 25)[0]).toBe(200)
  }
  expect(server.worlds[0].state.pending.length).toBeLessThan(100)
  // Small ones are bounded in number.
  send('/queue', { clear: true }, 25)
  const statuses = Array.from({ length: 200 }, () => submit(0, {}, 25)[0])
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(98)
})

proves('queue/hosted-bounded', async (subject) => {
  const { send } = await queueing(subject)
  const submit = (key: string, length: number) =>
    send('/api/prompt', { prompt: talking('x'.repeat(length)) }, 0, { 'x-api-key': key })
  const full = [429, JSON.stringify(errors.planRefusals.queueFull.body.json)]
  expect(submit('one', 98_000)[0]).toBe(200)
  expect(submit('one', 1000)).toEqual(full)
  // Runs that wait for one account take no room from another.
  expect(submit('two', 98_000)[0]).toBe(200)
  expect(submit('two', 1000)).toEqual(full)
  expect(send('/api/queue', { clear: true }, 0, { 'x-api-key': 'one' })[0]).toBe(200)
  expect(submit('one', 1000)[0]).toBe(200)
  expect(submit('two', 1000)).toEqual(full)
})
