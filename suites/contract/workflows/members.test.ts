// The members of a submit that choose the outputs to run, the number and the id of the run.

import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Two pictures, both shown; the first does not need the sampler. */
const twoOutputs: Graph = {
  ...textToImage(),
  '10': solid()['1']!,
  '11': node('PreviewAny', { source: ['10', 0] }),
}

/** The pending runs as the queue lists them. */
const pending = async ({ get }: Subject) => (await get('/queue')).json().queue_pending

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

// Null names no targets; a text names all outputs whose id it contains.
proves(
  'workflows/partial-targets',
  async ({ submit, queue }) => {
    const targets = async (partial_execution_targets: unknown) => {
      const reply = await submit(twoOutputs, { partial_execution_targets })
      if (reply.status !== 200) return reply.json().error.type
      return (await queue()).pending.at(-1)?.targets.toSorted()
    }
    expect(await targets(null)).toEqual(['11', '9'])
    expect(await targets(['11', '9'])).toEqual(['11', '9'])
    expect(await targets('9')).toEqual(['9'])
    expect(await targets('9 and 11')).toEqual(['11', '9'])
    expect(await targets([])).toBe('prompt_no_outputs')
    expect(await targets(['10'])).toBe('prompt_no_outputs')
  },
  ownWorld,
)

// A value that cannot contain ids breaks the request.
proves(
  'workflows/partial-targets',
  async ({ submit }) => {
    expect((await submit(twoOutputs, { partial_execution_targets: 5 })).status).toBe(500)
  },
  { ...ownWorld, deployment: 'local' },
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
  'workflows/number-given',
  async (subject) => {
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
  'workflows/prompt-id-given',
  async (subject) => {
    const { get, submit, connect, run } = subject
    const { prompt_id, messages, entry } = await run(await connect('me'), solid(), {
      prompt_id: 'my run/1',
    })
    expect(prompt_id).toBe('my run/1')
    expect(messages.at(-1)?.data).toEqual({ node: null, prompt_id })
    expect(entry.prompt_id).toBe(prompt_id)
    for (const [given, id] of [
      [123, '123'],
      [null, 'None'],
      ['', ''],
    ] as const) {
      expect((await submit(solid(), { prompt_id: given })).json().prompt_id).toBe(id)
    }
    expect((await pending(subject)).map((item: unknown[]) => item[1])).toEqual(['123', 'None', ''])
    expect((await get('/history/elsewhere')).json()).toEqual({})
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
