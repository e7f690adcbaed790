// What later local servers do with a submit that earlier ones did otherwise, whatever else others do on the server.

import { nodeErrorsById } from '../../../spec/server/workflows.ts'
import { type Graph, node, talking } from '../../generate/graphs.ts'
import { newUuid } from '../../judge/hosted/busy-account.ts'
import { configOf, errorsOf, passes } from '../../judge/verdicts.ts'
import { violations } from '../../judge/judge.ts'
import { listedIds, listedRun, me, occupy, shown } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { errorOf } from '../../judge/failures.ts'

/** A submit that the server refuses. */
async function refusal({ post }: Subject, body: object) {
  const reply = await post('/prompt', body)
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 400 })
  return reply.json()
}

proves('workflows/missing-node-type', async (subject) => {
  const errorOf = async (bad: object, id = '7') => {
    const { error, node_errors } = await refusal(subject, { prompt: { ...talking(), [id]: bad } })
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
  expect(await errorOf(node('Nope'))).toEqual(error)
  expect(await errorOf({ ...node('Nope'), ...titled })).toEqual({
    ...error,
    message: `Node 'My "node"' not found. The custom node may not be installed.`,
    extra_info: { ...error.extra_info, node_title: 'My "node"' },
  })
  const untyped = 'has no class_type. The workflow may be corrupted or a custom node is missing.'
  expect(await errorOf({ inputs: {} }, '8')).toEqual({
    type: 'missing_node_type',
    message: `Node 'ID #8' ${untyped}`,
    details: "Node ID '#8'",
    extra_info: { node_id: '8', class_type: null, node_title: null },
  })
  expect(await errorOf({ inputs: {}, ...titled })).toMatchObject({
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
  const { error, node_errors } = await refusal(subject, { prompt: graph })
  expect(error).toMatchObject({ type: 'prompt_outputs_failed_validation' })
  expect(violations(nodeErrorsById, node_errors)).toEqual([])
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

proves(['workflows/prompt-id-uuid', 'workflows/prompt-id-repeated'], async (subject) => {
  const session = await me(subject)
  const given = newUuid(subject, 'given')
  const first = await subject.run(session, talking(subject.unique('first')), { prompt_id: given })
  expect([first.prompt_id, first.entry.prompt_id]).toEqual([given, given])
  expect(first.messages.at(-1)?.data).toEqual({ node: null, prompt_id: given })
  const held = await occupy(subject, session)
  for (const name of ['second', 'third']) {
    const reply = await subject.submit(talking(subject.unique(name)), { prompt_id: given })
    expect(reply.json().prompt_id).toBe(given)
  }
  const { pending } = await listedIds(subject)
  expect(pending.filter((id) => id === given)).toHaveLength(2)
  await held.stop()
  await subject.idle()
  const entry = await subject.finished(given)
  expect(entry?.graph).toEqual(talking(subject.unique('third')))
  const made = await subject.submit(talking(subject.unique('null')), { prompt_id: null })
  expect(made.json().prompt_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/)
})

proves('workflows/prompt-id-form', async (subject) => {
  const id = newUuid(subject, 'id')
  const odd = [
    id.toUpperCase(),
    id.replaceAll('-', ''),
    `{${id}}`,
    ` ${id}`,
    '',
    'mine',
    7,
    true,
    [],
    {},
    [id],
  ]
  for (const prompt_id of odd)
    expect({ prompt_id, ...(await refusal(subject, { prompt: talking(), prompt_id })) }).toEqual({
      prompt_id,
      error: {
        type: 'invalid_prompt_id',
        message: 'prompt_id must be a valid UUID',
        details:
          'prompt_id must be a UUID string in canonical lowercase hyphenated form; omit it to let the server generate one',
        extra_info: {},
      },
      node_errors: {},
    })
  // It is looked at after the prompt, and before the graph.
  const { error } = await refusal(subject, { prompt_id: 'mine' })
  expect(error.type).toBe('no_prompt')
  const invalid = await refusal(subject, { prompt: { '1': node('Nope') }, prompt_id: 'mine' })
  expect(invalid.error.type).toBe('invalid_prompt_id')
})

proves(['workflows/create-time', 'workflows/usage-source'], async (subject) => {
  const session = await me(subject)
  const held = await occupy(subject, session)
  const extraOf = async (extra_data: object, headers: Readonly<Record<string, string>> = {}) => {
    const prompt = talking(subject.unique('stamped'))
    const body = JSON.stringify({ prompt, extra_data, client_id: session.clientId })
    const type = { 'Content-Type': 'application/json' }
    const reply = await subject.request('POST', '/prompt', body, { ...type, ...headers })
    return (await listedRun(subject, reply.json().prompt_id))?.extra_data
  }
  const plain = await extraOf({})
  expect(Number.isSafeInteger(plain.create_time)).toBe(true)
  // Seconds would be a thousand times less.
  expect(new Date(plain.create_time).getUTCFullYear()).toBeGreaterThan(2000)
  expect(plain).not.toHaveProperty('comfy_usage_source')
  expect((await extraOf({ create_time: 1 })).create_time).toBeGreaterThanOrEqual(plain.create_time)
  const source = { 'Comfy-Usage-Source': 'a test' }
  expect(await extraOf({}, source)).toMatchObject({ comfy_usage_source: 'a test' })
  const own = { comfy_usage_source: 'mine' }
  expect(await extraOf(own, source)).toMatchObject(own)
  await held.stop()
})

proves('workflows/extra-data-object', async (subject) => {
  for (const extra_data of [null, [], 'text', 'client_id', 7]) {
    const reply = await subject.submit(talking(), { extra_data })
    expect({ extra_data, status: reply.status }).toEqual({ extra_data, status: 500 })
  }
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

proves('workflows/no-objects-crash', async ({ post }) => {
  const graph = { picture: blue, shown: node('PreviewImage', { images: ['picture', 0] }) }
  const prompts = [
    '',
    [],
    { ...graph, odd: [] },
    { ...graph, odd: { ...blue, inputs: null } },
    { ...graph, odd: { ...blue, inputs: ['images'] } },
  ]
  for (const prompt of prompts) {
    const { status } = await post('/prompt', { prompt })
    expect({ prompt, status }).toEqual({ prompt, status: 500 })
  }
})
