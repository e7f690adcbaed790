// The tags of one asset.

import { addedTags, removedTags } from '../../../spec/assets/assets.ts'
import { violations } from '../../judge/judge.ts'
import { ask, refusalOf, upload, uploaded } from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const on = { assets: true }
const pathOf = ({ id }: { readonly id: string }, more = ''): string => `/api/assets/${id}${more}`

proves(
  'assets/add-tags',
  async (subject) => {
    const found = await uploaded(subject, 'tagged', { tags: 'input,a' })
    const reply = await ask(subject, 'POST', pathOf(found, '/tags'), {
      tags: ['z', ' b ', 'a', 'z', ''],
    })
    expect(violations(addedTags, reply.json())).toEqual([])
    const total_tags = ['a', 'b', 'input', 'uploaded', 'z']
    expect({ status: reply.status, json: reply.json() }).toEqual({
      status: 200,
      json: { added: ['b', 'z'], already_present: ['a'], total_tags },
    })
    expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(total_tags)
  },
  on,
)

proves(
  'assets/remove-tags',
  async (subject) => {
    const found = await uploaded(subject, 'tagged', { tags: 'input,a,b' })
    const reply = await ask(subject, 'DELETE', pathOf(found, '/tags'), { tags: ['b', 'c', ' a'] })
    expect(violations(removedTags, reply.json())).toEqual([])
    const total_tags = ['input', 'uploaded']
    expect({ status: reply.status, json: reply.json() }).toMatchObject({
      status: 200,
      json: { removed: ['a', 'b'], not_present: ['c'], total_tags },
    })
    expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(total_tags)
  },
  on,
)

proves(
  'assets/tag-refusals',
  async (subject) => {
    const found = await uploaded(subject, 'tagged')
    for (const method of ['POST', 'DELETE']) {
      for (const [body, type] of [
        ['{}', 'missing'],
        ['{"tags": []}', 'too_short'],
        ['{"tags": "a"}', 'list_type'],
        ['{"tags": [1]}', 'string_type'],
        ['[]', 'model_type'],
      ] as const) {
        const reply = await ask(subject, method, pathOf(found, '/tags'), body)
        expect({ method, body, refusal: refusalOf(reply) }).toEqual({
          method,
          body,
          refusal: '400 INVALID_BODY',
        })
        expect(reply.json().error.details.errors).toMatchObject([{ type }])
      }
      expect(refusalOf(await ask(subject, method, pathOf(found, '/tags'), '{'))).toBe(
        '400 INVALID_JSON',
      )
    }
    expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(found.tags)
  },
  on,
)

proves(
  'assets/system-tags',
  async (subject) => {
    const found = await uploaded(subject, 'mine')
    for (const method of ['POST', 'DELETE']) {
      const reply = await ask(subject, method, pathOf(found, '/tags'), { tags: ['a', 'missing'] })
      expect(refusalOf(reply)).toBe('400 SYSTEM_TAG_FORBIDDEN')
      expect(reply.json().error.details).toEqual({ tag: 'missing' })
    }
    expect((await ask(subject, 'GET', pathOf(found))).json().tags).toEqual(found.tags)
    // The others can be set.
    expect((await upload(subject, 'other', { tags: 'input,temp' })).status).toBe(201)
  },
  on,
)
