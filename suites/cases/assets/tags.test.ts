// Lists of tags, and how many assets have each.

import { firstTags, tagCounts, tagPage } from '../../../spec/assets/assets.ts'
import type { Static } from '../../../spec/static.ts'
import { violations } from '../../judge/judge.ts'
import { ask, labelOf, refusalOf, uploaded } from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const on = { assets: true }
type TagPage = Static<typeof tagPage>

const tagsFor = async (subject: Subject, query: string): Promise<TagPage> =>
  (await ask(subject, 'GET', `/api/tags?${query}`)).json() as TagPage

/** Assets with tags that start alike: three have the second one, one has the others. */
async function make(subject: Subject) {
  const [a, b, c] = ['t-a', 't-b', 't-c'].map((tag) => labelOf(subject, tag)) as [
    string,
    string,
    string,
  ]
  await uploaded(subject, 'first', { tags: `input,${a},${b}` })
  await uploaded(subject, 'second', { tags: `input,${b},${c}` })
  const { id } = await uploaded(subject, 'third', { tags: `input,${b}` })
  return { a, b, c, id, prefix: `prefix=${labelOf(subject, 't-')}` }
}

proves(
  'assets/tags',
  async (subject) => {
    const { a, b, c, prefix } = await make(subject)
    const reply = await ask(subject, 'GET', `/api/tags?${prefix}`)
    expect({ status: reply.status, wrong: violations(tagPage, reply.json()) }).toEqual({
      status: 200,
      wrong: [],
    })
    expect(reply.json()).toEqual({
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
  },
  on,
)

proves(
  'assets/tags-query',
  async (subject) => {
    const { a, b, c, id, prefix } = await make(subject)
    const names = async (query: string): Promise<string[]> =>
      (await tagsFor(subject, `${prefix}&${query}`)).tags.map(({ name }) => name)
    expect(await names('order=name_asc')).toEqual([a, b, c])
    expect(await names('limit=1&offset=1')).toEqual([a])
    expect(await tagsFor(subject, `${prefix}&limit=2`)).toMatchObject({ total: 3, has_more: true })
    // A tag that no asset has any more counts 0.
    const d = labelOf(subject, 't-d')
    await ask(subject, 'POST', `/api/assets/${id}/tags`, { tags: [d] })
    await ask(subject, 'DELETE', `/api/assets/${id}/tags`, { tags: [d] })
    expect((await tagsFor(subject, prefix)).tags.at(-1)).toEqual({ name: d, count: 0 })
    expect(await names('include_zero=false')).toEqual([b, a, c])
    for (const query of [
      'limit=0',
      'limit=1001',
      'offset=-1',
      'order=up',
      'prefix=',
      'include_zero=x',
    ]) {
      const reply = await ask(subject, 'GET', `/api/tags?${query}`)
      expect({ query, refusal: refusalOf(reply) }).toEqual({ query, refusal: '400 INVALID_QUERY' })
      expect(reply.json().error.message).toBe('Invalid query parameters')
    }
  },
  on,
)

proves(
  'assets/first-tags',
  async (subject) => {
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
  },
  on,
)

proves(
  'assets/tag-counts',
  async (subject) => {
    const { a, b, c } = await make(subject)
    const reply = await ask(subject, 'GET', `/api/assets/tags/refine?include_tags=${b}`)
    expect({ status: reply.status, wrong: violations(tagCounts, reply.json()) }).toEqual({
      status: 200,
      wrong: [],
    })
    expect(reply.json()).toEqual({ tag_counts: { [b]: 3, input: 3, uploaded: 3, [a]: 1, [c]: 1 } })
    const fewer = await ask(
      subject,
      'GET',
      `/api/assets/tags/refine?include_tags=${b}&exclude_tags=${a}&limit=3`,
    )
    expect(fewer.json()).toEqual({ tag_counts: { [b]: 2, input: 2, uploaded: 2 } })
    const refused = await ask(subject, 'GET', '/api/assets/tags/refine?limit=0')
    expect(refusalOf(refused)).toBe('400 INVALID_QUERY')
  },
  on,
)
