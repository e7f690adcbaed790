// What later local servers send while a run is at work, that earlier ones sent otherwise.

import { node } from '../../generate/graphs.ts'
import type { Message } from '../../judge/judge.ts'
import { me } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { Skip } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

/** The values that a node reported. */
const valuesOf = (messages: readonly Message[], id: string): readonly number[] =>
  messages.flatMap(({ type, data }) =>
    type === 'progress' && data['node'] === id ? [Number(data['value'])] : [],
  )

/** When the run began and ended, by its own messages. */
function spanOf(messages: readonly Message[]): number {
  const [start, end] = ['execution_start', 'execution_success'].map((type) =>
    Number(messages.find((one) => one.type === type)?.data['timestamp']),
  )
  return Number(end) - Number(start)
}

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
})

/** One output node of so many steps, each of which takes so long. */
const stepsOf = (steps: number, stepMs: number) => ({
  '1': node('FlowdoubleSlow', { seconds: (steps * stepMs) / 1000, steps }),
})

proves(
  'messages/progress-throttled',
  async (subject) => {
    const { connect, run } = subject
    const session = await connect('me')
    const reported = async (steps: number, stepMs: number) => {
      const { messages } = await run(session, stepsOf(steps, stepMs))
      const states = messages.flatMap(({ type, data }) =>
        type === 'progress_state' ? [(data['nodes'] as any)['1']?.value] : [],
      )
      const values = valuesOf(messages, '1')
      // Both messages of a step are sent, or neither; the node also reports its start and its end.
      expect(states.slice(1, -1)).toEqual(values)
      return values
    }
    expect(await reported(20, 10)).toEqual([1, 11, 20])
    expect(await reported(5, 100)).toEqual([1, 2, 3, 4, 5])
    expect(await reported(5, 99)).toEqual([1, 3, 5])
    expect(await reported(1, 10)).toEqual([1])
  },
  ownWorld,
)

proves(
  'messages/progress-throttled',
  async ({ connect, run }) => {
    const session = await connect('me')
    const graph = {
      '1': node('FlowdoublePreviews', { width: 64, height: 64, steps: 6, seed: 1 }),
      '2': node('PreviewImage', { images: ['1', 0] }),
    }
    const { messages } = await run(session, graph)
    expect(valuesOf(messages, '1')).toEqual([1, 2, 3, 4, 5, 6])
  },
  { clock: 'manual', preview: 'png' },
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
