// Lists of hosted assets and of their tags: filters, pages, and what is refused.

import { tagCounts, tagPage } from '../../../spec/assets/assets.ts'
import { hostedAssetPage } from '../../../spec/assets/hosted-assets.ts'
import {
  expectRefusal,
  type Library,
  libraryOf,
  pathOf,
  tagsField,
  ours,
  provesLibrary,
} from '../../judge/hosted/assets.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueId } from '../../judge/own-runs.ts'
import type { Subject } from '../../judge/subject.ts'

/** Three assets, oldest first, with tags that nobody else has. */
async function tagged(subject: Subject, { uploaded }: Library) {
  const [x, y] = [uniqueId(subject, 'x'), uniqueId(subject, 'y')]
  const both = await uploaded('both', tagsField(x, y))
  const one = await uploaded('one', tagsField(x))
  const other = await uploaded('other', tagsField(y))
  return { x, y, both: both.id, one: one.id, other: other.id }
}

provesLibrary('hosted-assets/list', async (subject) => {
  const library = await libraryOf(subject)
  const { one, other } = await tagged(subject, library)
  const page = fitting(hostedAssetPage, await library.ask('GET', '/assets'))
  expect(page.assets.length).toBeLessThanOrEqual(20)
  const ids = page.assets.map(({ id }: { id: string }) => id)
  expect(ids.indexOf(other)).toBeLessThan(ids.indexOf(one))
  expect(page.total).toBeGreaterThanOrEqual(page.assets.length)
  expect(page.has_more).toBe(page.total > page.assets.length)
})

provesLibrary('hosted-assets/list-tags', async (subject) => {
  const library = await libraryOf(subject)
  const { x, y, both, one, other } = await tagged(subject, library)
  for (const [query, ids] of [
    [`include_tags=${x},${y}`, [both]],
    [`include_tags=${x}&include_tags=${y}`, [both]],
    [`include_tags=${x}&exclude_tags=${y}`, [one]],
    [`tags_all=${x},${y}`, [both]],
    [`tags_any=${x}&tags_any=${y}`, [other, one, both]],
    [`tags_any=${x},${y}&tags_none=${x}`, [other]],
  ] as const)
    expect({ query, ids: await library.idsIn(query) }).toEqual({ query, ids })
})

provesLibrary('hosted-assets/list-filters', async (subject) => {
  const { uploaded, idsIn } = await libraryOf(subject)
  const mine = uniqueId(subject, 'filtered')
  const first = await uploaded('first', {
    name: `${mine}-A`,
    user_metadata: JSON.stringify({ mine, of: 1 }),
  })
  const second = await uploaded('second', {
    name: `${mine}-B`,
    user_metadata: JSON.stringify({ mine, of: 2 }),
  })
  const asked = (filter: object) => `metadata_filter=${encodeURIComponent(JSON.stringify(filter))}`
  for (const [query, ids] of [
    [`name_contains=${mine.toUpperCase()}-b`, [second.id]],
    [`name_contains=${mine}`, [second.id, first.id]],
    [`hash=${first.hash}`, [first.id]],
    [asked({ mine }), [second.id, first.id]],
    [asked({ mine, of: 2 }), [second.id]],
  ] as const)
    expect({ query, ids: await idsIn(query) }).toEqual({ query, ids })
})

provesLibrary('hosted-assets/list-public', async (subject) => {
  const { listed } = await libraryOf(subject)
  const shared = await listed('include_tags=models&limit=500')
  const own = await listed('include_tags=models&limit=500&include_public=false')
  expect(shared.assets.some(({ is_immutable }) => is_immutable === true)).toBe(true)
  expect(own.assets.filter(({ is_immutable }) => is_immutable === true)).toEqual([])
  expect(own.total).toBeLessThan(shared.total)
})

provesLibrary('hosted-assets/list-tag-refusals', async (subject) => {
  const { ask } = await libraryOf(subject)
  const many = Array.from({ length: 101 }, (_, at) => `t${at}`).join(',')
  for (const query of [
    'include_tags=a&tags_all=b',
    'exclude_tags=a&tags_none=b',
    'tags_all=a&tags_none=a',
    `tags_any=${many}`,
  ])
    expectRefusal(await ask('GET', `/assets?${query}`), 400, 'INVALID_TAG_FILTER')
})

provesLibrary('hosted-assets/list-refusals', async (subject) => {
  const { ask } = await libraryOf(subject)
  const wrong = ['limit=0', 'limit=501', 'limit=x', 'offset=-1', 'sort=hash', 'order=up']
  for (const query of [...wrong, 'metadata_filter=x', 'metadata_filter=[]', 'include_public=x'])
    expectRefusal(await ask('GET', `/assets?${query}`), 400, 'INVALID_QUERY')
  for (const query of ['limit=1001', 'order=up', 'include_zero=x'])
    expectRefusal(await ask('GET', `/tags?${query}`), 400, 'INVALID_QUERY')
})

provesLibrary('hosted-assets/cursor', async (subject) => {
  const { ask, uploaded, listed, idsIn } = await libraryOf(subject)
  const mine = uniqueId(subject, 'paged')
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd'])
    ids.unshift((await uploaded(`paged-${name}`, tagsField(mine))).id)
  const query = `include_tags=${mine}&limit=3`
  const first = await listed(query)
  expect(first).toMatchObject({ total: 4, has_more: true, next_cursor: expect.any(String) })
  const after = `after=${encodeURIComponent(first.next_cursor ?? '')}`
  const rest = await listed(`${query}&${after}`)
  expect([...first.assets, ...rest.assets].map(({ id }) => id)).toEqual(ids)
  expect(rest).toMatchObject({ has_more: false })
  expect(rest).not.toHaveProperty('next_cursor')
  expect(await idsIn(`${query}&offset=2`)).toEqual(ids.slice(2))
  expect(await idsIn(`${query}&sort=name&order=asc`)).toEqual(ids.toReversed().slice(0, 3))
  for (const wrong of ['after=x', `${after}&sort=name`, `${after}&sort=last_access_time`])
    expectRefusal(
      await ask('GET', `/assets?${query}&${wrong}`),
      400,
      ours(subject, 'INVALID_CURSOR'),
    )
})

provesLibrary('hosted-assets/tags', async (subject) => {
  const library = await libraryOf(subject)
  const { x, y, both } = await tagged(subject, library)
  await library.ask('DELETE', pathOf({ id: both }, '/tags'), { tags: [x] })
  const list = async (query: string) => fitting(tagPage, await library.ask('GET', `/tags?${query}`))
  expect(await list(`prefix=${x}`)).toEqual({
    tags: [{ name: x, count: 1 }],
    total: 1,
    has_more: false,
  })
  const unused = uniqueId(subject, 'unused')
  for (const method of ['POST', 'DELETE'])
    await library.ask(method, pathOf({ id: both }, '/tags'), { tags: [unused] })
  expect((await list(`prefix=${unused}`)).tags).toEqual([])
  const zero = await list(`prefix=${unused}&include_zero=true`)
  expect(zero.tags).toEqual([{ name: unused, count: 0 }])
  const names = async (query: string) =>
    (await list(query)).tags.map(({ name }: { name: string }) => name)
  expect(await names(`prefix=${y}&order=name_asc&limit=1`)).toEqual([y])
  const models = async (query: string) => (await list(`prefix=models${query}`)).tags[0]?.count ?? 0
  expect(await models('')).toBeGreaterThan(await models('&include_public=false'))
})

provesLibrary('hosted-assets/tag-counts', async (subject) => {
  const library = await libraryOf(subject)
  const { x, y } = await tagged(subject, library)
  const count = async (query: string) =>
    fitting(tagCounts, await library.ask('GET', `/assets/tags/refine?${query}`)).tag_counts
  expect(await count(`include_tags=${x}`)).toEqual({ [x]: 2, [y]: 1 })
  expect(await count(`include_tags=${x}&limit=1`)).toEqual({ [x]: 2 })
  expect(await count(`tags_any=${x},${y}&exclude_tags=${x}`)).toEqual({ [y]: 1 })
})
