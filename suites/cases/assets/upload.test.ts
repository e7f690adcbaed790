// Uploads of assets: where a file is stored, its tags, and what is refused.

import { createdAsset } from '../../../spec/assets/assets.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import {
  ask,
  contentOf,
  fileParts,
  listed,
  pathOf,
  provesAssets,
  refusalOf,
  refusing,
  sendForm,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { uniqueId } from '../../judge/own-runs.ts'

provesAssets('assets/upload', async (subject) => {
  const reply = await upload(subject, 'first.txt')
  const made = fitting(createdAsset, reply, 201)
  expect(made).toMatchObject({
    name: 'first.txt',
    created_new: true,
    size: contentOf(subject, 'first.txt').length,
    mime_type: 'text/plain',
  })
  const found = await ask(subject, 'GET', pathOf(made, '/content'))
  expect(found.text).toBe(contentOf(subject, 'first.txt'))
})

provesAssets('assets/upload-name', async (subject) => {
  for (const [name, ending] of [
    ['pic.PNG', '.PNG'],
    ['archive.tar.gz', '.gz'],
    ['plain', ''],
    ['long.extensionofmanycharacters', ''],
  ] as const) {
    const { hash = '', loader_path } = await uploaded(subject, name)
    expect(hash).toMatch(/^blake3:[0-9a-f]{64}$/)
    expect(loader_path).toBe(`${hash.slice(7)}${ending}`)
    const viewed = await subject.get(`/view?type=input&filename=${loader_path}`)
    expect(viewed.text).toBe(contentOf(subject, name))
  }
})

provesAssets('assets/upload-again', async (subject) => {
  const tagged = { tags: 'input,mine' }
  const first = await uploaded(subject, 'same.txt', tagged, subject.unique('same'))
  const { hash, size, mime_type } = first
  // Content is known without tags too, and under any name.
  for (const [name, fields, tags] of [
    ['same.txt', { tags: 'output' }, ['output']],
    ['same.txt', { tags: 'input,mine' }, ['input', 'mine']],
    ['other.png', {}, []],
  ] as const) {
    const again = await upload(subject, name, fields, subject.unique('same'))
    const json = { name, hash, size, mime_type, tags, user_metadata: {}, created_new: false }
    expect({ status: again.status, json: again.json() }).toMatchObject({ status: 200, json })
    expect(again.json().id).not.toBe(first.id)
    for (const member of ['loader_path', 'display_name'])
      expect(again.json()).not.toHaveProperty(member)
    const content = await ask(subject, 'GET', pathOf(again.json(), '/content'))
    expect(content.text).toBe(subject.unique('same'))
    expect(content.headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${name}`)
  }
})

provesAssets('assets/upload-tags', async (subject) => {
  const forms: readonly (readonly string[])[] = [
    ['input, b ,,a'],
    ['input', 'b', 'a', 'a'],
    ['["input", "b"]', 'a'],
    ['["a", "b", "input"]'],
  ]
  for (const [at, tags] of forms.entries()) {
    const parts = tags.map((content) => ({ name: 'tags', content }))
    const reply = await sendForm(subject, ...parts, ...fileParts(subject, `tags${at}`))
    const rest = reply.json().tags.filter((tag: string) => tag !== 'uploaded')
    expect({ at, status: reply.status, rest }).toEqual({
      at,
      status: 201,
      rest: ['a', 'b', 'input'],
    })
  }
})

provesAssets('assets/upload-tagged', async (subject) => {
  const { tags, id } = await uploaded(subject, 'tagged', { tags: 'z,output,A' })
  expect(tags).toEqual(['A', 'output', 'uploaded', 'z'])
  expect((await ask(subject, 'GET', pathOf({ id }))).json().tags).toEqual(tags)
})

/** Uploads with these tags, which are refused. */
async function refused(
  subject: Subject,
  message: string,
  ...all: readonly string[]
): Promise<void> {
  for (const tags of all) {
    const reply = await upload(subject, `tagged ${tags}`, { tags })
    expect({ tags, status: reply.status, json: reply.json() }).toEqual({
      tags,
      status: 400,
      json: refusing('INVALID_BODY', { message }),
    })
  }
}

provesAssets('assets/upload-role', async (subject) => {
  const needed = 'uploads require exactly one destination role: input, models, or output'
  await refused(subject, 'tags are required for new asset uploads', '')
  await refused(subject, needed, 'mine', 'input,output')
  for (const tags of ['input', 'output']) {
    const { preview_url } = await uploaded(subject, `${tags}.png`, { tags })
    expect(preview_url).toContain(`type=${tags}&`)
  }
})

provesAssets('assets/upload-model', async (subject) => {
  const needed = 'models uploads require exactly one model_type:<folder_name> tag'
  const several = 'models,model_type:vae,model_type:loras'
  await refused(subject, needed, 'models', 'models,model_type:', several)
  for (const category of ['../vae', 'custom_nodes'])
    await refused(subject, `unknown model category '${category}'`, `models,model_type:${category}`)
  const tags = 'models,model_type:loras'
  const model = await uploaded(subject, 'mine.safetensors', { tags })
  expect(model.tags).toEqual(['model_type:loras', 'models', 'uploaded'])
  expect(model.display_name).toBe(`loras/${model.loader_path}`)
  expect((await subject.get('/models/loras')).json()).toContain(model.loader_path)
  const content = await ask(subject, 'GET', pathOf(model, '/content'))
  expect(content.text).toBe(contentOf(subject, 'mine.safetensors'))
})

provesAssets('assets/upload-refusals', async (subject) => {
  const json = await ask(subject, 'POST', '/api/assets', { file: 'text' })
  expect(refusalOf(json)).toBe('415 UNSUPPORTED_MEDIA_TYPE')
  const tags = { name: 'tags', content: 'input' }
  expect(refusalOf(await sendForm(subject, tags))).toBe('400 MISSING_FILE')
  const empty = await upload(subject, 'empty', { tags: 'input' }, '')
  expect(refusalOf(empty)).toBe('400 EMPTY_UPLOAD')
  const own = await upload(subject, 'own', { tags: 'input', id: nobody })
  expect(refusalOf(own)).toBe('400 UNSUPPORTED_FIELD')
  expect((await listed(subject, `name_contains=${uniqueId(subject, 'own')}`)).total).toBe(0)
})

provesAssets('assets/upload-broken', async (subject) => {
  const { total } = await listed(subject, '')
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello'
  for (const type of ['form-data; boundary=b', 'form-data', 'mixed; boundary=']) {
    const header = { 'Content-Type': `multipart/${type}` }
    const { status } = await subject.request('POST', '/api/assets', part, header)
    expect({ type, status }).toEqual({ type, status: 500 })
  }
  expect((await listed(subject, '')).total).toBe(total)
})
