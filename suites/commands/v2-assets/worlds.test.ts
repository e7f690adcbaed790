// Assets of the hosted API v2 on the clock of a world, and at its limits.

import { createServer, hosted, stepServer as step } from '../../../dist/emulator/internal.js'
import { node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { assetIn, expectRefused, uploadForm, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { smallWorld } from '../../support/small-world.ts'

const fields = { content_type: 'text/plain', file_path: 'a.txt' }
const bytes = Buffer.from('some bytes')

proves(
  'v2-assets/lifetime',
  async (subject) => {
    const { post, send, upload } = await v2Of(subject)
    const first = assetIn(await upload(bytes, { ...fields, expires_in: '60' }), 201)
    expect(Date.parse(first.expires_at) - Date.parse(first.created_at)).toBe(60_000)
    const { id, hash } = first
    const mint = async (expires_in: number) =>
      assetIn(await post('/assets/from-hash', { hash, file_path: 'a.txt', expires_in }), 200)
    expect((await mint(120)).expires_at > first.expires_at).toBe(true)
    const longer = assetIn(await send('GET', `/assets/${id}`), 200).expires_at
    expect((await mint(60)).expires_at).toBe(longer)
    await subject.emulator?.advance(119_999)
    expect((await send('HEAD', `/assets/by-hash/${hash}`)).status).toBe(200)
    await subject.emulator?.advance(1)
    for (const path of [`/assets/${id}`, `/assets/${id}/content`])
      expectRefused(await send('GET', path), 404, 'asset_not_found')
    expect((await send('HEAD', `/assets/by-hash/${hash}`)).status).toBe(404)
    assetIn(await upload(bytes, fields), 201)
  },
  ownWorld,
)

proves('v2-assets/bounded', async () => {
  const options = { ...smallWorld, deployment: 'hosted', accounts: [account('key')] } as const
  const signedLinks = { scheme: 'http', port: 1, baseUrl: null, strict: false } as const
  const server = createServer({ ...options, uploadLimitBytes: 30, signedLinks }, hosted)
  let request = 0
  const upload = (text: string): number => {
    const [body, type] = uploadForm(Buffer.from(text), { content_type: 'text/plain' })
    const headers = { ...mapNames(type), authorization: 'Bearer key', host: 'here' }
    const target = '/api/v2/assets'
    const sent = { method: 'POST', target, headers, body }
    const [reply] = step(server, { kind: 'request', atMs: 0, request: ++request, ...sent })
    return reply?.kind === 'reply' ? reply.status : 0
  }
  expect(
    ['twenty-five bytes of text', 'ten others', 'twenty-five bytes of text'].map(upload),
  ).toEqual([201, 413, 200])
})

/** Headers by lower-case name. */
const mapNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

proves(
  'v2-assets/large-outputs',
  async (subject) => {
    const { run, send } = await v2Of(subject)
    const { outputs } = await run({
      '1': node('EmptyImage', { width: 2048, height: 1024, batch_size: 1, color: 0 }),
      '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'large' }),
    })
    const nothing = { hash: null, size_bytes: 0 }
    expect(outputs).toEqual([expect.objectContaining(nothing)])
    expect(assetIn(await send('GET', `/assets/${outputs[0].id}`), 200)).toMatchObject(nothing)
  },
  ownWorld,
)
