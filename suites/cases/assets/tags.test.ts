// Tags: those of one asset, lists of them, and how many assets have each.

import {
  addedTags,
  firstTags,
  removedTags,
  tagCounts,
  tagPage,
} from '../../../spec/assets/assets.ts'
import type { Static } from '../../../spec/static.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import {
  ask,
  asks,
  faults,
  pathOf,
  provesAssets,
  refusing,
  upload,
  uploaded,
} from '../../judge/own-assets.ts'
import { type Row, toEach } from '../../judge/rows.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { uniqueId } from '../../judge/own-runs.ts'

provesAssets('assets/add-tags', async (subject) => {
  const found = await uploaded(subject, 'tagged', { tags: 'input,a' })
  const reply = await ask(subject, 'POST', pathOf(found, '/tags'), {
    tags: ['z', ' b ', 'a', 'z', ''],
  })
  const total_tags = ['a', 'b', 'input', 'uploaded', 'z']
  expect(fitting(addedTags, reply)).toEqual({
    added: ['b', 'z'],
    already_present: ['a'],
    total_tags,
  })
  expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(total_tags)
})

provesAssets('assets/remove-tags', async (subject) => {
  const found = await uploaded(subject, 'tagged', { tags: 'input,a,b' })
  const reply = await ask(subject, 'DELETE', pathOf(found, '/tags'), { tags: ['b', 'c', ' a'] })
  const total_tags = ['input', 'uploaded']
  expect(fitting(removedTags, reply)).toMatchObject({
    removed: ['a', 'b'],
    not_present: ['c'],
    total_tags,
  })
  expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(total_tags)
})

const wrongTags = [
  ['{}', 'missing'],
  ['{"tags": []}', 'too_short'],
  ['{"tags": "a"}', 'list_type'],
  ['{"tags": [1]}', 'string_type'],
  ['[]', 'model_type'],
] as const

provesAssets('assets/tag-refusals', async (subject) => {
  const found = await uploaded(subject, 'tagged')
  const path = pathOf(found, '/tags')
  for (const method of ['POST', 'DELETE'])
    await asks(subject, [
      ...wrongTags.map(([body, type]): Row => [
        method,
        path,
        body,
        400,
        refusing('INVALID_BODY', faults(type)),
      ]),
      [method, path, '{', 400, refusing('INVALID_JSON')],
    ])
  expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(found.tags)
})

provesAssets('assets/system-tags', async (subject) => {
  const found = await uploaded(subject, 'mine')
  const tags = ['a', 'missing']
  const forbidden = refusing('SYSTEM_TAG_FORBIDDEN', { details: { tag: 'missing' } })
  await asks(subject, [
    ['POST', pathOf(found, '/tags'), { tags }, 400, forbidden],
    ['DELETE', pathOf(found, '/tags'), { tags }, 400, forbidden],
  ])
  expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(found.tags)
  // The others can be set.
  expect((await upload(subject, 'other', { tags: 'input,temp' })).status).toBe(201)
})

type TagPage = Static<typeof tagPage>

const tagsFor = async (subject: Subject, query: string): Promise<TagPage> =>
  (await ask(subject, 'GET', `/api/tags?${query}`)).json() as TagPage

/** Assets with tags that start alike: three have the second one, one has the others. */
async function make(subject: Subject) {
  const [a, b, c] = ['t-a', 't-b', 't-c'].map((tag) => uniqueId(subject, tag)) as [
    string,
    string,
    string,
  ]
  await uploaded(subject, 'first', { tags: `input,${a},${b}` })
  await uploaded(subject, 'second', { tags: `input,${b},${c}` })
  const { id } = await uploaded(subject, 'third', { tags: `input,${b}` })
  return { a, b, c, id, prefix: `prefix=${uniqueId(subject, 't-')}` }
}

provesAssets('assets/tags', async (subject) => {
  const { a, b, c, prefix } = await make(subject)
  const reply = await ask(subject, 'GET', `/api/tags?${prefix}`)
  expect(fitting(tagPage, reply)).toEqual({
    tags: [
      { name: b, count: 3 },
      { name: a, count: 1 },
      { name: c, count: 1 },
    ],
    total: 3,
    has_more: false,
  })
  const all = await tagsFor(subject, 'limit=1000')
  const counts = all.tags.map(({ count }) => count)
  expect(counts).toEqual(counts.toSorted((one, other) => other - one))
  expect(all.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(['input', 'uploaded']))
})

provesAssets('assets/tags-query', async (subject) => {
  const { a, b, c, id, prefix } = await make(subject)
  const names = async (query: string): Promise<string[]> =>
    (await tagsFor(subject, `${prefix}&${query}`)).tags.map(({ name }) => name)
  expect(await names('order=name_asc')).toEqual([a, b, c])
  expect(await names('limit=1&offset=1')).toEqual([a])
  expect(await tagsFor(subject, `${prefix}&limit=2`)).toMatchObject({ total: 3, has_more: true })
  // A tag that no asset has any more counts 0.
  const d = uniqueId(subject, 't-d')
  await ask(subject, 'POST', `/api/assets/${id}/tags`, { tags: [d] })
  await ask(subject, 'DELETE', `/api/assets/${id}/tags`, { tags: [d] })
  expect((await tagsFor(subject, prefix)).tags.at(-1)).toEqual({ name: d, count: 0 })
  expect(await names('include_zero=false')).toEqual([b, a, c])
  const wrong = ['limit=0', 'limit=1001', 'offset=-1', 'order=up', 'prefix=', 'include_zero=x']
  const refusal = refusing('INVALID_QUERY', { message: 'Invalid query parameters' })
  const queries = wrong.map((query) => `/api/tags?${query}`)
  await asks(subject, toEach(queries, 'GET', 400, refusal))
})

provesAssets('assets/first-tags', async (subject) => {
  for (const name of firstTags) {
    const { tags } = await tagsFor(subject, `prefix=${name}&order=name_asc`)
    expect(tags[0]).toMatchObject({ name })
  }
  const { tags } = await tagsFor(subject, 'limit=1000')
  const unused = tags.find(
    ({ name, count }) => count === 0 && firstTags.some((one) => one === name),
  )
  if (unused === undefined) throw missing('The server has assets with all of these tags.')
  const used = await tagsFor(subject, 'limit=1000&include_zero=false')
  expect(used.tags.map(({ name }) => name)).not.toContain(unused.name)
})

provesAssets('assets/tag-counts', async (subject) => {
  const { a, b, c } = await make(subject)
  const reply = await ask(subject, 'GET', `/api/assets/tags/refine?include_tags=${b}`)
  expect(fitting(tagCounts, reply)).toEqual({
    tag_counts: { [b]: 3, input: 3, uploaded: 3, [a]: 1, [c]: 1 },
  })
  const fewer = { tag_counts: { [b]: 2, input: 2, uploaded: 2 } }
  const query = `include_tags=${b}&exclude_tags=${a}&limit=3`
  await asks(subject, [
    ['GET', `/api/assets/tags/refine?${query}`, undefined, 200, fewer],
    ['GET', '/api/assets/tags/refine?limit=0', undefined, 400, refusing('INVALID_QUERY')],
  ])
})
