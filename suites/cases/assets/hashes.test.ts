// Contents by their hash: looking them up, making assets of them, viewing them.

import { createdAsset } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import {
  ask,
  fileParts,
  labelOf,
  noContent,
  refusalOf,
  sendForm,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }
/** The hash of the text `abc`, from the definition of BLAKE3. */
const hashOfAbc = 'blake3:6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'

const notHashes = [
  'x',
  '',
  `sha256:${'0'.repeat(64)}`,
  '0'.repeat(64),
  `blake3:${'0'.repeat(63)}`,
  `blake3:${'0'.repeat(65)}`,
  `blake3:${'g'.repeat(64)}`,
]

proves(
  'assets/by-hash',
  async (subject) => {
    const { hash = '' } = await uploaded(subject, 'abc.txt', { tags: 'input' }, 'abc')
    expect(hash).toBe(hashOfAbc)
    for (const spelled of [hash, hash.toUpperCase(), encodeURIComponent(hash)]) {
      const { status, text } = await ask(subject, 'HEAD', `/api/assets/hash/${spelled}`)
      expect({ spelled, status, text }).toEqual({ spelled, status: 200, text: '' })
    }
    expect((await ask(subject, 'HEAD', `/api/assets/hash/${noContent}`)).status).toBe(404)
    // The path has no other method.
    expect((await ask(subject, 'GET', `/api/assets/hash/${hash}`)).status).toBe(404)
  },
  on,
)

proves(
  'assets/by-no-hash',
  async (subject) => {
    for (const hash of notHashes.filter((one) => one !== '')) {
      const { status } = await ask(subject, 'HEAD', `/api/assets/hash/${hash}`)
      expect({ hash, status }).toEqual({ hash, status: 400 })
    }
  },
  on,
)

proves(
  'assets/upload-hash',
  async (subject) => {
    const content = subject.unique('hashed')
    const { hash = '', id } = await uploaded(subject, 'hashed', { tags: 'input' }, content)
    // The hash is that of the file.
    const fields = { hash: ` ${hash.toUpperCase()} `, name: 'hashed' }
    const same = await upload(subject, 'hashed', fields, content)
    expect(same.json()).toMatchObject({ name: 'hashed', hash, created_new: false })
    expect(same.json().id).not.toBe(id)
    const differs = await upload(subject, 'other', { tags: 'input', hash: noContent })
    expect(refusalOf(differs)).toBe('400 HASH_MISMATCH')
    for (const wrong of notHashes.filter((one) => one !== '')) {
      const reply = await upload(subject, 'other', { tags: 'input', hash: wrong })
      expect({ wrong, refusal: refusalOf(reply) }).toEqual({ wrong, refusal: '400 INVALID_HASH' })
    }
    // Or it stands for the file.
    const name = labelOf(subject, 'again')
    const parts = [
      { name: 'hash', content: hash },
      { name: 'name', content: name },
      { name: 'tags', content: 'mine' },
    ]
    const again = await sendForm(subject, ...parts)
    expect(again.json()).toMatchObject({ name, hash, tags: ['mine'] })
    expect(again.json().id).not.toBe(id)
    const unknown = await sendForm(subject, { name: 'hash', content: noContent })
    expect(refusalOf(unknown)).toBe('400 MISSING_FILE')
  },
  on,
)

proves(
  'assets/from-hash',
  async (subject) => {
    const { hash = '', id } = await uploaded(subject, 'known.txt')
    const name = labelOf(subject, 'second')
    const body = { hash, name, tags: ['b', 'a', 'b'], user_metadata: { n: 1 } }
    const reply = await ask(subject, 'POST', '/api/assets/from-hash', body)
    expect({ status: reply.status, wrong: violations(createdAsset, reply.json()) }).toEqual({
      status: 201,
      wrong: [],
    })
    expect(reply.json()).toMatchObject({
      name,
      hash,
      tags: ['a', 'b'],
      user_metadata: { n: 1 },
      mime_type: 'text/plain',
      created_new: false,
    })
    expect(reply.json().id).not.toBe(id)
    expect(reply.json()).not.toHaveProperty('loader_path')
    const same = await ask(subject, 'POST', '/api/assets/from-hash', body)
    expect([id, reply.json().id]).not.toContain(same.json().id)
    const content = await ask(subject, 'GET', `/api/assets/${reply.json().id}/content`)
    expect(content.text).toBe(`${subject.unique('known.txt')} of the case`)
    // Without a name it has that of the hash; the content of a deleted asset is known.
    await ask(subject, 'DELETE', `/api/assets/${id}`)
    const bare = await ask(subject, 'POST', '/api/assets/from-hash', { hash })
    expect(bare.json()).toMatchObject({ name: hash.slice(7), tags: [] })
    const lost = await ask(subject, 'GET', `/api/assets/${bare.json().id}/content`)
    expect(refusalOf(lost)).toBe('404 FILE_NOT_FOUND')
    const unknown = await ask(subject, 'POST', '/api/assets/from-hash', { hash: noContent })
    expect(refusalOf(unknown)).toBe('404 ASSET_NOT_FOUND')
    expect(unknown.json().error.message).toBe(`Asset content ${noContent} does not exist`)
  },
  on,
)

proves(
  'assets/from-hash-refusals',
  async (subject) => {
    const bodies = [
      ...notHashes.map((hash) => [JSON.stringify({ hash }), 'value_error'] as const),
      ['{}', 'missing'],
      ['{"hash": 3}', 'string_type'],
      ['[]', 'model_type'],
      [`{"hash": "${noContent}", "name": 3}`, 'string_type'],
      [`{"hash": "${noContent}", "user_metadata": []}`, 'dict_type'],
    ] as const
    for (const [body, type] of bodies) {
      const reply = await ask(subject, 'POST', '/api/assets/from-hash', body)
      expect({ body, refusal: refusalOf(reply) }).toEqual({ body, refusal: '400 INVALID_BODY' })
      expect(reply.json().error.details.errors).toMatchObject([{ type }])
    }
    for (const body of ['', '{', 'no JSON']) {
      const reply = await ask(subject, 'POST', '/api/assets/from-hash', body)
      expect({ body, refusal: refusalOf(reply) }).toEqual({ body, refusal: '400 INVALID_JSON' })
    }
  },
  on,
)

proves(
  'assets/view-hash',
  async (subject) => {
    const { hash = '' } = await uploaded(subject, 'viewed.txt')
    for (const query of ['', '&type=output', '&subfolder=nowhere']) {
      const reply = await subject.get(`/view?filename=${hash}${query}`)
      expect(reply.text).toBe(`${subject.unique('viewed.txt')} of the case`)
      expect(reply.headers).toMatchObject({
        'content-type': 'text/plain',
        'content-disposition': 'filename="viewed.txt"',
        'x-content-type-options': 'nosniff',
      })
    }
    const unknown = await subject.get(`/view?filename=${noContent}`)
    expect({ status: unknown.status, text: unknown.text }).toEqual({ status: 404, text: '' })
  },
  on,
)

const hashing = { assets: true, assetHashing: true }

proves(
  'assets/hashing',
  async (subject) => {
    const found = await uploaded(subject, 'abc.txt', { tags: 'input' }, 'abc')
    expect(found).toMatchObject({ hash: hashOfAbc, loader_path: `${hashOfAbc.slice(7)}.txt` })
    expect((await ask(subject, 'HEAD', `/api/assets/hash/${hashOfAbc}`)).status).toBe(200)
    expect((await subject.get(`/view?filename=${hashOfAbc}`)).text).toBe('abc')
    const differs = await upload(subject, 'other', { tags: 'input', hash: noContent })
    expect(refusalOf(differs)).toBe('400 HASH_MISMATCH')
    const { hash } = (await ask(subject, 'GET', '/api/assets?name_contains=notes.txt')).json()
      .assets[0]
    expect(hash).toMatch(/^blake3:/)
  },
  hashing,
)

proves(
  'assets/hashing-again',
  async (subject) => {
    const first = await uploaded(subject, 'a.txt', { tags: 'input' }, 'same')
    const same = await upload(subject, 'a.txt', { tags: 'input' }, 'same')
    expect({ status: same.status, json: same.json() }).toMatchObject({
      status: 200,
      json: { id: first.id, created_new: false },
    })
    const other = await upload(subject, 'b.txt', { tags: 'input' }, 'same')
    expect({ status: other.status, json: other.json() }).toMatchObject({
      status: 201,
      json: { name: 'b.txt', loader_path: first.loader_path, created_new: true },
    })
    const { hash } = first
    for (let time = 0; time < 2; time++) {
      const reply = await ask(subject, 'POST', '/api/assets/from-hash', { hash, name: 'b.txt' })
      expect({ status: reply.status, json: reply.json() }).toMatchObject({
        status: 201,
        json: { created_new: true },
      })
      expect([first.id, other.json().id]).not.toContain(reply.json().id)
    }
  },
  hashing,
)

proves(
  'assets/no-hashing',
  async (subject) => {
    const name = 'named.tar.gz'
    const first = await uploaded(subject, name, { tags: 'input' }, 'same')
    if (first.hash !== undefined) throw missing('The server hashes contents.')
    expect(first).toMatchObject({ name, loader_path: name, created_new: true })
    expect(first).not.toHaveProperty('hash')
    const second = await uploaded(subject, name, { tags: 'input' }, 'same')
    expect(second).toMatchObject({ name, loader_path: 'named.tar (1).gz', created_new: true })
    const refused = await ask(subject, 'POST', '/api/assets/from-hash', { hash: noContent })
    expect(refusalOf(refused)).toBe('400 FEATURE_DISABLED')
    // The hash of a file is not compared.
    const [hash, tags] = [
      { name: 'hash', content: noContent },
      { name: 'tags', content: 'input' },
    ]
    expect((await sendForm(subject, hash, tags, ...fileParts(subject, 'other'))).status).toBe(201)
  },
  on,
)
