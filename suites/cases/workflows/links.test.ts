// The validation of links: accepted and rejected ones.

import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { configOf, errorsOf, type NodeError, passes } from '../../judge/verdicts.ts'
import { expect } from '../../judge/expect.ts'

const picture = (inputs: Record<string, unknown>) => changed(solid(), '1', inputs)
const sampling = (inputs: Record<string, unknown>) => changed(textToImage(), '3', inputs)
proves('workflows/bad-link', async (subject) => {
  const input_config = await configOf(subject, 'SaveImage', 'images')
  for (const images of [[], ['1'], ['1', 0, 0]]) {
    expect(await errorsOf(subject, changed(solid(), '2', { images }), '2')).toEqual([
      {
        type: 'bad_linked_input',
        message: 'Bad linked input, must be a length-2 list of [node_id, slot_index]',
        details: 'images',
        extra_info: { input_name: 'images', input_config, received_value: images },
      },
    ])
  }
  expect(await errorsOf(subject, picture({ width: [64] }), '1')).toMatchObject([
    { type: 'bad_linked_input' },
  ])
})

proves('workflows/link-type', async (subject) => {
  const input_config = await configOf(subject, 'SaveImage', 'images')
  const latent = node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 })
  expect(await errorsOf(subject, { ...solid(), '1': latent }, '2')).toEqual([
    {
      type: 'return_type_mismatch',
      message: 'Return type mismatch between linked nodes',
      details: 'images, received_type(LATENT) mismatch input_type(IMAGE)',
      extra_info: {
        input_name: 'images',
        input_config,
        received_type: 'LATENT',
        linked_node: ['1', 0],
      },
    },
  ])
  const fed = { ...sampling({ cfg: ['20', 0] }), '20': node('PrimitiveInt', { value: 8 }) }
  const [error] = await errorsOf(subject, fed, '3')
  expect(error?.details).toBe('cfg, received_type(INT) mismatch input_type(FLOAT)')
  await passes(subject, { '1': latent, '2': node('PreviewAny', { source: ['1', 0] }) })
  const [options] = await configOf(subject, 'KSampler', 'scheduler')
  const named = {
    ...sampling({ scheduler: ['20', 0] }),
    '20': node('PrimitiveString', { value: 'normal' }),
  }
  const [mismatch] = await errorsOf(subject, named, '3')
  const list = `['${options.join("', '")}']`
  expect(mismatch?.details).toBe(`scheduler, received_type(STRING) mismatch input_type(${list})`)
})

proves('workflows/link-to-nowhere', async (subject) => {
  const broken = (details: string, exception_type: string) => ({
    type: 'exception_during_validation',
    message: 'Exception when validating node',
    details,
    extra_info: { exception_type, traceback: expect.any(Array) },
  })
  const linked = (images: unknown) => errorsOf(subject, changed(solid(), '2', { images }), '2')
  expect(await linked(['88', 0])).toEqual([broken("'88'", 'KeyError')])
  expect(await linked([1, 0])).toEqual([broken('1', 'KeyError')])
  expect(await linked([['1'], 0])).toEqual([broken("unhashable type: 'list'", 'TypeError')])
  expect(await linked([{ id: 1 }, 0])).toEqual([broken("unhashable type: 'dict'", 'TypeError')])
  expect(await linked(['1', 1])).toEqual([broken('tuple index out of range', 'IndexError')])
  expect(await linked(['1', -2])).toEqual([broken('tuple index out of range', 'IndexError')])
  const noIndex = 'tuple indices must be integers or slices, not str'
  expect(await linked(['1', '0'])).toEqual([broken(noIndex, 'TypeError')])
  await passes(subject, changed(solid(), '2', { images: ['1', -1] }))
  // Upstream of an output the node with the broken link is at fault, and the error names the link that leads to it.
  const input_config = await configOf(subject, 'SaveImage', 'images')
  expect(await errorsOf(subject, changed(textToImage(), '8', { samples: ['88', 0] }), '8')).toEqual(
    [
      {
        type: 'exception_during_inner_validation',
        message: 'Exception when validating inner node',
        details: "'88'",
        extra_info: {
          input_name: 'images',
          input_config,
          exception_message: "'88'",
          exception_type: 'KeyError',
          traceback: expect.any(Array),
          linked_node: ['8', 0],
        },
      },
    ],
  )
  const nowhere = {
    '1': node('PrimitiveInt', { value: 1 }),
    '2': node('PreviewAny', { source: ['1', 1] }),
  }
  const [error] = await errorsOf(subject, nowhere, '2')
  expect(error?.details).toBe('list index out of range')
})

proves('workflows/union-types', async (subject) => {
  const convert = (index: number, from: string) => ({
    '1': node('TripoTextToModelNode', { prompt: 'a chair' }),
    '2': node('TripoRigNode', { original_model_task_id: ['1', 1] }),
    '3': node('TripoConversionNode', { original_model_task_id: [from, index], format: 'OBJ' }),
  })
  await passes(subject, convert(1, '1'))
  await passes(subject, convert(1, '2'))
})

/** Faults in nodes that feed an output: each a graph, the node at fault, and the output with its link. */
const faulty: readonly (readonly [graph: Graph, fault: string, output: string, input: string])[] = [
  [sampling({ steps: 0 }), '3', '9', 'images'],
  [sampling({ cfg: undefined }), '3', '9', 'images'],
  [sampling({ sampler_name: 'dpmpp_99' }), '3', '9', 'images'],
  [changed(textToImage(), '4', { ckpt_name: 'gone.safetensors' }), '4', '9', 'images'],
  [changed(textToImage(), '8', { samples: ['88', 0] }), '8', '9', 'images'],
  [
    {
      '1': node('LoadImage', { image: 'gone.png' }),
      '2': node('PreviewImage', { images: ['1', 0] }),
    },
    '1',
    '2',
    'images',
  ],
]

proves(
  'workflows/behind-unknown-types',
  async (subject) => {
    for (const [graph, fault, output, input] of faulty) {
      const foo = node('Foo', { [input]: graph[output]!.inputs[input], text: 'a' })
      const between = changed({ ...graph, '50': foo }, output, { [input]: ['50', 3] })
      const { [output]: _, ...others } = graph
      const own = await errorsOf(subject, graph, fault)
      expect(await errorsOf(subject, between, fault)).toEqual(own.map(withoutConfig))
      const last = { ...others, '50': foo }
      expect(await errorsOf(subject, last, fault)).toEqual(own.map(withoutConfig))
    }
    const broken = { ...solid(), '50': node('Foo', { image: ['88', 0] }) }
    expect(await errorsOf(subject, broken, '50')).toMatchObject([{ details: "'88'" }])
    const other = { ...solid(), '50': node('Foo', { pair: ['a', 'b'], image: ['1', 0] }) }
    await passes(subject, other)
  },
  { unknownNodes: 'accept' },
)

/** An error without the declaration of the input whose link leads to it, which only a known type has. */
const withoutConfig = ({ extra_info, ...error }: NodeError): unknown =>
  error.type === 'exception_during_inner_validation'
    ? { ...error, extra_info: { ...extra_info, input_config: expect.anything() } }
    : { ...error, extra_info }

proves('workflows/own-types', async (subject) => {
  const graph = {
    '1': node('TripoTextToModelNode', { prompt: 'a chair' }),
    '3': node('TripoConversionNode', { original_model_task_id: ['1', 0], format: 'OBJ' }),
  }
  expect(await errorsOf(subject, graph, '3')).toEqual([
    {
      type: 'custom_validation_failed',
      message: 'Custom validation failed for node',
      details:
        'input_types - original_model_task_id must be MODEL_TASK_ID, RIG_TASK_ID or RETARGET_TASK_ID type',
      extra_info: { input_name: 'input_types' },
    },
  ])
})
