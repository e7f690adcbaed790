// Tasks: lists of them, one, and how it is cancelled.

import { taskPage } from '../../../spec/assets/tasks.ts'
import { expectRefusal, libraryOf, pathOf, ours, provesLibrary } from '../../judge/hosted/assets.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { ended, messagesOf, readTask, taskIn, urlOf } from '../../judge/hosted/tasks.ts'
import { expect } from '../../judge/expect.ts'
import { ownWorld, twoAccounts } from '../../judge/proves.ts'

provesLibrary('tasks/list', async (subject) => {
  const library = await libraryOf(subject)
  const session = await subject.connect()
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const { id } = await library.uploaded(name)
    ids.unshift(taskIn(await library.ask('POST', '/assets/export', { asset_ids: [id] })))
    await ended(subject, library, session, ids[0] as string)
  }
  const listed = async (query: string) => {
    const page = fitting(taskPage, await library.ask('GET', `/tasks?${query}`))
    const found = page.tasks.map(({ id }: { id: string }) => id)
    const isExport = query.startsWith('limit=100&task_name')
    if (isExport)
      for (const one of page.tasks)
        expect(one).toMatchObject({ task_name: 'task:export', status: 'completed' })
    return { ids: found.filter((id: string) => ids.includes(id)), ...page.pagination }
  }
  const { idempotency_key, create_time } = await readTask(library, ids[1]!)
  const [, second = '', third = ''] = ids
  for (const [query, expected] of [
    ['limit=100', ids],
    ['limit=100&sort_order=asc', ids.toReversed()],
    ['limit=100&task_name=task:export&status=completed,failed', ids],
    ['task_name=task:download', []],
    ['status=created', []],
    [`idempotency_key=${encodeURIComponent(idempotency_key)}`, [second]],
  ] as const)
    expect({ query, ids: (await listed(query)).ids }).toEqual({ query, ids: expected })
  const time = encodeURIComponent(create_time)
  const later = await listed(`limit=100&created_after=${time}`)
  expect(later.ids).not.toContain(third)
  const earlier = await listed(`limit=100&created_before=${time}`)
  expect(earlier.ids).not.toContain(ids[0])
  const page = await listed('limit=1&offset=1')
  expect(page).toMatchObject({ limit: 1, offset: 1, has_more: page.total > 2 })
})

provesLibrary('tasks/list-refusals', async (subject) => {
  const { ask } = await libraryOf(subject)
  for (const query of [
    'limit=0',
    'limit=101',
    'offset=-1',
    'status=done',
    'sort_order=up',
    'created_after=yesterday',
    'created_before=x',
  ])
    expectRefusal(await ask('GET', `/tasks?${query}`), 422, ours(subject, 'INVALID_QUERY'))
})

provesLibrary('tasks/one', async (subject) => {
  const library = await libraryOf(subject)
  const { id } = await library.uploaded('one.txt')
  const body = { asset_ids: [id] }
  const session = await subject.connect()
  const task = taskIn(await library.ask('POST', '/assets/export', body))
  const found = await ended(subject, library, session, task)
  expect(found).toMatchObject({
    id: task,
    task_name: 'task:export',
    idempotency_key: expect.stringMatching(/^export:.*[^ ]$/),
    payload: body,
    status: 'completed',
    result: { success: true },
  })
  const times = [found.create_time, found.started_at, found.completed_at].map(Date.parse)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(found).not.toHaveProperty('error_message')
})

provesLibrary(
  'tasks/unknown',
  async (subject) => {
    const { ask } = await libraryOf(subject)
    const other = await libraryOf(subject.as('other-key'))
    const { id } = await other.uploaded('theirs.txt')
    const theirs = taskIn(await other.ask('POST', '/assets/export', { asset_ids: [id] }))
    for (const one of [nobody, theirs, 'nothing'])
      for (const method of ['GET', 'DELETE']) {
        const reply = await ask(method, `/tasks/${one}`)
        expectRefusal(reply, 404, ours(subject, 'TASK_NOT_FOUND'))
      }
    await readTask(other, theirs)
  },
  twoAccounts,
)

provesLibrary(
  'tasks/cancel',
  async (subject) => {
    const library = await libraryOf(subject)
    const session = await subject.connect()
    const body = { source_url: urlOf(subject, 'cancelled.safetensors') }
    const id = taskIn(await library.ask('POST', '/assets/download', body))
    expect(await library.ask('DELETE', `/tasks/${id}`)).toMatchObject({ status: 204, text: '' })
    await subject.idle()
    const found = await readTask(library, id)
    expect(found).toMatchObject({ status: 'cancelled', completed_at: expect.any(String) })
    expect(messagesOf(session, id)).toEqual([])
    expect(await library.idsIn('name_contains=cancelled')).toEqual([])
  },
  ownWorld,
)

provesLibrary('tasks/cancel-over', async (subject) => {
  const library = await libraryOf(subject)
  const { id } = await library.uploaded('over.txt')
  const session = await subject.connect()
  const task = taskIn(await library.ask('POST', '/assets/export', { asset_ids: [id] }))
  await ended(subject, library, session, task)
  expectRefusal(
    await library.ask('DELETE', `/tasks/${task}`),
    409,
    ours(subject, 'TASK_NOT_CANCELLABLE'),
  )
  expect((await readTask(library, task)).status).toBe('completed')
})

provesLibrary(
  'tasks/clock',
  async (subject) => {
    const library = await libraryOf(subject)
    const { id } = await library.uploaded('timed.txt')
    const stateOf = async (task: string): Promise<string> => (await readTask(library, task)).status
    const begin = async (path: string, body: object): Promise<string> =>
      taskIn(await library.ask('POST', path, body))
    const source_url = urlOf(subject, 'timed.safetensors')
    const download = await begin('/assets/download', { source_url })
    const archive = await begin('/assets/export', { asset_ids: [id] })
    expect([await stateOf(download), await stateOf(archive)]).toEqual(['created', 'created'])
    await subject.emulator?.advance(199)
    expect(await stateOf(archive)).toBe('running')
    await subject.emulator?.advance(1)
    expect(await stateOf(archive)).toBe('completed')
    await subject.emulator?.advance(799)
    expect(await stateOf(download)).toBe('running')
    await subject.emulator?.advance(1)
    expect(await stateOf(download)).toBe('completed')
  },
  ownWorld,
)

provesLibrary(
  'tasks/bounds',
  async (subject) => {
    const library = await libraryOf(subject)
    const begin = async (at: number): Promise<string> =>
      taskIn(
        await library.ask('POST', '/assets/export', {
          asset_ids: [`00000000-0000-4000-8000-${String(at).padStart(12, '0')}`],
        }),
      )
    const first = await begin(0)
    for (let at = 1; at < 1000; at++) await begin(at)
    await readTask(library, first)
    const last = await begin(1000)
    expectRefusal(await library.ask('GET', `/tasks/${first}`), 404, ours(subject, 'TASK_NOT_FOUND'))
    const page = fitting(taskPage, await library.ask('GET', '/tasks?limit=1'))
    expect(page).toMatchObject({ tasks: [{ id: last }], pagination: { total: 1000 } })
    await subject.idle()
  },
  ownWorld,
)

provesLibrary(
  'tasks/import',
  async (subject) => {
    const { ask, listed } = await libraryOf(subject)
    const other = subject.as('other-key')
    const theirs = await libraryOf(other)
    const made = await theirs.uploaded('published.txt', {}, 'published')
    const hidden = await theirs.uploaded('private.txt', {}, 'private')
    const file = `/userdata/${encodeURIComponent(other.unique('published.json'))}`
    await other.request('POST', file, '{}')
    const publish = { asset_ids: [made.id] }
    const published = await other.post(`${file}/publish`, publish)
    expect(published.status).toBe(200)
    const body = { published_asset_ids: [made.id], share_id: published.json().share_id }
    const reply = await ask('POST', '/assets/import', body)
    expect({ status: reply.status, json: reply.json() }).toMatchObject({
      status: 200,
      json: { assets: [{ name: 'published.txt', hash: made.hash, loader_path: made.loader_path }] },
    })
    const [copy] = reply.json().assets
    expect((await ask('GET', pathOf(copy))).status).toBe(200)
    // Again it is the same one.
    await ask('POST', '/assets/import', body)
    expect((await listed(`hash=${made.hash}`)).total).toBe(1)
    await ask('DELETE', pathOf(copy))
    expectRefusal(await ask('POST', '/assets/import', { published_asset_ids: [hidden.id] }), 404)
    for (const wrong of ['{}', '{', '{"published_asset_ids": []}'])
      expectRefusal(await ask('POST', '/assets/import', wrong), 400, ours(subject, 'INVALID_BODY'))
  },
  twoAccounts,
)

provesLibrary('tasks/from-workflow', async (subject) => {
  const { ask, listed, uploaded } = await libraryOf(subject)
  const mine = await uploaded('mine.png')
  const { assets } = await listed('include_tags=models&limit=500')
  const shared = assets.find(({ is_immutable }) => is_immutable === true)
  const workflow_api_json = {
    '1': { class_type: 'LoadImage', inputs: { image: mine.loader_path } },
    '2': { class_type: 'LoraLoader', inputs: { lora_name: shared?.loader_path } },
  }
  const named = async (more: object) => {
    const reply = await ask('POST', '/assets/from-workflow', { workflow_api_json, ...more })
    expect(reply.status).toBe(200)
    return reply.json().assets
  }
  const own = {
    id: mine.id,
    name: 'mine.png',
    preview_url: mine.preview_url,
    storage_url: subject.isOwn ? `/api/assets/${mine.id}/content` : expect.any(String),
    model: false,
    public: false,
    in_library: true,
  }
  const all = await named({})
  expect(all).toContainEqual(expect.objectContaining(own))
  const theirs = { id: shared?.id, model: true, public: true, in_library: false }
  expect(all).toContainEqual(expect.objectContaining(theirs))
  expect(await named({ owned: true })).toEqual([expect.objectContaining(own)])
  for (const wrong of ['{}', '{', '{"workflow_api_json": []}'])
    expectRefusal(
      await ask('POST', '/assets/from-workflow', wrong),
      400,
      ours(subject, 'INVALID_BODY'),
    )
})
