// What an asset says of its file, what describes it, and where its preview is.

import { asset } from '../../../spec/assets/assets.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import {
  ask,
  contentOf,
  idsIn,
  pathOf,
  provesAssets,
  refusing,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { put } from '../../judge/own-files.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { uniqueId } from '../../judge/own-runs.ts'

provesAssets('assets/upload-fields', async (subject) => {
  const preview = await uploaded(subject, 'preview.png')
  const fields = {
    tags: 'input',
    name: ` ${uniqueId(subject, 'shown')} `,
    mime_type: 'application/x-mine',
    user_metadata: '{"n": 18446744073709551615, "o": {}}',
    preview_id: preview.id,
  }
  const reply = await upload(subject, 'file.bin', fields)
  expect(reply.json()).toMatchObject({
    name: uniqueId(subject, 'shown'),
    mime_type: 'application/x-mine',
    preview_id: preview.id,
  })
  expect(reply.text).toContain('"user_metadata": {"n": 18446744073709551615, "o": {}')
  // An unknown preview is none.
  const without = await uploaded(subject, 'other.bin', { tags: 'input', preview_id: nobody })
  expect(without).not.toHaveProperty('preview_id')
})

provesAssets('assets/filename', async (subject) => {
  const user_metadata = '{"filename": "mine", "n": 1}'
  const found = await uploaded(subject, 'named.txt', { tags: 'input', user_metadata })
  const filename = found.loader_path
  expect(found.user_metadata).toEqual({ filename, n: 1 })
  const path = pathOf(found)
  for (const [given, stored] of [
    [{}, { filename }],
    [{ n: 2 }, { n: 2, filename }],
    [{ filename: null }, { filename }],
  ]) {
    const changed = await ask(subject, 'PUT', path, { user_metadata: given })
    expect(changed.json().user_metadata).toEqual(stored)
  }
  const query = `metadata_filter=${encodeURIComponent(JSON.stringify({ filename }))}`
  expect(await idsIn(subject, query)).toEqual([found.id])
  // What only names the content has no file.
  const content = contentOf(subject, 'named.txt')
  const again = await uploaded(subject, 'again', { user_metadata }, content)
  expect(again.user_metadata).toEqual({ filename: 'mine', n: 1 })
})

provesAssets('assets/upload-bad-fields', async (subject) => {
  const fields = [
    { name: 'n'.repeat(513) },
    { user_metadata: '{' },
    { user_metadata: '[]' },
    { user_metadata: '3' },
  ]
  const message = expect.stringMatching(/^Validation failed: \[\{"type": ?"/)
  for (const more of fields) {
    const { status, json } = await upload(subject, 'bad', { tags: 'input', ...more })
    expect({ more, status, json: json() }).toEqual({
      more,
      status: 400,
      json: refusing('INVALID_BODY', { message }),
    })
  }
  const long = await upload(subject, 'long', { tags: 'input', name: 'n'.repeat(512) })
  expect(long.status).toBe(201)
})

provesAssets('assets/fields', async (subject) => {
  const { id } = await uploaded(subject, 'fields.svg', { tags: 'output' })
  const reply = await ask(subject, 'GET', pathOf({ id }))
  const { loader_path, display_name, ...found } = fitting(asset, reply)
  expect(found).toMatchObject({
    id,
    name: 'fields.svg',
    mime_type: 'image/svg+xml',
    tags: ['output', 'uploaded'],
    user_metadata: {},
  })
  expect(display_name).toBe(loader_path)
  // What has no value is absent.
  for (const name of ['preview_id', 'job_id', 'prompt_id']) expect(found).not.toHaveProperty(name)
})

provesAssets('assets/older-members', async (subject) => {
  const found = await uploaded(subject, 'older')
  expect(found).toMatchObject({ asset_hash: found.hash, is_immutable: false })
})

provesAssets('assets/newer-members', async (subject) => {
  const found = await uploaded(subject, 'newer')
  expect(Object.keys(found)).toContain('loader_path')
  for (const name of ['asset_hash', 'is_immutable']) expect(found).not.toHaveProperty(name)
})

provesAssets('assets/preview-url', async (subject) => {
  for (const [name, has] of [
    ['a.png', true],
    ['a.mp4', true],
    ['a.mp3', true],
    ['a.txt', true],
    ['a.zip', false],
    ['a.glb', false],
  ] as const) {
    const { preview_url, loader_path } = await uploaded(subject, name)
    const url = has ? `/api/view?type=input&filename=${loader_path}` : undefined
    expect({ name, url: preview_url }).toEqual({ name, url })
    if (url !== undefined)
      expect((await subject.raw('GET', url)).text).toBe(contentOf(subject, name))
  }
  const tags = 'models,model_type:loras'
  expect(await uploaded(subject, 'model.txt', { tags })).not.toHaveProperty('preview_url')
})

provesAssets('assets/preview-of-metadata', async (subject) => {
  for (const [name, type] of [
    ['a.png', 'input'],
    ['a.zip', 'output'],
  ] as const) {
    const { id, preview_url, loader_path } = await uploaded(subject, name, { tags: type })
    const url = `/api/view?type=${type}&filename=${loader_path}`
    expect({ name, url: preview_url }).toEqual({ name, url })
    expect((await subject.raw('GET', url)).text).toBe(contentOf(subject, name))
    // Without the tag there is no folder.
    await ask(subject, 'DELETE', pathOf({ id }, '/tags'), { tags: [type] })
    expect((await ask(subject, 'GET', pathOf({ id }))).json()).not.toHaveProperty('preview_url')
  }
  const known = contentOf(subject, 'a.png')
  const of = (user_metadata: string) =>
    uploaded(subject, 'b.png', { tags: 'input', user_metadata }, known)
  expect(await of('{}')).not.toHaveProperty('preview_url')
  expect((await of('{"filename": "x y/z+1.png"}')).preview_url).toBe(
    '/api/view?type=input&filename=z%2B1.png&subfolder=x%20y',
  )
  const tags = 'models,model_type:loras'
  expect(await uploaded(subject, 'model.txt', { tags })).not.toHaveProperty('preview_url')
})

/** A model with the preview of another asset. */
async function shownBy(subject: Subject) {
  const preview = await uploaded(subject, 'shown.png')
  const fields = { tags: 'models,model_type:loras', preview_id: preview.id }
  return { preview, model: await uploaded(subject, 'm.safetensors', fields) }
}

provesAssets('assets/preview-of-other', async (subject) => {
  const { preview, model } = await shownBy(subject)
  expect(model.preview_url).toBe(preview.preview_url)
})

provesAssets('assets/preview-of-upload', async (subject) => {
  const { preview, model } = await shownBy(subject)
  expect(model).toMatchObject({ preview_id: preview.id })
  expect(model).not.toHaveProperty('preview_url')
  // That of a file which no client has uploaded here is shown.
  const bytes = Buffer.from(subject.unique('other'))
  const other = (await put(subject, { name: 'other.png', bytes })).json().asset
  const changed = await ask(subject, 'PUT', pathOf(model), { preview_id: other.id })
  const { preview_url } = (await ask(subject, 'GET', pathOf(other))).json()
  expect(preview_url).toContain('/api/view?type=input&filename=other.png')
  expect(changed.json().preview_url).toBe(preview_url)
})
