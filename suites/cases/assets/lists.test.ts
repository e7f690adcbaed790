// Lists of assets: which they contain, in which order, page by page.

import { assetPage } from '../../../spec/assets/assets.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import {
  ask,
  asks,
  type Asset,
  type AssetPage,
  faults,
  idsIn,
  listed,
  pathOf,
  provesAssets,
  refusing,
  uploaded,
} from '../../judge/own-assets.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { type Row, toEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { uniqueId } from '../../judge/own-runs.ts'

/** Uploads files of the case, one after the other. The case finds them by the start of their names. */
async function uploadAll(subject: Subject, start: string, count: number): Promise<Asset[]> {
  const assets: Asset[] = []
  for (let at = 0; at < count; at++) {
    const name = uniqueId(subject, `${start}-${at}`)
    const content = `${name} ${'x'.repeat(count - at)}`
    assets.push(await uploaded(subject, `${start}${at}.txt`, { tags: 'input', name }, content))
  }
  return assets
}

const mineOf = (subject: Subject, start: string): string =>
  `name_contains=${encodeURIComponent(uniqueId(subject, `${start}-`))}`

const idsOf = ({ assets }: AssetPage): string[] => assets.map(({ id }) => id)

provesAssets('assets/list', async (subject) => {
  const all = await uploadAll(subject, 'newest', 22)
  const newest = all.map(({ id }) => id).toReversed()
  const reply = await ask(subject, 'GET', `/api/assets?${mineOf(subject, 'newest')}`)
  const page = fitting(assetPage, reply)
  expect(idsOf(page)).toEqual(newest.slice(0, 20))
  expect(page).toMatchObject({ total: 22, has_more: true })
  const rest = await listed(subject, `${mineOf(subject, 'newest')}&limit=22`)
  expect({ ids: idsOf(rest), has_more: rest.has_more, ends: !('next_cursor' in rest) }).toEqual({
    ids: newest,
    has_more: false,
    ends: true,
  })
  const { created_new: _, ...last } = all.at(-1) as Asset
  expect(rest.assets[0]).toEqual(last)
})

provesAssets('assets/list-pages', async (subject) => {
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
})

provesAssets('assets/list-sort', async (subject) => {
  // The sizes fall while the names and the times grow.
  const [a, b, c] = (await uploadAll(subject, 'sort', 3)).map(({ id }) => id)
  await ask(subject, 'PUT', pathOf({ id: b! }), { user_metadata: {} })
  await ask(subject, 'GET', pathOf({ id: a! }, '/content'))
  const mine = mineOf(subject, 'sort')
  for (const [sort, ascending] of [
    ['created_at', [a, b, c]],
    ['name', [a, b, c]],
    ['size', [c, b, a]],
    ['updated_at', [a, c, b]],
    ['last_access_time', [b, c, a]],
  ] as const) {
    const rising = await idsIn(subject, `${mine}&sort=${sort}&order=asc`)
    const falling = await idsIn(subject, `${mine}&sort=${sort}`)
    expect({ sort, rising, falling }).toEqual({
      sort,
      rising: ascending,
      falling: ascending.toReversed(),
    })
  }
})

provesAssets('assets/list-refusals', async (subject) => {
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
  const rows = wrong.map(([query, type]): Row => {
    const [name, input] = query.split('=')
    const fault = expect.objectContaining({ type, loc: [name], input })
    const details = expect.objectContaining({ errors: [fault] })
    const refusal = refusing('INVALID_QUERY', { message: 'Validation failed.', details })
    return ['GET', `/api/assets?${query}`, undefined, 400, refusal]
  })
  const several = refusing('INVALID_QUERY', faults('greater_than_equal', 'literal_error'))
  await asks(subject, [...rows, ['GET', '/api/assets?limit=0&order=up', undefined, 400, several]])
})

provesAssets('assets/cursor', async (subject) => {
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
  await ask(subject, 'DELETE', pathOf({ id: ids[1]! }))
  expect(await idsIn(subject, `${mine}&after=${next_cursor}`)).toEqual(ids.slice(2))
})

provesAssets('assets/cursor-refusals', async (subject) => {
  await uploadAll(subject, 'wrong', 2)
  const { next_cursor = '' } = await listed(subject, `${mineOf(subject, 'wrong')}&limit=1`)
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const wrong = [
    '',
    'x',
    '%FF',
    encoded([]),
    encoded({}),
    encoded({ s: 'created_at', v: 1, id: 'x', o: 'desc' }),
    encoded({ s: 'created_at', v: 'x', id: 'x', o: 'desc' }),
    encoded({ s: 'created_at', v: '1', id: '', o: 'desc' }),
    encoded({ s: 'created_at', v: '1:1', id: 'x'.repeat(129), o: 'desc' }),
    `${next_cursor}&order=asc`,
    `${next_cursor}&sort=name`,
    `${next_cursor}&sort=last_access_time`,
  ]
  const paths = wrong.map((cursor) => `/api/assets?after=${cursor}`)
  await asks(subject, toEach(paths, 'GET', 400, refusing('INVALID_CURSOR')))
  // Times of last access change: such lists have no cursor.
  const found = await listed(subject, 'sort=last_access_time&limit=1')
  expect(found).not.toHaveProperty('next_cursor')
})

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
    const [first] = models.assets as [Asset]
    expect(first).toMatchObject({
      display_name: `checkpoints/${first.loader_path}`,
      tags: ['model_type:checkpoints', 'models'],
    })
    const content = await ask(subject, 'GET', pathOf(first, '/content'))
    expect(content.bytes).toHaveLength(first.size ?? -1)
  },
  { ...ownWorld, assets: true },
)
