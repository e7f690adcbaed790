// The content of the messages of any local server: each case looks at the messages of the runs that it submits.

import { node, talking } from '../../generate/graphs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'
import type { Message } from '../../judge/judge.ts'
import {
  me,
  cachedNodes,
  listedIds,
  messagesAbout,
  occupy,
  runInTurn,
  shown,
  startsNode,
} from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { nodesOf, transcript } from '../../support/transcript.ts'

const local = { deployment: 'local' } as const
const dataOf = (type: string, messages: readonly Message[]): Message['data'][] =>
  messages.filter((message) => message.type === type).map(({ data }) => data)
const timestamp = expect.any(Number)

proves(
  ['messages/json-text', 'messages/type-first'],
  async (subject) => {
    const session = await me(subject)
    await subject.run(session, shown(subject, 'text'))
    await subject.run(session, (await subject.workloads.failing()).graph)
    const values = session.texts.map((text) => JSON.parse(text) as object)
    expect(values.length).toBeGreaterThan(15)
    for (const value of values) {
      expect(Object.keys(value)).toEqual(['type', 'data'])
      expect(value).toEqual({ type: expect.any(String), data: expect.any(Object) })
    }
    for (const text of session.texts) expect(text).toMatch(/^\s*\{\s*"type"/)
    expect(session.faults).toEqual([])
  },
  local,
)

proves(
  ['messages/execution-start', 'messages/execution-cached', 'messages/success'],
  async (subject) => {
    const session = await me(subject)
    const graph = shown(subject, 'twice')
    const runs = await runInTurn(subject, session, [graph, graph])
    for (const [index, { prompt_id, messages }] of runs.entries()) {
      const whole = { prompt_id, timestamp }
      expect(dataOf('execution_cached', messages)).toEqual([{ nodes: expect.any(Array), ...whole }])
      expect(cachedNodes({ messages })).toEqual(index === 0 ? [] : ['1', '2'])
      expect(dataOf('execution_start', messages)).toEqual([whole])
      expect(dataOf('execution_success', messages)).toEqual([whole])
    }
  },
  local,
)

proves(['messages/executing', 'messages/executing-null'], async (subject) => {
  const session = await me(subject)
  const { prompt_id, messages } = await subject.run(session, shown(subject, 'executing'))
  expect(dataOf('executing', messages)).toEqual([
    { node: '1', display_node: '1', prompt_id },
    { node: '2', display_node: '2', prompt_id },
    { node: null, prompt_id },
  ])
  const { graph } = await subject.workloads.failing()
  const failed = await subject.run(session, graph)
  expect(dataOf('executing', failed.messages).at(-1)).toEqual({
    node: null,
    prompt_id: failed.prompt_id,
  })
})

proves('messages/executing-null-last', async (subject) => {
  const session = await me(subject)
  const failing = (await subject.workloads.failing()).graph
  for (const graph of [shown(subject, 'last'), failing]) {
    const { prompt_id, messages } = await subject.run(session, graph)
    expect((await listedIds(subject)).running).not.toContain(prompt_id)
    const lines = transcript(messages)
    const end = lines.findIndex((line) => /^execution_(success|error)/.test(line))
    expect(lines.slice(end + 1).filter((line) => line.startsWith('status')).length).toBeGreaterThan(
      0,
    )
    expect(messages.at(-1)?.data).toMatchObject({ node: null })
    await subject.idle()
    await session.settled()
    expect(messagesAbout(session, prompt_id).at(-1)).toEqual(messages.at(-1))
  }
})

proves(
  'messages/progress',
  async (subject) => {
    const session = await me(subject)
    for (const steps of [4, 7]) {
      const { prompt_id, messages } = await subject.run(
        session,
        await subject.workloads.sampling(steps),
      )
      const reported = dataOf('progress', messages).filter(({ node: id }) => id === '3')
      expect(reported).toEqual(
        Array.from({ length: steps }, (_, at) => ({
          value: at + 1,
          max: steps,
          prompt_id,
          node: '3',
        })),
      )
    }
  },
  local,
)

/** A run of many steps, to its end, the same for all cases: on a server elsewhere so many as take a while. */
const toItsEnd = (subject: Subject) =>
  subject.once('a long run to its end', async () => {
    const { workloads, isOwn } = subject
    return subject.run(await me(subject), await (isOwn ? workloads.sampling(30) : workloads.slow()))
  })

proves(
  'messages/progress',
  async (subject) => {
    const { prompt_id, messages } = await toItsEnd(subject)
    const reported = dataOf('progress', messages)
    for (const id of new Set(reported.map((data) => data['node']))) {
      const own = reported.filter((data) => data['node'] === id)
      const max = own.length
      expect(own).toEqual(own.map((_, at) => ({ value: at + 1, max, prompt_id, node: id })))
    }
  },
  local,
)

proves(
  'runs/no-time-out',
  async (subject) => {
    const { messages, entry } = await toItsEnd(subject)
    expect(entry.status).toMatchObject({ status_str: 'success', completed: true })
    expect(dataOf('execution_success', messages)).toHaveLength(1)
    expect(dataOf('execution_error', messages)).toEqual([])
  },
  local,
)

proves(
  'messages/progress-state',
  async (subject) => {
    const session = await me(subject)
    const graph = { ...shown(subject, 'state'), turn: node('ImageInvert', { image: ['1', 0] }) }
    const { prompt_id, messages } = await subject.run(session, {
      ...graph,
      end: node('PreviewImage', { images: ['turn', 0] }),
    })
    const states = dataOf('progress_state', messages)
    const ran = nodesOf('executing', messages).map(String)
    const stateOf = (id: string, state: string, value: number) => ({
      value,
      max: 1,
      state,
      node_id: id,
      prompt_id,
      display_node_id: id,
      parent_node_id: null,
      real_node_id: id,
    })
    expect(states[0]).toEqual({ prompt_id, nodes: { '1': stateOf('1', 'running', 0) } })
    const done = Object.fromEntries(ran.map((id) => [id, stateOf(id, 'finished', 1)]))
    expect(states.at(-1)).toEqual({ prompt_id, nodes: done })
    expect(Object.keys(done).toSorted()).toEqual(['1', '2', 'end', 'turn'])
    expect(states).toHaveLength(2 * ran.length)
  },
  local,
)

proves(
  ['messages/executed', 'messages/executed-cached'],
  async (subject) => {
    const session = await me(subject)
    const graph = shown(subject, 'executed')
    const output = {
      images: [{ filename: expect.stringMatching(/\.png$/), subfolder: '', type: 'temp' }],
    }
    const [first, again] = await runInTurn(subject, session, [graph, graph])
    for (const { prompt_id, messages, entry } of [first!, again!]) {
      expect(withoutAssets(dataOf('executed', messages))).toEqual([
        { node: '2', display_node: '2', output, prompt_id },
      ])
      expect(entry.outputs).toEqual({ '2': dataOf('executed', messages)[0]?.['output'] })
    }
    expect(withoutAssets(again!.entry.outputs)).toEqual(withoutAssets(first!.entry.outputs))
    expect(nodesOf('executing', first!.messages)).toEqual(['1', '2'])
    expect(nodesOf('executing', again!.messages)).toEqual([])
  },
  local,
)

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
      timestamp,
    })
    const inputs = error?.['current_inputs'] as Readonly<Record<string, unknown>>
    for (const [name, value] of Object.entries(graph[node_id]?.inputs ?? {}))
      expect({ name, items: inputs[name] }).toEqual({
        name,
        items: [Array.isArray(value) ? expect.any(String) : value],
      })
    for (const items of Object.values(inputs)) expect(items).toEqual(expect.any(Array))
    expect(dataOf('execution_success', messages)).toEqual([])
  },
  local,
)

proves(
  ['messages/interrupted', 'messages/error-details'],
  async (subject) => {
    const session = await me(subject)
    // Of nodes that are ready an output runs first, and of outputs the first of the graph.
    const before = { '0': talking(subject.unique('said'))['1']! }
    const { prompt_id, graph, stop } = await occupy(subject, session, before)
    await stop()
    const messages = messagesAbout(session, prompt_id)
    const started = messages.filter(startsNode(prompt_id)).map(({ data }) => String(data['node']))
    const [stopped, ...more] = dataOf('execution_interrupted', messages)
    expect(more).toEqual([])
    expect(started[0]).toBe('0')
    expect(stopped).toEqual({
      prompt_id,
      node_id: started.at(-1),
      node_type: graph[started.at(-1) ?? '']?.class_type,
      executed: expect.toSatisfy(
        (ids: string[]) => ids.toSorted().join() === started.slice(0, -1).toSorted().join(),
      ),
      timestamp,
    })
    expect(dataOf('execution_success', messages)).toEqual([])
  },
  local,
)

proves(
  'messages/timestamps',
  async (subject) => {
    const session = await me(subject)
    const ids = [(await subject.run(session, shown(subject, 'times'))).prompt_id]
    ids.push((await subject.run(session, (await subject.workloads.failing()).graph)).prompt_id)
    const held = await occupy(subject, session)
    await held.stop()
    for (const id of [...ids, held.prompt_id]) {
      const about = messagesAbout(session, id).filter(({ type }) => type.startsWith('execution_'))
      const times = about.map(({ data }) => data['timestamp'] as number)
      expect(times).toHaveLength(3)
      expect(times.every((time) => Number.isInteger(time) && time > 1_600_000_000_000)).toBe(true)
      expect(times).toEqual(times.toSorted((one, other) => one - other))
    }
  },
  local,
)

proves('messages/local-notification', async (subject) => {
  const { messages } = await subject.run(await me(subject), talking(subject.unique('quiet')))
  expect(dataOf('notification', messages)).toEqual([])
})
