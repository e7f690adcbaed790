// Submitting to any hosted server: what a client can set, and what it gets back.

import { submitReply } from '../../../spec/server/workflows.ts'
import { talking } from '../../generate/graphs.ts'
import { cancelAll, keepBusy } from '../../judge/hosted/busy-account.ts'
import { isOf } from '../../judge/hosted/jobs.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

const clientIds: readonly unknown[] = [undefined, 'me', '', 7, null, ['me'], { me: 1 }]

proves(
  ['workflows/hosted-client-id', 'workflows/submit-queues', 'workflows/reply'],
  async ({ connect, submit, reach }) => {
    const session = await connect('me')
    const received: string[][] = []
    for (const client_id of clientIds) {
      const fields = client_id === undefined ? {} : { client_id, extra_data: { client_id } }
      const reply = await submit(talking('the same'), fields)
      expect({ client_id, status: reply.status }).toEqual({ client_id, status: 200 })
      expect(violations(submitReply, reply.json())).toEqual([])
      expect(reply.json().node_errors).toEqual({})
      const { prompt_id } = reply.json() as { readonly prompt_id: string }
      await reach(session, isOf('execution_success', prompt_id))
      const own = session.messages().filter(({ data }) => data['prompt_id'] === prompt_id)
      received.push(own.map(({ type }) => type))
    }
    // The first may be the only one that is in no cache.
    const [, second, ...others] = received
    expect(second).toContain('execution_start')
    for (const one of others) expect(one).toEqual(second)
  },
  hosted,
)

proves('workflows/hosted-number', async (subject) => {
  const { connect, submit } = subject
  const session = await connect()
  const busy = await keepBusy(subject)
  const ids: string[] = []
  let last = -Infinity
  for (const fields of [{}, { number: 7 }, { front: true }, { number: -1.5 }, { number: 'x' }]) {
    // Rejected submits are not counted.
    expect((await submit({}, fields)).status).toBe(400)
    const { prompt_id, number } = (await submit(talking(), fields)).json()
    expect({ fields, isNext: Number.isInteger(number) && number > last }).toEqual({
      fields,
      isNext: true,
    })
    last = number
    ids.push(prompt_id)
  }
  await cancelAll(subject, busy)
  for (const id of ids) await subject.reach(session, isOf('execution_success', id))
  const starts = session
    .messages()
    .flatMap(({ type, data }) => (type === 'execution_start' ? [data['prompt_id']] : []))
  expect(starts.filter((id) => ids.includes(id as string))).toEqual(ids)
})

proves('workflows/hosted-finite', async ({ request, submit }) => {
  const headers = { 'Content-Type': 'application/json' }
  for (const odd of ['NaN', 'Infinity', '-Infinity']) {
    const graph = JSON.stringify(talking())
    const body = `{"prompt": ${graph}, "extra_data": {"n": ${odd}}}`
    expect({ odd, status: (await request('POST', '/prompt', body, headers)).status }).toEqual({
      odd,
      status: 400,
    })
  }
  expect((await submit(talking('NaN and Infinity'))).status).toBe(200)
})

proves(
  'workflows/answers-first',
  async (subject) => {
    const session = await subject.connect()
    const { prompt_id } = (await subject.submit(talking())).json()
    await subject.reach(session, isOf('execution_success', prompt_id))
    const first = session.messages().find(({ data }) => data['prompt_id'] === prompt_id)
    expect(first).toMatchObject({ type: 'execution_start', data: { prompt_id } })
  },
  hosted,
)

proves(
  'workflows/extra-data-kept',
  async ({ connect, run, get }) => {
    const extra_data = { extra_pnginfo: { workflow: { mine: [1, null] } }, other: 'ü' }
    const { prompt_id } = await run(await connect(), talking(), { extra_data })
    const detail = (await get(`/jobs/${prompt_id}`)).json()
    expect(detail.workflow.extra_data).toMatchObject(extra_data)
    expect((await get(`/history/${prompt_id}`)).json()[prompt_id].prompt).toMatchObject({
      extra_data,
    })
  },
  hosted,
)
