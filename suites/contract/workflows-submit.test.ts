// Submitting workflows that run: the reply, the graph, extra_data, the targets, the number and the id of a run.

import { request as sendRequest } from 'node:http'
import { expect } from 'vitest'
import { submitReply } from '../../spec/workflows.ts'
import { changed, type Graph, slow, solid, textToImage } from '../graphs.ts'
import { violations } from '../judge.ts'
import { proves } from '../proves.ts'
import type { Subject } from '../subject.ts'

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Two pictures, both shown; the sampler is not needed by the first. */
const twoOutputs: Graph = { ...textToImage(), '10': solid()['1']!, '11': show(['10', 0]) }

function show(source: unknown): Graph[string] {
  return { class_type: 'PreviewAny', inputs: { source } }
}

/** The pending runs as the queue lists them. */
const pending = async ({ get }: Subject) => (await get('/queue')).json().queue_pending

proves('workflows/submit-queues', async (subject) => {
  const { get, submit, idle } = subject
  const reply = await submit(solid())
  expect(reply.status).toBe(200)
  const { prompt_id } = reply.json()
  expect(await pending(subject)).toEqual([[0, prompt_id, solid(), expect.anything(), ['2']]])
  await idle()
  const history = (await get('/history')).json()
  expect(Object.keys(history)).toEqual([prompt_id])
  expect(history[prompt_id].status).toMatchObject({ status_str: 'success', completed: true })
})

proves('workflows/reply', async ({ submit }) => {
  const reply = (await submit(solid())).json()
  expect(violations(submitReply, reply)).toEqual([])
  expect(reply).toEqual({ prompt_id: expect.any(String), number: 0, node_errors: {} })
  expect((await submit(solid())).json().number).toBe(1)
})

proves('workflows/answers-first', async ({ connect, submit, reach }) => {
  const session = await connect('me')
  const { prompt_id } = (await submit(solid(), { client_id: 'me' })).json()
  await session.settled()
  expect(session.messages().filter(({ type }) => type !== 'status')).toEqual([])
  const first = await reach(session, ({ type }) => type !== 'status')
  expect(first).toMatchObject({ type: 'execution_start', data: { prompt_id } })
})

// In a world without time the whole run happens in the moment of its submit, and still the reply is first.
proves(
  'workflows/answers-first',
  async ({ connect, url }) => {
    const session = await connect('me')
    const arrived: string[] = []
    void session.next(({ type }) => type === 'execution_start').then(() => arrived.push('message'))
    await new Promise((resolve, reject) => {
      const sent = sendRequest(`${url}/prompt`, { method: 'POST' }, (response) => {
        arrived.push('reply')
        response.resume().on('end', resolve)
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ prompt: solid(), client_id: 'me' }))
    })
    await session.next(({ type, data }) => type === 'executing' && data['node'] === null)
    expect(arrived).toEqual(['reply', 'message'])
  },
  { clock: 'instant' },
)

proves('workflows/graph-by-id', async (subject) => {
  const { post, submit } = subject
  const ids = {
    'a b': solid()['1']!,
    '7:1': { ...solid()['2']!, inputs: { images: ['a b', 0], filename_prefix: 'x' } },
  }
  expect((await submit(ids)).json().node_errors).toEqual({})
  expect((await pending(subject))[0][2]).toEqual(ids)
  for (const prompt of [
    null,
    5,
    'text',
    [1],
    { '1': null },
    { '1': 5 },
    { '1': { class_type: [] } },
  ]) {
    expect((await post('/prompt', { prompt })).status).toBe(500)
  }
  const withoutInputs = { '1': { class_type: 'FlowdoubleSlow' } }
  const [error] = (await post('/prompt', { prompt: withoutInputs })).json().node_errors['1'].errors
  expect(error).toMatchObject({ type: 'exception_during_validation', details: "'inputs'" })
})

proves('workflows/linked-inputs', async ({ connect, run }) => {
  const session = await connect('me')
  const { entry } = await run(session, {
    '1': { class_type: 'EmptyImage', inputs: { width: 48, height: 32, batch_size: 1, color: 0 } },
    '2': { class_type: 'GetImageSize', inputs: { image: ['1', 0] } },
    '3': show(['2', 0]),
    '4': show(['2', 1]),
    '5': show('a literal'),
  })
  expect(entry.outputs).toEqual({
    '3': { text: ['48'] },
    '4': { text: ['32'] },
    '5': { text: ['a literal'] },
  })
})

proves('workflows/extra-data-kept', async (subject) => {
  const { get, submit, idle } = subject
  const extra_data = {
    extra_pnginfo: { workflow: { nodes: [1.5, null, 'ü'] } },
    mine: { deep: [true] },
  }
  const { prompt_id } = (await submit(solid(), { extra_data, client_id: 'me' })).json()
  const kept = { ...extra_data, client_id: 'me' }
  expect((await pending(subject))[0][3]).toEqual(kept)
  await idle()
  expect((await get(`/history/${prompt_id}`)).json()[prompt_id].prompt[3]).toEqual(kept)
})

// A client id inside extra_data counts where the body has none, and the one of the body wins.
proves('workflows/extra-data-kept', async (subject) => {
  const { connect, submit, reach } = subject
  const session = await connect('inner')
  await submit(solid(), { extra_data: { client_id: 'inner' } })
  await submit(slow(), { extra_data: { client_id: 'inner' }, client_id: 'outer' })
  await submit(slow(), {})
  const listed = await pending(subject)
  expect(listed.map((item: unknown[]) => item[3])).toEqual([
    { client_id: 'inner' },
    { client_id: 'outer' },
    {},
  ])
  await reach(session, ({ type }) => type === 'execution_success')
})

proves('workflows/half-valid', async ({ submit, connect, run, get }) => {
  const session = await connect('me')
  const graph = changed(twoOutputs, '9', { images: undefined })
  const { entry } = await run(session, graph)
  expect(Object.keys(entry.outputs)).toEqual(['11'])
  expect(entry.prompt[4]).toEqual(['11'])
  expect(entry.status.status_str).toBe('success')
  const reply = await submit(graph)
  expect(reply.status).toBe(200)
  expect((await get('/queue')).json().queue_pending[0][1]).toBe(reply.json().prompt_id)
  expect(reply.json().node_errors).toEqual({
    '9': {
      errors: [expect.objectContaining({ type: 'required_input_missing', details: 'images' })],
      dependent_outputs: ['9'],
      class_type: 'SaveImage',
    },
  })
})

proves('workflows/partial-targets', async ({ submit, connect, run }) => {
  const session = await connect('me')
  const broken = changed(twoOutputs, '9', { images: undefined })
  const { entry } = await run(session, broken, { partial_execution_targets: ['11', 'nowhere'] })
  expect(Object.keys(entry.outputs)).toEqual(['11'])
  expect(entry.prompt[4]).toEqual(['11'])
  const other = await run(session, twoOutputs, { partial_execution_targets: ['9'] })
  const executed = other.messages.filter(({ type }) => type === 'executed')
  expect(executed.map(({ data }) => data['node'])).toEqual(['9'])
  const valid = await submit(broken, { partial_execution_targets: ['11'] })
  expect(valid.json().node_errors).toEqual({})
  const blamed = await submit(broken, { partial_execution_targets: ['9'] })
  expect(Object.keys(blamed.json().node_errors)).toEqual(['9'])
})

// Null names no targets; a text names all outputs whose id it contains; what cannot hold ids breaks the request.
proves('workflows/partial-targets', async (subject) => {
  const targets = async (partial_execution_targets: unknown) => {
    const reply = await subject.submit(twoOutputs, { partial_execution_targets })
    if (reply.status === 200) return (await pending(subject)).at(-1)[4].sort()
    return reply.status === 400 ? reply.json().error.type : reply.status
  }
  expect(await targets(null)).toEqual(['11', '9'])
  expect(await targets(['11', '9'])).toEqual(['11', '9'])
  expect(await targets('9')).toEqual(['9'])
  expect(await targets([])).toBe('prompt_no_outputs')
  expect(await targets(['10'])).toBe('prompt_no_outputs')
  expect(await targets(5)).toBe(500)
})

proves('workflows/number-counts', async ({ post, submit }) => {
  const number = async (fields = {}) => (await submit(solid(), fields)).json().number
  expect(await number()).toBe(0)
  expect((await post('/prompt', {})).status).toBe(400)
  expect((await post('/prompt', { prompt: {} })).status).toBe(400)
  expect((await submit(changed(solid(), '1', { width: 0 }))).status).toBe(400)
  expect(await number()).toBe(4)
  await number({ number: 100 })
  expect(await number()).toBe(5)
})

proves('workflows/number-given', async (subject) => {
  const { submit } = subject
  const text = async (fields: object) =>
    /"number": *([^,}]*)/.exec((await submit(solid(), { ...fields })).text)?.[1]
  expect(await text({ front: true })).toMatch(/^-?0$/)
  expect(await text({ front: true })).toBe('-1')
  expect(await text({ number: 5 })).toBe('5.0')
  expect(await text({ number: -2.5 })).toBe('-2.5')
  expect(await text({ number: '7' })).toBe('7.0')
  expect(await text({ number: 3, front: true })).toBe('3.0')
  expect(await text({ front: 0 })).toBe('2')
  expect(await text({ front: 'yes' })).toBe('-3')
  const listed = (await pending(subject)).map((item: unknown[]) => item[0] as number)
  expect(listed.sort((a: number, b: number) => a - b)).toEqual([-3, -2.5, -1, 0, 2, 3, 5, 7])
  for (const number of [null, 'first', [1]])
    expect((await submit(solid(), { number })).status).toBe(500)
})

proves('workflows/prompt-id-given', async (subject) => {
  const { get, submit, connect, run } = subject
  const { prompt_id, messages, entry } = await run(await connect('me'), solid(), {
    prompt_id: 'my run/1',
  })
  expect(prompt_id).toBe('my run/1')
  expect(messages.at(-1)?.data).toEqual({ node: null, prompt_id })
  expect(entry.prompt[1]).toBe(prompt_id)
  for (const [given, id] of [
    [123, '123'],
    [null, 'None'],
    ['', ''],
  ] as const) {
    expect((await submit(solid(), { prompt_id: given })).json().prompt_id).toBe(id)
  }
  expect((await pending(subject)).map((item: unknown[]) => item[1])).toEqual(['123', 'None', ''])
  expect((await get('/history/elsewhere')).json()).toEqual({})
})

proves('workflows/prompt-id-made', async ({ submit }) => {
  const replies = [await submit(solid()), await submit(solid()), await submit(solid())]
  const ids = replies.map((reply) => reply.json().prompt_id)
  for (const id of ids) expect(id).toMatch(uuid4)
  expect(new Set(ids).size).toBe(3)
})

proves('workflows/unknown-members', async (subject) => {
  const { get, post, idle } = subject
  const node = { ...solid()['1']!, _meta: { title: 'Über' }, is_changed: ['x'], mine: null }
  const graph = { ...solid(), '1': node }
  const reply = await post('/prompt', { prompt: graph, mine: { a: 1 }, nodes: [], version: 0.4 })
  expect([reply.status, reply.json().node_errors]).toEqual([200, {}])
  expect((await pending(subject))[0][2]).toEqual(graph)
  await idle()
  const { prompt_id } = reply.json()
  const entry = (await get(`/history/${prompt_id}`)).json()[prompt_id]
  expect(entry.prompt[2]).toEqual(graph)
  expect(JSON.stringify(entry.prompt)).not.toContain('version')
})
