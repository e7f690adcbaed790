// Lists of the saved workflows of a hosted account, and how much it stores.

import { limits } from '../../../spec/limits.ts'
import { savedWorkflows } from '../../../spec/accounts/saved-workflows.ts'
import { needs, provesSaved, type Saved, workflowsOf } from '../../judge/hosted/accounts.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'

const listOf = async ({ get }: Subject, query: string): Promise<any> =>
  fitting(savedWorkflows, await get(`/workflows?${query}`))

/** Three workflows with names that no other case uses, and what lists them alone. */
async function three(subject: Subject, { save, path, patch }: Saved) {
  const mark = subject.unique('three')
  const b = await save('three b', { default_view: 'app' })
  const c = await save('three C', { default_view: 'workflow' })
  const a = await save('three a')
  const list = async (query = '') => {
    const { data } = await listOf(subject, `name=${encodeURIComponent(mark)}&${query}`)
    return data.map(({ id }: { id: string }) => id)
  }
  return { mark, all: [a, c, b], a: a.id, b: b.id, c: c.id, list, path, patch }
}

provesSaved(['saved-workflows/list', 'saved-workflows/list-order'], async (subject, saved) => {
  const { mark, all, a, b, c, list, path, patch } = await three(subject, saved)
  const { data } = await listOf(subject, `name=${encodeURIComponent(mark)}`)
  expect(data).toEqual(all)
  expect(await list('sort=create_time&order=desc')).toEqual([a, c, b])
  expect(await list('order=asc')).toEqual([b, c, a])
  expect(await list('sort=name&order=asc')).toEqual([c, a, b])
  expect(await list('sort=name')).toEqual([b, a, c])
  // A later time, which a world on a manual clock has to be given.
  if (subject.isOwn) await subject.emulator?.advance(1000)
  await patch(path(b), { description: 'changed' })
  expect((await list('sort=update_time'))[0]).toBe(b)
  expect((await list('sort=update_time&order=asc')).at(-1)).toBe(b)
})

provesSaved('saved-workflows/list-pages', async (subject, saved) => {
  const { mark, a, b, c } = await three(subject, saved)
  const page = async (query: string) => {
    const { data, pagination } = await listOf(subject, `name=${encodeURIComponent(mark)}&${query}`)
    return { ids: data.map(({ id }: { id: string }) => id), pagination }
  }
  const total = 3
  expect(await page('')).toMatchObject({
    ids: [a, c, b],
    pagination: { offset: 0, limit: 20, total, has_more: false },
  })
  expect(await page('limit=2')).toMatchObject({
    ids: [a, c],
    pagination: { offset: 0, limit: 2, total, has_more: true },
  })
  expect(await page('limit=2&offset=2')).toMatchObject({
    ids: [b],
    pagination: { offset: 2, limit: 2, total, has_more: false },
  })
  expect((await page('offset=9')).ids).toEqual([])
})

provesSaved('saved-workflows/list-filters', async (subject, saved) => {
  const { a, b, c, list } = await three(subject, saved)
  expect(await list('default_view=app')).toEqual([b])
  expect(await list('default_view=workflow')).toEqual([c])
  const { data } = await listOf(subject, `name=${encodeURIComponent(subject.unique('THREE B'))}`)
  expect(data.map(({ id }: { id: string }) => id)).toEqual(
    subject.isOwn ? [b] : expect.arrayContaining([b]),
  )
  expect(await list()).toEqual([a, c, b])
})

proves('saved-workflows/list-refusals', async (subject) => {
  await needs(subject, '/workflows')
  const bad = [
    'limit=0',
    'limit=101',
    'limit=x',
    'offset=-1',
    'default_view=graph',
    'sort=created_at',
    'order=up',
  ]
  await exchanges(
    subject,
    toEach(
      bad.map((query) => `/workflows?${query}`),
      'GET',
      400,
      ...refused('BAD_REQUEST'),
    ),
  )
})

proves(
  'saved-workflows/most',
  async (subject) => {
    const { value } = limits.savedWorkflows
    for (let count = 0; count < value; count += 50)
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const { status } = await subject.post('/workflows', { workflow_json: {} })
          expect(status).toBe(201)
        }),
      )
    const { data } = await listOf(subject, 'limit=1')
    const full = refused('LIMIT_REACHED')
    await exchanges(subject, [
      ['POST', '/workflows', { workflow_json: {} }, 422, ...full],
      ['POST', `/workflows/${data[0].id}/fork`, { source_version: 1 }, 422, ...full],
      ['DELETE', `/workflows/${data[0].id}`, undefined, 204],
      ['POST', '/workflows', { workflow_json: {} }, 201],
    ])
  },
  ownWorld,
)

proves(
  'saved-workflows/room',
  async (subject) => {
    const { save, path } = await workflowsOf(subject)
    // Half of the room with the characters around it.
    const half = 'x'.repeat(limits.savedWorkflowBytes.value / 2 - '{"a": ""}'.length)
    const { id } = await save('half', { workflow_json: { a: half } })
    const version = { base_version: 1, workflow_json: { a: half } }
    const full = refused('LIMIT_REACHED')
    await exchanges(subject, [
      ['POST', path(id, '/versions'), version, 201],
      ['POST', path(id, '/versions'), { base_version: 2, workflow_json: {} }, 422, ...full],
      ['POST', '/workflows', { workflow_json: {} }, 422, ...full],
      ['POST', '/userdata/a.json', '{}', 200],
      ['POST', '/userdata/a.json/publish', { asset_ids: [] }, 422, ...full],
      ['DELETE', path(id), undefined, 204],
      ['POST', '/userdata/a.json/publish', { asset_ids: [] }, 200],
    ])
  },
  ownWorld,
)
