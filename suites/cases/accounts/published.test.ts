// Workflows that a hosted account publishes from its user data.

import { publishedWorkflow, publishing } from '../../../spec/accounts/saved-workflows.ts'
import { libraryOf } from '../../judge/hosted/assets.ts'
import { needs } from '../../judge/hosted/accounts.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { expect } from '../../judge/expect.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { exchanges, toEach, withEach } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'

/** Stores a workflow in the user data, and returns the path of its file. */
async function stored(subject: Subject, name: string, workflow: unknown): Promise<string> {
  await needs(subject, '/workflows')
  const path = `/userdata/${encodeURIComponent(subject.unique(`workflows/${name}.json`))}`
  expect((await subject.post(path, workflow)).status).toBe(200)
  return path
}

const publish = async (
  subject: Subject,
  path: string,
  asset_ids: readonly string[] = [],
): Promise<any> => fitting(publishing, await subject.post(`${path}/publish`, { asset_ids }))

/** An asset of the case, and how it is listed with a published workflow. */
async function assetOf(subject: Subject, name: string) {
  const { id, name: named } = await (await libraryOf(subject)).uploaded(name)
  const urls = { preview_url: '', storage_url: '' }
  const more = { model: false, public: false, in_library: true }
  return { id, listed: { id, name: named, ...(subject.isOwn && { ...urls, ...more }) } }
}

proves(['saved-workflows/publish', 'saved-workflows/not-published'], async (subject) => {
  const path = await stored(subject, 'publish', { a: 1 })
  await exchanges(subject, [
    ...toEach(
      [path, '/userdata/none.json'].map((one) => `${one}/publish`),
      'GET',
      404,
      ...refused('NOT_FOUND'),
    ),
  ])
  const { id, listed } = await assetOf(subject, 'published.png')
  const made = await publish(subject, path, [id])
  expect(made.assets).toMatchObject([listed])
  expect(fitting(publishing, await subject.get(`${path}/publish`))).toEqual(made)
  await subject.request('DELETE', path)
  await exchanges(subject, [['GET', `${path}/publish`, undefined, 404, ...refused('NOT_FOUND')]])
})

proves(
  'saved-workflows/published',
  async (subject) => {
    const path = await stored(subject, 'shared', { '1': { class_type: 'X', inputs: {} } })
    const { id, listed } = await assetOf(subject, 'shared.png')
    const made = await publish(subject, path, [id])
    expect(made.assets).toMatchObject([listed])
    const at = `/workflows/published/${made.share_id}`
    for (const one of [subject, subject.as('other-key')]) {
      const found = fitting(publishedWorkflow, await one.get(at))
      const workflow_json = { '1': { class_type: 'X', inputs: {} } }
      expect(found).toEqual({ ...made, name: expect.stringMatching(/shared$/), workflow_json })
    }
    await exchanges(subject, [
      ...toEach(
        ['nowhere', nobody].map((one) => `/workflows/published/${one}`),
        'GET',
        404,
        ...refused('NOT_FOUND'),
      ),
    ])
  },
  twoAccounts,
)

proves('saved-workflows/publish-again', async (subject) => {
  const path = await stored(subject, 'again', { a: 1 })
  const { share_id, workflow_id } = await publish(subject, path)
  const content = async () =>
    (await subject.get(`/workflows/published/${share_id}`)).json().workflow_json
  await subject.post(path, { a: 2 })
  expect(await content()).toEqual({ a: 1 })
  const { id, listed } = await assetOf(subject, 'again.png')
  const again = await publish(subject, path, [id])
  expect(again).toMatchObject({ share_id, workflow_id, assets: [listed] })
  expect(await content()).toEqual({ a: 2 })
})

proves(['saved-workflows/publish-refusals', 'saved-workflows/fields'], async (subject) => {
  const path = `${await stored(subject, 'refused', {})}/publish`
  const list = `${await stored(subject, 'list', [])}/publish`
  const none = `/userdata/${encodeURIComponent(subject.unique('none.json'))}/publish`
  const asset_ids: string[] = []
  await exchanges(subject, [
    ...withEach(
      [{}, { asset_ids: 'a' }, { asset_ids: [1] }],
      'POST',
      path,
      422,
      ...refused('UNPROCESSABLE_ENTITY'),
    ),
    ['POST', path, { asset_ids: [nobody] }, 400, ...refused('BAD_REQUEST')],
    ['POST', list, { asset_ids }, 400, ...refused('BAD_REQUEST')],
    ['POST', none, { asset_ids }, 404, ...refused('NOT_FOUND')],
    ['GET', path, undefined, 404, ...refused('NOT_FOUND')],
  ])
})
