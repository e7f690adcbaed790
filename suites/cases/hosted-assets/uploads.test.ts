// Uploads of hosted assets: what they make, under which id, and what is refused.

import { hostedAsset, hostedCreated } from '../../../spec/assets/hosted-assets.ts'
import { node } from '../../generate/graphs.ts'
import { newUuid } from '../../judge/hosted/busy-account.ts'
import {
  contentOf,
  expectRefusal,
  libraryOf,
  noContent,
  pathOf,
  tagsField,
  ours,
  provesLibrary,
} from '../../judge/hosted/assets.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueId } from '../../judge/own-runs.ts'
import { ownWorld } from '../../judge/proves.ts'

provesLibrary('hosted-assets/upload', async (subject) => {
  const { ask, upload } = await libraryOf(subject)
  const made = fitting(hostedCreated, await upload('first.txt'), 201)
  expect(made).toMatchObject({
    name: 'first.txt',
    created_new: true,
    size: contentOf(subject, 'first.txt').length,
    mime_type: 'text/plain',
  })
  const { created_new: _, ...rest } = made
  expect(fitting(hostedAsset, await ask('GET', pathOf(made)))).toMatchObject({ id: rest.id })
})

provesLibrary('hosted-assets/upload-again', async (subject) => {
  const { upload, uploaded } = await libraryOf(subject)
  const first = await uploaded('same.txt')
  const again = fitting(hostedCreated, await upload('same.txt'), 200)
  expect(again).toMatchObject({ id: first.id, hash: first.hash, created_new: false })
})

provesLibrary('hosted-assets/upload-tags', async (subject) => {
  const { uploaded } = await libraryOf(subject)
  const own = [uniqueId(subject, 'a'), 'input', uniqueId(subject, 'z')]
  const { tags } = await uploaded('tagged', tagsField(...own.toReversed(), 'input'))
  expect(tags?.toSorted()).toEqual(own.toSorted())
  await uploaded('untagged')
})

provesLibrary('hosted-assets/upload-id', async (subject) => {
  const { ask, upload, uploaded } = await libraryOf(subject)
  const id = newUuid(subject, 'my asset')
  expect(await uploaded('named', { id })).toMatchObject({ id, created_new: true })
  expect((await ask('GET', pathOf({ id }))).status).toBe(200)
  for (const other of [id, id.toUpperCase()])
    expectRefusal(await upload('other', { id: other }), 400, 'ASSET_ID_UNAVAILABLE')
})

provesLibrary('hosted-assets/upload-fields', async (subject) => {
  const { uploaded } = await libraryOf(subject)
  const { id: preview_id } = await uploaded('shown.png')
  const fields = { name: 'mine.bin', mime_type: 'text/csv', preview_id }
  const made = await uploaded('described', { ...fields, user_metadata: '{"a": [1]}' })
  expect(made).toMatchObject({ ...fields, user_metadata: { a: [1] } })
  expect(made.user_metadata).toEqual({ a: [1] })
})

provesLibrary('hosted-assets/upload-refusals', async (subject) => {
  const { ask, send, upload, idsIn } = await libraryOf(subject)
  expectRefusal(
    await ask('POST', '/assets', { file: 'text' }),
    415,
    ours(subject, 'UNSUPPORTED_MEDIA_TYPE'),
  )
  expectRefusal(await send({ name: 'tags', content: '[]' }), 400, ours(subject, 'MISSING_FILE'))
  expectRefusal(await upload('empty', {}, ''), 400, ours(subject, 'EMPTY_UPLOAD'))
  expectRefusal(await upload('other', { hash: noContent }), 400, ours(subject, 'HASH_MISMATCH'))
  expectRefusal(await upload('bad', { hash: 'md5:1' }), 400, ours(subject, 'INVALID_HASH'))
  for (const name of ['empty', 'other', 'bad'])
    expect(await idsIn(`name_contains=${uniqueId(subject, name)}`)).toEqual([])
})

provesLibrary('hosted-assets/upload-preview', async (subject) => {
  const { upload } = await libraryOf(subject)
  expectRefusal(await upload('shown', { preview_id: nobody }), 400, 'INVALID_PREVIEW_ID')
})

provesLibrary(
  'hosted-assets/bad-form',
  async (subject) => {
    const { upload, listed } = await libraryOf(subject)
    const { total } = await listed('')
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello'
    for (const type of ['form-data; boundary=b', 'form-data', 'mixed; boundary=']) {
      const header = { 'Content-Type': `multipart/${type}` }
      expectRefusal(
        await subject.request('POST', '/assets', part, header),
        400,
        ours(subject, 'INVALID_FORM'),
      )
    }
    expectRefusal(
      await upload('long', { name: 'x'.repeat(513) }),
      422,
      ours(subject, 'INVALID_BODY'),
    )
    for (const user_metadata of ['[]', 'x', '5'])
      expectRefusal(await upload('metadata', { user_metadata }), 422, ours(subject, 'INVALID_BODY'))
    expectRefusal(
      await upload('many', tagsField(...Array.from('x'.repeat(65), (x, at) => x + at))),
      422,
    )
    expect((await listed('')).total).toBe(total)
  },
  ownWorld,
)

provesLibrary('hosted-assets/loader-path', async (subject) => {
  const { uploaded } = await libraryOf(subject)
  const { hash = '', loader_path } = await uploaded('plain.txt')
  expect(loader_path).toContain(hash?.replace('blake3:', ''))
  const picture = await subject.run(await subject.connect(), {
    '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 7 }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'loader' }),
  })
  const name = picture.entry.outputs['2']?.['images']?.[0]?.filename
  const { bytes } = await subject.view({ filename: name, type: 'output' })
  const { loader_path: image } = await uploaded('loaded.png', {}, bytes)
  const { entry } = await subject.run(await subject.connect(), {
    '1': node('LoadImage', { image }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'loaded' }),
  })
  expect(entry.status.status_str).toBe('success')
})

provesLibrary('hosted-assets/model', async (subject) => {
  const { ask, upload, uploaded } = await libraryOf(subject)
  const model = await uploaded('mine.safetensors', tagsField('models', 'loras'))
  expect(model).toMatchObject({ tags: ['loras', 'models'], is_immutable: false })
  const listed = (await subject.get('/models/loras')).json()
  expect(listed.map(({ name }: { name: string }) => name)).toContain(model.loader_path)
  const { headers } = await ask('GET', pathOf(model, '/content'))
  const { text } = await fetchLink(headers['location'] ?? '')
  expect(text).toBe(contentOf(subject, 'mine.safetensors'))
  expectRefusal(
    await upload('nowhere.safetensors', tagsField('models', 'nowhere')),
    422,
    ours(subject, 'INVALID_BODY'),
  )
  expect((await ask('DELETE', pathOf(model))).status).toBe(204)
  expect((await subject.get('/models/loras')).text).not.toContain(model.loader_path)
})
