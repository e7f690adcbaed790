// The node manager of any local server that has one. Others may install at the same time.

import { installStatus } from '../../../spec/server/manager.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { uniqueId } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { missing } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'

const on = { manager: true }
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
const install = (subject: Subject, fields: object) =>
  subject.post('/manager/queue/install_model', model(subject, fields))

proves(
  ['manager/install', 'manager/status', 'manager/status-counts'],
  async (subject) => {
    const before = await statusOf(subject)
    for (const [at, path] of ['/manager', '/manager', '/api/manager'].entries()) {
      const git_url = `https://code.example/${subject.unique(`pack-${at}`)}.git`
      const reply = await subject.post(`${path}/queue/install`, { git_url })
      expect(reply).toMatchObject({ status: 200, text: '' })
      const { total_count } = await statusOf(subject)
      expect(total_count).toBeGreaterThanOrEqual(before.total_count + at + 1)
    }
    const { total_count } = await statusOf(subject)
    const after = await untilDone(subject, total_count)
    expect(after.total_count).toBeGreaterThanOrEqual(total_count)
  },
  on,
)

proves(
  ['manager/install-model', 'manager/installed-model-listed', 'manager/status-counts'],
  async (subject) => {
    const { get } = subject
    const before = await statusOf(subject)
    const { filename } = model(subject)
    const listed = async (folder: string): Promise<string[]> =>
      (await get(`/models/${folder}`)).json()
    const offered = async (): Promise<string[]> => {
      const { CheckpointLoaderSimple: type } = (
        await get('/object_info/CheckpointLoaderSimple')
      ).json()
      const [list, options] = type.input.required.ckpt_name
      return Array.isArray(list) ? list : options.options
    }
    expect(await listed('checkpoints')).not.toContain(filename)
    expect(await offered()).not.toContain(filename)
    const folder = uniqueId(subject, 'deep')
    for (const fields of [{}, { path: `loras/${folder}` }, { path: 'models/embeddings' }])
      expect(await install(subject, fields)).toMatchObject({ status: 200, text: '' })
    const { total_count } = await statusOf(subject)
    expect(total_count).toBeGreaterThanOrEqual(before.total_count + 3)
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
  },
  on,
)

proves(
  'manager/path-stays-inside',
  async (subject) => {
    await statusOf(subject)
    const outside: object[] = [
      ...['..', '/etc', 'checkpoints/../..', 'nowhere', 'models', '.', '/', 'unet'].map((path) => ({
        path,
      })),
      ...['a\0b', 'checkpoints\\..', 'models/../../checkpoints'].map((path) => ({ path })),
      ...['../x.safetensors', 'a/b.safetensors', '.', '..', 'run.sh', '/x.pt', 'x'].map(
        (filename) => ({ filename }),
      ),
      { filename: `${'x'.repeat(2000)}.pt` },
    ]
    for (const fields of outside) {
      const reply = await install(subject, fields)
      expect({ fields, status: reply.status, text: reply.text }).toEqual({
        fields,
        status: 400,
        text: '',
      })
    }
    const { text } = await subject.get('/models/checkpoints')
    expect(text).not.toContain(model(subject).filename)
  },
  on,
)

proves(
  'manager/incomplete',
  async (subject) => {
    await statusOf(subject)
    const send = async (path: string, body: string) =>
      (await exchange(subject.url, 'POST', `/manager/queue/${path}`, {}, body)).status
    for (const body of ['{}', '{"git_url": ""}', '{"git_url": 7}', '[]', '"git_url"'])
      expect([body, await send('install', body)]).toEqual([body, 400])
    for (const name of ['url', 'path', 'filename']) {
      for (const value of [undefined, '', 7, null])
        expect({ name, status: (await install(subject, { [name]: value })).status }).toEqual({
          name,
          status: 400,
        })
    }
    for (const path of ['install', 'install_model']) {
      for (const body of ['', '{', 'null', '7'])
        expect([body, await send(path, body)]).toEqual([body, 500])
    }
    const { text } = await subject.get('/models/checkpoints')
    expect(text).not.toContain(model(subject).filename)
  },
  on,
)
