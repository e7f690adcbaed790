// Node rules that set outputs of custom nodes: any keys, files with further members, samples, and items as they are.

import { decode } from 'fast-png'
import { startEmulator } from 'flowdouble'
import { node, type Graph } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { endOf, runAlone, scripted } from '../../support/scripted.ts'
import type { Run, Subject } from '../../judge/subject.ts'

/** A workflow that ends in a node of a pack, which the server does not have. */
const clip: Graph = {
  '1': node('EmptyImage', { width: 24, height: 16, batch_size: 2, color: 5 }),
  '2': node('CombineVideo', {
    images: ['1', 0],
    frame_rate: 8,
    filename_prefix: 'AnimateDiff',
    format: 'video/h264-mp4',
  }),
}

type Outputs = Readonly<Record<string, unknown[]>>

/** A server that accepts the node, with these outputs. */
const withOutputs = (outputs: Outputs) =>
  scripted(
    { nodes: [{ class_type: 'CombineVideo', outputs }] },
    { unknownNodes: 'accept', models: 'any' },
  )

const outputOf = ({ entry }: Run): Record<string, Record<string, string>[]> => entry.outputs['2']

/** The start of the file of an entry, as text: files of each format have one. */
const startOf = async ({ view }: Subject, entry: Record<string, string>): Promise<string> => {
  const { filename = '', subfolder = '', type = '' } = entry
  return (await view({ filename, subfolder, type })).bytes.subarray(0, 12).toString('latin1')
}

/** What CombineVideo says of a video beside its name. */
const more = {
  format: 'video/h264-mp4',
  frame_rate: 8,
  workflow: 'AnimateDiff_00001.png',
  fullpath: '/srv/output/AnimateDiff_00001.mp4',
}

proves(
  'scenario/node-file-members',
  async (subject) => {
    const run = await runAlone(subject, clip)
    const { gifs, ...others } = outputOf(run)
    const entry = { filename: 'AnimateDiff_00001.mp4', subfolder: '', type: 'output', ...more }
    expect({ gifs, others }).toEqual({ gifs: [entry], others: {} })
    expect(await startOf(subject, entry as never)).toContain('ftyp')
    const executed = run.messages.find(({ type }) => type === 'executed')
    expect(executed?.data['output']).toEqual({ gifs })
    if (subject.deployment === 'local') return
    const { outputs, preview_output } = (await subject.get(`/jobs/${run.prompt_id}`)).json()
    expect(outputs).toEqual(run.entry.outputs)
    expect(preview_output).toEqual({ ...entry, nodeId: '2', mediaType: 'gifs' })
  },
  withOutputs({ gifs: [{ own: true, filename: 'AnimateDiff_00001.mp4', ...more }] }),
)

const asTheyAre = {
  animated: [true],
  value: [18446744, 0.5, null, 'x', ['y', { filename: 'nested.png' }]],
  toString: ['x'],
  'a "key"': [{ filepath: '/tmp/a.obj', type: 'mesh' }],
  nothing: [],
}

proves(
  'scenario/node-outputs',
  async (subject) => {
    const output = outputOf(await runAlone(subject, clip))
    expect(output).toEqual({
      ...asTheyAre,
      text: ['one', { name: 'out', text: 'two' }],
      kept: [{ filename: 'elsewhere.png', type: 'input' }],
    })
    expect(Object.keys(output)).toEqual([...Object.keys(asTheyAre), 'text', 'kept'])
  },
  withOutputs({
    ...asTheyAre,
    text: ['one', { json: { name: 'out', text: 'two' } }],
    kept: [{ json: { filename: 'elsewhere.png', type: 'input' } }],
  }),
)

proves(
  'scenario/node-file-place',
  async (subject) => {
    const { files, a_images } = outputOf(await runAlone(subject, clip))
    const isHosted = subject.deployment === 'hosted'
    const subfolder = isHosted ? '' : 'deep/er'
    const [named, unnamed] = files!
    expect(named).toEqual({ filename: 'a.json', subfolder, type: 'output' })
    expect(unnamed).toMatchObject({ subfolder: isHosted ? '' : 'deep', type: 'output' })
    expect(unnamed!['filename']).toMatch(isHosted ? /^\w{64}\.txt$/ : /^AnimateDiff_00001_\.txt$/)
    expect(a_images).toEqual([{ filename: 'compare.png', subfolder: '', type: 'temp' }])
    expect(await startOf(subject, named!)).toBe('{}')
    expect(await startOf(subject, unnamed!)).toBe('plain')
    expect(await startOf(subject, a_images![0]!)).toBe('bytes')
  },
  withOutputs({
    files: [
      { text: '{}', filename: 'a.json', subfolder: 'deep/er' },
      { text: 'plain', subfolder: 'deep' },
    ],
    a_images: [{ text: 'bytes', filename: 'compare.png', type: 'temp' }],
  }),
)

/** Samples by key: what the rule says, the ending that follows, and what the file contains near its start. */
const samples: Readonly<Record<string, readonly (readonly [object, string, string])[]>> = {
  gifs: [
    [{ filename: 'a.mp4' }, 'mp4', 'ftyp'],
    [{}, 'mp4', 'ftyp'],
    [{ format: 'image/gif' }, 'gif', 'GIF89a'],
    [{ format: 'video/webm' }, 'webm', '\x1a\x45\xdf\xa3'],
    [{ format: 'video/ProRes' }, 'mp4', 'ftyp'],
  ],
  videos: [[{}, 'mp4', 'ftyp']],
  video: [[{}, 'mp4', 'ftyp']],
  a_images: [[{}, 'png', 'PNG']],
  images: [
    [{ filename: 'a.webp' }, 'webp', 'WEBP'],
    [{ filename: 'A.JPG' }, 'JPG', '\xff\xd8'],
  ],
  audio: [
    [{}, 'flac', 'fLaC'],
    [{ filename: 'a.wav' }, 'wav', 'WAVE'],
  ],
  '3d': [[{}, 'glb', 'glTF']],
  constructor: [[{}, 'png', 'PNG'] as const],
}

proves(
  'scenario/node-sample',
  async (subject) => {
    const output = outputOf(await runAlone(subject, clip))
    expect(Object.keys(output).toSorted()).toEqual(Object.keys(samples).toSorted())
    for (const [key, all] of Object.entries(samples))
      for (const [at, [, ending, start]] of all.entries()) {
        const entry = output[key]![at]!
        expect(entry['filename']).toMatch(new RegExp(`\\.${ending}$`))
        expect(await startOf(subject, entry), `${key} ${ending}`).toContain(start)
      }
  },
  withOutputs(
    Object.fromEntries(
      Object.entries(samples).map(([key, all]) => [
        key,
        all.map(([members]) => ({ own: true, ...members })),
      ]),
    ),
  ),
)

proves(
  'scenario/node-sample',
  async (subject) => {
    const { images } = outputOf(await runAlone(subject, clip))
    const sizes = await Promise.all(
      images!.map(async (entry) => {
        const { width, height } = decode((await subject.view(entry)).bytes)
        return `${width}x${height}`
      }),
    )
    // Two pictures of the batch that the node gets, and a painted one.
    expect(new Set(sizes)).toEqual(new Set(['24x16']))
    expect(new Set(images!.map(({ filename }) => filename)).size).toBe(3)
  },
  withOutputs({ images: [{ own: true }, { own: true }, { own: true }] }),
)

proves(
  'scenario/node-no-sample',
  async (subject) => {
    const run = await runAlone(subject, clip)
    expect(endOf(run)).toMatch(/^execution_error 2 /)
    expect(run.entry.status.messages.at(-1)?.[1].exception_message).toContain(
      'flowdouble cannot make a sample .obj file for CombineVideo: give the file in the scenario',
    )
  },
  scripted(
    { nodes: [{ node_id: '2', outputs: { '3d': [{ own: true, filename: 'mesh.obj' }] } }] },
    { unknownNodes: 'accept', models: 'any' },
  ),
)

proves('scenario/own-refused', async ({ deployment }) => {
  const start = (class_type: string, more = {}) => {
    const outputs = { '3d': [{ own: true as const, filename: 'mesh.obj' }] }
    const nodes = [{ class_type, outputs, ...more }]
    return startEmulator({ deployment, unknownNodes: 'accept', scenario: { version: 1, nodes } })
  }
  const problem =
    'nodes[0].outputs.3d[0] has own, but Mesher makes no file there, and there is no sample .obj file: give the file, as from, text or base64'
  await expect(start('Mesher')).rejects.toThrow(problem)
  await expect(start('Mesher', { as: 'PreviewAny' })).rejects.toThrow('no sample .obj')
  for (const started of [start('SaveGLB'), start('Mesher', { as: 'SaveGLB' })])
    await (await started).close()
})

proves(
  'scenario/node-no-sample',
  async (subject) => {
    const { entry } = await runAlone(subject, {
      '2': node('CombineVideo', { width: 100_000, height: 100_000 }),
    })
    const [type, { exception_message }] = entry.status.messages.at(-1)!
    expect([type, exception_message]).toEqual([
      'execution_error',
      expect.stringContaining('Allocation on device would exceed allowed memory'),
    ])
  },
  withOutputs({ images: [{ own: true }] }),
)

/** Outputs that cannot be used, and why. */
const unusable: readonly (readonly [outputs: Outputs, problem: string])[] = [
  [{ gifs: 'a.mp4' as never }, 'outputs.gifs must be a list (lists of files, texts or any JSON'],
  [{ gifs: [{ filename: 'a.mp4' }] }, 'gifs[0] needs from, text or base64'],
  [{ gifs: [{ own: true, text: 'a' }] }, 'gifs[0] has text and own: choose one'],
  [{ gifs: [{ own: true, type: 'input' }] }, 'gifs[0].type must be one of output, temp'],
  [{ gifs: [{ own: true, subfolder: 5 }] }, 'gifs[0].subfolder must be a text'],
  [{ gifs: [{ json: 1, own: true }] }, 'gifs[0] has json and other members: put them into json'],
  [{ gifs: [{ own: 'yes' }] }, 'gifs[0].own must be true'],
]

test('outputs that cannot be used are rejected, with the reason', async () => {
  for (const [outputs, problem] of unusable)
    await expect(startEmulator(withOutputs(outputs))).rejects.toThrow(problem)
})

/** A workflow that ends in two nodes of a pack, which show a text and save pictures. */
const shown: Graph = {
  '1': node('PrimitiveInt', { value: 7 }),
  '2': node('ShowAll', { value: ['1', 0], text: ['1', 0], image: ['3', 0] }),
  '3': node('EmptyImage', { width: 8, height: 8, batch_size: 2, color: 5 }),
  '4': node('SaveAll', { image: ['3', 0], filename_prefix: 'mine' }),
}
const types = {
  ShowAll: {
    input: { optional: { value: ['INT'], text: ['INT'], image: ['IMAGE'] } },
    output_node: true,
  },
  SaveAll: {
    input: { required: { image: ['IMAGE'], filename_prefix: ['STRING'] } },
    output: ['IMAGE'],
    output_node: true,
  },
}
const all = [
  { input: 'value' },
  { input: 'missing' },
  { input: 'image' },
  { input: 'value', more: 1 },
]

proves(
  'scenario/node-input-items',
  async (subject) => {
    const { entry } = await runAlone(subject, shown)
    const { value, text, exact } = entry.outputs['2']
    expect([value, text[0]]).toEqual([[7, expect.any(String), { input: 'value', more: 1 }], '7'])
    expect(exact).toEqual([{ input: 'value' }])
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'ShowAll',
        outputs: { value: all, text: [{ input: 'text' }], exact: [{ json: { input: 'value' } }] },
      },
    ],
  }),
)

proves(
  'scenario/node-as',
  async (subject) => {
    const { entry } = await runAlone(subject, shown)
    const { images } = entry.outputs['4']
    expect(images).toHaveLength(2)
    if (subject.deployment === 'local')
      expect(images.map(({ filename }: any) => filename)).toEqual([
        'mine_00001_.png',
        'mine_00002_.png',
      ])
    for (const image of images) expect(await startOf(subject, image)).toContain('PNG')
  },
  scripted({ types, nodes: [{ class_type: 'SaveAll', as: 'SaveImage' }] }),
)

test('scenario/node-as A rule whose node does the work of an unknown type is refused', async () => {
  const scenario = { version: 1 as const, nodes: [{ class_type: 'SaveImage', as: 'SaveImagee' }] }
  await expect(startEmulator({ scenario })).rejects.toThrow(
    'nodes[0].as names the unknown node type "SaveImagee"; did you mean SaveImage?',
  )
})
