// Rejected workflows: the reply, and the nodes that it names.

import { type Graph, node, solid, talking } from '../../generate/graphs.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import type { Reply } from '../../judge/reply.ts'
import { expect } from '../../judge/expect.ts'

const black = solid()['1']!
const impossible = node('EmptyImage', { width: 0, height: 0, batch_size: 1, color: 0 })
const save = (images?: unknown) => node('SaveImage', { images, filename_prefix: 'x' })

/** Two saves of one picture that cannot be made. */
const brokenBelow: Graph = {
  '1': impossible,
  '2': save(['1', 0]),
  '3': node('ImageInvert', { image: ['1', 0] }),
  '4': save(['3', 0]),
}

/** Nodes 1 and 2 feed each other; 3 hangs on to them. */
const cycle: Graph = {
  '1': node('ImageInvert', { image: ['2', 0] }),
  '2': node('ImageInvert', { image: ['1', 0] }),
  '3': save(['2', 0]),
}

const outputsFailed = (details: string) => ({
  type: 'prompt_outputs_failed_validation',
  message: 'Prompt outputs failed validation',
  details,
  extra_info: {},
})

const missingImages = {
  errors: [
    {
      type: 'required_input_missing',
      message: 'Required input is missing',
      details: 'images',
      extra_info: { input_name: 'images' },
    },
  ],
  class_type: 'SaveImage',
}

/** The error of a refusal, which names no run. */
function errorOf(reply: Reply) {
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 400 })
  expect(Object.keys(reply.json()).sort()).toEqual(['error', 'node_errors'])
  return reply.json().error
}

proves(['workflows/invalid-is-400', 'workflows/invalid-names-nodes'], async ({ submit }) => {
  const reply = await submit({ '7': save(), '8': black })
  expect(errorOf(reply)).toEqual(outputsFailed('Required input is missing: images'))
  expect(reply.json().node_errors).toEqual({ '7': { ...missingImages, dependent_outputs: ['7'] } })
})

proves('workflows/invalid-names-nodes', async ({ submit }) => {
  const ids = ['7', '11', '12', '13', '14']
  const reply = await submit({ ...Object.fromEntries(ids.map((id) => [id, save()])), '8': black })
  expect(Object.keys(reply.json().node_errors).toSorted()).toEqual(ids.toSorted())
})

proves('workflows/no-prompt', async ({ post, deployment }) => {
  const error = {
    type: 'no_prompt',
    message: 'No prompt provided',
    details: 'No prompt provided',
    extra_info: {},
  }
  // A local server takes a body that is not an object for one without a prompt.
  const odd = deployment === 'local' ? [[], [solid()], 'text'] : []
  for (const body of [{}, { client_id: 'me', Prompt: solid() }, ...odd]) {
    const reply = await post('/prompt', body)
    expect(errorOf(reply)).toEqual(error)
    expect(reply.json().node_errors).toEqual({})
  }
})

proves('workflows/no-outputs', async ({ post }) => {
  const error = {
    type: 'prompt_no_outputs',
    message: 'Prompt has no outputs',
    details: '',
    extra_info: {},
  }
  for (const prompt of [{}, [], '', { '1': black }, { '1': impossible }]) {
    const reply = await post('/prompt', { prompt })
    expect(errorOf(reply)).toEqual(error)
    expect(reply.json().node_errors).toEqual({})
  }
})

proves('workflows/unknown-class', async ({ post }) => {
  const errorWith = async (bad: unknown) =>
    errorOf(await post('/prompt', { prompt: { ...talking(), 'x 9': bad } }))
  const invalid = { type: 'invalid_prompt', details: "Node ID '#x 9'", extra_info: {} }
  const missing = {
    ...invalid,
    message: 'Cannot execute because a node is missing the class_type property.',
  }
  for (const bad of [{ inputs: {} }, {}, [], [1], 'text'])
    expect(await errorWith(bad)).toEqual(missing)
  const unknown = {
    Nope: 'Nope',
    crash: 'crash',
    constructor: 'constructor',
    saveimage: 'saveimage',
  }
  const values = [...Object.entries(unknown), ['None', null], ['7', 7], ['True', true]] as const
  for (const [name, class_type] of values) {
    const message = `Cannot execute because node ${name} does not exist.`
    expect(await errorWith({ class_type, inputs: {} })).toEqual({ ...invalid, message })
  }
})

proves('workflows/cycle-refused', async ({ submit }) => {
  expect(errorOf(await submit(cycle))).toEqual(outputsFailed(''))
  const self = { '1': node('ImageInvert', { image: ['1', 0] }), '2': save(['1', 0]) }
  expect(errorOf(await submit(self))).toEqual(outputsFailed(''))
  // A cycle that no output depends on is not checked.
  expect((await submit({ ...cycle, '3': save(['4', 0]), '4': black })).status).toBe(200)
})

proves('workflows/blame', async ({ submit, post }) => {
  const blamed = async (prompt: object) => {
    const { node_errors } = (await post('/prompt', { prompt })).json()
    return node_errors
  }
  const nope = (await blamed({ ...talking(), '5': node('Nope') }))['5']
  expect(nope).toMatchObject({ dependent_outputs: [], class_type: 'Nope' })
  expect(nope.errors).toEqual([
    {
      type: 'missing_node_type',
      message: 'Cannot execute because node Nope does not exist.',
      details: "Node ID '#5'",
      extra_info: { node_id: '5', class_type: 'Nope' },
    },
  ])
  expect(await blamed({ ...talking(), '5': { inputs: {} } })).toMatchObject({
    '5': { class_type: null },
  })
  const { node_errors } = (await submit(cycle)).json()
  expect(Object.keys(node_errors)).toEqual(['1', '2'])
  for (const id of ['1', '2']) {
    const { errors, ...rest } = node_errors[id]
    expect(rest).toEqual({ dependent_outputs: ['3'], class_type: 'ImageInvert' })
    expect(errors).toEqual([
      expect.objectContaining({ type: 'dependency_cycle', message: 'Dependency cycle detected' }),
    ])
    expect(errors[0].extra_info.cycle_nodes.sort()).toEqual(['1', '2'])
  }
})

proves('workflows/dependent-outputs', async ({ submit }) => {
  const { node_errors } = (await submit(brokenBelow)).json()
  expect(Object.keys(node_errors)).toEqual(['1'])
  expect(node_errors['1'].dependent_outputs.sort()).toEqual(['2', '4'])
  // The fault counts for the invalid outputs only, and a node with two faults is listed once.
  const half = (await submit({ ...brokenBelow, '4': save(['5', 0]), '5': black })).json()
    .node_errors
  expect(Object.keys(half)).toEqual(['1'])
  expect(half['1'].errors.map(({ details }: { details: string }) => details).sort()).toEqual([
    'height',
    'width',
  ])
  expect(half['1'].dependent_outputs).toEqual(['2'])
})

proves('workflows/details', async ({ submit }) => {
  const details = async (graph: Graph): Promise<string[]> =>
    errorOf(await submit(graph))
      .details.split('\n')
      .toSorted()
  expect(await details(brokenBelow)).toEqual([''])
  const missing = { '1': node('PreviewImage'), '2': node('PreviewImage') }
  expect(await details(missing)).toEqual([
    'Required input is missing: images',
    'Required input is missing: images',
  ])
  const animated = { fps: 0, lossless: true, quality: -1, method: 'default', filename_prefix: 'x' }
  expect(await details({ '1': node('SaveAnimatedWEBP', animated) })).toEqual([
    'Required input is missing: images',
    'Value -1 smaller than min of 0: quality',
    'Value 0.0 smaller than min of 0.01: fps',
  ])
})

provesQuirk('workflows.bare-graph-errors', async ({ submit, post }) => {
  const unknown = await submit({ ...solid(), '5': node('Nope') })
  const missing = await post('/prompt', { prompt: { '1': { inputs: {} } } })
  for (const reply of [unknown, missing])
    expect({ type: errorOf(reply).type, node_errors: reply.json().node_errors }).toEqual({
      type: 'invalid_prompt',
      node_errors: {},
    })
  const looped = await submit(cycle)
  expect([errorOf(looped), looped.json().node_errors]).toEqual([outputsFailed(''), {}])
  // Other faults are reported all the same.
  expect(Object.keys((await submit({ '7': save() })).json().node_errors)).toEqual(['7'])
})

provesQuirk(
  'workflows.invalid-is-200',
  async ({ post }) => {
    const body = { prompt: { '7': save() }, prompt_id: 'mine' }
    expect((await post('/prompt', body)).json()).toEqual({
      prompt_id: 'mine',
      number: expect.any(Number),
      node_errors: { '7': { ...missingImages, dependent_outputs: ['7'] } },
    })
  },
  { deployment: 'local' },
)
