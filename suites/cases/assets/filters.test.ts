// Filters of the list of assets: by tags, names, metadata and hashes.

import {
  asks,
  idsIn,
  noContent,
  provesAssets,
  provesHashing,
  refusing,
  tagged,
  uploaded,
} from '../../judge/own-assets.ts'
import { toEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { uniqueId } from '../../judge/own-runs.ts'

/** Lists with these filters, and the ids in them. */
async function lists(
  subject: Subject,
  rows: readonly (readonly [query: string, ids: readonly string[]])[],
): Promise<void> {
  for (const [query, ids] of rows)
    expect({ query, ids: await idsIn(subject, query) }).toEqual({ query, ids })
}

provesAssets('assets/list-tags', async (subject) => {
  const { x, y, both, one, other } = await tagged(subject)
  await lists(subject, [
    [`include_tags=${x}`, [one, both]],
    [`include_tags=${x},${y}`, [both]],
    [`include_tags=${x}&include_tags=${y}`, [both]],
    [`include_tags=${x}&exclude_tags=${y}`, [one]],
    [`include_tags=%20${y}%20,,`, [other, both]],
    [`include_tags=${x}&exclude_tags=${x}`, []],
  ])
})

provesAssets('assets/list-name', async (subject) => {
  const name = uniqueId(subject, 'MiXed 100%_x')
  const { id } = await uploaded(subject, 'mixed', { tags: 'input', name })
  const part = (text: string): string => `name_contains=${encodeURIComponent(text)}`
  await lists(subject, [
    [part(name.toLowerCase()), [id]],
    [part(uniqueId(subject, 'MIXED 100%')), [id]],
    [part(uniqueId(subject, 'mixed 100_')), []],
    [part(uniqueId(subject, 'mixed*')), []],
  ])
})

provesAssets('assets/list-metadata', async (subject) => {
  const tag = uniqueId(subject, 'meta')
  const user_metadata = '{"kind": "a", "n": 1, "deep": {"x": true}, "list": [1, "b"]}'
  const { id } = await uploaded(subject, 'meta', { tags: `input,${tag}`, user_metadata })
  const filtered = (filter: string): string => `metadata_filter=${encodeURIComponent(filter)}`
  for (const [filter, isFound] of [
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
  ] as const)
    await lists(subject, [[`include_tags=${tag}&${filtered(filter)}`, isFound ? [id] : []]])
  const wrong = ['{', '[]', '3'].map((filter) => `/api/assets?${filtered(filter)}`)
  await asks(subject, toEach(wrong, 'GET', 400, refusing('INVALID_QUERY')))
})

provesAssets('assets/list-ignores', async (subject) => {
  const { x, both, one } = await tagged(subject)
  for (const more of ['tags_all=none', 'tags_any=none', `tags_none=${x}`])
    await lists(subject, [[`include_tags=${x}&${more}`, [one, both]]])
})

provesAssets('assets/list-ignores-hash', async (subject) => {
  const { x, both, one } = await tagged(subject)
  await lists(subject, [[`include_tags=${x}&hash=none`, [one, both]]])
})

provesAssets('assets/list-newer-tags', async (subject) => {
  const { x, y, both, one, other } = await tagged(subject)
  await lists(subject, [
    [`tags_all=${x},${y}`, [both]],
    [`tags_any=${x},${y}`, [other, one, both]],
    [`tags_any=${x}&tags_any=${y}`, [other, one, both]],
    [`tags_all=${x}&tags_none=${y}`, [one]],
    [`include_tags=${x}&tags_none=${y}`, [one]],
    [`tags_all=${x}&exclude_tags=${y}`, [one]],
    [`include_tags=${x}&exclude_tags=${x}`, []],
  ])
  const counts = { tag_counts: { input: 1, uploaded: 1, [x]: 1 } }
  const query = `tags_all=${x}&tags_none=${y}`
  await asks(subject, [['GET', `/api/assets/tags/refine?${query}`, undefined, 200, counts]])
})

/** A query in both lists that filter by tags. */
const inBoth = (query: string): readonly string[] =>
  ['/api/assets', '/api/assets/tags/refine'].map((path) => `${path}?${query}`)

provesAssets('assets/list-tag-refusals', (subject) => {
  const many = Array.from({ length: 101 }, (_, at) => `t${at}`).join()
  const wrong = {
    'tags_all=a&tags_none=a': { conflicting_tags: ['a'], parameters: ['tags_all', 'tags_none'] },
    'include_tags=a&tags_all=b': { parameters: ['include_tags', 'tags_all'] },
    'exclude_tags=a&tags_none=b': { parameters: ['exclude_tags', 'tags_none'] },
    'include_tags=a,b&tags_none=b': {
      conflicting_tags: ['b'],
      parameters: ['include_tags', 'tags_none'],
    },
    [`tags_any=${many}`]: { parameter: 'tags_any', count: 101, max: 100 },
  }
  return asks(
    subject,
    Object.entries(wrong).flatMap(([query, details]) =>
      toEach(inBoth(query), 'GET', 400, refusing('INVALID_TAG_FILTER', { details })),
    ),
  )
})

provesAssets('assets/list-no-metadata', (subject) => {
  const refused = refusing('UNSUPPORTED_PARAM')
  return asks(subject, toEach(inBoth('metadata_filter=%7B%7D'), 'GET', 400, refused))
})

provesHashing('assets/list-hash', async (subject) => {
  const { hash = '', id } = await uploaded(subject, 'found.txt')
  await uploaded(subject, 'other.txt')
  await lists(subject, [
    [`hash=%20${hash.toUpperCase()}`, [id]],
    [`hash=${noContent}`, []],
  ])
})
