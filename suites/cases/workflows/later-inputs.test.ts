// Faults that servers of later generations name: missing types, cycles, and inputs that depend on others.

import { type Graph, node, talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { errorOf } from '../../judge/failures.ts'
import { shown } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { configOf, errorsOf, passes, refusedSubmit } from '../../judge/verdicts.ts'

proves('workflows/missing-node-type', async (subject) => {
  const errorFor = async (bad: object, id = '7') => {
    const { error, node_errors } = await refusedSubmit(subject, {
      prompt: { ...talking(), [id]: bad },
    })
    expect(node_errors).toEqual({})
    return error
  }
  const error = {
    type: 'missing_node_type',
    message: "Node 'Nope' not found. The custom node may not be installed.",
    details: "Node ID '#7'",
    extra_info: { node_id: '7', class_type: 'Nope', node_title: 'Nope' },
  }
  const titled = { _meta: { title: 'My "node"' } }
  expect(await errorFor(node('Nope'))).toEqual(error)
  expect(await errorFor({ ...node('Nope'), ...titled })).toEqual({
    ...error,
    message: `Node 'My "node"' not found. The custom node may not be installed.`,
    extra_info: { ...error.extra_info, node_title: 'My "node"' },
  })
  const untyped = 'has no class_type. The workflow may be corrupted or a custom node is missing.'
  expect(await errorFor({ inputs: {} }, '8')).toEqual({
    type: 'missing_node_type',
    message: `Node 'ID #8' ${untyped}`,
    details: "Node ID '#8'",
    extra_info: { node_id: '8', class_type: null, node_title: null },
  })
  expect(await errorFor({ inputs: {}, ...titled })).toMatchObject({
    message: `Node 'My "node"' ${untyped}`,
    extra_info: { class_type: null, node_title: 'My "node"' },
  })
})

proves('workflows/cycle-named', async (subject) => {
  const invert = (source: string) => node('ImageInvert', { image: [source, 0] })
  const graph = {
    '1': invert('2'),
    '2': invert('1'),
    '3': node('PreviewImage', { images: ['1', 0] }),
  }
  const { error, node_errors } = await refusedSubmit(subject, { prompt: graph })
  expect(error).toMatchObject({ type: 'prompt_outputs_failed_validation' })
  for (const id of ['1', '2']) {
    const [cycle, ...others] = node_errors[id].errors.filter(
      ({ type }: { type: string }) => type === 'dependency_cycle',
    )
    expect(others).toEqual([])
    expect(cycle).toMatchObject({
      message: 'Dependency cycle detected',
      extra_info: { node_id: id },
    })
    expect(cycle.extra_info.cycle_nodes.toSorted()).toEqual(['1', '2'])
    expect(cycle.details).toMatch(
      /^(\d) \(ImageInvert\) -> (\d) \(ImageInvert\) -> \1 \(ImageInvert\)$/,
    )
  }
})

proves('workflows/new-combo-checked', async (subject) => {
  const blend = (blend_mode: unknown): Graph => {
    const { '1': picture } = shown(subject, 'blended')
    const image = ['1', 0]
    const inputs = { image1: image, image2: image, blend_factor: 0.5, blend_mode }
    return {
      '1': picture!,
      '2': node('ImageBlend', inputs),
      '3': node('PreviewImage', { images: ['2', 0] }),
    }
  }
  const [type, config] = await configOf(subject, 'ImageBlend', 'blend_mode')
  const options: readonly string[] = config.options
  const list = `[${options.map((one) => `'${one}'`).join(', ')}]`
  for (const [value, text] of [
    ['nope', "'nope'"],
    ["it's", '"it\'s"'],
    [7, '7'],
    [null, 'None'],
    [true, 'True'],
  ] as const)
    expect(await errorsOf(subject, blend(value), '2')).toEqual([
      {
        type: 'value_not_in_list',
        message: 'Value not in list',
        details: `blend_mode: ${text} not in ${list}`,
        extra_info: {
          input_name: 'blend_mode',
          input_config: [type, config],
          received_value: value,
        },
      },
    ])
  for (const value of options) await passes(subject, blend(value))
})

const blue = node('EmptyImage', { width: 2, height: 1, batch_size: 1, color: 0xff })

proves('workflows/dynamic-inputs', async ({ connect, run, submit, unique }) => {
  const graph = {
    picture: blue,
    batch: node('BatchImagesNode', {
      'images.image0': ['picture', 0],
      'images.image2': ['picture', 0],
    }),
    size: node('GetImageSize', { image: ['batch', 0] }),
    chosen: node('ComfySwitchNode', {
      switch: true,
      on_false: ['picture', 0],
      on_true: ['size', 2],
    }),
    count: node('PreviewAny', { source: ['chosen', 0] }),
    larger: node('ResizeImageMaskNode', {
      input: ['picture', 0],
      resize_type: 'scale by multiplier',
      'resize_type.multiplier': 2,
      scale_method: 'area',
    }),
    shown: node('PreviewImage', { images: ['larger', 0] }),
  }
  const { outputs } = (await run(await connect(unique('me')), graph)).entry
  expect({ count: outputs['count'].text, shown: outputs['shown'].images.length }).toEqual({
    count: ['2'],
    shown: 1,
  })
  const without = (id: keyof typeof graph, name: string): Graph => {
    const { [name]: _, ...inputs } = graph[id].inputs
    return { ...graph, [id]: { ...graph[id], inputs } }
  }
  const missing = [
    ['batch', 'images.image0', 'image0'],
    ['larger', 'resize_type.multiplier', 'multiplier'],
  ] as const
  for (const [id, input_name, details] of missing) {
    const [error] = (await submit(without(id, input_name))).json().node_errors[id].errors
    expect(error).toMatchObject({
      type: 'required_input_missing',
      details,
      extra_info: { input_name },
    })
  }
})

proves('workflows/unknown-choice', async ({ connect, run, unique }) => {
  for (const choice of [{}, { codec: 'vp9' }]) {
    const graph = {
      picture: node('EmptyImage', { width: 16, height: 16, batch_size: 1, color: 0 }),
      video: node('CreateVideo', { images: ['picture', 0], fps: 24 }),
      saved: node('SaveVideo', {
        video: ['video', 0],
        filename_prefix: unique('video'),
        format: 'auto',
        ...choice,
      }),
    }
    const { messages } = await run(await connect(unique('me')), graph)
    expect(errorOf({ messages })).toMatchObject({
      exception_type: 'TypeError',
      exception_message: "SaveVideo.execute() missing 1 required positional argument: 'codec'\n",
    })
  }
})
