// Filters by tags and hashes, which only later servers have.

import {
  ask,
  type AssetPage,
  listed,
  noContent,
  refusalOf,
  tagged,
  uploaded,
} from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }
const idsOf = ({ assets }: AssetPage): string[] => assets.map(({ id }) => id)

proves(
  'assets/list-ignores',
  async (subject) => {
    const { x, both, one } = await tagged(subject)
    for (const more of ['tags_all=none', 'tags_any=none', `tags_none=${x}`])
      expect({ more, ids: idsOf(await listed(subject, `include_tags=${x}&${more}`)) }).toEqual({
        more,
        ids: [one, both],
      })
  },
  on,
)

proves(
  'assets/list-ignores-hash',
  async (subject) => {
    const { x, both, one } = await tagged(subject)
    const found = await listed(subject, `include_tags=${x}&hash=none`)
    expect(idsOf(found)).toEqual([one, both])
  },
  on,
)

proves(
  'assets/list-newer-tags',
  async (subject) => {
    const { x, y, both, one, other } = await tagged(subject)
    for (const [query, ids] of [
      [`tags_all=${x},${y}`, [both]],
      [`tags_any=${x},${y}`, [other, one, both]],
      [`tags_any=${x}&tags_any=${y}`, [other, one, both]],
      [`tags_all=${x}&tags_none=${y}`, [one]],
      [`include_tags=${x}&tags_none=${y}`, [one]],
      [`tags_all=${x}&exclude_tags=${y}`, [one]],
      [`include_tags=${x}&exclude_tags=${x}`, []],
    ] as const)
      expect({ query, ids: idsOf(await listed(subject, query)) }).toEqual({ query, ids })
    const counts = await ask(subject, 'GET', `/api/assets/tags/refine?tags_all=${x}&tags_none=${y}`)
    expect(counts.json()).toEqual({ tag_counts: { input: 1, uploaded: 1, [x]: 1 } })
  },
  on,
)

proves(
  'assets/list-tag-refusals',
  async (subject) => {
    const many = Array.from({ length: 101 }, (_, at) => `t${at}`).join()
    for (const [query, details] of [
      [
        'tags_all=a&tags_none=a',
        { conflicting_tags: ['a'], parameters: ['tags_all', 'tags_none'] },
      ],
      ['include_tags=a&tags_all=b', { parameters: ['include_tags', 'tags_all'] }],
      ['exclude_tags=a&tags_none=b', { parameters: ['exclude_tags', 'tags_none'] }],
      [
        'include_tags=a,b&tags_none=b',
        { conflicting_tags: ['b'], parameters: ['include_tags', 'tags_none'] },
      ],
      [`tags_any=${many}`, { parameter: 'tags_any', count: 101, max: 100 }],
    ] as const) {
      for (const path of ['/api/assets', '/api/assets/tags/refine']) {
        const reply = await ask(subject, 'GET', `${path}?${query}`)
        const shown = query.slice(0, 40)
        expect({ path, shown, refusal: refusalOf(reply) }).toEqual({
          path,
          shown,
          refusal: '400 INVALID_TAG_FILTER',
        })
        expect(reply.json().error.details).toEqual(details)
      }
    }
  },
  on,
)

proves(
  'assets/list-no-metadata',
  async (subject) => {
    for (const path of ['/api/assets', '/api/assets/tags/refine']) {
      const reply = await ask(subject, 'GET', `${path}?metadata_filter=%7B%7D`)
      expect(refusalOf(reply)).toBe('400 UNSUPPORTED_PARAM')
    }
  },
  on,
)

proves(
  'assets/list-hash',
  async (subject) => {
    const { hash = '', id } = await uploaded(subject, 'found.txt')
    await uploaded(subject, 'other.txt')
    expect(idsOf(await listed(subject, `hash=%20${hash.toUpperCase()}`))).toEqual([id])
    expect((await listed(subject, `hash=${noContent}`)).total).toBe(0)
  },
  { assets: true, assetHashing: true },
)
