// The JSON messages of the socket: the content of each type.

import { failing, type Graph, node, slow, solid, talking } from '../../generate/graphs.ts'
import type { Message } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { nodesOf, transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const dataOf = (type: string, messages: readonly Message[]): Message['data'][] =>
  messages.filter((message) => message.type === type).map(({ data }) => data)
const timestamp = expect.any(Number)

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
