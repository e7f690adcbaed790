// The validation of literals: accepted and rejected values.

import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { put } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { configOf, errorsOf, passes } from '../../judge/verdicts.ts'
import { expect } from '../../judge/expect.ts'

const picture = (inputs: Record<string, unknown>) => changed(solid(), '1', inputs)
const sampling = (inputs: Record<string, unknown>) => changed(textToImage(), '3', inputs)
proves('workflows/required-input', async (subject) => {
  const missing = (input_name: string) => ({
    type: 'required_input_missing',
    message: 'Required input is missing',
    details: input_name,
    extra_info: { input_name },
  })
  expect(await errorsOf(subject, picture({ width: undefined }), '1')).toEqual([missing('width')])
  // The default of the declaration is not used, and each missing input is reported.
  const errors = await errorsOf(
    subject,
    { '1': node('EmptyImage', { width: 64 }), '2': solid()['2']! },
    '1',
  )
  expect(errors).toHaveLength(3)
  expect(errors).toEqual(expect.arrayContaining(['height', 'batch_size', 'color'].map(missing)))
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
  // Lists of more than 20 are not listed.
  const [many] = await configOf(subject, 'KSampler', 'sampler_name')
  expect(await errorsOf(subject, sampling({ sampler_name: 'nope' }), '3')).toEqual([
    refused('sampler_name', `(list of length ${many.length})`, null),
  ])
  const noModel = changed(textToImage(), '4', { ckpt_name: 'nope' })
  expect(await errorsOf(subject, noModel, '4')).toMatchObject([{ type: 'value_not_in_list' }])
  for (const scheduler of few[0]) await passes(subject, sampling({ scheduler }))
})

/** Uploads a file, whatever its name says it is, below the folder of the case, and returns the name that loaders know it by. */
async function uploaded(subject: Subject, name: string, subfolder = ''): Promise<string> {
  const reply = await put(subject, { name, bytes: Buffer.from('whatever') }, { subfolder })
  const stored = reply.json() as { readonly name: string; readonly subfolder: string }
  // A hosted server names a file by its content, wherever it is.
  const isNameAlone = subject.deployment === 'hosted' || stored.subfolder === ''
  return isNameAlone ? stored.name : `${stored.subfolder}/${stored.name}`
}

proves('workflows/new-combo-unchecked', async (subject) => {
  const file = await uploaded(subject, 'new.mp4')
  const video = node('LoadVideo', { file })
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
  const held = await uploaded(subject, 'new.file')
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
    await passes(subject, loading(held))
  }
})

proves('workflows/check-trips', async (subject) => {
  const loaders = [
    ['LoadImage', 'image', 'LoadImage.VALIDATE_INPUTS'],
    ['LoadImageMask', 'image', 'LoadImageMask.VALIDATE_INPUTS'],
    ['LoadImageOutput', 'image', 'LoadImage.VALIDATE_INPUTS'],
    ['LoadAudio', 'audio', 'LoadAudio.VALIDATE_INPUTS'],
    ['LoadLatent', 'latent', 'LoadLatent.VALIDATE_INPUTS'],
    ['LoadVideo', 'file', 'LoadVideo.validate_inputs'],
  ] as const
  const given = { NoneType: null, int: 5, bool: true, float: 1.5, list: [1, 2, 3], dict: { a: 1 } }
  for (const [class_type, name, check] of loaders) {
    const thrown = async (inputs: Readonly<Record<string, unknown>>) => {
      const graph = {
        '1': node(class_type, { channel: 'red', ...inputs }),
        '2': node('PreviewAny', { source: ['1', 0] }),
        '3': node('PrimitiveString', { value: 'example.png' }),
      }
      const [error, ...more] = await errorsOf(subject, graph, '1')
      expect({ type: error?.type, more }).toEqual({
        type: 'exception_during_inner_validation',
        more: [],
      })
      const { exception_type, exception_message, linked_node, traceback } = error!.extra_info as any
      expect({ details: error?.details, linked_node }).toEqual({
        details: exception_message,
        linked_node: ['1', 0],
      })
      expect(traceback.length).toBeGreaterThan(0)
      return [class_type, exception_type, exception_message]
    }
    const unread = 'list indices must be integers or slices, not str'
    const asList = {
      '1': { class_type, inputs: ['other'] },
      '2': node('PreviewAny', { source: ['1', 0] }),
    }
    expect((await errorsOf(subject, asList as unknown as Graph, '1')).at(-1)?.details).toBe(unread)
    const missing = `${check}() missing 1 required positional argument: '${name}'`
    expect(await thrown({})).toEqual([class_type, 'TypeError', missing])
    const text = (type: string) => `'${type}' object has no attribute 'endswith'`
    for (const [type, value] of Object.entries(given)) {
      expect(await thrown({ [name]: value })).toEqual([class_type, 'AttributeError', text(type)])
    }
    expect(await thrown({ [name]: ['3', 0] })).toEqual([
      class_type,
      'AttributeError',
      text('NoneType'),
    ])
  }
})

proves('workflows/traceback', async (subject) => {
  const own = await errorsOf(subject, { '1': node('PreviewAny', { source: ['9', 0] }) }, '1')
  expect(own).toMatchObject([{ type: 'exception_during_validation' }])
  const graph = {
    '1': node('PreviewImage', { images: ['2', 0] }),
    '2': node('ImageInvert', { image: ['9', 0] }),
  }
  const upstream = await errorsOf(subject, graph, '2')
  expect(upstream).toMatchObject([{ type: 'exception_during_inner_validation' }])
  for (const [error] of [own, upstream]) {
    const { traceback } = error!.extra_info as any
    expect(traceback).toEqual(expect.arrayContaining([expect.stringMatching(/\n$/)]))
    for (const line of traceback) expect(line).toMatch(/\n$/)
  }
})

// The file counts, not the list: a later one is found, below a folder and in another folder too.
proves(
  'workflows/missing-input-file',
  async (subject) => {
    const loading = (image: string): Graph => ({
      '1': node('LoadImage', { image }),
      '2': node('PreviewImage', { images: ['1', 0] }),
    })
    const late = await uploaded(subject, 'late.png', 'deep')
    await passes(subject, loading(late))
    await passes(subject, loading(`${late} [input]`))
    expect(await errorsOf(subject, loading('late.png'), '1')).toMatchObject([
      { type: 'custom_validation_failed' },
    ])
    const elsewhere = await errorsOf(subject, loading(`${late} [output]`), '1')
    expect(elsewhere[0]?.details).toBe(`image - Invalid image file: ${late} [output]`)
  },
  { deployment: 'local' },
)

proves('workflows/no-outside-file', async (subject) => {
  const graph = {
    '1': node('LoadImage', { image: '/etc/passwd' }),
    '2': node('PreviewImage', { images: ['1', 0] }),
  }
  const [error] = await errorsOf(subject, graph, '1')
  expect(error?.details).toBe('image - Invalid image file: /etc/passwd')
})
