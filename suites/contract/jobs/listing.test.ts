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
import { ownWorld, proves } from '../../judge/proves.ts'
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

proves(
  'jobs/listing-order',
  async (subject) => {
    const [long, short, middle] = await submitAll(subject, [slow(9), slow(1), slow(5)])
    await subject.idle()
    const [open] = await submitAll(subject, [slow(99)])
    const by = (sort_by: string, sort_order: string) =>
      listed(subject, `?sort_by=${sort_by}&sort_order=${sort_order}`)
    expect(await by('create_time', 'desc')).toEqual([open, middle, short, long])
    expect(await by('create_time', 'asc')).toEqual([long, short, middle, open])
    // A job that has not ended has no running time yet.
    expect(await by('execution_time', 'desc')).toEqual([long, middle, short, open])
    expect(await by('execution_time', 'asc')).toEqual([open, short, middle, long])
    expect(await listed(subject, '?sort_by=execution_time')).toEqual([long, middle, short, open])
  },
  ownWorld,
)

/** This many jobs, the newest first. */
const many = async (subject: Subject, count: number): Promise<readonly string[]> =>
  (
    await submitAll(
      subject,
      Array.from({ length: count }, () => talking()),
    )
  ).toReversed()

proves(
  'jobs/listing-pages',
  async (subject) => {
    const ids = await many(subject, 103)
    const usual = await listOf(subject)
    expect(usual.jobs).toHaveLength(100)
    expect(usual.pagination).toMatchObject({ offset: 0, limit: 100, total: 103, has_more: true })
    for (const [offset, limit] of [
      [0, 1],
      [1, 2],
      [100, 2],
      [100, 3],
      [101, 1000],
      [103, 5],
      [1e6, 5],
    ] as const) {
      const { jobs, pagination } = await listOf(subject, `?offset=${offset}&limit=${limit}`)
      expect(jobs.map(({ id }: { id: string }) => id)).toEqual(ids.slice(offset, offset + limit))
      const has_more = offset + limit < 103
      expect(pagination).toMatchObject({ offset, limit, total: 103, has_more })
    }
  },
  ownWorld,
)

proves(
  'jobs/listing-cursor',
  async (subject) => {
    const ids = await many(subject, 7)
    const walk = async (query: string): Promise<string[]> => {
      const walked: string[] = []
      for (let after = ''; ;) {
        const { jobs, pagination } = await listOf(subject, `${query}&limit=3${after}`)
        walked.push(...jobs.map(({ id }: { id: string }) => id))
        if (!pagination.has_more) {
          expect(pagination).not.toHaveProperty('next_cursor')
          return walked
        }
        expect(jobs).toHaveLength(3)
        after = `&after=${encodeURIComponent(pagination.next_cursor)}`
        // A job that arrives meanwhile shifts no page.
        if (query === '?sort_by=create_time') await submitAll(subject, [talking()])
      }
    }
    expect(await walk('?sort_by=create_time')).toEqual(ids)
    const all = await listed(subject)
    expect(await walk('?status=pending')).toEqual(all)
    expect(await walk('?sort_order=asc')).toEqual(all.toReversed())
    // In another order there is no cursor, and one that is sent is ignored.
    const { pagination } = await listOf(subject, '?sort_by=execution_time&limit=3')
    expect(pagination).toMatchObject({ has_more: true })
    expect(pagination).not.toHaveProperty('next_cursor')
    expect(await listed(subject, '?sort_by=execution_time&after=nonsense')).toHaveLength(all.length)
  },
  ownWorld,
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
