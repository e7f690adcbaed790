// Saved workflows of a hosted account: each of them, its versions and its forks.

import {
  savedWorkflow,
  workflowContent,
  workflowVersion,
} from '../../../spec/accounts/saved-workflows.ts'
import { provesSaved, workflowsOf } from '../../judge/hosted/accounts.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { expect } from '../../judge/expect.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { exchanges, toEach, withEach } from '../../judge/rows.ts'

provesSaved('saved-workflows/save', async (subject, { save }) => {
  const more = { description: 'grün', default_view: 'app' }
  const sources = { forked_from_workflow_id: 'w', forked_from_workflow_version_id: 'v' }
  const made = await save('saved', { ...more, ...sources })
  const name = subject.unique('saved')
  expect(made).toMatchObject({ ...more, name, latest_version: 1 })
  expect(made.forked_from).toEqual({ workflow_id: 'w', workflow_version_id: 'v' })
  expect(made.updated_at).toBe(made.created_at)
  expect(made.created_by).toBe((await subject.get('/user')).json().id)
  const { id } = fitting(
    savedWorkflow,
    await subject.post('/workflows', { workflow_json: {} }),
    201,
  )
  expect(id).not.toBe(made.id)
  await subject.request('DELETE', `/workflows/${id}`)
})

provesSaved('saved-workflows/read', async (subject, { save, path }) => {
  const workflow_json = { '1': { class_type: 'X', inputs: { a: [1, 'ü'], b: { c: null } } } }
  const made = await save('read', { workflow_json })
  expect(fitting(savedWorkflow, await subject.get(path(made.id)))).toEqual(made)
  const found = fitting(workflowContent, await subject.get(path(made.id, '/content')))
  const { created_by, created_at } = made
  expect(found).toMatchObject({ version: 1, workflow_json, created_by, created_at })
  expect(found.workflow_json).toEqual(workflow_json)
})

provesSaved('saved-workflows/change', async (subject, { save, path, patch }) => {
  const made = await save('change')
  const name = subject.unique('changed')
  const named = fitting(savedWorkflow, await patch(path(made.id), { name, latest_version: 7 }))
  expect(named).toMatchObject({ id: made.id, name, latest_version: 1 })
  const more = { description: 'd', default_view: 'workflow' }
  await patch(path(made.id), more)
  const found = fitting(savedWorkflow, await subject.get(path(made.id)))
  expect(found).toMatchObject({ ...more, name, created_at: made.created_at })
})

provesSaved(
  ['saved-workflows/delete', 'saved-workflows/unknown'],
  async (subject, { save, path }) => {
    const { id, name } = await save('delete')
    const body = { base_version: 1, source_version: 1, workflow_json: {} }
    await exchanges(subject, [
      ['DELETE', path(id), undefined, 204, ''],
      ...toEach([path(id), path(id, '/content')], 'GET', 404, ...refused('NOT_FOUND')),
      ['DELETE', path(id), undefined, 404, ...refused('NOT_FOUND')],
      ['PATCH', path(id), {}, 404, ...refused('NOT_FOUND')],
      ['POST', path(id, '/versions'), body, 404, ...refused('NOT_FOUND')],
      ['POST', path(id, '/fork'), body, 404, ...refused('NOT_FOUND')],
    ])
    const list = await subject.get(`/workflows?name=${encodeURIComponent(name)}`)
    expect(list.json().data).toEqual([])
  },
)

provesSaved('saved-workflows/version', async (subject, { save, path }) => {
  const made = await save('versions')
  for (const version of [2, 3]) {
    const workflow_json = { version }
    const body = { base_version: version - 1, workflow_json }
    const added = fitting(
      workflowVersion,
      await subject.post(path(made.id, '/versions'), body),
      201,
    )
    expect(added).toMatchObject({ version, latest_version: version, created_by: made.created_by })
    const { id } = added
    const found = fitting(workflowContent, await subject.get(path(made.id, '/content')))
    expect(found).toMatchObject({ id, version, workflow_json })
    const { latest_version } = fitting(savedWorkflow, await subject.get(path(made.id)))
    expect(latest_version).toBe(version)
  }
})

provesSaved('saved-workflows/stale-version', async (subject, { save, path }) => {
  const { id } = await save('stale')
  const body = { base_version: 1, workflow_json: { a: 2 } }
  const stale = [1, 3].map((base_version) => ({ base_version, workflow_json: { a: 0 } }))
  await exchanges(subject, [
    ['POST', path(id, '/versions'), body, 201],
    ...withEach(stale, 'POST', path(id, '/versions'), 409, ...refused('CONFLICT')),
  ])
  const { version, workflow_json } = (await subject.get(path(id, '/content'))).json()
  expect([version, workflow_json]).toEqual([2, { a: 2 }])
})

provesSaved(
  ['saved-workflows/fork', 'saved-workflows/fork-version'],
  async (subject, { save, path }) => {
    const made = await save('fork', { description: 'd' })
    const { id: source } = (await subject.get(path(made.id, '/content'))).json()
    await subject.post(path(made.id, '/versions'), { base_version: 1, workflow_json: { a: 2 } })
    const fork = async (body: object) =>
      fitting(savedWorkflow, await subject.post(path(made.id, '/fork'), body), 201)
    const forked_from = { workflow_id: made.id, workflow_version_id: source }
    const same = await fork({ source_version: 1 })
    expect(same).toMatchObject({ name: made.name, latest_version: 1, forked_from })
    const { workflow_json } = (await subject.get(path(same.id, '/content'))).json()
    expect(workflow_json).toEqual({ name: 'fork' })
    const name = subject.unique('forked')
    expect(await fork({ source_version: 2, name })).toMatchObject({ name, latest_version: 1 })
    await exchanges(subject, [
      ['POST', path(made.id, '/fork'), { source_version: 3 }, 404, ...refused('NOT_FOUND')],
    ])
  },
)

provesSaved('saved-workflows/fields', async (subject, { save, path }) => {
  const { id, name } = await save('fields')
  const workflow_json = {}
  const no = refused('UNPROCESSABLE_ENTITY')
  const bad = [
    {},
    { workflow_json: [] },
    { workflow_json: '{}' },
    { workflow_json, name: 7 },
    { workflow_json, description: null },
    { workflow_json, default_view: 'graph' },
    { workflow_json, forked_from_workflow_id: 1 },
    { workflow_json, forked_from_workflow_version_id: {} },
  ]
  const versions = [
    { workflow_json },
    { base_version: 1 },
    { base_version: '1', workflow_json },
    { base_version: 0, workflow_json },
    { base_version: 1.5, workflow_json },
    { base_version: 1, workflow_json: 'a' },
  ]
  await exchanges(subject, [
    ...withEach(bad, 'POST', '/workflows', 422, ...no),
    ...withEach([{ name: [] }, { default_view: '' }], 'PATCH', path(id), 422, ...no),
    ...withEach(versions, 'POST', path(id, '/versions'), 422, ...no),
    ...withEach([{}, { source_version: 1, name: 1 }], 'POST', path(id, '/fork'), 422, ...no),
    ...withEach(['{', '[]'], 'POST', '/workflows', 400, ...refused('BAD_REQUEST')),
  ])
  const { total } = (await subject.get(`/workflows?name=${encodeURIComponent(name)}`)).json()
    .pagination
  expect(total).toBe(1)
  const { latest_version } = (await subject.get(path(id))).json()
  expect(latest_version).toBe(1)
})

proves(
  'saved-workflows/unknown',
  async (subject) => {
    const other = subject.as('other-key')
    const { save, path } = await workflowsOf(other)
    const { id } = await save('foreign')
    const body = { base_version: 1, source_version: 1, workflow_json: {} }
    for (const one of [id, nobody, 'nowhere'])
      await exchanges(subject, [
        ...toEach([path(one), path(one, '/content')], 'GET', 404, ...refused('NOT_FOUND')),
        ['DELETE', path(one), undefined, 404, ...refused('NOT_FOUND')],
        ['PATCH', path(one), {}, 404, ...refused('NOT_FOUND')],
        ['POST', path(one, '/versions'), body, 404, ...refused('NOT_FOUND')],
        ['POST', path(one, '/fork'), body, 404, ...refused('NOT_FOUND')],
      ])
    expect((await other.get(path(id))).status).toBe(200)
    const { data } = (await subject.get('/workflows?limit=100')).json()
    expect(data.map((one: { id: string }) => one.id)).not.toContain(id)
    expect((await other.request('DELETE', path(id))).status).toBe(204)
  },
  twoAccounts,
)
