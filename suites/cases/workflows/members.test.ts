// The members of a submit that choose the outputs to run, the number and the id of the run.

import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Two pictures, both shown; the first does not need the sampler. */
const twoOutputs: Graph = {
  ...textToImage(),
  '10': solid()['1']!,
  '11': node('PreviewAny', { source: ['10', 0] }),
}

proves(
  'workflows/half-valid',
  async ({ submit, connect, run, queue }) => {
    const session = await connect('me')
    const graph = changed(twoOutputs, '9', { images: undefined })
    const { entry } = await run(session, graph)
    expect(Object.keys(entry.outputs)).toEqual(['11'])
    expect(entry.targets).toEqual(['11'])
    expect(entry.status.status_str).toBe('success')
    const reply = await submit(graph)
    expect(reply.status).toBe(200)
    const { prompt_id } = reply.json()
    expect((await queue()).pending).toMatchObject([{ prompt_id, targets: ['11'] }])
    expect(reply.json().node_errors).toEqual({
      '9': {
        errors: [expect.objectContaining({ type: 'required_input_missing', details: 'images' })],
        dependent_outputs: ['9'],
        class_type: 'SaveImage',
      },
    })
  },
  ownWorld,
)

proves(
  'workflows/partial-targets',
  async ({ submit, connect, run }) => {
    const session = await connect('me')
    const broken = changed(twoOutputs, '9', { images: undefined })
    const { entry } = await run(session, broken, { partial_execution_targets: ['11', 'nowhere'] })
    expect(Object.keys(entry.outputs)).toEqual(['11'])
    expect(entry.targets).toEqual(['11'])
    const other = await run(session, twoOutputs, { partial_execution_targets: ['9'] })
    const executed = other.messages.filter(({ type }) => type === 'executed')
    expect(executed.map(({ data }) => data['node'])).toEqual(['9'])
    const valid = await submit(broken, { partial_execution_targets: ['11'] })
    expect(valid.json().node_errors).toEqual({})
    const blamed = await submit(broken, { partial_execution_targets: ['9'] })
    expect(Object.keys(blamed.json().node_errors)).toEqual(['9'])
  },
  ownWorld,
)

proves(
  'workflows/number-counts',
  async ({ post, submit }) => {
    const number = async (fields = {}) => (await submit(solid(), fields)).json().number
    expect(await number()).toBe(0)
    for (const body of [{}, []]) expect((await post('/prompt', body)).status).toBe(400)
    expect((await post('/prompt', { prompt: {} })).status).toBe(400)
    expect((await submit(changed(solid(), '1', { width: 0 }))).status).toBe(400)
    expect(await number()).toBe(5)
    await number({ number: 100 })
    expect(await number()).toBe(6)
  },
  ownWorld,
)

proves(
  'workflows/number-as-float',
  async (subject) => {
    const { submit, get, idle } = subject
    const returned: string[] = []
    for (const fields of [{ number: 5 }, {}, { number: 0 }, { front: true }]) {
      const { text } = await submit(solid(), { prompt_id: JSON.stringify(fields), ...fields })
      returned.push(/"number": *([^,}]*)/.exec(text)?.[1] ?? '')
    }
    expect(returned).toEqual(['5.0', '0', '0.0', '-1'])
    const listed = () => [...returned].sort((a, b) => Number(a) - Number(b))
    const numbers = (text: string) =>
      [...text.matchAll(/\[(-?[\d.]+), *"\{/g)].map(([, one]) => one)
    expect(numbers((await get('/queue')).text)).toEqual(listed())
    await idle()
    expect(numbers((await get('/history')).text)).toEqual(listed())
  },
  ownWorld,
)

proves(
  'workflows/prompt-id-made',
  async ({ submit }) => {
    const replies = [await submit(solid()), await submit(solid()), await submit(solid())]
    const ids = replies.map((reply) => reply.json().prompt_id)
    for (const id of ids) expect(id).toMatch(uuid4)
    expect(new Set(ids).size).toBe(3)
  },
  ownWorld,
)

proves(
  'workflows/unknown-members',
  async ({ post, idle, queue, finished }) => {
    const node = { ...solid()['1']!, _meta: { title: 'Über' }, is_changed: ['x'], mine: null }
    const graph = { ...solid(), '1': node }
    const reply = await post('/prompt', { prompt: graph, mine: { a: 1 }, nodes: [], version: 0.4 })
    expect({ status: reply.status, node_errors: reply.json().node_errors }).toEqual({
      status: 200,
      node_errors: {},
    })
    expect((await queue()).pending.map((one) => one.graph)).toEqual([graph])
    await idle()
    const entry = await finished(reply.json().prompt_id)
    expect(entry?.graph).toEqual(graph)
    expect(JSON.stringify(entry)).not.toContain('version')
  },
  ownWorld,
)
