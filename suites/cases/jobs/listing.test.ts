// The list of jobs of either deployment: what it lists, its filters and its order.

import { type Graph, node, slow, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isOf, listed, submitAll, submitOne } from '../../judge/hosted/jobs.ts'
import { ownWorld, proves, twoAccounts } from '../../judge/proves.ts'
import { idsOf, jobClient, oneOfEach } from '../../judge/job-client.ts'

const listing = ['local-jobs/listing', 'local-jobs/status'] as const

for (const rules of ['jobs/listing', listing] as const)
  proves(rules, async (subject) => {
    const client = await jobClient(subject)
    const { ids, held } = await oneOfEach(subject, client)
    const jobs = await client.list()
    expect(jobs.map(({ id, status }) => [status, id])).toEqual(Object.entries(ids).toReversed())
    for (const open of jobs.slice(0, 2)) {
      expect(open).not.toHaveProperty('execution_end_time')
      if (subject.isOwn && subject.deployment === 'hosted')
        expect(Object.keys(open).sort()).toEqual(['create_time', 'id', 'status', 'workflow_id'])
    }
    const all = await client.everyone('limit=1000')
    expect(idsOf(all.jobs)).toEqual(expect.arrayContaining(Object.values(ids)))
    expect(all.pagination).toMatchObject({ offset: 0, limit: 1000 })
    expect(all.pagination.total).toBeGreaterThanOrEqual(all.jobs.length)
    await held.stop()
    await subject.idle()
    const words = (await client.list()).map(({ status }) => status)
    expect(words).toEqual(['completed', 'cancelled', 'cancelled', 'failed', 'completed'])
  })

proves(
  'jobs/listing',
  async (subject) => {
    const other = subject.as('other-key')
    const id = await submitOne(other, talking())
    expect(await listed(other, '?limit=1000')).toContain(id)
    expect(await listed(subject, '?limit=1000')).not.toContain(id)
  },
  twoAccounts,
)

proves('local-jobs/listing-fields', async (subject) => {
  const client = await jobClient(subject)
  const { held } = await oneOfEach(subject, client)
  for (const job of await client.list()) {
    expect(Object.values(job)).not.toContain(null)
    const isOver = ['completed', 'failed', 'cancelled'].includes(job.status)
    const times = [job.execution_start_time, job.execution_end_time]
    expect({ status: job.status, isTimed: times.every(Number.isInteger) }).toEqual({
      status: job.status,
      isTimed: isOver,
    })
    if (!isOver)
      expect({ ...job, times }).toMatchObject({ outputs_count: 0, times: [undefined, undefined] })
    else expect(job.execution_end_time).toBeGreaterThanOrEqual(job.execution_start_time)
  }
  const fields = { ...client.fields, number: 7.5 }
  const reply = await subject.submit(talking(subject.unique('placed')), fields)
  const placed = (await client.list()).find(({ id }) => id === reply.json().prompt_id)
  expect(placed).toMatchObject({ priority: 7.5, status: 'pending' })
  await held.stop()
})

/** Workflows whose output has a type. */
const typed: Readonly<Record<string, Graph>> = {
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

for (const rule of ['jobs/listing-filters', 'local-jobs/listing-filters'] as const)
  proves(rule, async (subject) => {
    const { deployment, isOwn } = subject
    const client = await jobClient(subject)
    const { ids, held } = await oneOfEach(subject, client)
    for (const [status, id] of Object.entries(ids)) {
      expect(await client.ids(`status=${status}`)).toEqual([id])
      const { jobs } = await client.everyone(`workflow_id=&limit=1000&status=${status}`)
      expect(idsOf(jobs)).toContain(id)
      expect(new Set(jobs.map((job) => job.status))).toEqual(new Set([status]))
    }
    expect(await client.ids('status=')).toHaveLength(5)
    const { completed, failed, cancelled } = ids
    const over = deployment === 'local' ? '%20COMPLETED%20,,Failed' : 'failed,%20completed'
    expect(await client.ids(`status=${over}`)).toEqual([failed, completed])
    expect(await client.ids('status=cancelled,completed')).toEqual([cancelled, completed])
    const nowhere = await client.everyone(`workflow_id=not-${client.workflow}`)
    expect(nowhere).toMatchObject({ jobs: [], pagination: { total: 0, has_more: false } })
    if (deployment === 'local') {
      expect(await client.list('status=,')).toEqual([])
      expect(await client.list('output_type=image&after=x')).toHaveLength(5)
    } else {
      expect(await client.ids('output_type=image')).toEqual([completed])
      expect(await client.ids('output_type=3d')).toEqual([])
      for (const type of ['video', 'audio']) {
        const own = isOwn ? [await client.submit(typed[type]!)] : []
        if (isOwn) await subject.idle()
        expect([type, await client.ids(`output_type=${type}`)]).toEqual([type, own])
      }
    }
    await held.stop()
  })

/** The names of the orders of a list. */
const orders = {
  local: { created: 'Created_At', duration: 'EXECUTION_DURATION', up: 'ASC' },
  hosted: { created: 'create_time', duration: 'execution_time', up: 'asc' },
} as const

for (const rule of ['jobs/listing-order', 'local-jobs/listing-order'] as const)
  proves(rule, async (subject) => {
    const { created, duration, up } = orders[subject.deployment]
    const client = await jobClient(subject)
    const quick = await client.run(talking(subject.unique('quick')))
    const long = await client.begin()
    // It is the longest for sure where it has the time.
    const hasTime = subject.isOwn || subject.deployment === 'hosted'
    if (hasTime) await subject.idle()
    else await long.stop()
    const last = await client.run(talking(subject.unique('last')))
    const all = [quick, long.prompt_id, last]
    expect(await client.ids(`sort_order=${up}`)).toEqual(all)
    expect(await client.ids(`sort_by=${created}&sort_order=${up}`)).toEqual(all)
    expect(await client.ids(`sort_by=${created}`)).toEqual(all.toReversed())
    const durations = (jobs: readonly any[]): readonly number[] =>
      jobs.map((job) => job.execution_end_time - job.execution_start_time)
    const longest = await client.list(`sort_by=${duration.toLowerCase()}&sort_order=desc`)
    expect(durations(longest)).toEqual(durations(longest).toSorted((a, b) => b - a))
    if (hasTime) expect(longest[0].id).toBe(long.prompt_id)
    const shortest = durations(await client.list(`sort_by=${duration}&sort_order=${up}`))
    expect(shortest).toEqual(durations(longest).toReversed())
    if (subject.deployment === 'local') return
    // A job that has not ended has no running time yet.
    const open = await client.begin()
    for (const [order, at] of [
      ['desc', -1],
      ['asc', 0],
    ] as const)
      expect((await client.ids(`sort_by=${duration}&sort_order=${order}`)).at(at)).toBe(
        open.prompt_id,
      )
    await open.stop()
  })

proves(
  'local-jobs/listing-ties',
  async (subject) => {
    const session = await subject.connect()
    const graphs = [talking('a'), talking('b'), slow(), talking('c'), talking('d')]
    const [a, b, running = '', c, d] = await submitAll(subject, graphs)
    await subject.reach(session, isOf('progress', running))
    const { everyone } = await jobClient(subject)
    for (const query of ['', 'sort_order=asc', 'sort_order=desc']) {
      const { jobs } = await everyone(query)
      expect(new Set(jobs.map(({ create_time }) => create_time)).size).toBe(1)
      expect(idsOf(jobs)).toEqual([running, c, d, a, b])
    }
  },
  ownWorld,
)
