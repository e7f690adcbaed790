// Files that other paths store: uploads of images and outputs of runs are assets too.

import { encode } from 'fast-png'
import type { Asset } from '../../judge/own-assets.ts'
import { endpoints } from '../../../spec/assets/assets.ts'
import { ask, listed, noContent, pathOf, provesAssets } from '../../judge/own-assets.ts'
import { placedIn, put } from '../../judge/own-files.ts'
import { uniqueNumber } from '../../judge/own-runs.ts'
import { type Graph, solid } from '../../generate/graphs.ts'
import { exchanges, type Row } from '../../judge/rows.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { nobody } from '../../judge/hosted/jobs.ts'

/** A black picture. */
const png = (width: number, height: number): Uint8Array =>
  encode({ width, height, channels: 3, data: new Uint8Array(3 * width * height) })

/** A request to each endpoint of assets. */
const everyAssetPath = Object.values(endpoints).map(({ method, path }) => ({
  method,
  path: path.replace('{id}', nobody).replace('{hash}', noContent),
}))

proves('assets/off', async (subject) => {
  const error = {
    code: 'SERVICE_DISABLED',
    message:
      'Assets system is disabled. Start the server with --enable-assets to use this feature.',
    details: {},
  }
  const [{ method: first, path: at }] = everyAssetPath as [(typeof everyAssetPath)[number]]
  if ((await subject.request(first, at, '{}')).status !== 503)
    throw missing('The assets of the server are on.')
  await exchanges(
    subject,
    everyAssetPath.map(({ method, path }): Row => {
      return [method, path, '{}', 503, method === 'HEAD' ? '' : { error }]
    }),
  )
})

proves('assets/only-below-api', async ({ request, isOwn }) => {
  for (const { method, path } of everyAssetPath) {
    for (const other of [path.slice('/api'.length), `/api${path}`]) {
      const { status } = await request(method, other, '{}')
      // A front end may keep its own files in a folder of this name.
      if (!isOwn && other === '/assets' && status === 403) continue
      expect({ method, other, status }).toEqual({
        method,
        other,
        status: method === 'GET' || method === 'HEAD' ? 404 : 405,
      })
    }
  }
})

const read = async (subject: Subject, id: string): Promise<Asset> =>
  (await ask(subject, 'GET', pathOf({ id }))).json() as Asset

/** Runs a graph, and returns its messages and the files that its entry lists. */
async function ran(subject: Subject, graph: Graph) {
  const session = await subject.connect(subject.unique('me'))
  const { prompt_id, messages, entry } = await subject.run(session, graph)
  const files: any[] = Object.values<any>(entry.outputs).flatMap(({ images }) => images)
  return { prompt_id, messages, files, session }
}

provesAssets('assets/of-upload', async (subject) => {
  await listed(subject, 'limit=1')
  const bytes = png(8, 5)
  const reply = await put(subject, { name: 'up.png', bytes })
  const { asset } = reply.json()
  expect(asset).toMatchObject({
    name: 'up.png',
    size: bytes.length,
    mime_type: 'image/png',
    tags: ['input', 'uploaded'],
  })
  expect(Object.keys(asset)).toEqual(['id', 'name', 'asset_hash', 'size', 'mime_type', 'tags'])
  const found = await read(subject, asset.id)
  expect(found).toMatchObject({
    name: 'up.png',
    metadata: { kind: 'image', width: 8, height: 5 },
    display_name: subject.unique('') === '' ? 'up.png' : `${subject.unique('')}/up.png`,
  })
  expect((await subject.raw('GET', found.preview_url ?? '')).bytes).toEqual(Buffer.from(bytes))
  // The same file is the same asset, and other content under its name changes that asset.
  expect((await put(subject, { name: 'up.png', bytes })).json().asset.id).toBe(asset.id)
  const other = Buffer.from('other')
  const changed = await put(subject, { name: 'up.png', bytes: other }, { overwrite: 'true' })
  expect(changed.json().asset).toMatchObject({ id: asset.id, size: other.length })
  expect((await ask(subject, 'GET', pathOf(asset, '/content'))).bytes).toEqual(other)
  await put(subject, { name: 'base.png', bytes })
  const original = { filename: 'base.png', type: 'input', ...placedIn(subject) }
  const mask = await put(
    subject,
    { name: 'mask.png', bytes },
    { original_ref: JSON.stringify(original) },
    '/upload/mask',
  )
  expect(mask.json().asset).toMatchObject({ name: 'mask.png' })
})

provesAssets('assets/of-run', async (subject) => {
  await listed(subject, 'limit=1')
  const graph = solid(uniqueNumber(subject, 'solid'), subject.unique('solid'))
  const { prompt_id, messages, files, session } = await ran(subject, graph)
  const executed = messages.flatMap(({ type, data }) => (type === 'executed' ? [data] : []))
  expect(executed.flatMap(({ output }: any) => output.images)).toEqual(files)
  expect(files).toHaveLength(1)
  expect(Object.keys(files[0]).slice(0, 4)).toEqual(['filename', 'subfolder', 'type', 'id'])
  const found = await read(subject, files[0].id)
  expect(found).toMatchObject({
    name: files[0].filename,
    tags: expect.arrayContaining(['output']),
    mime_type: 'image/png',
  })
  // A server notes the run when it is over, before the next one begins.
  await subject.run(session, solid(uniqueNumber(subject, 'next'), subject.unique('solid')))
  expect(await read(subject, files[0].id)).toMatchObject({ job_id: prompt_id, prompt_id })
})

provesAssets('assets/output-tags', async (subject) => {
  await listed(subject, 'limit=1')
  const [file] = (await ran(subject, solid(uniqueNumber(subject, 'tagged')))).files
  expect((await read(subject, file.id)).tags).toEqual([file.type, 'uploaded'])
})

provesAssets('assets/upload-temporary', async (subject) => {
  await listed(subject, 'limit=1')
  const bytes = Buffer.from(subject.unique('brief'))
  const { asset } = (await put(subject, { name: 'brief.txt', bytes }, { type: 'temp' })).json()
  expect(asset.tags).toEqual(['input', 'temp', 'uploaded'])
})

proves(
  'assets/upload-folders',
  async (subject) => {
    const given = await listed(subject, 'include_tags=3d')
    expect(given.assets.map(({ loader_path }) => loader_path)).toEqual(['3d/example.glb'])
    const bytes = Buffer.from('pasted')
    for (const [subfolder, tags] of [
      ['pasted', ['input', 'pasted', 'uploaded']],
      ['other', ['input', 'uploaded']],
      ['pasted/other', ['input', 'uploaded']],
    ] as const) {
      const reply = await subject.upload({ name: 'a.txt', bytes }, { subfolder })
      expect({ subfolder, tags: reply.json().asset.tags }).toEqual({ subfolder, tags })
    }
  },
  { ...ownWorld, assets: true },
)

provesAssets('assets/output-preview', async (subject) => {
  await listed(subject, 'limit=1')
  const { files } = await ran(subject, solid())
  expect(files.length).toBeGreaterThan(0)
  for (const { id, preview_id } of files) expect(preview_id).toBe(id)
})

proves(
  'assets/painted',
  async (subject) => {
    const [file] = (await ran(subject, solid())).files
    const found = await read(subject, file.id)
    for (const name of ['size', 'hash']) expect(found).not.toHaveProperty(name)
    expect(found.metadata).toMatchObject({ kind: 'image' })
    const content = await ask(subject, 'GET', pathOf(file, '/content'))
    const viewed = await subject.raw('GET', found.preview_url ?? '')
    expect(content.bytes).toEqual(viewed.bytes)
  },
  { ...ownWorld, assets: true },
)

proves(
  'assets/bounds',
  async (subject) => {
    const body = JSON.stringify({ user_metadata: { text: 'x'.repeat(30 * 2 ** 20) } })
    const { assets } = await listed(subject, 'limit=3')
    const [first = '', second = '', third = ''] = assets.map(({ id }) => `/api/assets/${id}`)
    // What replaces an earlier text does not count twice.
    for (const path of [first, first, second])
      expect((await ask(subject, 'PUT', path, body)).status).toBe(200)
    const tags = ['t'.repeat(5 * 2 ** 20)]
    const reply = await ask(subject, 'POST', `${third}/tags`, { tags })
    expect({ status: reply.status, text: reply.text }).toEqual({
      status: 413,
      text: 'Maximum request body size 67108864 exceeded.',
    })
    expect((await ask(subject, 'PUT', first, { user_metadata: {} })).status).toBe(200)
    expect((await ask(subject, 'POST', `${third}/tags`, { tags })).status).toBe(200)
  },
  { ...ownWorld, assets: true },
)
