// The limit of uploads: all bytes that some file still refers to count, and no others.

import { encode } from 'fast-png'
import {
  createServer,
  hosted as hostedParts,
  stepServer as step,
  type WorldOptions,
  typeTexts,
} from '../../../dist/emulator/internal.js'
import { limits } from '../../../spec/index.ts'
import { formOf } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const LIMIT = 20_000

/** A server like this one that stores fewer bytes, with the prefix of its paths and the headers of a client. */
async function serverLike({ emulator, deployment }: Subject) {
  const [first = ''] = (await emulator?.journal()) ?? []
  const { options } = JSON.parse(first) as { options: WorldOptions }
  expect(options.uploadLimitBytes).toBe(limits.uploads.value)
  const types = typeTexts(nodeTypesText())
  const objectInfo = () => types
  const limited = { ...options, objectInfo, accounts: [account('one')], uploadLimitBytes: LIMIT }
  const server = createServer(limited, hostedParts)
  const [prefix, headers] = deployment === 'hosted' ? ['/api', { 'x-api-key': 'one' }] : ['', {}]
  let request = 0
  let atMs = 0
  const post = (path: string, body: Buffer, more: Readonly<Record<string, string>> = {}) => {
    const target = prefix + path
    const sent = { method: 'POST', target, headers: { ...headers, ...more }, body }
    const input = { kind: 'request', atMs, request: ++request, ...sent } as const
    const reply = step(server, input).find(({ kind }) => kind === 'reply')
    if (reply?.kind !== 'reply') throw new Error('no reply')
    return reply
  }
  const upload = (content: Uint8Array, fields: Readonly<Record<string, string>> = {}) => {
    const parts = Object.entries(fields).map(([name, value]) => ({ name, content: value }))
    const [body, type] = formOf({ name: 'image', filename: 'mine.png', content }, ...parts)
    const path = 'original_ref' in fields ? '/upload/mask' : '/upload/image'
    const reply = post(path, body, { 'content-type': type['Content-Type'] ?? '' })
    return { status: reply.status }
  }
  const run = (prompt: Graph) => {
    expect(post('/prompt', Buffer.from(JSON.stringify({ prompt }))).status).toBe(200)
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
  const { upload, run, held } = await serverLike(subject)
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
  const { upload, run, held } = await serverLike(subject)
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
  const { upload, held } = await serverLike(subject)
  const statuses = [1, 2, 3, 4, 1].map((seed) => upload(noise(seed)).status)
  expect(statuses).toEqual([200, 200, 200, 413, 200])
  const bytes = [...held().files.keys()].reduce((sum, { length }) => sum + length, 0)
  expect(held().total).toBe(bytes)
})
