// Where hosted assets come from besides their own uploads: the older upload path, runs, and the hosted API v2.

import { hostedAsset } from '../../../spec/assets/hosted-assets.ts'
import { solid } from '../../generate/graphs.ts'
import {
  contentOf,
  expectRefusal,
  type HostedAsset,
  libraryOf,
  pathOf,
  tagsField,
  provesLibrary,
} from '../../judge/hosted/assets.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { assetIn, v2Of } from '../../judge/hosted/v2.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueNumber } from '../../judge/own-runs.ts'
import { ownWorld } from '../../judge/proves.ts'
import { limits } from '../../../spec/limits.ts'

provesLibrary('hosted-assets/of-upload', async (subject) => {
  const { ask, listed } = await libraryOf(subject)
  const bytes = new TextEncoder().encode(contentOf(subject, 'old.txt'))
  const upload = (file: string) =>
    subject.upload({ name: subject.unique(file), bytes }, { type: 'input' })
  const { name } = (await upload('old.txt')).json()
  const hash = `blake3:${name.slice(0, 64)}`
  const { assets, total } = await listed(`hash=${hash}`)
  expect(total).toBe(1)
  expect(assets[0]).toMatchObject({ name: 'old.txt', loader_path: name, hash, tags: ['input'] })
  // The same bytes again are the same asset.
  await upload('other.txt')
  expect((await listed(`hash=${hash}`)).total).toBe(1)
  await ask('DELETE', pathOf(assets[0] as HostedAsset))
})

provesLibrary('hosted-assets/of-run', async (subject) => {
  const { ask, listed } = await libraryOf(subject)
  const { run } = await v2Of(subject)
  const { id, outputs } = await run(solid(uniqueNumber(subject, 'library')))
  const [output] = outputs
  const found = fitting(hostedAsset, await ask('GET', pathOf(output)))
  expect(found).toMatchObject({
    id: output.id,
    name: output.name,
    loader_path: output.name,
    job_id: id,
    mime_type: 'image/png',
    tags: ['output'],
  })
  const { headers } = await ask('GET', pathOf(output, '/content'))
  expect((await fetchLink(headers['location'] ?? '')).bytes.length).toBe(output.size_bytes)
  const { assets } = await listed('include_tags=output&limit=500')
  expect(assets.map((one) => one.id)).toContain(output.id)
})

provesLibrary('hosted-assets/of-v2', async (subject) => {
  const { ask } = await libraryOf(subject)
  const { send, upload } = await v2Of(subject)
  const made: string[] = []
  for (const name of ['one.txt', 'two.txt']) {
    const bytes = new TextEncoder().encode(contentOf(subject, name))
    const fields = { content_type: 'text/plain', file_path: subject.unique(name) }
    const { id, hash } = assetIn(await upload(bytes, fields), 201)
    const found = fitting(hostedAsset, await ask('GET', pathOf({ id })))
    expect(found).toMatchObject({ id, hash, name, mime_type: 'text/plain' })
    made.push(id)
  }
  const [first = '', second = ''] = made
  expect((await send('DELETE', `/assets/${first}`)).status).toBe(204)
  expectRefusal(await ask('GET', pathOf({ id: first })), 404)
  expect((await ask('DELETE', pathOf({ id: second }))).status).toBe(204)
  expect((await send('GET', `/assets/${second}`)).status).toBe(404)
})

provesLibrary(
  'hosted-assets/bounds',
  async (subject) => {
    const { upload, listed, uploaded } = await libraryOf(subject)
    const half = limits.assetTexts.value / 2
    const name = { user_metadata: JSON.stringify({ a: 'x'.repeat(half) }) }
    const first = await uploaded('first', name)
    expectRefusal(await upload('second', name), 413)
    expect((await listed(`hash=${first.hash}`)).total).toBe(1)
    await uploaded('third', tagsField('small'))
  },
  ownWorld,
)
