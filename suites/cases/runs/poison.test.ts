// Requests that break the worker of a real server: they never leave for a server elsewhere.

import { type Graph, node, slow, solid } from '../../generate/graphs.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

/** Submits that crash the worker of a real server; it accepts each. */
const poison: readonly (readonly [Graph, Readonly<Record<string, unknown>>])[] = [
  [{ ...solid(), '2': node('SaveImage', { ...solid()['2']?.inputs, extra: ['77', 0] }) }, {}],
  [{ ...solid(), '5': { class_type: 'EmptyImage' } as Graph[string] }, {}],
  [{ ...solid(), '5': { class_type: 'EmptyImage', inputs: null } as unknown as Graph[string] }, {}],
  [solid(), { extra_data: null }],
  [solid(), { extra_data: 'with client_id' }],
  [solid(), { client_id: ['me'] }],
  [solid(), { client_id: { me: 1 } }],
]

proves(
  'runs/poison-fails-its-run',
  async ({ submit, get, idle }) => {
    for (const [index, [graph, fields]] of poison.entries()) {
      const reply = await submit(graph, { prompt_id: `bad ${index}`, ...fields })
      expect({ status: reply.status, node_errors: reply.json().node_errors }).toEqual({
        status: 200,
        node_errors: {},
      })
      await submit(solid(index + 1), { prompt_id: `good ${index}` })
    }
    // What no output needs fails nothing.
    const unneeded = node('EmptyImage', { ...solid()['1']?.inputs, extra: ['77', 0] })
    await submit({ ...solid(), unneeded }, { prompt_id: 'unneeded' })
    await idle()
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    const history = (await get('/history')).json()
    expect(history.unneeded.status.status_str).toBe('success')
    for (const index of poison.keys()) {
      const { status, outputs } = history[`bad ${index}`]
      expect([status.status_str, status.messages.at(-1)[0]]).toEqual(['error', 'execution_error'])
      expect(outputs).toEqual({})
      expect(history[`good ${index}`].status.status_str).toBe('success')
    }
  },
  ownWorld,
)

proves(
  'runs/not-a-number',
  async ({ submit, idle, get }) => {
    await submit({ '1': node('FlowdoubleSlow', { seconds: 'nan' }) }, { prompt_id: 'bad' })
    await submit(solid(), { prompt_id: 'good' })
    await idle()
    // As in Python, the entry holds a bare NaN, which is not valid JSON.
    expect((await get('/history/bad')).text).toMatch(/"status_str": "error".*"ValueError"/)
    expect((await get('/history/good')).json().good.status.status_str).toBe('success')
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  ['runs/poison-fails-its-run', 'messages/order'],
  async ({ connect, run }) => {
    const [graph] = poison[0]!
    const { messages } = await run(await connect('me'), graph)
    expect(judgeOrder('local', messages)).toEqual([])
    expect(transcript(messages).slice(0, 4)).toEqual([
      'status 1',
      'status 1',
      'execution_start',
      'execution_cached',
    ])
    expect(transcript(messages).slice(5)).toEqual(['status 0', 'executing null'])
    expect(messages[4]?.type).toBe('execution_error')
  },
  ownWorld,
)

/** Runs that differ only in their graphs. */
const sameRun = { number: 5, prompt_id: 'same' }

proves(
  'queue/priority-collisions',
  async ({ breaks, connect, submit, get, reach, idle }) => {
    breaks('queue/listing')
    const session = await connect('me')
    await submit(slow(), { prompt_id: 'first', client_id: 'me' })
    await reach(session, ({ type }) => type === 'progress')
    const statusOf = async (color: number, fields: object): Promise<number> =>
      (await submit(solid(color), { client_id: 'me', ...sameRun, ...fields })).status
    expect(await statusOf(1, {})).toBe(200)
    expect(await statusOf(1, {})).toBe(200)
    expect(await statusOf(2, { number: 6 })).toBe(200)
    expect(await statusOf(2, { prompt_id: 'other' })).toBe(200)
    await session.settled()
    const statusCount = session.messages().filter(({ type }) => type === 'status').length
    expect(await statusOf(2, { number: 6, client_id: 'you' })).toBe(500)
    await session.settled()
    expect(session.messages().filter(({ type }) => type === 'status')).toHaveLength(statusCount)
    const { queue_pending } = (await get('/queue')).json()
    const pending = queue_pending.map(
      ([number, id]: unknown[]) => `${String(number)} ${String(id)}`,
    )
    expect(pending.toSorted()).toEqual(['5 other', '5 same', '5 same', '6 same', '6 same'])
    await idle()
    const history = (await get('/history')).json()
    expect(Object.keys(history).toSorted()).toEqual(['first', 'other', 'same'])
    expect(history.same.prompt[3]).toEqual({ client_id: 'you' })
    expect(history.same.status.status_str).toBe('success')
  },
  ownWorld,
)

proves(
  ['runs/poison-fails-its-run', 'queue/priority-collisions'],
  async ({ submit, get, idle }) => {
    await submit(slow(), { prompt_id: 'first' })
    const statuses: number[] = []
    for (const color of [1, 2, 3]) statuses.push((await submit(solid(color), sameRun)).status)
    expect(statuses).toEqual([200, 500, 500])
    await submit(solid(4), { prompt_id: 'behind', number: 9 })
    await idle()
    expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
    const history = (await get('/history')).json()
    const words = ['first', 'same', 'behind'].map((id) => history[id].status.status_str)
    expect(words).toEqual(['success', 'error', 'success'])
    for (const name of ['solid_00001_.png', 'solid_00002_.png', 'solid_00003_.png']) {
      expect((await get(`/view?filename=${name}`)).status).toBe(200)
    }
    expect((await get('/view?filename=solid_00004_.png')).status).toBe(404)
  },
  ownWorld,
)

provesQuirk('queue.poison-kills-worker', async ({ submit, get, post, idle }) => {
  const idsOf = (runs: readonly (readonly unknown[])[]): unknown[] => runs.map(([, id]) => id)
  const [graph] = poison[0]!
  await submit(solid(), { prompt_id: 'before' })
  await submit(graph, { prompt_id: 'bad' })
  await submit(solid(), { prompt_id: 'behind' })
  await idle()
  await submit(solid(), { prompt_id: 'later' })
  await post('/interrupt', {})
  await idle()
  const { queue_running, queue_pending } = (await get('/queue')).json()
  expect([idsOf(queue_running), idsOf(queue_pending)]).toEqual([['bad'], ['behind', 'later']])
  expect(Object.keys((await get('/history')).json())).toEqual(['before'])
})
