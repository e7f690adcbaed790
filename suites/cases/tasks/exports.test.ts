// Exports of assets as an archive: its files, their names, and what is refused.

import { unzipSync } from 'fflate'
import { exportLink } from '../../../spec/assets/tasks.ts'
import { solid } from '../../generate/graphs.ts'
import {
  contentOf,
  expectRefusal,
  type Library,
  libraryOf,
  provesLibrary,
} from '../../judge/hosted/assets.ts'
import { fitting, nobody, submitOne } from '../../judge/hosted/jobs.ts'
import { ended, messagesOf, taskIn } from '../../judge/hosted/tasks.ts'
import { fetchLink } from '../../judge/http-client.ts'
import { expect } from '../../judge/expect.ts'
import { uniqueNumber } from '../../judge/own-runs.ts'
import type { Subject } from '../../judge/subject.ts'

/** Exports assets, and returns the task at its end with the messages about it. */
async function exported(subject: Subject, library: Library, body: object) {
  const session = await subject.connect()
  const id = taskIn(await library.ask('POST', '/assets/export', body))
  const task = await ended(subject, library, session, id)
  return { task, messages: messagesOf(session, id) }
}

/** The files in an archive, as texts. */
async function filesIn(library: Library, name: string) {
  const { url } = fitting(exportLink, await library.ask('GET', `/assets/exports/${name}`))
  const { bytes } = await fetchLink(url)
  const files = Object.entries(unzipSync(bytes))
  return {
    size: bytes.length,
    files: Object.fromEntries(
      files.map(([file, content]) => [file, Buffer.from(content).toString()]),
    ),
  }
}

provesLibrary(['tasks/export', 'tasks/export-messages', 'tasks/export-link'], async (subject) => {
  const library = await libraryOf(subject)
  const made = [await library.uploaded('one.txt'), await library.uploaded('two.txt')]
  const body = { asset_ids: made.map(({ id }) => id), naming_strategy: 'preserve' }
  const { task, messages } = await exported(subject, library, body)
  const { result } = task
  const uncompressed_size = made.reduce((sum, { size = 0 }) => sum + size, 0)
  expect(result).toMatchObject({
    success: true,
    export_name: expect.stringMatching(/^[\w-]+\.zip$/),
    uncompressed_size,
    assets_total: 2,
    assets_succeeded: 2,
  })
  const shown = await filesIn(library, result.export_name)
  expect(shown).toEqual({
    size: result.export_size,
    files: {
      'one.txt': contentOf(subject, 'one.txt'),
      'two.txt': contentOf(subject, 'two.txt'),
    },
  })
  for (const { type, data } of messages)
    expect({ type, data }).toMatchObject({ type: 'asset_export', data: { assets_total: 2 } })
  const last = messages.filter(({ data }) => data['status'] === 'completed')
  expect(last.map(({ data }) => data)).toEqual([
    expect.objectContaining({
      progress: 1,
      assets_attempted: 2,
      assets_failed: 0,
      bytes_total: uncompressed_size,
      bytes_processed: uncompressed_size,
      export_name: result.export_name,
    }),
  ])
  expectRefusal(await library.ask('GET', '/assets/exports/nothing.zip'), 404, 'EXPORT_NOT_FOUND')
  for (const name of ['a.txt', '..zip', 'a%2Fb.zip'])
    expectRefusal(await library.ask('GET', `/assets/exports/${name}`), 400, 'INVALID_EXPORT_NAME')
})

provesLibrary('tasks/export-names', async (subject) => {
  const library = await libraryOf(subject)
  const id = await submitOne(subject, solid(uniqueNumber(subject, 'archive')))
  await subject.idle()
  const { assets } = await library.listed('include_tags=output&limit=500')
  const asset = assets.find(({ job_id }) => job_id === id)
  const name = asset?.name ?? ''
  for (const [naming_strategy, expected] of [
    ['group_by_job_time', /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\//],
    ['group_by_job_id', new RegExp(`^${id}/`)],
    ['preserve', new RegExp(`^${name}$`)],
    ['asset_id', new RegExp(`^${asset?.id}\\.png$`)],
  ] as const) {
    const { task } = await exported(subject, library, { job_ids: [id], naming_strategy })
    const { files } = await filesIn(library, task.result.export_name)
    expect(Object.keys(files)).toEqual([expect.stringMatching(expected)])
  }
  const job_asset_name_filters = { [id]: ['other.png'] }
  const { task } = await exported(subject, library, { job_ids: [id], job_asset_name_filters })
  expect(task.result).toMatchObject({ success: false, assets_total: 0 })
})

provesLibrary('tasks/export-nothing', async (subject) => {
  const library = await libraryOf(subject)
  const { id } = await library.uploaded('there.txt')
  const none = await exported(subject, library, { asset_ids: [nobody] })
  const missing = [expect.objectContaining({ asset_id: nobody, error: 'not_found' })]
  expect(none.task).toMatchObject({
    status: 'completed',
    result: { success: false, error: expect.any(String), failed_assets: missing },
  })
  expect(none.task.result).not.toHaveProperty('export_name')
  const some = await exported(subject, library, { asset_ids: [nobody, id] })
  expect(some.task.result).toMatchObject({
    success: true,
    assets_total: 2,
    assets_succeeded: 1,
    failed_assets: missing,
  })
})

provesLibrary('tasks/export-refusals', async (subject) => {
  const { ask } = await libraryOf(subject)
  const asset_ids = [nobody]
  for (const body of ['{', '[]', {}, { asset_ids: [] }, { job_ids: ['x'] }, { asset_ids: [5] }])
    expectRefusal(await ask('POST', '/assets/export', body), 400, 'INVALID_REQUEST')
  const filters = { asset_ids, job_asset_name_filters: { [nobody]: [] } }
  expectRefusal(await ask('POST', '/assets/export', filters), 400, 'INVALID_REQUEST')
  const named = { asset_ids, naming_strategy: 'by_colour' }
  expectRefusal(await ask('POST', '/assets/export', named), 400, 'INVALID_NAMING_STRATEGY')
})

provesLibrary('tasks/same', async (subject) => {
  const library = await libraryOf(subject)
  const session = await subject.connect()
  const { id } = await library.uploaded('same.txt')
  const begin = async () => taskIn(await library.ask('POST', '/assets/export', { asset_ids: [id] }))
  const first = await begin()
  expect(await begin()).toBe(first)
  expect((await ended(subject, library, session, first)).status).toBe('completed')
})
