// The node manager: its paths, the progress of installations, and installed models in the listings.

import { changed, textToImage } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { installStatus } from '../../../spec/server/manager.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

const on = { ...ownWorld, manager: true }
const model = { url: 'http://models.example/x', path: 'checkpoints', filename: 'mine.safetensors' }
const status = async ({ get }: Pick<Subject, 'get'>) => (await get('/manager/queue/status')).json()
const install = (fields: object, { post }: Pick<Subject, 'post'>) =>
  post('/manager/queue/install_model', { ...model, ...fields })

proves('manager/off', async (subject) => {
  const { url } = subject
  const found = await subject.get('/manager/queue/status')
  if (found.status === 200) {
    fitting(installStatus, found)
    throw missing('The server has a node manager.')
  }
  for (const path of ['/manager/queue/install', '/manager/queue/install_model']) {
    for (const place of [path, `/api${path}`]) {
      const posted = await exchange(url, 'POST', place, {}, JSON.stringify(model))
      expect({ status: posted.status, allow: posted.header('allow') }).toEqual({
        status: 405,
        allow: 'GET,HEAD',
      })
      expect((await exchange(url, 'GET', place)).status).toBe(404)
    }
  }
  expect((await exchange(url, 'GET', '/manager/queue/status')).status).toBe(404)
})

proves(
  ['manager/install', 'manager/status', 'manager/status-counts'],
  async (subject) => {
    const { post, idle, emulator, get } = subject
    const counts = (total_count: number, done_count: number) => ({
      total_count,
      done_count,
      in_progress_count: total_count > done_count ? 1 : 0,
      is_processing: total_count > done_count,
    })
    expect(await status(subject)).toEqual(counts(0, 0))
    const before = (await get('/object_info')).text
    const urls = ['https://code.example/a/b.git', 'c', 'd']
    for (const git_url of urls) {
      const reply = await post('/manager/queue/install', { git_url })
      expect(reply).toMatchObject({ status: 200, text: '' })
    }
    expect(await status(subject)).toEqual(counts(3, 0))
    await emulator?.advance(99)
    expect(await status(subject)).toEqual(counts(3, 0))
    await emulator?.advance(1)
    expect(await status(subject)).toEqual(counts(3, 1))
    expect((await post('/api/manager/queue/install', { git_url: 'e' })).status).toBe(200)
    expect(await status(subject)).toEqual(counts(4, 1))
    await emulator?.advance(200)
    expect(await status(subject)).toEqual(counts(4, 3))
    await idle()
    expect(await status(subject)).toEqual(counts(4, 4))
    expect((await get('/object_info')).text).toBe(before)
  },
  on,
)

proves(
  ['manager/install-model', 'manager/installed-model-listed'],
  async (subject) => {
    const { get, idle, submit, connect, run } = subject
    const mine = changed(textToImage(), '4', { ckpt_name: 'mine.safetensors' })
    const before: string[] = (await get('/models/checkpoints')).json()
    const types = (await get('/object_info')).json()
    expect((await install({}, subject)).status).toBe(200)
    expect((await get('/models/checkpoints')).json()).toEqual(before)
    expect((await submit(mine)).status).toBe(400)
    await idle()
    const listed = [...before, 'mine.safetensors'].toSorted()
    expect((await get('/models/checkpoints')).json()).toEqual(listed)
    const after = (await get('/object_info')).json()
    const alone = (await get('/object_info/CheckpointLoaderSimple')).json()
    for (const type of [after.CheckpointLoaderSimple, alone.CheckpointLoaderSimple])
      expect(type.input.required.ckpt_name[0]).toEqual(listed)
    // Combos of other folders are as they were, and one that lists the same files is not.
    expect(after.LoraLoader).toEqual(types.LoraLoader)
    expect(after.VAELoader).toEqual(types.VAELoader)
    expect(after.unCLIPCheckpointLoader.input.required.ckpt_name[0]).toEqual(listed)
    expect((await run(await connect('me'), mine)).entry.status.status_str).toBe('success')
    const other = changed(textToImage(), '4', { ckpt_name: 'other.safetensors' })
    const error = (await submit(other)).json().node_errors['4'].errors[0]
    expect(error.type).toBe('value_not_in_list')
    expect(error.extra_info.input_config[0]).toEqual(listed)
    // A name that occurs twice is listed once, subfolders stay, and folders without a combo list their files too.
    await install({}, subject)
    await install({ path: 'models/loras/deep/./er' }, subject)
    await install({ path: 'embeddings' }, subject)
    await idle()
    expect((await get('/models/checkpoints')).json()).toEqual(listed)
    expect((await get('/models/loras')).json()).toContain('deep/er/mine.safetensors')
    expect((await get('/models/embeddings')).json()).toContain('mine.safetensors')
    expect((await status(subject)).done_count).toBe(4)
  },
  on,
)
