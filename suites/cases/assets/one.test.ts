// One asset: reading, changing and deleting it, and its content.

import { asset } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import { ask, labelOf, listed, nobody, refusalOf, uploaded } from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }
const pathOf = ({ id }: { readonly id: string }, more = ''): string => `/api/assets/${id}${more}`

proves(
  'assets/read',
  async (subject) => {
    const { created_new: _, ...found } = await uploaded(subject, 'read')
    for (const id of [found.id, found.id.toUpperCase()]) {
      const reply = await ask(subject, 'GET', pathOf({ id }))
      expect({ status: reply.status, json: reply.json() }).toEqual({ status: 200, json: found })
      expect(violations(asset, reply.json())).toEqual([])
    }
  },
  on,
)

proves(
  'assets/times',
  async (subject) => {
    const first = await uploaded(subject, 'timed')
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
    for (const time of [first.created_at, first.updated_at, first.last_access_time])
      expect(time).toMatch(form)
    const second = await uploaded(subject, 'timed later')
    expect(second.created_at > first.created_at).toBe(true)
  },
  on,
)

const ways = [
  ['GET', ''],
  ['GET', '/content'],
  ['PUT', '', { name: 'n' }],
  ['DELETE', ''],
  ['POST', '/tags', { tags: ['t'] }],
  ['DELETE', '/tags', { tags: ['t'] }],
] as const

proves(
  'assets/unknown',
  async (subject) => {
    for (const [method, more, body] of ways) {
      const reply = await ask(subject, method, pathOf({ id: nobody }, more), body)
      expect({ method, more, refusal: refusalOf(reply) }).toEqual({
        method,
        more,
        refusal: '404 ASSET_NOT_FOUND',
      })
    }
    expect((await ask(subject, 'GET', pathOf({ id: nobody }))).json().error).toEqual({
      code: 'ASSET_NOT_FOUND',
      message: `AssetReference ${nobody} not found`,
      details: { id: nobody },
    })
  },
  on,
)

proves(
  'assets/no-uuid',
  async (subject) => {
    const { id } = await uploaded(subject, 'named')
    for (const wrong of ['x', id.replaceAll('-', ''), `${id}0`, '%2e%2e', `{${id}}`]) {
      for (const [method, more, body] of ways) {
        const reply = await ask(subject, method, pathOf({ id: wrong }, more), body)
        const status = method === 'GET' ? 404 : 405
        const allow = method === 'GET' ? undefined : 'GET,HEAD'
        expect({ wrong, method, status: reply.status, allow: reply.headers['allow'] }).toEqual({
          wrong,
          method,
          status,
          allow,
        })
        expect(reply.text).not.toContain('{')
      }
    }
  },
  on,
)

proves(
  'assets/content',
  async (subject) => {
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
  },
  on,
)

proves(
  'assets/content-active',
  async (subject) => {
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
  },
  on,
)

proves(
  'assets/content-as-image',
  async (subject) => {
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
  },
  on,
)

proves(
  'assets/change',
  async (subject) => {
    const preview = await uploaded(subject, 'preview.png')
    const before = await uploaded(subject, 'before', { tags: 'input', user_metadata: '{"a": 1}' })
    const name = labelOf(subject, 'after')
    const first = await ask(subject, 'PUT', pathOf(before), { name })
    expect({ status: first.status, wrong: violations(asset, first.json()) }).toEqual({
      status: 200,
      wrong: [],
    })
    expect(first.json()).toMatchObject({ id: before.id, name, user_metadata: { a: 1 } })
    expect(first.json().updated_at > before.updated_at).toBe(true)
    expect(first.json().created_at).toBe(before.created_at)
    const body = '{"user_metadata": {"b": 9007199254740993}, "name": null}'
    const second = await ask(subject, 'PUT', pathOf(before), body)
    expect(second.text).toContain('"user_metadata": {"b": 9007199254740993')
    const third = await ask(subject, 'PUT', pathOf(before), { preview_id: preview.id })
    expect(third.json()).toMatchObject({ name, preview_id: preview.id })
    expect((await ask(subject, 'GET', pathOf(before))).json()).toEqual(third.json())
    const unknown = await ask(subject, 'PUT', pathOf(before), { preview_id: nobody })
    expect(refusalOf(unknown)).toBe('404 ASSET_NOT_FOUND')
    const message = `Preview AssetReference ${nobody} not found`
    expect(unknown.json().error).toMatchObject({ message, details: { id: before.id } })
  },
  on,
)

proves(
  'assets/change-refusals',
  async (subject) => {
    const before = await uploaded(subject, 'kept')
    for (const [body, type] of [
      ['{}', 'value_error'],
      ['{"other": 1}', 'value_error'],
      ['{"name": null}', 'value_error'],
      ['{"name": 3}', 'string_type'],
      ['{"user_metadata": []}', 'dict_type'],
      ['{"preview_id": {}}', 'string_type'],
      ['[]', 'model_type'],
      ['3', 'model_type'],
    ] as const) {
      const reply = await ask(subject, 'PUT', pathOf(before), body)
      expect({ body, refusal: refusalOf(reply) }).toEqual({ body, refusal: '400 INVALID_BODY' })
      expect(reply.json().error).toMatchObject({
        message: 'Validation failed.',
        details: { errors: [{ type }] },
      })
    }
    for (const body of ['', '{', '{"name": "a"} x']) {
      const reply = await ask(subject, 'PUT', pathOf(before), body)
      expect({ body, refusal: refusalOf(reply) }).toEqual({ body, refusal: '400 INVALID_JSON' })
    }
    expect((await ask(subject, 'GET', pathOf(before))).json().updated_at).toBe(before.updated_at)
  },
  on,
)

proves(
  'assets/delete',
  async (subject) => {
    const gone = await uploaded(subject, 'gone.txt')
    const reply = await ask(subject, 'DELETE', pathOf(gone))
    expect({ status: reply.status, text: reply.text }).toEqual({ status: 204, text: '' })
    expect(refusalOf(await ask(subject, 'GET', pathOf(gone)))).toBe('404 ASSET_NOT_FOUND')
    expect(refusalOf(await ask(subject, 'DELETE', pathOf(gone)))).toBe('404 ASSET_NOT_FOUND')
    const { assets } = await listed(subject, 'limit=500')
    expect(assets.map(({ id }) => id)).not.toContain(gone.id)
    const viewed = await subject.get(`/view?type=input&filename=${gone.loader_path}`)
    expect(viewed.text).toBe(`${subject.unique('gone.txt')} of the case`)
    // The same content is a new asset.
    expect((await uploaded(subject, 'gone.txt')).id).not.toBe(gone.id)
  },
  on,
)
