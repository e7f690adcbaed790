// The queue: interrupting the running run.

import { slow } from '../../generate/graphs.ts'
import { judgeOrder, type Message } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const isProgress = ({ type }: Message) => type === 'progress'
const isStartOf =
  (prompt_id: string) =>
  ({ type, data }: Message) =>
    type === 'execution_start' && data['prompt_id'] === prompt_id
const isEndOf =
  (prompt_id: string) =>
  ({ type, data }: Message) =>
    type === 'executing' && data['node'] === null && data['prompt_id'] === prompt_id

proves(
  'queue/interrupt',
  async ({ get, request, submit, connect, reach }) => {
    const session = await connect('me')
    await submit(slow(), { prompt_id: 'stopped', client_id: 'me' })
    await submit(slow(), { prompt_id: 'next', client_id: 'me' })
    await reach(session, isProgress)
    const reply = await request('POST', '/interrupt')
    expect({
      status: reply.status,
      text: reply.text,
      contentType: reply.headers['content-type'],
    }).toEqual({ status: 200, text: '', contentType: undefined })
    const { data } = await reach(session, ({ type }) => type === 'execution_interrupted')
    expect(data).toMatchObject({
      prompt_id: 'stopped',
      node_id: '1',
      node_type: 'FlowdoubleSlow',
      executed: [],
    })
    await reach(session, isEndOf('stopped'))
    const messages = session.messages()
    expect(messages.filter(isProgress)).toHaveLength(1)
    const own = messages.slice(1, messages.findIndex(isEndOf('stopped')) + 1)
    expect(judgeOrder('local', own)).toEqual([])
    await reach(session, isEndOf('next'))
    expect((await get('/history/next')).json().next.status.status_str).toBe('success')
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  'queue/interrupt-named',
  async ({ get, post, submit, connect, reach }) => {
    const session = await connect('me')
    await submit(slow(8), { prompt_id: 'one', client_id: 'me' })
    await submit(slow(9), { prompt_id: 'two', client_id: 'me' })
    await reach(session, isProgress)
    for (const prompt_id of ['two', 'unknown', 7]) {
      expect((await post('/interrupt', { prompt_id })).status).toBe(200)
    }
    await reach(session, isStartOf('two'))
    await post('/interrupt', { prompt_id: 'one' })
    await reach(
      session,
      ({ type, data }) => isProgress({ type, data }) && data['prompt_id'] === 'two',
    )
    await post('/interrupt', { prompt_id: 'two' })
    await reach(session, isEndOf('two'))
    const { one, two } = (await get('/history')).json()
    expect([one.status.status_str, two.status.status_str]).toEqual(['success', 'error'])
    expect(two.status.messages.at(-1)[0]).toBe('execution_interrupted')
  },
  ownWorld,
)
