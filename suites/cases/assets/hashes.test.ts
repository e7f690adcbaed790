// Contents by their hash: looking them up, making assets of them, viewing them.

import { createdAsset } from '../../../spec/assets/assets.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import {
  ask,
  asks,
  contentOf,
  faults,
  fileParts,
  noContent,
  pathOf,
  provesAssets,
  provesHashing,
  refusalOf,
  refusing,
  sendForm,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { type Row, toEach, withEach } from '../../judge/rows.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueId } from '../../judge/own-runs.ts'

/** The hash of the text `abc`, from the definition of BLAKE3. */
const hashOfAbc = 'blake3:6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'

const notHashes = [
  'x',
  `sha256:${'0'.repeat(64)}`,
  '0'.repeat(64),
  `blake3:${'0'.repeat(63)}`,
  `blake3:${'0'.repeat(65)}`,
  `blake3:${'g'.repeat(64)}`,
]

const hashPath = (hash: string): string => `/api/assets/hash/${hash}`

provesAssets('assets/by-hash', async (subject) => {
  const { hash = '' } = await uploaded(subject, 'abc.txt', { tags: 'input' }, 'abc')
  expect(hash).toBe(hashOfAbc)
  const spelled = [hash, hash.toUpperCase(), encodeURIComponent(hash)].map(hashPath)
  await asks(subject, [
    ...toEach(spelled, 'HEAD', 200, ''),
    ['HEAD', hashPath(noContent), undefined, 404],
    // The path has no other method.
    ['GET', hashPath(hash), undefined, 404],
  ])
})

provesAssets('assets/by-no-hash', (subject) =>
  asks(subject, toEach(notHashes.map(hashPath), 'HEAD', 400)),
)

provesAssets('assets/upload-hash', async (subject) => {
  const content = subject.unique('hashed')
  const { hash = '', id } = await uploaded(subject, 'hashed', { tags: 'input' }, content)
  // The hash is that of the file.
  const fields = { hash: ` ${hash.toUpperCase()} `, name: 'hashed' }
  const same = await upload(subject, 'hashed', fields, content)
  expect(same.json()).toMatchObject({ name: 'hashed', hash, created_new: false })
  expect(same.json().id).not.toBe(id)
  const differs = await upload(subject, 'other', { tags: 'input', hash: noContent })
  expect(refusalOf(differs)).toBe('400 HASH_MISMATCH')
  for (const wrong of notHashes) {
    const reply = await upload(subject, 'other', { tags: 'input', hash: wrong })
    expect({ wrong, refusal: refusalOf(reply) }).toEqual({ wrong, refusal: '400 INVALID_HASH' })
  }
  // Or it stands for the file.
  const name = uniqueId(subject, 'again')
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
})

provesAssets('assets/from-hash', async (subject) => {
  const { hash = '', id } = await uploaded(subject, 'known.txt')
  const name = uniqueId(subject, 'second')
  const body = { hash, name, tags: ['b', 'a', 'b'], user_metadata: { n: 1 } }
  const reply = await ask(subject, 'POST', '/api/assets/from-hash', body)
  const made = fitting(createdAsset, reply, 201)
  expect(made).toMatchObject({
    name,
    hash,
    tags: ['a', 'b'],
    user_metadata: { n: 1 },
    mime_type: 'text/plain',
    created_new: false,
  })
  expect(made.id).not.toBe(id)
  expect(made).not.toHaveProperty('loader_path')
  const same = await ask(subject, 'POST', '/api/assets/from-hash', body)
  expect([id, made.id]).not.toContain(same.json().id)
  const content = await ask(subject, 'GET', pathOf(made, '/content'))
  expect(content.text).toBe(contentOf(subject, 'known.txt'))
  // Without a name it has that of the hash; the content of a deleted asset is known.
  await ask(subject, 'DELETE', pathOf({ id }))
  const bare = await ask(subject, 'POST', '/api/assets/from-hash', { hash })
  expect(bare.json()).toMatchObject({ name: hash.slice(7), tags: [] })
  const lost = await ask(subject, 'GET', pathOf(bare.json(), '/content'))
  expect(refusalOf(lost)).toBe('404 FILE_NOT_FOUND')
  const unknown = await ask(subject, 'POST', '/api/assets/from-hash', { hash: noContent })
  expect(refusalOf(unknown)).toBe('404 ASSET_NOT_FOUND')
  expect(unknown.json().error.message).toBe(`Asset content ${noContent} does not exist`)
})

provesAssets('assets/from-hash-refusals', (subject) => {
  const path = '/api/assets/from-hash'
  const invalid = (type: string) => refusing('INVALID_BODY', faults(type))
  const hashes = ['', ...notHashes].map((hash) => ({ hash }))
  const wrong = [
    ['{}', 'missing'],
    ['{"hash": 3}', 'string_type'],
    ['[]', 'model_type'],
    [`{"hash": "${noContent}", "name": 3}`, 'string_type'],
    [`{"hash": "${noContent}", "user_metadata": []}`, 'dict_type'],
  ] as const
  return asks(subject, [
    ...withEach(hashes, 'POST', path, 400, invalid('value_error')),
    ...wrong.map(([body, type]): Row => ['POST', path, body, 400, invalid(type)]),
    ...withEach(['', '{', 'no JSON'], 'POST', path, 400, refusing('INVALID_JSON')),
  ])
})

provesAssets('assets/view-hash', async (subject) => {
  const { hash = '' } = await uploaded(subject, 'viewed.txt')
  const queries = ['', '&type=output', '&subfolder=nowhere']
  const paths = queries.map((query) => `/view?filename=${hash}${query}`)
  await asks(subject, [
    ...toEach(paths, 'GET', 200, contentOf(subject, 'viewed.txt'), {
      'content-type': 'text/plain',
      'content-disposition': 'filename="viewed.txt"',
      'x-content-type-options': 'nosniff',
    }),
    ['GET', `/view?filename=${noContent}`, undefined, 404, ''],
  ])
})

provesHashing('assets/hashing', async (subject) => {
  const found = await uploaded(subject, 'abc.txt', { tags: 'input' }, 'abc')
  expect(found).toMatchObject({ hash: hashOfAbc, loader_path: `${hashOfAbc.slice(7)}.txt` })
  expect((await ask(subject, 'HEAD', hashPath(hashOfAbc))).status).toBe(200)
  expect((await subject.get(`/view?filename=${hashOfAbc}`)).text).toBe('abc')
  const differs = await upload(subject, 'other', { tags: 'input', hash: noContent })
  expect(refusalOf(differs)).toBe('400 HASH_MISMATCH')
  const { hash } = (await ask(subject, 'GET', '/api/assets?name_contains=notes.txt')).json()
    .assets[0]
  expect(hash).toMatch(/^blake3:/)
})

provesHashing('assets/hashing-again', async (subject) => {
  const first = await uploaded(subject, 'a.txt', { tags: 'input' }, 'same')
  const same = await upload(subject, 'a.txt', { tags: 'input' }, 'same')
  expect(fitting(createdAsset, same, 200)).toMatchObject({ id: first.id, created_new: false })
  const other = await upload(subject, 'b.txt', { tags: 'input' }, 'same')
  expect(fitting(createdAsset, other, 201)).toMatchObject({
    name: 'b.txt',
    loader_path: first.loader_path,
    created_new: true,
  })
  const { hash } = first
  for (let time = 0; time < 2; time++) {
    const reply = await ask(subject, 'POST', '/api/assets/from-hash', { hash, name: 'b.txt' })
    expect(fitting(createdAsset, reply, 201)).toMatchObject({ created_new: true })
    expect([first.id, other.json().id]).not.toContain(reply.json().id)
  }
})

provesAssets('assets/no-hashing', async (subject) => {
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
})
