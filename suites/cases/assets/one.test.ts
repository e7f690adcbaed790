// One asset: reading, changing and deleting it, and its content.

import { asset } from '../../../spec/assets/assets.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { violations } from '../../judge/judge.ts'
import {
  ask,
  asks,
  faults,
  idsIn,
  pathOf,
  provesAssets,
  refusing,
  uploaded,
} from '../../judge/own-assets.ts'
import { type Row, toEach, withEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueId } from '../../judge/own-runs.ts'

provesAssets('assets/read', async (subject) => {
  const { created_new: _, ...found } = await uploaded(subject, 'read')
  expect(violations(asset, found)).toEqual([])
  const paths = [found.id, found.id.toUpperCase()].map((id) => pathOf({ id }))
  await asks(subject, toEach(paths, 'GET', 200, found))
})

provesAssets('assets/times', async (subject) => {
  const first = await uploaded(subject, 'timed')
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
  for (const time of [first.created_at, first.updated_at, first.last_access_time])
    expect(time).toMatch(form)
  const second = await uploaded(subject, 'timed later')
  expect(second.created_at > first.created_at).toBe(true)
})

/** Every request about an asset with this id, which are answered alike. */
const ways = (
  id: string,
  end: (method: string) => [status: number, answer: unknown, Row[5]?],
): Row[] => [
  ['GET', pathOf({ id }), undefined, ...end('GET')],
  ['GET', pathOf({ id }, '/content'), undefined, ...end('GET')],
  ['PUT', pathOf({ id }), { name: 'n' }, ...end('PUT')],
  ['DELETE', pathOf({ id }), undefined, ...end('DELETE')],
  ['POST', pathOf({ id }, '/tags'), { tags: ['t'] }, ...end('POST')],
  ['DELETE', pathOf({ id }, '/tags'), { tags: ['t'] }, ...end('DELETE')],
]

provesAssets('assets/unknown', (subject) => {
  const message = `AssetReference ${nobody} not found`
  const error = { code: 'ASSET_NOT_FOUND', message, details: { id: nobody } }
  return asks(subject, [
    ...ways(nobody, () => [404, refusing('ASSET_NOT_FOUND')]),
    ['GET', pathOf({ id: nobody }), undefined, 404, { error }],
  ])
})

provesAssets('assets/no-uuid', async (subject) => {
  const { id } = await uploaded(subject, 'named')
  for (const wrong of ['x', id.replaceAll('-', ''), `${id}0`, '%2e%2e', `{${id}}`])
    await asks(
      subject,
      ways(wrong, (method) =>
        method === 'GET'
          ? [404, /^[^{]*$/, { allow: undefined }]
          : [405, /^[^{]*$/, { allow: 'GET,HEAD' }],
      ),
    )
})

provesAssets('assets/content', async (subject) => {
  const bytes = Buffer.from([0, 255, 10, 13])
  const name = 'grün "a" & b.png'
  const { id } = await uploaded(subject, 'content.png', { tags: 'input', name }, bytes)
  const encoded = `filename*=UTF-8''gr%C3%BCn%20%22a%22%20%26%20b.png`
  for (const [query, disposition] of [
    ['', 'attachment'],
    ['?disposition=inline', 'inline'],
    ['?disposition=%20INLINE%20', 'inline'],
    ['?disposition=other', 'attachment'],
  ]) {
    const reply = await ask(subject, 'GET', pathOf({ id }, `/content${query}`))
    expect(reply.bytes).toEqual(bytes)
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `${disposition}; ${encoded}`,
      'x-content-type-options': 'nosniff',
    })
  }
})

provesAssets('assets/content-active', async (subject) => {
  for (const [name, mime_type] of [
    ['a.html'],
    ['a.svg'],
    ['a.js'],
    ['a.css'],
    ['a.xml'],
    ['a.png', 'text/html; charset=utf-8'],
    ['b.png', 'APPLICATION/x-mine+XML'],
  ] as const) {
    const own = mime_type === undefined ? {} : { mime_type }
    const found = await uploaded(subject, name, { tags: 'input', ...own })
    const reply = await ask(subject, 'GET', pathOf(found, '/content?disposition=inline'))
    expect({ name, headers: reply.headers }).toMatchObject({
      name,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
        'x-content-type-options': 'nosniff',
      },
    })
  }
})

provesAssets('assets/content-as-image', async (subject) => {
  const { id } = await uploaded(subject, 'shown.svg')
  const path = pathOf({ id }, '/content?disposition=inline')
  const typeFor = async (use: string) => {
    const reply = await subject.request('GET', path, undefined, { 'Sec-Fetch-Dest': use })
    expect(reply.headers).toMatchObject({ vary: 'Sec-Fetch-Dest', 'cache-control': 'no-store' })
    return [reply.headers['content-type'], reply.headers['content-disposition']?.slice(0, 6)]
  }
  expect(await typeFor('image')).toEqual(['image/svg+xml', 'inline'])
  expect(await typeFor('document')).toEqual(['application/octet-stream', 'attach'])
  const page = await uploaded(subject, 'page.html')
  const sent = await subject.request('GET', pathOf(page, '/content'), undefined, {
    'Sec-Fetch-Dest': 'image',
  })
  expect(sent.headers['content-type']).toBe('application/octet-stream')
})

provesAssets('assets/change', async (subject) => {
  const preview = await uploaded(subject, 'preview.png')
  const before = await uploaded(subject, 'before', { tags: 'input', user_metadata: '{"a": 1}' })
  const name = uniqueId(subject, 'after')
  const first = fitting(asset, await ask(subject, 'PUT', pathOf(before), { name }))
  const { id, created_at } = before
  expect(first).toMatchObject({ id, name, created_at, user_metadata: { a: 1 } })
  expect(first.updated_at > before.updated_at).toBe(true)
  const body = '{"user_metadata": {"b": 9007199254740993}, "name": null}'
  const second = await ask(subject, 'PUT', pathOf(before), body)
  expect(second.text).toContain('"user_metadata": {"b": 9007199254740993')
  const third = await ask(subject, 'PUT', pathOf(before), { preview_id: preview.id })
  expect(third.json()).toMatchObject({ name, preview_id: preview.id })
  const message = `Preview AssetReference ${nobody} not found`
  const unknown = refusing('ASSET_NOT_FOUND', { message, details: expect.objectContaining({ id }) })
  await asks(subject, [
    ['GET', pathOf(before), undefined, 200, third.json()],
    ['PUT', pathOf(before), { preview_id: nobody }, 404, unknown],
  ])
})

const wrongChanges = [
  ['{}', 'value_error'],
  ['{"other": 1}', 'value_error'],
  ['{"name": null}', 'value_error'],
  ['{"name": 3}', 'string_type'],
  ['{"user_metadata": []}', 'dict_type'],
  ['{"preview_id": {}}', 'string_type'],
  ['[]', 'model_type'],
  ['3', 'model_type'],
] as const

provesAssets('assets/change-refusals', async (subject) => {
  const before = await uploaded(subject, 'kept')
  const path = pathOf(before)
  const refusal = (type: string) =>
    refusing('INVALID_BODY', { message: 'Validation failed.', ...faults(type) })
  await asks(subject, [
    ...wrongChanges.map(([body, type]): Row => ['PUT', path, body, 400, refusal(type)]),
    ...withEach(['', '{', '{"name": "a"} x'], 'PUT', path, 400, refusing('INVALID_JSON')),
  ])
  expect((await ask(subject, 'GET', path)).json().updated_at).toBe(before.updated_at)
})

provesAssets('assets/delete', async (subject) => {
  const gone = await uploaded(subject, 'gone.txt')
  await asks(subject, [
    ['DELETE', pathOf(gone), undefined, 204, ''],
    ['GET', pathOf(gone), undefined, 404, refusing('ASSET_NOT_FOUND')],
    ['DELETE', pathOf(gone), undefined, 404, refusing('ASSET_NOT_FOUND')],
  ])
  expect(await idsIn(subject, 'limit=500')).not.toContain(gone.id)
  const viewed = await subject.get(`/view?type=input&filename=${gone.loader_path}`)
  expect(viewed.text).toBe(`${subject.unique('gone.txt')} of the case`)
  // The same content is a new asset.
  expect((await uploaded(subject, 'gone.txt')).id).not.toBe(gone.id)
})
