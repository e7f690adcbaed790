// The socket of hosted: one sequence of messages per account, with the run in every message.

import type { Session } from '../../judge/client.ts'
import {
  failing,
  type Graph,
  node,
  slow,
  solid,
  talking,
  textToImage,
} from '../../generate/graphs.ts'
import { judgeOrder, type Message } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const
const isProgress = ({ type }: Message): boolean => type === 'progress'

/** The messages of one run, as a client separates them. */
const ofRun = (session: Session, prompt_id: string): Message[] =>
  session.messages().filter(({ data }) => data['prompt_id'] === prompt_id)

const begin = ['status 1', 'status 1', 'execution_start', 'notification']
const ran = (id: string, before = ''): string[] => [
  `progress_state ${before}${id} running 0/1`,
  `executing ${id}`,
  `progress_state ${before}${id} finished 1/1`,
]

proves(
  [
    'messages/order',
    'messages/status-of-a-run',
    'messages/executing',
    'messages/hosted-no-executing-null',
  ],
  async ({ connect, run, idle }) => {
    const session = await connect()
    await run(session, solid())
    await idle()
    await session.settled()
    expect(transcript(session.messages().slice(1))).toEqual([
      ...begin,
      'execution_cached',
      ...ran('1'),
      'progress_state 1 finished 1/1, 2 running 0/1',
      'executing 2',
      'executed 2',
      'progress_state 1 finished 1/1, 2 finished 1/1',
      'execution_success',
      'status 0',
    ])
    expect(judgeOrder('hosted', session.messages().slice(1))).toEqual([])
  },
  hosted,
)

/** Graphs that end in each way that is possible without a request, the last one from the cache. */
const graphs: readonly Graph[] = [
  textToImage(),
  talking(),
  failing('OOMError'),
  { '1': node('FlowdoubleNotify', { value: 'hello' }) },
  slow(1, 3),
  textToImage(),
]

// Five runs at a time: their messages mix, and each run keeps its own order.
proves(
  ['messages/order', 'messages/hosted-names-run', 'messages/hosted-no-executing-null'],
  async ({ connect, submit, reach, post, idle }) => {
    const session = await connect('any')
    const ids: string[] = []
    for (const graph of [...graphs, ...graphs]) ids.push((await submit(graph)).json().prompt_id)
    await idle()
    ids.push((await submit(slow())).json().prompt_id)
    await reach(
      session,
      ({ type, data }) => isProgress({ type, data }) && data['prompt_id'] === ids.at(-1),
    )
    await post('/interrupt', {})
    await idle()
    await session.settled()
    const messages = session.messages()
    const nameless = messages.filter(({ data }) => data['prompt_id'] === undefined)
    expect(new Set(nameless.map(({ type }) => type))).toEqual(new Set(['status']))
    const starts = messages.flatMap(({ type, data }) =>
      type === 'execution_start' ? [data['prompt_id']] : [],
    )
    const firstEnd = messages.findIndex(({ type }) => /success|error/.test(type))
    const before = messages.slice(0, firstEnd).filter(({ type }) => type === 'execution_start')
    expect([starts.length, new Set(starts)]).toEqual([ids.length, new Set(ids)])
    expect(before.length).toBeGreaterThan(1)
    for (const id of ids) expect(judgeOrder('hosted', ofRun(session, id))).toEqual([])
    const isNull = ({ type, data }: Message): boolean =>
      type === 'executing' && data['node'] === null
    expect(messages.filter(isNull)).toEqual([])
    const ends = ids.map((id) => ofRun(session, id).at(-1)?.type)
    expect(new Set(ends)).toEqual(
      new Set(['execution_success', 'execution_error', 'execution_interrupted']),
    )
  },
  ownWorld,
)

provesQuirk('hosted.executing-null', async ({ connect, submit, idle }) => {
  const session = await connect()
  for (const graph of [solid(), failing()]) {
    const { prompt_id } = (await submit(graph)).json()
    await idle()
    await session.settled()
    expect(session.messages().at(-1)).toEqual({
      type: 'executing',
      data: { node: null, prompt_id },
    })
    expect(transcript(session.messages()).at(-2)).toBe('status 0')
  }
})

proves(
  ['messages/notification', 'messages/hosted-one-notification', 'messages/hosted-names-run'],
  async ({ connect, run }) => {
    const session = await connect()
    for (const graph of [solid(), solid(), failing(), talking()]) {
      const { prompt_id, messages } = await run(session, graph)
      const lines = transcript(messages)
      expect(lines.filter((line) => line === 'notification')).toHaveLength(1)
      const at = lines.indexOf('notification')
      expect(lines[at - 1]).toBe('execution_start')
      const value = expect.stringMatching(/\w+ \w+/)
      expect(messages[at]?.data).toEqual({ value, prompt_id })
    }
    const { prompt_id, messages } = await run(session, {
      '1': node('FlowdoubleNotify', { value: 'hello' }),
    })
    const notifications = messages.filter(({ type }) => type === 'notification')
    expect(notifications[1]?.data).toEqual({ value: 'hello', prompt_id })
  },
)

proves(
  ['messages/hosted-node-types', 'messages/progress-state', 'messages/progress'],
  async ({ connect, run }) => {
    const graph = textToImage(1, 2)
    const { prompt_id, messages } = await run(await connect(), graph)
    const last = messages.findLast(({ type }) => type === 'progress_state')
    const ids = Object.keys(graph)
    const nodes = ids.map((id) => [
      id,
      {
        value: id === '3' ? 2 : 1,
        max: id === '3' ? 2 : 1,
        state: 'finished',
        node_id: id,
        prompt_id,
        display_node_id: id,
        parent_node_id: null,
        real_node_id: id,
        class_type: graph[id]?.class_type,
      },
    ])
    expect(last?.data).toEqual({ prompt_id, nodes: Object.fromEntries(nodes) })
    expect(messages.filter(isProgress).map(({ data }) => data)).toEqual([
      { value: 1, max: 2, prompt_id, node: '3' },
      { value: 2, max: 2, prompt_id, node: '3' },
    ])
  },
)

proves(
  [
    'messages/json-text',
    'messages/type-first',
    'messages/timestamps',
    'messages/execution-start',
    'messages/execution-cached',
    'messages/success',
    'messages/executed',
    'messages/executed-cached',
    'messages/status',
  ],
  async ({ connect, run }) => {
    const session = await connect()
    const timestamp = expect.any(Number)
    const output = { text: ['hello'] }
    for (const nodes of [[], ['1']]) {
      const { prompt_id, messages } = await run(session, talking())
      const dataOf = (type: string) =>
        messages.filter((message) => message.type === type).map(({ data }) => data)
      expect(dataOf('execution_start')).toEqual([{ prompt_id, timestamp }])
      expect(dataOf('execution_cached')).toEqual([{ nodes, prompt_id, timestamp }])
      expect(dataOf('execution_success')).toEqual([{ prompt_id, timestamp }])
      expect(dataOf('executed')).toEqual([{ node: '1', display_node: '1', output, prompt_id }])
      expect(dataOf('executing')).toHaveLength(1 - nodes.length)
    }
    expect(session.texts.length).toBeGreaterThan(15)
    for (const text of session.texts) {
      expect(text).toMatch(/^\{"type": /)
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['type', 'data'])
    }
    const times = session.messages().flatMap(({ data }) => (data['timestamp'] as number) ?? [])
    expect(times.every((time) => Number.isInteger(time) && time > 1_700_000_000_000)).toBe(true)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
  },
  hosted,
)
