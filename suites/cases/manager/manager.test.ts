// The node manager of a local server that has one. Others may install at the same time.

import { changed, textToImage } from '../../generate/graphs.ts'
import { installStatus } from '../../../spec/server/manager.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { uniqueId } from '../../judge/own-runs.ts'
import { casesWith, proves } from '../../judge/proves.ts'
import { exchanges, toEach, withEach } from '../../judge/rows.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'

const provesManager = casesWith({ manager: true })
type Status = {
  readonly total_count: number
  readonly done_count: number
  readonly in_progress_count: number
  readonly is_processing: boolean
}

/** What the manager says about its work, which has to agree with itself. Ends a case on a server without a manager. */
async function statusOf({ get }: Pick<Subject, 'get'>): Promise<Status> {
  const reply = await get('/manager/queue/status')
  if (reply.status === 404) throw missing('The server has no node manager.')
  const status = fitting(installStatus, reply) as Status
  const { total_count, done_count } = status
  expect(done_count).toBeLessThanOrEqual(total_count)
  expect(status).toMatchObject({
    in_progress_count: total_count > done_count ? 1 : 0,
    is_processing: total_count > done_count,
  })
  return status
}

/** How long a case looks for the end of its installations, in milliseconds, and how often. */
const PAUSE_MS = 100
const LOOKS = 100

/** Waits until as many installations are done. */
async function untilDone(subject: Subject, count: number): Promise<Status> {
  const session = await subject.connect(subject.unique('waiting'))
  for (let looks = LOOKS; ; looks--) {
    const status = await statusOf(subject)
    if (status.done_count >= count) return status
    if (looks === 0)
      throw new Error(`Only ${status.done_count} installations of ${count} are done.`)
    // No message says so. Meanwhile the clock passes.
    await subject.reach(session, () => false, PAUSE_MS).catch(() => undefined)
  }
}

const model = (subject: Subject, fields: object = {}) => ({
  url: 'http://models.example/x',
  path: 'checkpoints',
  filename: `${uniqueId(subject, 'mine')}.safetensors`,
  ...fields,
})
const INSTALL_MODEL = '/manager/queue/install_model'
const install = (subject: Subject, fields: object) =>
  subject.post(INSTALL_MODEL, model(subject, fields))

proves('manager/off', async (subject) => {
  const found = await subject.get('/manager/queue/status')
  if (found.status === 200) {
    fitting(installStatus, found)
    throw missing('The server has a node manager.')
  }
  const paths = ['/manager/queue/install', INSTALL_MODEL].flatMap((path) => [path, `/api${path}`])
  await exchanges(subject, [
    ...paths.flatMap((path) =>
      withEach([model(subject)], 'POST', path, 405, undefined, { allow: 'GET,HEAD' }),
    ),
    ...toEach([...paths, '/manager/queue/status'], 'GET', 404),
  ])
})

provesManager(['manager/install', 'manager/status', 'manager/status-counts'], async (subject) => {
  const { get, isOwn, post } = subject
  const before = await statusOf(subject)
  const types = (await get('/object_info')).text
  const add = async (path: string, name: string): Promise<Status> => {
    const git_url = `https://code.example/${subject.unique(name)}.git`
    const reply = await post(`${path}/queue/install`, { git_url })
    expect(reply).toMatchObject({ status: 200, text: '' })
    return statusOf(subject)
  }
  for (const [at, path] of ['/manager', '/manager', '/api/manager'].entries()) {
    const { total_count, done_count } = await add(path, `pack-${at}`)
    expect(total_count).toBeGreaterThanOrEqual(before.total_count + at + 1)
    if (isOwn) expect({ total_count, done_count }).toEqual({ total_count: at + 1, done_count: 0 })
  }
  const { total_count } = await statusOf(subject)
  const after = await untilDone(subject, total_count)
  expect(after.total_count).toBeGreaterThanOrEqual(total_count)
  if (!isOwn) return
  expect(after).toMatchObject({ total_count: 3, done_count: 3 })
  // Each takes a tenth of a second, one after the other.
  for (const name of ['d', 'e', 'f']) await add('/manager', name)
  for (const [ms, done_count] of [
    [99, 3],
    [1, 4],
    [200, 6],
  ] as const) {
    await subject.emulator?.advance(ms)
    expect(await statusOf(subject)).toMatchObject({ total_count: 6, done_count })
  }
  expect((await get('/object_info')).text).toBe(types)
})

provesManager(
  ['manager/install-model', 'manager/installed-model-listed', 'manager/status-counts'],
  async (subject) => {
    const { connect, get, idle, isOwn, run, submit } = subject
    const before = await statusOf(subject)
    const { filename } = model(subject)
    const loading = (ckpt_name: string) => changed(textToImage(), '4', { ckpt_name })
    const listed = async (folder: string): Promise<string[]> =>
      (await get(`/models/${folder}`)).json()
    const typeOf = async (name: string) => (await get(`/object_info/${name}`)).json()[name]
    const offered = async (): Promise<string[]> => {
      const { required } = (await typeOf('CheckpointLoaderSimple')).input
      const [list, options] = required.ckpt_name
      return Array.isArray(list) ? list : options.options
    }
    const files = await listed('checkpoints')
    const types = (await get('/object_info')).json()
    expect(files).not.toContain(filename)
    expect(await offered()).not.toContain(filename)
    const folder = uniqueId(subject, 'deep')
    for (const fields of [{}, { path: `loras/${folder}` }, { path: 'models/embeddings' }])
      expect(await install(subject, fields)).toMatchObject({ status: 200, text: '' })
    const { total_count } = await statusOf(subject)
    expect(total_count).toBeGreaterThanOrEqual(before.total_count + 3)
    if (isOwn) {
      // Not before it is done.
      expect(await listed('checkpoints')).toEqual(files)
      expect((await submit(loading(filename))).status).toBe(400)
    }
    await untilDone(subject, total_count)
    expect(await listed('checkpoints')).toContain(filename)
    expect(await offered()).toContain(filename)
    expect(await listed('loras')).toContain(`${folder}/${filename}`)
    expect(await listed('embeddings')).toContain(filename)
    // A name that is there already is listed once.
    expect((await install(subject, {})).status).toBe(200)
    await untilDone(subject, (await statusOf(subject)).total_count)
    for (const list of [await listed('checkpoints'), await offered()])
      expect(list.filter((name) => name === filename)).toEqual([filename])
    if (!isOwn) return
    const all = [...files, filename].toSorted()
    expect(await listed('checkpoints')).toEqual(all)
    // Combos of folders that nothing was added to are as they were, and one that lists the same files is not.
    const later = (await get('/object_info')).json()
    expect(later.VAELoader).toEqual(types.VAELoader)
    for (const name of ['CheckpointLoaderSimple', 'unCLIPCheckpointLoader'])
      expect(later[name].input.required.ckpt_name[0]).toEqual(all)
    const { entry } = await run(await connect('me'), loading(filename))
    expect(entry.status.status_str).toBe('success')
    const [error] = (await submit(loading('other.safetensors'))).json().node_errors['4'].errors
    expect(error.type).toBe('value_not_in_list')
    expect(error.extra_info.input_config[0]).toEqual(all)
    await install(subject, { path: 'models/loras/deep/./er' })
    await idle()
    expect(await listed('loras')).toContain(`deep/er/${filename}`)
  },
)

const folders = ['..', '/etc', 'checkpoints/../..', 'nowhere', 'models', '.', '/', 'unet']
const oddFolders = ['a\0b', 'checkpoints\\..', 'models/../../checkpoints']
const filenames = ['../x.safetensors', 'a/b.safetensors', '.', '..', 'run.sh', '/x.pt', 'x']

/** Installations that are refused, after which the folder has no model of the case. */
async function refuses(subject: Subject, rows: Parameters<typeof exchanges>[1]): Promise<void> {
  await statusOf(subject)
  await exchanges(subject, rows)
  const { text } = await subject.get('/models/checkpoints')
  expect(text).not.toContain(model(subject).filename)
}

provesManager('manager/path-stays-inside', (subject) => {
  const paths = [...folders, ...oddFolders].map((path) => ({ path }))
  const names = [...filenames, `${'x'.repeat(2000)}.pt`].map((filename) => ({ filename }))
  const outside = [...paths, ...names]
  const models = outside.map((fields) => model(subject, fields))
  return refuses(subject, withEach(models, 'POST', INSTALL_MODEL, 400, ''))
})

provesManager('manager/incomplete', (subject) => {
  const wrong = ['{}', '{"git_url": ""}', '{"git_url": 7}', '[]', '"git_url"']
  const models = ['url', 'path', 'filename'].flatMap((name) =>
    [undefined, '', 7, null].map((value) => model(subject, { [name]: value })),
  )
  const broken = ['', '{', 'null', '7']
  return refuses(subject, [
    ...withEach(wrong, 'POST', '/manager/queue/install', 400),
    ...withEach(models, 'POST', INSTALL_MODEL, 400),
    ...withEach(broken, 'POST', '/manager/queue/install', 500),
    ...withEach(broken, 'POST', INSTALL_MODEL, 500),
  ])
})
