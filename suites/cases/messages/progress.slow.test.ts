// What a server sends of the progress of a run: its steps, the states of its nodes, and how often.

import { node, slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import type { Message } from '../../judge/judge.ts'
import { me, shown, uniqueNumber } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { Skip } from '../../judge/skip.ts'
import { dataOf, nodesOf } from '../../support/transcript.ts'

const local = { deployment: 'local' } as const

proves(
  'messages/progress',
  async (subject) => {
    const { workloads, isOwn } = subject
    const session = await me(subject)
    const many = await (isOwn ? workloads.sampling(30) : workloads.slow())
    for (const [at, graph] of [await workloads.sampling(4), many].entries()) {
      const { prompt_id, messages } = await subject.run(session, graph)
      const reported = dataOf('progress', messages)
      const stepsOf = (id: unknown) => reported.filter((data) => data['node'] === id)
      for (const id of new Set(reported.map((data) => data['node']))) {
        const max = stepsOf(id).length
        const steps = stepsOf(id).map((_, index) => ({
          value: index + 1,
          max,
          prompt_id,
          node: id,
        }))
        expect(stepsOf(id)).toEqual(steps)
      }
      if (at === 0) expect(stepsOf('3')).toHaveLength(4)
    }
  },
  local,
)

/** The state of a node that has as many steps as `value`, or none. */
const stateOf = (prompt_id: string, node_id: string, state: string, value: number, more = {}) => ({
  value,
  max: Math.max(value, 1),
  state,
  node_id,
  prompt_id,
  display_node_id: node_id,
  parent_node_id: null,
  real_node_id: node_id,
  ...more,
})

proves(
  'messages/progress-state',
  async (subject) => {
    const { prompt_id, messages } = await subject.run(await me(subject), {
      ...shown(subject, 'state'),
      turn: node('ImageInvert', { image: ['1', 0] }),
      end: node('PreviewImage', { images: ['turn', 0] }),
    })
    const states = dataOf('progress_state', messages)
    const ran = nodesOf('executing', messages).map(String)
    expect(states[0]).toEqual({ prompt_id, nodes: { '1': stateOf(prompt_id, '1', 'running', 0) } })
    const done = Object.fromEntries(ran.map((id) => [id, stateOf(prompt_id, id, 'finished', 1)]))
    expect(states.at(-1)).toEqual({ prompt_id, nodes: done })
    expect(Object.keys(done).toSorted()).toEqual(['1', '2', 'end', 'turn'])
    expect(states).toHaveLength(2 * ran.length)
  },
  local,
)

proves(
  ['messages/hosted-node-types', 'messages/progress-state', 'messages/progress'],
  async (subject) => {
    const graph = textToImage(uniqueNumber(subject, 'sampled'), 2)
    const { prompt_id, messages } = await subject.run(await me(subject), graph)
    const ran = nodesOf('executing', messages).map(String)
    if (subject.isOwn) expect(ran.toSorted()).toEqual(Object.keys(graph))
    const nodes = ran.map((id) => {
      const { class_type } = graph[id]!
      return [id, stateOf(prompt_id, id, 'finished', id === '3' ? 2 : 1, { class_type })]
    })
    expect(dataOf('progress_state', messages).at(-1)).toEqual({
      prompt_id,
      nodes: Object.fromEntries(nodes),
    })
    expect(dataOf('progress', messages)).toEqual([
      { value: 1, max: 2, prompt_id, node: '3' },
      { value: 2, max: 2, prompt_id, node: '3' },
    ])
  },
)

/** The values that a node reported. */
const valuesOf = (messages: readonly Message[], id: string): readonly number[] =>
  dataOf('progress', messages).flatMap((data) => (data['node'] === id ? Number(data['value']) : []))

/** When the run began and ended, by its own messages. */
function spanOf(messages: readonly Message[]): number {
  const [start, end] = ['execution_start', 'execution_success'].map((type) =>
    Number(dataOf(type, messages)[0]?.['timestamp']),
  )
  return Number(end) - Number(start)
}

/** One output node of so many steps, each of which takes so long. */
const stepsOf = (steps: number, stepMs: number) => slow((steps * stepMs) / 1000, steps)

proves('messages/progress-throttled', async (subject) => {
  const session = await me(subject)
  const steps = 20
  const { messages } = await subject.run(session, await subject.workloads.sampling(steps))
  if (session.frames().length > 0)
    throw new Skip('no-workload', 'The server sends previews, and so the progress of each step.')
  const values = valuesOf(messages, '3')
  expect([values[0], values.at(-1)]).toEqual([1, steps])
  expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
  expect(values.length).toBeLessThanOrEqual(2 + Math.floor(spanOf(messages) / 100))
  if (!subject.isOwn) return
  const reported = async (count: number, stepMs: number) => {
    const run = await subject.run(session, stepsOf(count, stepMs))
    const own = valuesOf(run.messages, '1')
    const states = dataOf('progress_state', run.messages).map((data) => (data['nodes'] as any)['1'])
    // Both messages of a step are sent, or neither; the node also reports its start and its end.
    expect(states.slice(1, -1).map((state) => state.value)).toEqual(own)
    return own
  }
  expect(await reported(20, 10)).toEqual([1, 11, 20])
  expect(await reported(5, 100)).toEqual([1, 2, 3, 4, 5])
  expect(await reported(5, 99)).toEqual([1, 3, 5])
  expect(await reported(1, 10)).toEqual([1])
})

proves(
  'messages/progress-throttled',
  async (subject) => {
    const { messages } = await subject.run(await me(subject), {
      '1': node('FlowdoublePreviews', { width: 64, height: 64, steps: 6, seed: 1 }),
      '2': node('PreviewImage', { images: ['1', 0] }),
    })
    expect(valuesOf(messages, '1')).toEqual([1, 2, 3, 4, 5, 6])
  },
  { preview: 'png' },
)

proves(
  'messages/progress-share',
  async ({ connect, run }) => {
    const { messages } = await run(await connect('me'), stepsOf(1000, 100))
    const values = valuesOf(messages, '1')
    expect(values.slice(0, 4)).toEqual([1, 6, 11, 16])
    expect(values.slice(-2)).toEqual([996, 1000])
  },
  ownWorld,
)
