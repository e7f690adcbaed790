// Assets of the hosted API v2: uploads, reads, and workflows that refer to them.

import { createHash } from 'node:crypto'
import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { node, solid } from '../../generate/graphs.ts'
import { formOf } from '../../generate/form.ts'
import { expect } from '../../judge/expect.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { assetIn, expectRefused, uploadForm, v2Of } from '../../judge/hosted/v2.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { v2Workflow } from '../../../spec/v2/v2-jobs.ts'
import { uniqueNumber } from '../../judge/own-runs.ts'
import { fetchLink } from '../../judge/http-client.ts'

/** Bytes that no other case of this server uses. */
const newBytes = (subject: Subject, name: string): Buffer =>
  createHash('sha512')
    .update(subject.unique(`bytes of ${name}`))
    .digest()

const hashOf = (bytes: Uint8Array): string => `blake3:${bytesToHex(blake3(bytes))}`

const fieldsFor = (subject: Subject, name: string) => ({
  content_type: 'application/octet-stream',
  file_path: subject.unique(name),
})

proves('v2-assets/upload', async (subject) => {
  const { upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'upload')
  const fields = fieldsFor(subject, 'upload.bin')
  expect(assetIn(await upload(bytes, fields), 201)).toMatchObject({
    hash: hashOf(bytes),
    size_bytes: bytes.length,
    content_type: fields.content_type,
    file_path: fields.file_path,
    created_new: true,
  })
})

proves('v2-assets/known-bytes', async (subject) => {
  const { upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'known')
  const first = assetIn(await upload(bytes, fieldsFor(subject, 'known.bin')), 201)
  const again = assetIn(await upload(bytes, fieldsFor(subject, 'known.bin')), 200)
  expect(again).toMatchObject({ id: first.id, created_new: false })
  const other = assetIn(await upload(bytes, fieldsFor(subject, 'other.bin')), 200)
  expect(other).toMatchObject({ hash: first.hash, created_new: false })
})

proves('v2-assets/expected-hash', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'expected')
  const fields = fieldsFor(subject, 'expected.bin')
  const wrong = { ...fields, expected_hash: hashOf(Buffer.from('other')) }
  expectRefused(await upload(bytes, wrong), 409, 'hash_mismatch')
  expect((await send('HEAD', `/assets/by-hash/${hashOf(bytes)}`)).status).toBe(404)
  assetIn(await upload(bytes, { ...fields, expected_hash: hashOf(bytes) }), 201)
})

proves('v2-assets/file-last', async (subject) => {
  const { send } = await v2Of(subject)
  const file = { name: 'file', filename: 'a.bin', content: newBytes(subject, 'last') }
  const type = { name: 'content_type', content: 'text/plain' }
  const path = { name: 'file_path', content: subject.unique('last.bin') }
  for (const parts of [
    [file, type],
    [type, file, path],
    [path, file],
    [type, path],
  ]) {
    const [body, headers] = formOf(...parts)
    expectRefused(await send('POST', '/assets', body, headers), 422, 'invalid_request')
  }
})

proves('v2-assets/form', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const json = { 'Content-Type': 'application/json' }
  expectRefused(await send('POST', '/assets', '{}', json), 422, 'invalid_request')
  const fields = fieldsFor(subject, 'form.bin')
  const bad = [
    { content_type: '' },
    { expected_hash: 'md5:1' },
    { expires_in: '59' },
    { expires_in: '604801' },
    { expires_in: 'soon' },
    { file_path: `${subject.unique('up')}/../up.bin` },
  ]
  for (const more of bad) {
    const reply = await upload(newBytes(subject, 'form'), { ...fields, ...more })
    expectRefused(reply, 422, 'invalid_request')
  }
  const [body, headers] = uploadForm(newBytes(subject, 'cut'), fields)
  const cut = body.subarray(0, body.length - 40)
  expectRefused(await send('POST', '/assets', cut, headers), 422, 'invalid_request')
})

proves('v2-assets/by-hash', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'by hash')
  const hash = hashOf(bytes)
  const head = async (text: string) => {
    const { status, text: body } = await send('HEAD', `/assets/by-hash/${text}`)
    return { status, body }
  }
  const spellings = [hash, hash.replace(':', '%3A')]
  for (const one of spellings) expect(await head(one)).toEqual({ status: 404, body: '' })
  assetIn(await upload(bytes, fieldsFor(subject, 'by-hash.bin')), 201)
  for (const one of spellings) expect(await head(one)).toEqual({ status: 200, body: '' })
})

proves('v2-assets/from-hash', async (subject) => {
  const { post, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'from hash')
  const fields = fieldsFor(subject, 'first.bin')
  const first = assetIn(await upload(bytes, fields), 201)
  const mint = (file_path: string) => post('/assets/from-hash', { hash: first.hash, file_path })
  const same = assetIn(await mint(fields.file_path), 200)
  expect(same).toMatchObject({ id: first.id, created_new: false })
  const path = subject.unique('second.bin')
  const other = assetIn(await mint(path), 201)
  const { hash, content_type } = first
  expect(other).toMatchObject({ hash, content_type, file_path: path, size_bytes: bytes.length })
  expect(other.id).not.toBe(first.id)
  expect(assetIn(await mint(path), 200).id).toBe(other.id)
})

proves('v2-assets/unknown-hash', async (subject) => {
  const { post, send } = await v2Of(subject)
  const hash = hashOf(newBytes(subject, 'never uploaded'))
  expectRefused(await post('/assets/from-hash', { hash }), 404, 'blob_not_found')
  for (const body of [{}, { hash: 7 }, { hash: 'x' }, { hash, expires_in: 1 }, { hash, tags: 'a' }])
    expectRefused(await post('/assets/from-hash', body), 422, 'invalid_request')
  expectRefused(await send('POST', '/assets/from-hash', '[]'), 400, 'invalid_request')
})

proves('v2-assets/read', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'read')
  const made = assetIn(await upload(bytes, fieldsFor(subject, 'read.bin')), 201)
  const { id, hash, size_bytes, content_type, file_path, created_at } = made
  for (let count = 0; count < 2; count++) {
    const found = assetIn(await send('GET', `/assets/${id}`), 200)
    const kept = { id, hash, size_bytes, content_type, file_path, created_at, job_id: null }
    expect({ job_id: null, ...found }).toMatchObject(kept)
    expect(Buffer.compare((await fetchLink(found.url)).bytes, bytes)).toBe(0)
  }
})

proves('v2-assets/address', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const { id } = assetIn(
    await upload(newBytes(subject, 'address'), fieldsFor(subject, 'a.bin')),
    201,
  )
  const { url, url_expires_at } = assetIn(await send('GET', `/assets/${id}`), 200)
  const { searchParams } = new URL(url)
  const date = searchParams.get('X-Goog-Date') ?? ''
  const readable = date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const sinceMs = Date.parse(readable)
  const seconds = Number(searchParams.get('X-Goog-Expires'))
  expect(Date.parse(url_expires_at)).toBe(sinceMs + seconds * 1000)
})

proves('v2-assets/content', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'content')
  const { id } = assetIn(await upload(bytes, fieldsFor(subject, 'content.bin')), 201)
  const { status, headers, text } = await send('GET', `/assets/${id}/content`)
  expect([status, text]).toEqual([302, ''])
  const link = headers['location'] ?? ''
  expect(new URL(link).host).not.toBe(new URL(subject.url).host)
  expect(Buffer.compare((await fetchLink(link)).bytes, bytes)).toBe(0)
})

proves('v2-assets/range', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'range')
  const { id } = assetIn(await upload(bytes, fieldsFor(subject, 'range.bin')), 201)
  const link = (await send('GET', `/assets/${id}/content`)).headers['location'] ?? ''
  const part = await fetchLink(link, { Range: 'bytes=4-7' })
  expect([part.status, part.bytes]).toEqual([206, bytes.subarray(4, 8)])
  expect((await fetchLink(link, { Range: 'bytes=99999-' })).status).toBe(416)
})

proves('v2-assets/delete', async (subject) => {
  const { send, upload } = await v2Of(subject)
  const bytes = newBytes(subject, 'delete')
  const first = assetIn(await upload(bytes, fieldsFor(subject, 'one.bin')), 201)
  const second = assetIn(await upload(bytes, fieldsFor(subject, 'two.bin')), 200)
  const remove = (id: string) => send('DELETE', `/assets/${id}`)
  expect(await remove(first.id)).toMatchObject({ status: 204, text: '' })
  expectRefused(await remove(first.id), 404, 'asset_not_found')
  for (const path of [`/assets/${first.id}`, `/assets/${first.id}/content`])
    expectRefused(await send('GET', path), 404, 'asset_not_found')
  const { url } = assetIn(await send('GET', `/assets/${second.id}`), 200)
  expect(Buffer.compare((await fetchLink(url)).bytes, bytes)).toBe(0)
  const head = () => send('HEAD', `/assets/by-hash/${second.hash}`)
  expect((await head()).status).toBe(200)
  expect((await remove(second.id)).status).toBe(204)
  expect((await head()).status).toBe(404)
})

proves('v2-assets/outputs', async (subject) => {
  const { run, send } = await v2Of(subject)
  const { id, outputs } = await run(solid(uniqueNumber(subject, 'asset of an output')))
  const [output] = outputs
  const found = assetIn(await send('GET', `/assets/${output.id}`), 200)
  const { size_bytes, hash } = output
  expect(found).toMatchObject({ id: output.id, job_id: id, size_bytes, hash })
  const { bytes } = await fetchLink(found.url)
  expect([bytes.length, hashOf(bytes)]).toEqual([size_bytes, hash])
})

const reference = (id: string, more: object = {}) => ({
  __type: 'core/ASSET',
  info: { id, ...more },
})

/** A workflow that saves a picture; `image` is the input of its loader. */
const saved = (image: unknown) => ({
  '1': node('LoadImage', { image }),
  '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'asset' }),
})

proves('v2-assets/reference', async (subject) => {
  const { run, send, submit, upload } = await v2Of(subject)
  const { outputs } = await run(solid(uniqueNumber(subject, 'reference')))
  const { bytes } = await fetchLink(outputs[0].url)
  const fields = { content_type: 'image/png', file_path: subject.unique('reference.png') }
  const { id, hash } = assetIn(await upload(bytes, fields), [200, 201])
  const ran = await run(saved(reference(id, { hash, file_path: 'x.png' })))
  expect([ran.status, ran.outputs.length]).toEqual(['succeeded', 1])
  const { workflow } = fitting(v2Workflow, await send('GET', `/jobs/${ran.id}/workflow`))
  expect(workflow['1'].inputs.image).toEqual(expect.any(String))
  // An output is an asset too.
  await submit(saved(reference(outputs[0].id)))
})

proves('v2-assets/by-path', async (subject) => {
  const { run, send, upload } = await v2Of(subject)
  const { outputs } = await run(solid(uniqueNumber(subject, 'by path')))
  const { bytes } = await fetchLink(outputs[0].url)
  const file_path = subject.unique('by-path.png')
  assetIn(await upload(bytes, { content_type: 'image/png', file_path }), [200, 201])
  const ran = await run(saved(file_path))
  expect([ran.status, ran.outputs.length]).toEqual(['succeeded', 1])
  const { workflow } = fitting(v2Workflow, await send('GET', `/jobs/${ran.id}/workflow`))
  expect(workflow['1'].inputs.image).toEqual(expect.any(String))
})

proves('v2-assets/missing-reference', async (subject) => {
  const { post } = await v2Of(subject)
  const errorOf = async (image: unknown) => {
    const refused = await post('/jobs', { workflow: subject.placed(saved(image)) })
    return expectRefused(refused, 422, 'missing_asset')
  }
  await errorOf({ __type: 'core/ASSET' })
  expect((await errorOf(reference(nobody))).details).toMatchObject({ missing_ids: [nobody] })
})

proves(
  ['v2-assets/foreign', 'v2-assets/missing-reference'],
  async (subject) => {
    const { post, send, upload } = await v2Of(subject)
    const other = await v2Of(subject.as('other-key'))
    const bytes = newBytes(subject, 'foreign')
    const { id, hash } = assetIn(await other.upload(bytes, fieldsFor(subject, 'f.bin')), 201)
    const unknown = await send('GET', `/assets/${nobody}`)
    for (const [method, path] of [
      ['GET', `/assets/${id}`],
      ['GET', `/assets/${id}/content`],
      ['DELETE', `/assets/${id}`],
    ] as const)
      expect(await send(method, path)).toMatchObject({ status: 404, text: unknown.text })
    expect((await send('HEAD', `/assets/by-hash/${hash}`)).status).toBe(404)
    expectRefused(await post('/assets/from-hash', { hash }), 404, 'blob_not_found')
    const refused = await post('/jobs', { workflow: subject.placed(saved(reference(id))) })
    expectRefused(refused, 422, 'missing_asset')
    // Its bytes are new for this account.
    assetIn(await upload(bytes, fieldsFor(subject, 'f.bin')), 201)
  },
  twoAccounts,
)
