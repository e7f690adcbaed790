// Lists of assets: which they contain, in which order, page by page.

import { assetPage } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import {
  ask,
  type Asset,
  type AssetPage,
  labelOf,
  listed,
  refusalOf,
  tagged,
  uploaded,
} from '../../judge/own-assets.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const on = { assets: true }

/** Uploads files of the case, one after the other. The case finds them by the start of their names. */
async function uploadAll(subject: Subject, start: string, count: number): Promise<Asset[]> {
  const assets: Asset[] = []
  for (let at = 0; at < count; at++) {
    const name = labelOf(subject, `${start}-${at}`)
    const content = `${name} ${'x'.repeat(count - at)}`
    assets.push(await uploaded(subject, `${start}${at}.txt`, { tags: 'input', name }, content))
  }
  return assets
}

const mineOf = (subject: Subject, start: string): string =>
  `name_contains=${encodeURIComponent(labelOf(subject, `${start}-`))}`

const idsOf = ({ assets }: AssetPage): string[] => assets.map(({ id }) => id)

proves(
  'assets/list',
  async (subject) => {
    const all = await uploadAll(subject, 'newest', 22)
    const newest = all.map(({ id }) => id).toReversed()
    const reply = await ask(subject, 'GET', `/api/assets?${mineOf(subject, 'newest')}`)
    expect({ status: reply.status, wrong: violations(assetPage, reply.json()) }).toEqual({
      status: 200,
      wrong: [],
    })
    expect(idsOf(reply.json())).toEqual(newest.slice(0, 20))
    expect(reply.json()).toMatchObject({ total: 22, has_more: true })
    const rest = await listed(subject, `${mineOf(subject, 'newest')}&limit=22`)
    expect({ ids: idsOf(rest), has_more: rest.has_more, ends: !('next_cursor' in rest) }).toEqual({
      ids: newest,
      has_more: false,
      ends: true,
    })
    const { created_new: _, ...last } = all.at(-1) as Asset
    expect(rest.assets[0]).toEqual(last)
  },
  on,
)

proves(
  'assets/list-pages',
  async (subject) => {
    const ids = (await uploadAll(subject, 'page', 5)).map(({ id }) => id).toReversed()
    const mine = mineOf(subject, 'page')
    for (const [limit, offset, has_more] of [
      [2, 0, true],
      [2, 2, true],
      [2, 4, false],
      [3, 9, false],
    ] as const) {
      const page = await listed(subject, `${mine}&limit=${limit}&offset=${offset}`)
      const expected = ids.slice(offset, offset + limit)
      expect({ limit, offset, ids: idsOf(page), page }).toMatchObject({
        limit,
        offset,
        ids: expected,
        page: { total: 5, has_more },
      })
    }
  },
  on,
)

proves(
  'assets/list-sort',
  async (subject) => {
    // The sizes fall while the names and the times grow.
    const [a, b, c] = (await uploadAll(subject, 'sort', 3)).map(({ id }) => id)
    await ask(subject, 'PUT', `/api/assets/${b}`, { user_metadata: {} })
    await ask(subject, 'GET', `/api/assets/${a}/content`)
    const mine = mineOf(subject, 'sort')
    for (const [sort, ascending] of [
      ['created_at', [a, b, c]],
      ['name', [a, b, c]],
      ['size', [c, b, a]],
      ['updated_at', [a, c, b]],
      ['last_access_time', [b, c, a]],
    ] as const) {
      const found = await listed(subject, `${mine}&sort=${sort}&order=asc`)
      expect({ sort, ids: idsOf(found) }).toEqual({ sort, ids: ascending })
      const falling = await listed(subject, `${mine}&sort=${sort}`)
      expect({ sort, ids: idsOf(falling) }).toEqual({ sort, ids: ascending.toReversed() })
    }
  },
  on,
)

proves(
  'assets/list-tags',
  async (subject) => {
    const { x, y, both, one, other } = await tagged(subject)
    for (const [query, ids] of [
      [`include_tags=${x}`, [one, both]],
      [`include_tags=${x},${y}`, [both]],
      [`include_tags=${x}&include_tags=${y}`, [both]],
      [`include_tags=${x}&exclude_tags=${y}`, [one]],
      [`include_tags=%20${y}%20,,`, [other, both]],
      [`include_tags=${x}&exclude_tags=${x}`, []],
    ] as const)
      expect({ query, ids: idsOf(await listed(subject, query)) }).toEqual({ query, ids })
  },
  on,
)

proves(
  'assets/list-name',
  async (subject) => {
    const name = labelOf(subject, 'MiXed 100%_x')
    const { id } = await uploaded(subject, 'mixed', { tags: 'input', name })
    for (const [part, ids] of [
      [name.toLowerCase(), [id]],
      [labelOf(subject, 'MIXED 100%'), [id]],
      [labelOf(subject, 'mixed 100_'), []],
      [labelOf(subject, 'mixed*'), []],
    ] as const) {
      const query = `name_contains=${encodeURIComponent(part)}`
      expect({ part, ids: idsOf(await listed(subject, query)) }).toEqual({ part, ids })
    }
  },
  on,
)

proves(
  'assets/list-metadata',
  async (subject) => {
    const tag = labelOf(subject, 'meta')
    const user_metadata = '{"kind": "a", "n": 1, "deep": {"x": true}, "list": [1, "b"]}'
    const { id } = await uploaded(subject, 'meta', { tags: `input,${tag}`, user_metadata })
    for (const [filter, found] of [
      ['{"kind": "a"}', true],
      ['{"kind": "a", "n": 1}', true],
      ['{"kind": ["b", "a"]}', true],
      ['{"kind": "b"}', false],
      ['{"list": "b"}', true],
      ['{"list": ["c", 1]}', true],
      ['{"list": "c"}', false],
      ['{"none": null}', true],
      ['{"n": 2}', false],
      ['{"kind": "a", "n": 2}', false],
      ['', true],
    ] as const) {
      const query = `include_tags=${tag}&metadata_filter=${encodeURIComponent(filter)}`
      expect({ filter, ids: idsOf(await listed(subject, query)) }).toEqual({
        filter,
        ids: found ? [id] : [],
      })
    }
    for (const filter of ['{', '[]', '3']) {
      const query = `metadata_filter=${encodeURIComponent(filter)}`
      const reply = await ask(subject, 'GET', `/api/assets?${query}`)
      expect({ filter, refusal: refusalOf(reply) }).toEqual({
        filter,
        refusal: '400 INVALID_QUERY',
      })
    }
  },
  on,
)

proves(
  'assets/list-refusals',
  async (subject) => {
    await uploaded(subject, 'any')
    const wrong = [
      ['limit=0', 'greater_than_equal'],
      ['limit=501', 'less_than_equal'],
      ['limit=x', 'int_parsing'],
      ['limit=', 'int_parsing'],
      ['limit=1.5', 'int_parsing'],
      ['offset=-1', 'greater_than_equal'],
      ['sort=hash', 'literal_error'],
      ['sort=NAME', 'literal_error'],
      ['order=up', 'literal_error'],
    ] as const
    for (const [query, type] of wrong) {
      const reply = await ask(subject, 'GET', `/api/assets?${query}`)
      expect({ query, refusal: refusalOf(reply) }).toEqual({ query, refusal: '400 INVALID_QUERY' })
      expect(reply.json().error).toMatchObject({
        message: 'Validation failed.',
        details: { errors: [{ type, loc: [query.split('=')[0]], input: query.split('=')[1] }] },
      })
    }
    const several = await ask(subject, 'GET', '/api/assets?limit=0&order=up')
    expect(several.json().error.details.errors).toHaveLength(2)
  },
  on,
)

proves(
  'assets/cursor',
  async (subject) => {
    const ids = (await uploadAll(subject, 'cursor', 5)).map(({ id }) => id).toReversed()
    const mine = mineOf(subject, 'cursor')
    for (const [order, expected] of [
      ['', ids],
      ['&order=asc', ids.toReversed()],
      ['&sort=name', ids],
      ['&sort=size', ids.toReversed()],
      ['&sort=updated_at&order=asc', ids.toReversed()],
    ] as const) {
      const first = await listed(subject, `${mine}${order}&limit=2`)
      const second = await listed(subject, `${mine}${order}&limit=2&after=${first.next_cursor}`)
      // A cursor outweighs an offset.
      const last = await listed(
        subject,
        `${mine}${order}&limit=2&offset=4&after=${second.next_cursor}`,
      )
      expect([first, second, last].flatMap(idsOf)).toEqual(expected)
      expect([first, second, last].map(({ total, has_more }) => ({ total, has_more }))).toEqual([
        { total: 5, has_more: true },
        { total: 5, has_more: true },
        { total: 5, has_more: false },
      ])
      expect(last).not.toHaveProperty('next_cursor')
    }
    // The asset at a cursor can be gone.
    const { next_cursor } = await listed(subject, `${mine}&limit=2`)
    await ask(subject, 'DELETE', `/api/assets/${ids[1]}`)
    expect(idsOf(await listed(subject, `${mine}&after=${next_cursor}`))).toEqual(ids.slice(2))
  },
  on,
)

proves(
  'assets/cursor-refusals',
  async (subject) => {
    await uploadAll(subject, 'wrong', 2)
    const { next_cursor = '' } = await listed(subject, `${mineOf(subject, 'wrong')}&limit=1`)
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const query of [
      'after=',
      'after=x',
      'after=%FF',
      `after=${encoded([])}`,
      `after=${encoded({})}`,
      `after=${encoded({ s: 'created_at', v: 1, id: 'x', o: 'desc' })}`,
      `after=${encoded({ s: 'created_at', v: 'x', id: 'x', o: 'desc' })}`,
      `after=${encoded({ s: 'created_at', v: '1', id: '', o: 'desc' })}`,
      `after=${encoded({ s: 'created_at', v: '1:1', id: 'x'.repeat(129), o: 'desc' })}`,
      `after=${next_cursor}&order=asc`,
      `after=${next_cursor}&sort=name`,
      `after=${next_cursor}&sort=last_access_time`,
    ]) {
      const reply = await ask(subject, 'GET', `/api/assets?${query}`)
      const shown = query.slice(0, 80)
      expect({ shown, refusal: refusalOf(reply) }).toEqual({ shown, refusal: '400 INVALID_CURSOR' })
    }
    // Times of last access change: such lists have no cursor.
    const found = await listed(subject, 'sort=last_access_time&limit=1')
    expect(found).not.toHaveProperty('next_cursor')
  },
  on,
)

proves(
  'assets/scanned',
  async (subject) => {
    const { total } = await listed(subject, '')
    expect(total).toBeGreaterThan(10)
    const inputs = await listed(subject, 'include_tags=input&sort=name&order=asc&limit=500')
    expect(inputs.assets.map(({ name }) => name)).toEqual(
      ['example.glb', 'example.latent', 'example.mp3', 'example.mp4', 'example.png'].concat([
        'example.wav',
        'notes.txt',
      ]),
    )
    const [glb] = inputs.assets
    expect(glb).toMatchObject({ loader_path: '3d/example.glb', display_name: '3d/example.glb' })
    expect(glb).not.toHaveProperty('hash')
    const models = await listed(subject, 'include_tags=models,model_type:checkpoints&limit=500')
    const checkpoints: string[] = (await subject.get('/models/checkpoints')).json()
    expect(models.assets.map(({ loader_path = '' }) => loader_path).toSorted()).toEqual(checkpoints)
    expect(models.assets[0]).toMatchObject({
      display_name: `checkpoints/${models.assets[0]?.loader_path}`,
      tags: ['model_type:checkpoints', 'models'],
    })
    const content = await ask(subject, 'GET', `/api/assets/${models.assets[0]?.id}/content`)
    expect(content.bytes).toHaveLength(models.assets[0]?.size ?? -1)
  },
  { ...ownWorld, ...on },
)
