// Interrupts on any local server, which others may use at the same time.

import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { nobody } from '../../judge/hosted/jobs.ts'
import {
  busy,
  listedIds,
  messagesAbout,
  onlyOurs,
  startsNode,
  submitFor,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { empty, shape } from '../../judge/reply.ts'
import { endsRun } from '../../judge/responses.ts'

const local = { deployment: 'local' } as const

proves(
  'queue/interrupt',
  async (subject) => {
    const { session, held, pend } = await busy(subject)
    const [next] = await pend('next')
    expect(shape(await subject.request('POST', '/interrupt'))).toEqual(empty)
    await subject.reach(session, endsRun('local', next))
    const messages = messagesAbout(session, held.prompt_id)
    const [stopped, ...more] = messages.filter(({ type }) => type === 'execution_interrupted')
    const started = messages
      .filter(startsNode(held.prompt_id))
      .map(({ data }) => String(data['node']))
    expect(more).toEqual([])
    expect(stopped?.data).toMatchObject({
      prompt_id: held.prompt_id,
      node_id: started.at(-1),
      node_type: held.graph[started.at(-1)!]?.class_type,
    })
    const executed = stopped?.data['executed'] as string[] | undefined
    expect(executed?.toSorted()).toEqual(started.slice(0, -1).toSorted())
    const { running, pending } = await listedIds(subject)
    expect([...running, ...pending]).not.toContain(held.prompt_id)
    expect((await subject.finished(next!))?.status.status_str).toBe('success')
  },
  local,
)

proves(
  'queue/idle-interrupt-is-lost',
  async (subject) => {
    await onlyOurs(subject, [])
    const session = await subject.connect(subject.unique('me'))
    expect((await subject.post('/interrupt', {})).status).toBe(200)
    expect((await subject.request('POST', '/interrupt', 'no JSON')).status).toBe(200)
    const { entry, messages } = await subject.run(session, talking(subject.unique('later')))
    expect(entry.status.status_str).toBe('success')
    expect(messages.map(({ type }) => type)).not.toContain('execution_interrupted')
  },
  local,
)

proves('queue/interrupt-named', async (subject) => {
  const { session, held } = await busy(subject)
  const other = await submitFor(subject, session, await subject.workloads.slow())
  for (const prompt_id of [other, nobody, 7])
    expect((await subject.post('/interrupt', { prompt_id })).status).toBe(200)
  // The running one goes on: it sends what it has not sent before.
  const seen = new Set(messagesAbout(session, held.prompt_id).map((one) => JSON.stringify(one)))
  await subject.reach(
    session,
    (one) =>
      ['progress', 'executing'].includes(one.type) &&
      one.data['prompt_id'] === held.prompt_id &&
      !seen.has(JSON.stringify(one)),
  )
  expect((await listedIds(subject)).running).toContain(held.prompt_id)
  await held.stop()
  await subject.reach(session, startsNode(other))
  await subject.post('/interrupt', { prompt_id: held.prompt_id })
  expect((await listedIds(subject)).running).toContain(other)
  await subject.post('/interrupt', { prompt_id: other })
  await subject.idle()
  for (const id of [held.prompt_id, other]) {
    const { status } = (await subject.finished(id))!
    expect([status.status_str, status.messages.at(-1)?.[0]]).toEqual([
      'error',
      'execution_interrupted',
    ])
  }
})
