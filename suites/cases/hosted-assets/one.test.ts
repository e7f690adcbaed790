// One hosted asset: its members, its content, its tags, and how it is changed and deleted.

import {
  changedAsset,
  hostedAddedTags,
  hostedAsset,
  hostedRemovedTags,
} from '../../../spec/assets/hosted-assets.ts'
import { node } from '../../generate/graphs.ts'
import {
  contentOf,
  expectRefusal,
  type HostedAsset,
  libraryOf,
  noContent,
  pathOf,
  tagsField,
  ours,
  provesLibrary,
} from '../../judge/hosted/assets.ts'
import { cancelAll, keepBusy } from '../../judge/hosted/busy-account.ts'
import { fitting, nobody, submitOne } from '../../judge/hosted/jobs.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueId } from '../../judge/own-runs.ts'
import { twoAccounts } from '../../judge/proves.ts'

provesLibrary('hosted-assets/fields', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const { id } = await uploaded('fields.txt')
  const found: HostedAsset = fitting(hostedAsset, await ask('GET', pathOf({ id })))
  expect(found).toMatchObject({
    id,
    hash: expect.stringMatching(/^blake3:[0-9a-f]{64}$/),
    size: contentOf(subject, 'fields.txt').length,
    mime_type: 'text/plain',
  })
  for (const time of [found.created_at, found.updated_at]) expect(time).toMatch(/Z|[+-]\d\d:\d\d$/)
  for (const member of ['prompt_id', 'asset_hash']) expect(found).not.toHaveProperty(member)
})

provesLibrary('hosted-assets/read', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const { id, name } = await uploaded('read.txt')
  for (const spelled of [id, id.toUpperCase()])
    expect(fitting(hostedAsset, await ask('GET', pathOf({ id: spelled })))).toMatchObject({
      id,
      name,
    })
})

/** A request to each path of an asset. */
const requestsTo = ({ id }: { readonly id: string }) =>
  [
    ['GET', pathOf({ id })],
    ['GET', pathOf({ id }, '/content')],
    ['PUT', pathOf({ id }), { name: 'mine' }],
    ['POST', pathOf({ id }, '/tags'), { tags: ['mine'] }],
    ['DELETE', pathOf({ id }, '/tags'), { tags: ['mine'] }],
    ['DELETE', pathOf({ id })],
  ] as const

provesLibrary(
  'hosted-assets/unknown',
  async (subject) => {
    const { ask, listed } = await libraryOf(subject)
    const other = await libraryOf(subject.as('other-key'))
    const theirs = await other.uploaded('theirs.txt')
    for (const id of [nobody, theirs.id, 'nothing'])
      for (const [method, path, body] of requestsTo({ id }))
        expectRefusal(
          await ask(method, path, body),
          404,
          ours(subject, id === 'nothing' ? 'NOT_FOUND' : 'ASSET_NOT_FOUND'),
        )
    expect((await listed(`hash=${theirs.hash}`)).total).toBe(0)
    expect((await other.ask('GET', pathOf(theirs))).status).toBe(200)
  },
  twoAccounts,
)

provesLibrary('hosted-assets/content', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const made = await uploaded('content.txt')
  for (const query of ['', '?disposition=inline']) {
    const { status, headers, text } = await ask('GET', pathOf(made, `/content${query}`))
    expect({ status, text }).toEqual({ status: 302, text: '' })
    expect(headers).toMatchObject({
      'cache-control': expect.stringContaining('private'),
      vary: expect.any(String),
    })
    const link = headers['location'] ?? ''
    expect(new URL(link).host).not.toBe(new URL(subject.url).host)
    expect((await fetchLink(link)).text).toBe(contentOf(subject, 'content.txt'))
  }
})

provesLibrary('hosted-assets/change', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const made = await uploaded('change.txt')
  const { id: preview_id } = await uploaded('preview.png')
  const changes = { name: 'Changed', mime_type: 'text/csv', user_metadata: { a: 1 }, preview_id }
  for (const [name, value] of Object.entries(changes)) {
    const changed = fitting(changedAsset, await ask('PUT', pathOf(made), { [name]: value }))
    expect(changed.id).toBe(made.id)
  }
  const found = (await ask('GET', pathOf(made))).json()
  expect(found).toMatchObject({ ...changes, hash: made.hash, created_at: made.created_at })
})

provesLibrary('hosted-assets/change-refusals', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const made = await uploaded('kept.txt')
  for (const body of ['{}', '{', '[]', '{"tags": ["a"]}', '{"name": 5}', '{"user_metadata": []}'])
    expectRefusal(
      await ask('PUT', pathOf(made), body),
      400,
      ours(subject, body === '{' ? 'INVALID_JSON' : 'INVALID_BODY'),
    )
  expect((await ask('GET', pathOf(made))).json()).toMatchObject({
    name: made.name,
    tags: made.tags,
  })
})

provesLibrary('hosted-assets/delete', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const first = await uploaded('first.txt', {}, subject.unique('same'))
  const second = await uploaded('second.txt', {}, subject.unique('same'))
  expect(second.id).not.toBe(first.id)
  const { headers } = await ask('GET', pathOf(second, '/content'))
  const link = headers['location'] ?? ''
  expect(await ask('DELETE', pathOf(first))).toMatchObject({ status: 204, text: '' })
  expectRefusal(await ask('GET', pathOf(first)), 404, ours(subject, 'ASSET_NOT_FOUND'))
  expectRefusal(await ask('DELETE', pathOf(first)), 404, ours(subject, 'ASSET_NOT_FOUND'))
  expect((await fetchLink(link)).status).toBe(200)
  expect((await ask('DELETE', pathOf(second))).status).toBe(204)
  expect((await fetchLink(link)).status).toBe(404)
  expect((await ask('HEAD', `/assets/hash/${first.hash}`)).status).toBe(404)
})

provesLibrary('hosted-assets/delete-in-use', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const made = await uploaded('used.png')
  const busy = await keepBusy(subject)
  const waiting = await submitOne(subject, {
    '1': node('PreviewAny', { source: made.loader_path }),
  })
  expectRefusal(await ask('DELETE', pathOf(made)), 409, 'ASSET_IN_USE')
  await cancelAll(subject, [waiting, ...busy])
  await subject.idle()
  expect((await ask('DELETE', pathOf(made))).status).toBe(204)
})

provesLibrary('hosted-assets/from-hash', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const { hash, id } = await uploaded('known.txt')
  const body = { hash, tags: ['mine'], name: 'again', user_metadata: { a: 1 } }
  const again = (await ask('POST', '/assets/from-hash', body)).json()
  expect(again).toMatchObject({ ...body, created_new: true })
  expect(again.id).not.toBe(id)
  const unknown = { hash: noContent, tags: ['mine'] }
  expectRefusal(
    await ask('POST', '/assets/from-hash', unknown),
    404,
    ours(subject, 'ASSET_NOT_FOUND'),
  )
})

provesLibrary('hosted-assets/from-hash-tags', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const { hash } = await uploaded('untagged.txt')
  for (const tags of [undefined, []])
    expectRefusal(
      await ask('POST', '/assets/from-hash', { hash, tags }),
      422,
      ours(subject, 'INVALID_TAGS'),
    )
})

provesLibrary('hosted-assets/by-hash', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const { hash } = await uploaded('hashed.txt')
  for (const [named, status] of [
    [hash, 200],
    [noContent, 404],
    ['blake3:0', 400],
  ] as const) {
    const reply = await ask('HEAD', `/assets/hash/${named}`)
    expect({ named, status: reply.status, text: reply.text }).toEqual({ named, status, text: '' })
  }
})

provesLibrary('hosted-assets/add-tags', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const [a, b] = [uniqueId(subject, 'a'), uniqueId(subject, 'b')]
  const made = await uploaded('tagged', tagsField('input', a))
  const reply = await ask('POST', pathOf(made, '/tags'), { tags: [b, a] })
  const total_tags = [a, b, 'input'].toSorted()
  expect(fitting(hostedAddedTags, reply)).toMatchObject({ added: [b], already_present: [a] })
  expect(reply.json().total_tags.toSorted()).toEqual(total_tags)
  expect((await ask('GET', pathOf(made))).json().tags.toSorted()).toEqual(total_tags)
})

provesLibrary('hosted-assets/remove-tags', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const [a, b] = [uniqueId(subject, 'a'), uniqueId(subject, 'b')]
  const made = await uploaded('tagged', tagsField('input', a))
  const reply = await ask('DELETE', pathOf(made, '/tags'), { tags: [b, a] })
  const shown = { removed: [a], not_present: [b], total_tags: ['input'] }
  expect(fitting(hostedRemovedTags, reply)).toMatchObject(shown)
  expect((await ask('GET', pathOf(made))).json().tags).toEqual(['input'])
})

provesLibrary('hosted-assets/tag-refusals', async (subject) => {
  const { ask, uploaded } = await libraryOf(subject)
  const made = await uploaded('tagged', tagsField('input'))
  const many = Array.from({ length: 65 }, (_, at) => `tag ${at}`)
  for (const method of ['POST', 'DELETE'])
    for (const [tags, code] of [
      [['missing'], 'RESERVED_TAG'],
      [[], 'INVALID_BODY'],
      [many, 'INVALID_TAGS'],
    ] as const)
      expectRefusal(await ask(method, pathOf(made, '/tags'), { tags }), 422, ours(subject, code))
  expect((await ask('GET', pathOf(made))).json().tags).toEqual(['input'])
})

provesLibrary('hosted-assets/shared', async (subject) => {
  const { ask, listed } = await libraryOf(subject)
  const { assets } = await listed('include_tags=models&limit=500')
  const shared = assets.find(({ is_immutable }) => is_immutable === true)
  // A server that breaks the rule changes what all have.
  subject.permit('destructive')
  expect(shared).toMatchObject({ loader_path: expect.any(String) })
  for (const [method, path, body] of requestsTo(shared!).slice(2))
    expectRefusal(await ask(method, path, body), 403, ours(subject, 'FORBIDDEN'))
  expect((await ask('GET', pathOf(shared!))).status).toBe(200)
})
