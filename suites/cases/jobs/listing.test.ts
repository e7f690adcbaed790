// The list of hosted jobs: its filters, its order and its pages.

import { failing, type Graph, node, slow, solid, talking } from '../../generate/graphs.ts'
import {
  account,
  cancel,
  expectRefusal,
  isOf,
  listed,
  listOf,
  oneAtATime,
  submitAll,
} from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const accounts = [...oneAtATime, account('other-key')]

/** A job in each state, in the order of their submits: completed, failed, cancelled, in_progress, pending. */
async function oneOfEach(subject: Subject): Promise<readonly string[]> {
  const session = await subject.connect()
  const first = await submitAll(subject, [solid(), failing('OOMError'), slow()])
  await cancel(subject, first[2] as string)
  await subject.idle()
  const last = await submitAll(subject, [slow(), talking()])
  await subject.reach(session, isOf('execution_start', last[0] as string))
  return [...first, ...last]
}

proves(
  'jobs/listing',
  async (subject) => {
    expect(await listOf(subject)).toEqual({
      jobs: [],
      pagination: { offset: 0, limit: 100, total: 0, has_more: false },
    })
    await submitAll(subject.as('other-key'), [talking()])
    const ids = await oneOfEach(subject)
    const { jobs, pagination } = await listOf(subject)
    expect(jobs.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    const words = ['pending', 'in_progress', 'cancelled', 'failed', 'completed']
    expect(jobs.map(({ status }: { status: string }) => status)).toEqual(words)
    expect(pagination).toEqual({ offset: 0, limit: 100, total: 5, has_more: false })
    for (const open of jobs.slice(0, 2))
      expect(Object.keys(open).sort()).toEqual(['create_time', 'id', 'status'])
  },
  { accounts },
)

const files: Readonly<Record<string, Graph>> = {
  image: solid(),
  video: {
    '1': node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 0 }),
    '2': node('CreateVideo', { images: ['1', 0], fps: 30 }),
    '3': node('SaveVideo', {
      video: ['2', 0],
      filename_prefix: 'moving',
      format: 'auto',
      codec: 'auto',
    }),
  },
  audio: {
    '1': node('EmptyLatentAudio', { seconds: 1, batch_size: 1 }),
    '2': node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' }),
    '3': node('VAEDecodeAudio', { samples: ['1', 0], vae: ['2', 2] }),
    '4': node('SaveAudio', { audio: ['3', 0], filename_prefix: 'sounding' }),
  },
}

proves(
  'jobs/listing-filters',
  async (subject) => {
    const [completed = '', failed = '', cancelled = '', running = '', pending = ''] =
      await oneOfEach(subject)
    expect(await listed(subject, '?status=pending')).toEqual([pending])
    expect(await listed(subject, '?status=in_progress')).toEqual([running])
    expect(await listed(subject, '?status=completed,failed')).toEqual([failed, completed])
    expect(await listed(subject, '?status=cancelled,%20completed')).toEqual([cancelled, completed])
    expect(await listed(subject, '?status=')).toHaveLength(5)
    const workflow_id = 'd290f1ee-6c54-4b01-90e6-d701748f0851'
    const mine = await submitAll(subject, [talking('mine'), talking('mine')], { workflow_id })
    await submitAll(subject, [talking()], { workflow_id: 'another' })
    expect(await listed(subject, `?workflow_id=${workflow_id}`)).toEqual(mine.toReversed())
    expect(await listed(subject, '?workflow_id=mine')).toEqual([])
    await subject.idle()
    const { jobs } = await listOf(subject, `?workflow_id=${workflow_id}&status=completed`)
    expect(jobs[0]).toMatchObject({ id: mine[1], workflow_id })
    expect((await subject.get(`/jobs/${mine[0]}`)).json().workflow_id).toBe(workflow_id)
    for (const [type, graph] of Object.entries(files)) {
      const [own] = await submitAll(subject, [graph])
      await subject.idle()
      const expected = type === 'image' ? [own, completed] : [own]
      expect([type, await listed(subject, `?output_type=${type}`)]).toEqual([type, expected])
    }
    expect(await listed(subject, '?output_type=3d')).toEqual([])
  },
  { accounts },
)

proves('http/hosted-empty-parameter', async ({ get, submit, idle }) => {
  const { prompt_id } = (await submit(talking())).json()
  await idle()
  const all = ['limit', 'offset', 'status', 'workflow_id', 'output_type', 'sort_by', 'sort_order']
  const empty: readonly (readonly [path: string, names: readonly string[]])[] = [
    ['/jobs', [...all, 'after']],
    ['/history', ['max_items', 'offset']],
  ]
  for (const [path, names] of empty) {
    const { text } = await get(path)
    expect(text).toContain(prompt_id)
    for (const query of [...names.map((name) => `${name}=`), `${names.join('=&')}=`, names[0]]) {
      const reply = await get(`${path}?${query}`)
      expect({ path, query, status: reply.status, text: reply.text }).toEqual({
        path,
        query,
        status: 200,
        text,
      })
    }
  }
})

proves('jobs/listing-refusals', async ({ get }) => {
  const bad = [
    ...['0', '1001', '-1', '1.5', 'x', '1e2', ' 5', '99999999999999999999'].map(
      (v) => `limit=${v}`,
    ),
    ...['-1', 'x', '0.5', '0x10'].map((value) => `offset=${value}`),
    ...['done', 'success', 'pending,,failed', 'PENDING', 'toString'].map((v) => `status=${v}`),
    ...['images', 'text', '__proto__'].map((value) => `output_type=${value}`),
    ...['id', 'updated'].map((value) => `sort_by=${value}`),
    ...['up', 'ASC'].map((value) => `sort_order=${value}`),
    ...['nonsense', 'job-', 'job--1', 'job-zzzzzzzzzzzz'].map((value) => `after=${value}`),
  ]
  for (const query of bad) expectRefusal(await get(`/jobs?${query}`), 400, 'BAD_REQUEST')
  for (const query of ['limit=1000', 'offset=0', 'sort_order=asc', 'other=1'])
    expect((await get(`/jobs?${query}`)).status).toBe(200)
})
