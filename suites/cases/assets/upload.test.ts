// Uploads of assets: where a file is stored, and what describes it.

import { createdAsset } from '../../../spec/assets/assets.ts'
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
      const content = await ask(subject, 'GET', `/api/assets/${again.json().id}/content`)
      expect(content.text).toBe(subject.unique('same'))
      expect(content.headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${name}`)
    }
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
