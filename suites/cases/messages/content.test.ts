// The content of the messages of a server: each case looks at the messages of the runs that it submits.

import { failing, type Graph, node, solid, talking, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { errorOf } from '../../judge/failures.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import {
  cachedNodes,
  me,
  messagesAbout,
  occupy,
  runInTurn,
  shown,
  sortedNodes,
  uniqueNumber,
} from '../../judge/own-runs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Run, Subject } from '../../judge/subject.ts'
import { dataOf, transcript, typesOf } from '../../support/transcript.ts'
import { listedIds } from '../../judge/responses.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'

const local = { deployment: 'local' } as const
const hosted = { deployment: 'hosted' } as const
const timestamp = expect.any(Number)

proves(['messages/json-text', 'messages/type-first'], async (subject) => {
  const session = await me(subject)
  await subject.run(session, shown(subject, 'text'))
  await subject.run(session, (await subject.workloads.failing()).graph)
  expect(session.texts.length).toBeGreaterThan(15)
  for (const text of session.texts) {
    expect(text).toMatch(subject.isOwn ? /^\{"type": / : /^\s*\{\s*"type"/)
    expect(JSON.parse(text)).toEqual({ type: expect.any(String), data: expect.any(Object) })
  }
})

/** Two runs of a graph that is in no cache, the second directly behind the first. */
async function twice(subject: Subject, graph: Graph): Promise<readonly Run[]> {
  const session = await me(subject)
  if (subject.deployment === 'local') return runInTurn(subject, session, [graph, graph])
  return [await subject.run(session, graph), await subject.run(session, graph)]
}

proves(
  ['messages/execution-start', 'messages/execution-cached', 'messages/success'],
  async (subject) => {
    for (const [index, run] of (await twice(subject, shown(subject, 'twice'))).entries()) {
      const { prompt_id, messages } = run
      const whole = { prompt_id, timestamp }
      expect(dataOf('execution_cached', messages)).toEqual([{ nodes: expect.any(Array), ...whole }])
      expect(cachedNodes(run)).toEqual(index === 0 ? [] : ['1', '2'])
      expect(dataOf('execution_start', messages)).toEqual([whole])
      expect(dataOf('execution_success', messages)).toEqual([whole])
    }
  },
)

proves(['messages/executed', 'messages/executed-cached'], async (subject) => {
  const text = subject.unique('said')
  const graph = { ...shown(subject, 'executed'), said: talking(text)['1']! }
  const [first, again] = await twice(subject, graph)
  for (const { prompt_id, messages, entry } of [first!, again!]) {
    const outputs = Object.entries(entry.outputs)
    const executed = outputs.map(([id, output]) => ({
      node: id,
      display_node: id,
      output,
      prompt_id,
    }))
    expect(dataOf('executed', messages)).toHaveLength(executed.length)
    expect(dataOf('executed', messages)).toEqual(expect.arrayContaining(executed))
    expect(entry.outputs).toEqual({ '2': expect.any(Object), said: { text: [text] } })
    if (subject.deployment === 'local') {
      const filename = expect.stringMatching(/\.png$/)
      const images = [{ filename, subfolder: '', type: 'temp' }]
      expect(withoutAssets(entry.outputs['2'])).toEqual({ images })
    }
  }
  expect(withoutAssets(again!.entry.outputs)).toEqual(withoutAssets(first!.entry.outputs))
  expect(sortedNodes('executing', first!.messages)).toEqual(['1', '2', 'said'])
  expect(sortedNodes('executing', again!.messages)).toEqual([])
})

proves(['messages/executing', 'messages/executing-null'], async (subject) => {
  const session = await me(subject)
  const { prompt_id, messages } = await subject.run(session, shown(subject, 'executing'))
  expect(dataOf('executing', messages)).toEqual([
    { node: '1', display_node: '1', prompt_id },
    { node: '2', display_node: '2', prompt_id },
    { node: null, prompt_id },
  ])
  const failed = await subject.run(session, (await subject.workloads.failing()).graph)
  const last = dataOf('executing', failed.messages).at(-1)
  expect(last).toEqual({ node: null, prompt_id: failed.prompt_id })
})

proves('messages/executing-null-last', async (subject) => {
  const session = await me(subject)
  const graph = shown(subject, 'last')
  for (const one of [graph, graph, (await subject.workloads.failing()).graph]) {
    const { prompt_id, messages } = await subject.run(session, one)
    expect((await listedIds(subject)).running).not.toContain(prompt_id)
    expect(messages.at(-1)?.data).toMatchObject({ node: null })
    await subject.idle()
    await session.settled()
    expect(messagesAbout(session, prompt_id).at(-1)).toEqual(messages.at(-1))
    if (subject.isOwn) {
      expect(transcript(messages).slice(-2)).toEqual(['status 0', 'executing null'])
      expect(session.messages().at(-1)).toEqual(messages.at(-1))
    }
  }
})

proves(
  ['messages/error', 'messages/error-details', 'messages/error-inputs'],
  async (subject) => {
    const { graph, node_id, before } = await subject.workloads.failing()
    const { prompt_id, messages } = await subject.run(await me(subject), graph)
    const [error, ...more] = dataOf('execution_error', messages)
    expect(more).toEqual([])
    expect(error).toMatchObject({
      prompt_id,
      node_id,
      node_type: graph[node_id]?.class_type,
      executed: before,
      exception_message: expect.stringMatching(/\S/),
      exception_type: expect.stringMatching(/\S/),
      traceback: expect.arrayContaining([expect.stringMatching(/\n$/)]),
    })
    const inputs = error?.['current_inputs'] as Readonly<Record<string, unknown>>
    for (const [name, value] of Object.entries(graph[node_id]?.inputs ?? {})) {
      const items = [Array.isArray(value) ? expect.any(String) : value]
      expect({ name, items: inputs[name] }).toEqual({ name, items })
    }
    for (const items of Object.values(inputs)) expect(items).toEqual(expect.any(Array))
  },
  local,
)

proves(
  ['messages/error', 'runs/failure-after-start', 'runs/failure-ends', 'runs/exception-words'],
  async (subject) => {
    const session = await me(subject)
    const { graph, node_id } = await subject.workloads.failing()
    const { prompt_id } = await subject.run(session, graph)
    const own = messagesAbout(session, prompt_id)
    expect([own[0]?.type, own.at(-1)?.type]).toEqual(['execution_start', 'execution_error'])
    expect(own.at(-1)?.data).toMatchObject({
      node_id,
      node_type: graph[node_id]?.class_type,
      exception_message: expect.any(String),
      exception_type: expect.stringMatching(/^\w+$/),
      traceback: expect.any(Array),
    })
  },
  hosted,
)

proves('messages/error-hidden-inputs', async (subject) => {
  const session = await me(subject)
  const inputsOf = async (graph: Graph, extra_data: object): Promise<unknown> =>
    errorOf(await subject.run(session, graph, { extra_data }))['current_inputs']
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

proves(['messages/interrupted', 'messages/error-details'], async (subject) => {
  const { deployment, isOwn } = subject
  const session = await me(subject)
  // In a world of the suites also a node that is in the cache: it does not count as executed.
  const kept: Graph = isOwn ? { kept: talking('kept')['1']! } : {}
  if (isOwn) await subject.run(session, kept)
  // Of nodes that are ready an output runs first, and of outputs the first of the graph.
  const before = { ...kept, '0': talking(subject.unique('said'))['1']! }
  const { prompt_id, graph, stop } = await occupy(subject, session, before)
  await stop()
  const messages = messagesAbout(session, prompt_id)
  const started = messages.filter(isAtWork(prompt_id)).map(({ data }) => String(data['node']))
  const [stopped, ...more] = dataOf('execution_interrupted', messages)
  expect(more).toEqual([])
  const done = started.slice(0, -1).toSorted().join()
  const isDone = expect.toSatisfy((ids: string[]) => ids.toSorted().join() === done)
  if (deployment === 'local') expect(started[0]).toBe('0')
  expect(stopped).toEqual({
    prompt_id,
    node_id: started.at(-1),
    node_type: graph[started.at(-1) ?? '']?.class_type,
    executed: isOwn || deployment === 'local' ? isDone : expect.any(Array),
    timestamp,
  })
})

proves('messages/timestamps', async (subject) => {
  const session = await me(subject)
  const ids = [(await subject.run(session, shown(subject, 'times'))).prompt_id]
  ids.push((await subject.run(session, (await subject.workloads.failing()).graph)).prompt_id)
  const held = await occupy(subject, session)
  await held.stop()
  for (const id of [...ids, held.prompt_id]) {
    const about = messagesAbout(session, id).filter(({ type }) => type.startsWith('execution_'))
    const times = about.map(({ data }) => data['timestamp'] as number)
    expect(times).toHaveLength(3)
    for (const time of times) expect(time).toBeGreaterThan(1_600_000_000_000)
  }
})

/** A node that sends a notification by itself. */
const notifying: Graph = { '1': node('FlowdoubleNotify', { value: 'hello' }) }

proves('messages/local-notification', async (subject) => {
  const session = await me(subject)
  const notificationsOf = async (graph: Graph) =>
    dataOf('notification', (await subject.run(session, graph)).messages)
  expect(await notificationsOf(talking(subject.unique('quiet')))).toEqual([])
  if (!subject.isOwn) return
  expect(await notificationsOf(textToImage())).toEqual([])
  expect(await notificationsOf(notifying)).toEqual([{ value: 'hello' }])
})

provesQuirk('local.notification', async (subject) => {
  const { messages } = await subject.run(await me(subject), talking())
  const types = typesOf(messages)
  expect(types.slice(2, 5)).toEqual(['execution_start', 'notification', 'execution_cached'])
  expect(dataOf('notification', messages)).toEqual([{ value: expect.stringMatching(/./) }])
})

proves(
  ['messages/notification', 'messages/hosted-one-notification', 'messages/hosted-names-run'],
  async (subject) => {
    const session = await me(subject)
    const { graph: fails } = await subject.workloads.failing()
    const picture = solid(uniqueNumber(subject, 'notified'))
    for (const graph of [picture, picture, fails, talking()]) {
      const { prompt_id } = await subject.run(session, graph)
      const own = messagesAbout(session, prompt_id)
      const value = expect.stringMatching(subject.isOwn ? /\w+ \w+/ : /\w/)
      expect(dataOf('notification', own)).toEqual([{ value, prompt_id }])
    }
    if (!subject.isOwn) return
    const { prompt_id, messages } = await subject.run(session, notifying)
    expect(dataOf('notification', messages)[1]).toEqual({ value: 'hello', prompt_id })
  },
)

provesQuirk('hosted.executing-null', async ({ connect, submit, idle }) => {
  const session = await connect()
  for (const graph of [solid(), failing()]) {
    const { prompt_id } = (await submit(graph)).json()
    await idle()
    await session.settled()
    const last = { type: 'executing', data: { node: null, prompt_id } }
    expect(session.messages().at(-1)).toEqual(last)
    expect(transcript(session.messages()).at(-2)).toBe('status 0')
  }
})
