// Jobs of the hosted API v2: their states, times, progress, outputs and links, and how they are canceled.

import { v2Workflow } from '../../../spec/v2/v2-jobs.ts'
import { node, solid, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { cancelAll, isAtWork, keepBusy } from '../../judge/hosted/busy-account.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { expectRefused, v2Of } from '../../judge/hosted/v2.ts'
import { ownWorld, proves, twoAccounts } from '../../judge/proves.ts'
import { type Subject, subjectOf } from '../../judge/subject.ts'
import { uniqueNumber } from '../../judge/own-runs.ts'
import { fetchLink } from '../../judge/http-client.ts'

proves('v2-jobs/created', async (subject) => {
  const { post, submit } = await v2Of(subject)
  const busy = await keepBusy(subject)
  const made = await submit(solid())
  const nothing = { started_at: null, completed_at: null, progress: null, outputs: [], error: null }
  expect(made).toMatchObject({ status: 'queued', ...nothing })
  const { id, urls } = made
  expect([urls.self, urls.events, urls.cancel].every((url) => url.includes(id))).toBe(true)
  expect((await post('/jobs', { workflow: talking() })).status).toBe(201)
  await cancelAll(subject, busy)
})

proves('v2-jobs/complete', async (subject) => {
  const session = await subject.connect()
  const { cancel, job, run, submit } = await v2Of(subject)
  const busy = await keepBusy(subject)
  const [running] = busy
  const waiting = await submit(talking())
  // Each read is judged by the schema, which requires all members.
  const names = Object.keys(await job(waiting.id))
  expect(Object.keys(await job(running))).toEqual(names)
  for (const id of busy) await cancel(id)
  await subject.reach(session, ({ type }) => type === 'execution_interrupted')
  const { graph } = await subject.workloads.failing()
  const failed = await run(graph)
  for (const one of [await job(running), failed]) expect(Object.keys(one)).toEqual(names)
})

proves('v2-jobs/times', async (subject) => {
  const { run, submit } = await v2Of(subject)
  const { created_at, started_at, completed_at, expires_at } = await run(solid())
  const times = [created_at, started_at, completed_at, expires_at]
  for (const time of times) expect(time).toMatch(/T.*(Z|[+-]\d\d:\d\d)$/)
  const numbers = times.map((time) => Date.parse(time))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect((await submit(talking())).started_at).toBeNull()
})

proves('v2-jobs/states', async (subject) => {
  const session = await subject.connect()
  const { cancel, job, run, submit } = await v2Of(subject)
  const busy = await keepBusy(subject)
  const { id } = await submit(await subject.workloads.slow())
  expect((await job(id)).status).toBe('queued')
  await cancelAll(subject, busy)
  await subject.reach(session, isAtWork(id))
  expect((await job(id)).status).toBe('running')
  await cancel(id)
  await subject.idle()
  expect((await job(id)).status).toBe('canceled')
  expect((await run(talking())).status).toBe('succeeded')
  const { graph } = await subject.workloads.failing()
  expect((await run(graph)).status).toBe('failed')
})

proves('v2-jobs/final', async (subject) => {
  const { cancel, job, run } = await v2Of(subject)
  const { graph } = await subject.workloads.failing()
  for (const one of [await run(talking()), await run(graph)]) {
    await cancel(one.id)
    await run(talking('another'))
    const later = await job(one.id)
    const { status, completed_at } = one
    expect(later).toMatchObject({ status, completed_at })
  }
})

proves('v2-jobs/position', async (subject) => {
  const { job, submit } = await v2Of(subject)
  const session = await subject.connect()
  const busy = await keepBusy(subject)
  await subject.reach(session, isAtWork(busy.at(-1) as string))
  const [first, second] = [await submit(talking('a')), await submit(talking('b'))]
  const position = async ({ id }: { id: string }) => (await job(id)).queue_position
  const [before, after] = [await position(first), await position(second)]
  expect(before).toBeGreaterThan(0)
  expect(after).toBe(before + 1)
  expect((await job(busy[0])).queue_position).toBeNull()
  await cancelAll(subject, busy)
  await subject.idle()
  expect(await position(second)).toBeNull()
})

proves('v2-jobs/progress', async (subject) => {
  const session = await subject.connect()
  const { job, submit } = await v2Of(subject)
  const graph = await subject.workloads.slow()
  const { id } = await submit(graph)
  await subject.reach(session, isAtWork(id))
  const { progress } = await job(id)
  expect(Object.keys(graph)).toContain(progress.current_node)
  expect(progress.current_node_class).toBe(graph[progress.current_node]?.class_type)
  // Cached nodes do not count.
  expect(progress.nodes_total).toBeLessThanOrEqual(Object.keys(graph).length)
  expect(progress.nodes_done).toBeLessThan(progress.nodes_total)
  expect(progress.value).toBeLessThan(1)
  await subject.idle()
  expect((await job(id)).progress).toBeNull()
})

proves('v2-jobs/outputs', async (subject) => {
  const { run } = await v2Of(subject)
  const { id, outputs } = await run({
    '1': node('EmptyImage', {
      width: 8,
      height: 8,
      batch_size: 2,
      color: uniqueNumber(subject, 'v2'),
    }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'v2' }),
  })
  expect(outputs).toHaveLength(2)
  expect(new Set(outputs.map((one: any) => one.id)).size).toBe(2)
  for (const one of outputs) {
    const own = { node_id: '2', type: 'image', content_type: 'image/png', job_id: id }
    expect(one).toMatchObject(own)
    const { status, bytes, headers } = await fetchLink(one.url)
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'image/png',
    })
    expect(one.size_bytes).toBe(bytes.length)
  }
})

proves('v2-jobs/error', async (subject) => {
  const { run } = await v2Of(subject)
  const { graph, node_id } = await subject.workloads.failing()
  const { error } = await run(graph)
  expect(error).toMatchObject({
    code: 'node_execution_error',
    message: expect.stringMatching(/./),
    node_id,
    class_type: graph[node_id]?.class_type,
  })
  expect((await run(talking())).error).toBeNull()
})

proves('v2-jobs/links', async (subject) => {
  const { submit } = await v2Of(subject)
  const { id, urls } = await submit(talking())
  const read = async (link: string, method = 'GET') => {
    const { pathname } = new URL(link, subject.url)
    const headers = { Authorization: `Bearer ${subject.key}` }
    return subject.raw(method, pathname, undefined, headers)
  }
  expect((await read(urls.self)).json().id).toBe(id)
  await subject.idle()
  expect((await read(urls.cancel, 'POST')).json().id).toBe(id)
  const { status, headers } = await read(urls.events)
  expect([status, headers['content-type']]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ])
})

proves('v2-jobs/workflow', async (subject) => {
  const { send, submit } = await v2Of(subject)
  const graph = subject.placed(solid(uniqueNumber(subject, 'workflow')))
  const { id } = await submit(graph)
  const read = async () => fitting(v2Workflow, await send('GET', `/jobs/${id}/workflow`))
  expect(await read()).toEqual({ workflow: graph, format: 'api' })
  await subject.idle()
  expect(await read()).toEqual({ workflow: graph, format: 'api' })
})

proves('v2-jobs/cancel-queued', async (subject) => {
  const { cancel, job, submit } = await v2Of(subject)
  const busy = await keepBusy(subject)
  const { id } = await submit(talking())
  expect(await cancel(id)).toMatchObject({ status: 'canceled', started_at: null })
  await cancelAll(subject, busy)
  await subject.idle()
  expect((await job(id)).status).toBe('canceled')
})

proves('v2-jobs/cancel-running', async (subject) => {
  const session = await subject.connect()
  const { cancel, job, submit } = await v2Of(subject)
  const { id } = await submit(await subject.workloads.slow())
  await subject.reach(session, isAtWork(id))
  expect(['canceling', 'canceled']).toContain((await cancel(id)).status)
  await subject.idle()
  expect((await job(id)).status).toBe('canceled')
})

proves('v2-jobs/cancel-again', async (subject) => {
  const { cancel, job, run } = await v2Of(subject)
  const { id } = await run(talking())
  const before = await job(id)
  const { status, completed_at, error } = before
  expect(await cancel(id)).toMatchObject({ status, completed_at, error })
  expect(await cancel(id)).toMatchObject({ status, completed_at, error })
})

/** Expects that a job does not exist for an account. */
async function expectUnknown(subject: Subject, id: string): Promise<void> {
  const { send } = await v2Of(subject)
  const errors = []
  for (const [method, path] of [
    ['GET', `/jobs/${id}`],
    ['GET', `/jobs/${id}/workflow`],
    ['GET', `/jobs/${id}/events`],
    ['POST', `/jobs/${id}/cancel`],
  ] as const)
    errors.push(expectRefused(await send(method, path), 404, 'job_not_found'))
  expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1)
}

proves('v2-jobs/unknown', (subject) => expectUnknown(subject, nobody))

proves(
  'v2-jobs/unknown',
  async (subject) => {
    const other = await v2Of(subject.as('other-key'))
    const { id } = await other.run(talking())
    await expectUnknown(subject, id)
    expect((await other.job(id)).status).toBe('succeeded')
  },
  twoAccounts,
)

proves(
  'v2-jobs/lifetime',
  async (subject) => {
    const { job, run } = await v2Of(subject)
    const { id, created_at, expires_at } = await run(talking())
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(24 * 3_600_000)
    await subject.emulator?.advance(25 * 3_600_000)
    expect(await job(id)).toMatchObject({ status: 'succeeded', expires_at })
  },
  ownWorld,
)

proves(
  'v2-jobs/outputs-so-far',
  async (subject) => {
    const { job, reach, run, stream, submit } = await v2Of(subject)
    const slow = node('FlowdoubleSlow', { seconds: 10, steps: 5, value: ['1', 0] })
    const { id } = await submit({ ...solid(), '3': slow })
    await reach(await stream(id), ({ name }) => name === 'output')
    const { status, outputs } = await job(id)
    expect({ status, nodes: outputs.map((one: any) => one.node_id) }).toEqual({
      status: 'running',
      nodes: ['2'],
    })
    expect((await run(talking())).outputs).toEqual([])
  },
  ownWorld,
)

proves(
  ['v2-jobs/links', 'v2-assets/address'],
  async ({ emulator }) => {
    const world = await emulator!.world({ name: 'other' })
    const subject = subjectOf(world)
    const { run } = await v2Of(subject)
    const { urls, outputs } = await run(solid())
    const headers = { Authorization: 'Bearer test-key' }
    // They lead to the world, whoever reads them.
    const { origin } = new URL(world.url)
    for (const link of [urls.self, urls.events])
      expect((await fetchLink(origin + link, headers)).status).toBe(200)
    expect((await fetchLink(outputs[0].url)).status).toBe(200)
    const content = `${world.url}/api/v2/assets/${outputs[0].id}/content`
    expect((await fetchLink(content, headers)).status).toBe(302)
  },
  ownWorld,
)
