// The JSON messages of the socket: the content of each type.

import {
  failing,
  type Graph,
  node,
  slow,
  solid,
  talking,
  textToImage,
} from '../../generate/graphs.ts'
import { isOf } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { nodesOf, transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const dataOf = (type: string, messages: readonly Message[]): Message['data'][] =>
  messages.filter((message) => message.type === type).map(({ data }) => data)
const timestamp = expect.any(Number)

proves(
  ['messages/json-text', 'messages/type-first'],
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, { ...solid(), '3': node('FlowdoubleSlow', { seconds: 1 }) })
    await run(session, failing())
    const values = session.texts.map((text) => JSON.parse(text) as unknown)
    expect(values.length).toBeGreaterThan(20)
    for (const value of values) {
      expect(Object.keys(value as object)).toEqual(['type', 'data'])
      expect(value).toEqual({ type: expect.any(String), data: expect.any(Object) })
    }
    for (const text of session.texts) expect(text).toMatch(/^\s*\{\s*"type"/)
    expect(session.received).toHaveLength(values.length)
  },
  ownWorld,
)

proves(
  ['messages/execution-start', 'messages/execution-cached', 'messages/success'],
  async ({ connect, run }) => {
    const session = await connect('me')
    for (const nodes of [[], ['1', '2']]) {
      const { prompt_id, messages } = await run(session, solid())
      const whole = { prompt_id, timestamp }
      expect(dataOf('execution_start', messages)).toEqual([whole])
      expect(dataOf('execution_cached', messages)).toEqual([{ nodes, ...whole }])
      expect(dataOf('execution_success', messages)).toEqual([whole])
    }
  },
  ownWorld,
)

proves(
  ['messages/executing', 'messages/executing-null'],
  async ({ connect, run }) => {
    const session = await connect('me')
    const { prompt_id, messages } = await run(session, solid())
    expect(dataOf('executing', messages)).toEqual([
      { node: '1', display_node: '1', prompt_id },
      { node: '2', display_node: '2', prompt_id },
      { node: null, prompt_id },
    ])
    const failed = await run(session, failing())
    expect(dataOf('executing', failed.messages).at(-1)).toEqual({
      node: null,
      prompt_id: failed.prompt_id,
    })
  },
  ownWorld,
)

proves(
  'messages/executing-null-last',
  async ({ connect, run, get, idle }) => {
    const session = await connect('me')
    for (const graph of [solid(), solid(), failing()]) {
      const { prompt_id, messages, entry } = await run(session, graph)
      expect(transcript(messages).slice(-2)).toEqual(['status 0', 'executing null'])
      expect(entry.prompt_id).toBe(prompt_id)
      expect((await get('/queue')).json().queue_running).toEqual([])
      await idle()
      await session.settled()
      expect(session.messages().at(-1)).toEqual(messages.at(-1))
    }
  },
  ownWorld,
)

const advanced: Graph = {
  ...textToImage(),
  '3': node('KSamplerAdvanced', {
    model: ['4', 0],
    add_noise: 'enable',
    noise_seed: 1,
    steps: 6,
    cfg: 8,
    sampler_name: 'euler',
    scheduler: 'normal',
    positive: ['6', 0],
    negative: ['7', 0],
    latent_image: ['5', 0],
    start_at_step: 1,
    end_at_step: 3,
    return_with_leftover_noise: 'disable',
  }),
}

proves(
  'messages/progress',
  async ({ connect, run }) => {
    const session = await connect('me')
    const stepsOf = async (graph: Graph): Promise<unknown> => {
      const { prompt_id, messages } = await run(session, graph)
      const steps = dataOf('progress', messages)
      const [{ max } = {}] = steps
      expect(steps).toEqual(
        steps.map((_, index) => ({ value: index + 1, max, prompt_id, node: '3' })),
      )
      return [steps.length, max]
    }
    expect(await stepsOf(textToImage(1, 4))).toEqual([4, 4])
    expect(await stepsOf(textToImage(1, 7))).toEqual([7, 7])
    expect(await stepsOf(advanced)).toEqual([2, 2])
    expect(await stepsOf(solid())).toEqual([0, undefined])
  },
  ownWorld,
)

proves(
  'messages/progress-state',
  async ({ connect, run }) => {
    const session = await connect('me')
    const { prompt_id, messages } = await run(session, textToImage())
    const idsOf = (id: string) => ({
      node_id: id,
      prompt_id,
      display_node_id: id,
      parent_node_id: null,
      real_node_id: id,
    })
    const states = dataOf('progress_state', messages)
    const done = ['4', '5', '7', '6', '8', '9'].map((id) => [
      id,
      { value: 1, max: 1, state: 'finished', ...idsOf(id) },
    ])
    const sampled = { value: 3, max: 3, state: 'finished', ...idsOf('3') }
    expect(states.at(-1)).toEqual({
      prompt_id,
      nodes: { ...Object.fromEntries(done), '3': sampled },
    })
    expect(states[0]).toEqual({
      prompt_id,
      nodes: { '4': { value: 0, max: 1, state: 'running', ...idsOf('4') } },
    })
    expect(states).toHaveLength(7 * 2 + 3)
    const texts = session.texts.filter((text) => text.includes('progress_state'))
    const named = texts.map((text) => text.split('"real_node_id"').length - 1)
    expect(named).toEqual(states.map(({ nodes }) => Object.keys(nodes as object).length))
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  ['messages/executed', 'messages/executed-cached'],
  async ({ connect, run }) => {
    const session = await connect('me')
    const filename = expect.stringMatching(/\.png$/)
    const output = { images: [{ filename, subfolder: '', type: 'output' }] }
    for (const ran of [['1', '2'], []]) {
      const { prompt_id, messages, entry } = await run(session, solid())
      expect(nodesOf('executing', messages)).toEqual(ran)
      expect(dataOf('executed', messages)).toEqual([
        { node: '2', display_node: '2', output, prompt_id },
      ])
      expect(entry.outputs).toEqual({ '2': output })
    }
    const { messages } = await run(session, talking('said'))
    expect(dataOf('executed', messages)[0]).toMatchObject({ output: { text: ['said'] } })
  },
  ownWorld,
)

proves(
  'messages/executed-cached',
  async ({ connect, run }) => {
    const fill = node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 0 })
    const { messages, prompt_id } = await run(await connect('me'), {
      one: fill,
      two: fill,
      join: node('ImageBatch', { image1: ['one', 0], image2: ['two', 0] }),
      show: node('PreviewImage', { images: ['join', 0] }),
    })
    const [ran] = nodesOf('executing', messages)
    const spared = ran === 'one' ? 'two' : 'one'
    expect(nodesOf('executing', messages)).toEqual([ran, 'join', 'show'])
    expect(nodesOf('executed', messages)).toEqual([spared, 'show'])
    expect(dataOf('executed', messages)[0]).toEqual({
      node: spared,
      display_node: spared,
      output: null,
      prompt_id,
    })
  },
  ownWorld,
)

proves(
  ['messages/error', 'messages/error-details'],
  async ({ connect, run }) => {
    const { prompt_id, messages } = await run(await connect('me'), failing('KeyError', 'no "such"'))
    const [error, ...more] = dataOf('execution_error', messages)
    expect(more).toEqual([])
    expect(error).toEqual({
      prompt_id,
      node_id: '2',
      node_type: 'FlowdoubleFail',
      executed: ['1'],
      exception_message: 'no "such"\n',
      exception_type: 'KeyError',
      traceback: expect.arrayContaining([expect.stringMatching(/\n$/)]),
      current_inputs: {
        exception_type: ['KeyError'],
        message: ['no "such"'],
        value: [expect.any(String)],
      },
      current_outputs: expect.toSatisfy((ids: string[]) => ids.toSorted().join() === '1,2,3'),
      timestamp,
    })
    expect(dataOf('execution_success', messages)).toEqual([])
  },
  { ...ownWorld, deployment: 'local' },
)

proves('messages/error-hidden-inputs', async ({ connect, run }) => {
  const session = await connect('me')
  const inputsOf = async (graph: Graph, extra_data: object): Promise<unknown> => {
    const { messages } = await run(session, graph, { extra_data })
    return dataOf('execution_error', messages)[0]?.['current_inputs']
  }
  const graph = {
    '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 0 }),
    it: node('SaveImage', { images: ['1', 0], filename_prefix: '../flowdouble-check' }),
  }
  const extra_pnginfo = { workflow: { nodes: [] } }
  expect(await inputsOf(graph, { extra_pnginfo })).toEqual({
    images: [expect.any(String)],
    filename_prefix: ['../flowdouble-check'],
    prompt: [expect.stringMatching(/^\{'1': \{.*'filename_prefix': '\.\.\/flowdouble-check'/)],
    extra_pnginfo: ["{'workflow': {'nodes': []}}"],
  })
  expect(await inputsOf(graph, {})).toMatchObject({ extra_pnginfo: [null] })
  const bought = {
    '1': node('OpenAIDalle3', { prompt: 'a lighthouse' }),
    '2': node('PreviewImage', { images: ['1', 0] }),
  }
  expect(await inputsOf(bought, {})).toMatchObject({
    auth_token: [null],
    comfy_api_key: [null],
    unique_id: ['1'],
  })
})

proves(
  ['messages/interrupted', 'messages/error-details'],
  async ({ connect, run, submit, reach, post }) => {
    const session = await connect('me')
    await run(session, solid())
    const graph = { ...solid(), talk: talking()['1']!, wait: slow()['1']! }
    const { prompt_id } = (await submit(graph, { client_id: 'me' })).json()
    await reach(session, ({ type }) => type === 'progress')
    await post('/interrupt', {})
    const stopped = await reach(session, ({ type }) => type === 'execution_interrupted')
    expect(stopped.data).toEqual({
      prompt_id,
      node_id: 'wait',
      node_type: 'FlowdoubleSlow',
      executed: nodesOf('executing', session.messages()).includes('talk') ? ['talk'] : [],
      timestamp,
    })
  },
  ownWorld,
)

proves(
  'messages/timestamps',
  async ({ connect, run, submit, reach, post }) => {
    const session = await connect('me')
    await run(session, slow(10))
    await run(session, failing())
    const { prompt_id } = (await submit(slow(10), { client_id: 'me' })).json()
    await reach(session, isOf('progress', prompt_id))
    await post('/interrupt', {})
    await reach(session, ({ type }) => type === 'execution_interrupted')
    const about = session.messages().filter(({ type }) => type.startsWith('execution_'))
    const times = about.map(({ data }) => data['timestamp'] as number)
    expect(about).toHaveLength(9)
    expect(times.every((time) => Number.isInteger(time) && time > 1_700_000_000_000)).toBe(true)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(10_000)
    expect(times[2]! - times[0]!).toBeLessThan(11_000)
  },
  ownWorld,
)
