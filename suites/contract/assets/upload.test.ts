// Uploads of assets: where a file is stored, and what describes it.

import { asset, createdAsset } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import {
  ask,
  fileParts,
  labelOf,
  listed,
  nobody,
  refusalOf,
  sendForm,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }

proves(
  'assets/upload',
  async (subject) => {
    const reply = await upload(subject, 'first.txt')
    expect({ status: reply.status, wrong: violations(createdAsset, reply.json()) }).toEqual({
      status: 201,
      wrong: [],
    })
    expect(reply.json()).toMatchObject({
      name: 'first.txt',
      created_new: true,
      size: `${subject.unique('first.txt')} of the case`.length,
      mime_type: 'text/plain',
    })
    const found = await ask(subject, 'GET', `/api/assets/${reply.json().id}/content`)
    expect(found.text).toBe(`${subject.unique('first.txt')} of the case`)
  },
  on,
)

proves(
  'assets/upload-name',
  async (subject) => {
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
      expect(viewed.text).toBe(`${subject.unique(name)} of the case`)
    }
  },
  on,
)

proves(
  'assets/upload-again',
  async (subject) => {
    const first = await uploaded(
      subject,
      'same.txt',
      { tags: 'input,mine' },
      subject.unique('same'),
    )
    const again = await upload(subject, 'same.txt', { tags: 'output' }, subject.unique('same'))
    expect(again.status).toBe(200)
    expect(again.json()).toMatchObject({ id: first.id, created_new: false, tags: first.tags })
    // Content is known without tags too.
    const other = await upload(subject, 'other.txt', {}, subject.unique('same'))
    expect(other.status).toBe(200)
    expect(other.json()).toMatchObject({
      name: 'other.txt',
      created_new: false,
      hash: first.hash,
      loader_path: first.loader_path,
    })
  },
  on,
)

proves(
  'assets/upload-tags',
  async (subject) => {
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
  },
  on,
)

proves(
  'assets/upload-tagged',
  async (subject) => {
    const { tags, id } = await uploaded(subject, 'tagged', { tags: 'z,output,A' })
    expect(tags).toEqual(['A', 'output', 'uploaded', 'z'])
    expect((await ask(subject, 'GET', `/api/assets/${id}`)).json().tags).toEqual(tags)
  },
  on,
)

proves(
  'assets/upload-role',
  async (subject) => {
    for (const [tags, message] of [
      ['', 'tags are required for new asset uploads'],
      ['mine', 'uploads require exactly one destination role: input, models, or output'],
      ['input,output', 'uploads require exactly one destination role: input, models, or output'],
    ] as const) {
      const reply = await upload(subject, `role ${tags}`, { tags })
      expect({ tags, refusal: refusalOf(reply), message: reply.json().error.message }).toEqual({
        tags,
        refusal: '400 INVALID_BODY',
        message,
      })
    }
    for (const tags of ['input', 'output']) {
      const { preview_url } = await uploaded(subject, `${tags}.png`, { tags })
      expect(preview_url).toContain(`type=${tags}&`)
    }
  },
  on,
)

proves(
  'assets/upload-model',
  async (subject) => {
    const needed = 'models uploads require exactly one model_type:<folder_name> tag'
    for (const [tags, message] of [
      ['models', needed],
      ['models,model_type:', needed],
      ['models,model_type:vae,model_type:loras', needed],
      ['models,model_type:../vae', "unknown model category '../vae'"],
      ['models,model_type:custom_nodes', "unknown model category 'custom_nodes'"],
    ] as const) {
      const reply = await upload(subject, `model ${tags}`, { tags })
      expect({ tags, refusal: refusalOf(reply), message: reply.json().error.message }).toEqual({
        tags,
        refusal: '400 INVALID_BODY',
        message,
      })
    }
    const tags = 'models,model_type:loras'
    const model = await uploaded(subject, 'mine.safetensors', { tags })
    expect(model.tags).toEqual(['model_type:loras', 'models', 'uploaded'])
    expect(model.display_name).toBe(`loras/${model.loader_path}`)
    expect((await subject.get('/models/loras')).json()).toContain(model.loader_path)
    const content = await ask(subject, 'GET', `/api/assets/${model.id}/content`)
    expect(content.text).toBe(`${subject.unique('mine.safetensors')} of the case`)
  },
  on,
)

proves(
  'assets/upload-refusals',
  async (subject) => {
    const json = await ask(subject, 'POST', '/api/assets', { file: 'text' })
    expect(refusalOf(json)).toBe('415 UNSUPPORTED_MEDIA_TYPE')
    const tags = { name: 'tags', content: 'input' }
    expect(refusalOf(await sendForm(subject, tags))).toBe('400 MISSING_FILE')
    expect(refusalOf(await upload(subject, 'empty', { tags: 'input' }, ''))).toBe(
      '400 EMPTY_UPLOAD',
    )
    const own = await upload(subject, 'own', { tags: 'input', id: nobody })
    expect(refusalOf(own)).toBe('400 UNSUPPORTED_FIELD')
    expect((await listed(subject, `name_contains=${labelOf(subject, 'own')}`)).total).toBe(0)
  },
  on,
)

proves(
  'assets/upload-fields',
  async (subject) => {
    const preview = await uploaded(subject, 'preview.png')
    const fields = {
      tags: 'input',
      name: ` ${labelOf(subject, 'shown')} `,
      mime_type: 'application/x-mine',
      user_metadata: '{"n": 18446744073709551615, "o": {}}',
      preview_id: preview.id,
    }
    const reply = await upload(subject, 'file.bin', fields)
    expect(reply.json()).toMatchObject({
      name: labelOf(subject, 'shown'),
      mime_type: 'application/x-mine',
      preview_id: preview.id,
    })
    expect(reply.text).toContain('"user_metadata": {"n": 18446744073709551615, "o": {}')
    // An unknown preview is none.
    const without = await uploaded(subject, 'other.bin', { tags: 'input', preview_id: nobody })
    expect(without).not.toHaveProperty('preview_id')
    // A server may note the name of the file there.
    const { filename: _, ...metadata } = without.user_metadata as Record<string, unknown>
    expect(metadata).toEqual({})
  },
  on,
)

proves(
  'assets/upload-bad-fields',
  async (subject) => {
    for (const fields of [
      { name: 'n'.repeat(513) },
      { user_metadata: '{' },
      { user_metadata: '[]' },
      { user_metadata: '3' },
    ]) {
      const reply = await upload(subject, 'bad', { tags: 'input', ...fields })
      expect({ fields, refusal: refusalOf(reply) }).toEqual({
        fields,
        refusal: '400 INVALID_BODY',
      })
      expect(reply.json().error.message).toMatch(/^Validation failed: \[\{"type": ?"/)
    }
    expect((await upload(subject, 'long', { tags: 'input', name: 'n'.repeat(512) })).status).toBe(
      201,
    )
  },
  on,
)

proves(
  'assets/upload-broken',
  async (subject) => {
    const { total } = await listed(subject, '')
    const [body, headers] = [
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello'),
      { 'Content-Type': 'multipart/form-data; boundary=b' },
    ]
    for (const type of [
      headers['Content-Type'],
      'multipart/form-data',
      'multipart/mixed; boundary=',
    ]) {
      const reply = await subject.request('POST', '/api/assets', body, { 'Content-Type': type })
      expect({ type, status: reply.status }).toEqual({ type, status: 500 })
    }
    expect((await listed(subject, '')).total).toBe(total)
  },
  on,
)

proves(
  'assets/fields',
  async (subject) => {
    const { id } = await uploaded(subject, 'fields.svg', { tags: 'output' })
    const reply = await ask(subject, 'GET', `/api/assets/${id}`)
    expect(violations(asset, reply.json())).toEqual([])
    const { loader_path, display_name, ...found } = reply.json()
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
  },
  on,
)

proves(
  'assets/older-members',
  async (subject) => {
    const found = await uploaded(subject, 'older')
    expect(found).toMatchObject({ asset_hash: found.hash, is_immutable: false })
  },
  on,
)

proves(
  'assets/newer-members',
  async (subject) => {
    const found = await uploaded(subject, 'newer')
    expect(Object.keys(found)).toContain('loader_path')
    for (const name of ['asset_hash', 'is_immutable']) expect(found).not.toHaveProperty(name)
  },
  on,
)
