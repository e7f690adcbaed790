// What validation finds wrong with the inputs of a node, and what it lets pass.

import { expect } from 'vitest'
import { changed, type Graph, node, solid, textToImage } from '../graphs.ts'
import { proves } from '../proves.ts'
import type { Subject } from '../subject.ts'

type NodeError = {
  type: string
  message: string
  details: string
  extra_info: Record<string, unknown>
}

/** The errors of one node of a graph. The answer says nothing of any other node. */
async function errorsOf({ submit }: Subject, graph: Graph, id: string): Promise<NodeError[]> {
  const { node_errors } = (await submit(graph)).json()
  expect(Object.keys(node_errors)).toEqual([id])
  return node_errors[id].errors
}

/** The declaration of an input, as the catalogue gives it, in the form in which errors repeat it. */
async function configOf({ get }: Subject, class_type: string, input: string) {
  const { required, optional } = (await get(`/object_info/${class_type}`)).json()[class_type].input
  const [type, options = {}] = { ...required, ...optional }[input]
  return [type, options]
}

const picture = (inputs: Record<string, unknown>) => changed(solid(), '1', inputs)
const sampling = (inputs: Record<string, unknown>) => changed(textToImage(), '3', inputs)
const passes = async ({ submit }: Subject, graph: Graph) => {
  const reply = await submit(graph)
  expect([reply.status, reply.json().node_errors]).toEqual([200, {}])
}

proves('workflows/required-input', async (subject) => {
  const missing = (input_name: string) => ({
    type: 'required_input_missing',
    message: 'Required input is missing',
    details: input_name,
    extra_info: { input_name },
  })
  expect(await errorsOf(subject, picture({ width: undefined }), '1')).toEqual([missing('width')])
  // A default of the declaration stands for nothing, and each missing input is told.
  const errors = await errorsOf(
    subject,
    { '1': node('EmptyImage', { width: 64 }), '2': solid()['2']! },
    '1',
  )
  expect(errors).toHaveLength(3)
  expect(errors).toEqual(expect.arrayContaining(['height', 'batch_size', 'color'].map(missing)))
  await passes(subject, { '1': node('FlowdoubleSlow', { seconds: 1 }) })
})

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
})

proves('workflows/link-type', async (subject) => {
  const [options] = await configOf(subject, 'KSampler', 'scheduler')
  const fed = {
    ...sampling({ scheduler: ['20', 0] }),
    '20': node('PrimitiveString', { value: 'normal' }),
  }
  const [error] = await errorsOf(subject, fed, '3')
  const list = `['${options.join("', '")}']`
  expect(error?.details).toBe(`scheduler, received_type(STRING) mismatch input_type(${list})`)
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
  expect(await linked(['1', 1])).toEqual([broken('tuple index out of range', 'IndexError')])
  expect(await linked(['1', -2])).toEqual([broken('tuple index out of range', 'IndexError')])
  const noIndex = 'tuple indices must be integers or slices, not str'
  expect(await linked(['1', '0'])).toEqual([broken(noIndex, 'TypeError')])
  await passes(subject, changed(solid(), '2', { images: ['1', -1] }))
})

// Upstream of an output it is the node with the broken link that is at fault, told from the link that leads to it.
proves('workflows/link-to-nowhere', async (subject) => {
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

proves('workflows/unconvertible', async (subject) => {
  const noInt = 'int() argument must be a string, a bytes-like object or a real number, not '
  const cases: [object: Record<string, unknown>, shown: string, exception: string][] = [
    [{ width: 'x' }, 'x', "invalid literal for int() with base 10: 'x'"],
    [{ width: '3.5' }, '3.5', "invalid literal for int() with base 10: '3.5'"],
    [{ width: null }, 'None', `${noInt}'NoneType'`],
    [{ width: { a: 1 } }, "{'a': 1}", `${noInt}'dict'`],
  ]
  const input_config = await configOf(subject, 'EmptyImage', 'width')
  for (const [inputs, shown, exception_message] of cases) {
    expect(await errorsOf(subject, picture(inputs), '1')).toEqual([
      {
        type: 'invalid_input_type',
        message: 'Failed to convert an input value to a INT value',
        details: `width, ${shown}, ${exception_message}`,
        extra_info: {
          input_name: 'width',
          input_config,
          received_value: inputs['width'],
          exception_message,
        },
      },
    ])
  }
  const noFloat = "float() argument must be a string or a real number, not 'NoneType'"
  for (const [cfg, shown, exception] of [
    ['abc', 'abc', "could not convert string to float: 'abc'"],
    [null, 'None', noFloat],
  ]) {
    const [error] = await errorsOf(subject, sampling({ cfg }), '3')
    expect(error?.message).toBe('Failed to convert an input value to a FLOAT value')
    expect(error?.details).toBe(`cfg, ${shown}, ${exception}`)
  }
})

proves('workflows/bounds', async (subject) => {
  const input_config = await configOf(subject, 'EmptyImage', 'width')
  const outside = (type: string, message: string, received_value: number) => ({
    type,
    message,
    details: 'width',
    extra_info: { input_name: 'width', input_config, received_value },
  })
  const small = outside('value_smaller_than_min', 'Value 0 smaller than min of 1', 0)
  const big = outside('value_bigger_than_max', 'Value 16385 bigger than max of 16384', 16385)
  expect(await errorsOf(subject, picture({ width: 0 }), '1')).toEqual([small])
  expect(await errorsOf(subject, picture({ width: 16385 }), '1')).toEqual([big])
  const message = async (inputs: Record<string, unknown>) =>
    (await errorsOf(subject, sampling(inputs), '3'))[0]?.message
  expect(await message({ cfg: 101 })).toBe('Value 101.0 bigger than max of 100.0')
  expect(await message({ denoise: -0.5 })).toBe('Value -0.5 smaller than min of 0.0')
  expect(await message({ seed: '18446744073709551616' })).toBe(
    'Value 18446744073709551616 bigger than max of 18446744073709551615',
  )
  await passes(subject, sampling({ cfg: 100, denoise: 0, seed: '18446744073709551615', steps: 1 }))
  await passes(subject, sampling({ cfg: 'nan' }))
})

proves('workflows/not-in-list', async (subject) => {
  const refused = (input_name: string, list: string, input_config: unknown) => ({
    type: 'value_not_in_list',
    message: 'Value not in list',
    details: `${input_name}: 'nope' not in ${list}`,
    extra_info: { input_name, input_config, received_value: 'nope' },
  })
  const few = await configOf(subject, 'KSampler', 'scheduler')
  const list = `['${few[0].join("', '")}']`
  expect(await errorsOf(subject, sampling({ scheduler: 'nope' }), '3')).toEqual([
    refused('scheduler', list, few),
  ])
  // Lists of more than 20 are not told.
  const [many] = await configOf(subject, 'KSampler', 'sampler_name')
  expect(await errorsOf(subject, sampling({ sampler_name: 'nope' }), '3')).toEqual([
    refused('sampler_name', `(list of length ${many.length})`, null),
  ])
  const noModel = changed(textToImage(), '4', { ckpt_name: 'nope' })
  expect(await errorsOf(subject, noModel, '4')).toMatchObject([{ type: 'value_not_in_list' }])
  for (const scheduler of few[0]) await passes(subject, sampling({ scheduler }))
})

proves('workflows/new-combo-unchecked', async (subject) => {
  await subject.upload({ name: 'new.mp4', bytes: Buffer.from('a video') })
  const video = node('LoadVideo', { file: 'new.mp4' })
  for (const codec of ['nope', 7, null, { a: 1 }]) {
    const inputs = { video: ['1', 0], filename_prefix: 'x', format: codec, codec }
    await passes(subject, { '1': video, '2': node('SaveVideo', inputs) })
  }
})

proves('workflows/missing-input-file', async (subject) => {
  const loaders = [
    ['LoadImage', 'image', 'image'],
    ['LoadImageMask', 'image', 'image'],
    ['LoadAudio', 'audio', 'audio'],
    ['LoadVideo', 'file', 'video'],
    ['LoadLatent', 'latent', 'latent'],
  ] as const
  await subject.upload({ name: 'new.file', bytes: Buffer.from('whatever it holds') })
  for (const [class_type, input_name, what] of loaders) {
    const loading = (name: string): Graph => ({
      '1': node(class_type, { [input_name]: name, channel: 'red' }),
      '2': node('PreviewAny', { source: ['1', 0] }),
    })
    expect(await errorsOf(subject, loading('nope.png'), '1')).toEqual([
      {
        type: 'custom_validation_failed',
        message: 'Custom validation failed for node',
        details: `${input_name} - Invalid ${what} file: nope.png`,
        extra_info: { input_name },
      },
    ])
    await passes(subject, loading('new.file'))
  }
})

// What counts is the file, not the list: one that came later is found, below a folder and in another one too.
proves('workflows/missing-input-file', async (subject) => {
  const loading = (image: string): Graph => ({
    '1': node('LoadImage', { image }),
    '2': node('PreviewImage', { images: ['1', 0] }),
  })
  const bytes = (await subject.get('/view?filename=example.png&type=input')).bytes
  await subject.upload({ name: 'late.png', bytes }, { subfolder: 'deep' })
  await passes(subject, loading('deep/late.png'))
  await passes(subject, loading('deep/late.png [input]'))
  expect(await errorsOf(subject, loading('late.png'), '1')).toMatchObject([
    { type: 'custom_validation_failed' },
  ])
  const elsewhere = await errorsOf(subject, loading('deep/late.png [output]'), '1')
  expect(elsewhere[0]?.details).toBe('image - Invalid image file: deep/late.png [output]')
})

proves('workflows/union-types', async (subject) => {
  const convert = (index: number, from: string) => ({
    '1': node('TripoTextToModelNode', { prompt: 'a chair' }),
    '2': node('TripoRigNode', { original_model_task_id: ['1', 1] }),
    '3': node('TripoConversionNode', { original_model_task_id: [from, index], format: 'OBJ' }),
  })
  await passes(subject, convert(1, '1'))
  await passes(subject, convert(1, '2'))
  const [error] = await errorsOf(subject, convert(0, '1'), '3')
  expect(error?.details).toBe(
    'original_model_task_id, received_type(STRING) mismatch input_type(MODEL_TASK_ID,RIG_TASK_ID,RETARGET_TASK_ID)',
  )
})

proves('workflows/undeclared-inputs', async (subject) => {
  await passes(
    subject,
    picture({ extra: 'x', depth: -1, list: [1, 2, 3], nothing: null, link: ['2', 7] }),
  )
  const { queue_pending } = (await subject.get('/queue')).json()
  expect(queue_pending[0][2]['1'].inputs).toMatchObject({
    extra: 'x',
    depth: -1,
    list: [1, 2, 3],
    nothing: null,
  })
})
