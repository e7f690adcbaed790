// Node rules that set what comes out of a node: files, texts and values.

import { decode, encode } from 'fast-png'
import { node, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { provesRuns, runAlone, scripted } from '../../support/scripted.ts'
import type { Subject } from '../../judge/subject.ts'

const png = Buffer.from(encode({ width: 2, height: 1, data: new Uint8Array(6), channels: 3 }))
const jpeg = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffd9',
  'hex',
)
const mp4 = Buffer.from('00000018667479706d70343200000000', 'hex')
const flac = Buffer.from('664c6143000000', 'hex')
const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** The files of an output, as GET /view returns them. */
const viewed = (subject: Subject, files: readonly Record<string, string>[]): Promise<Buffer[]> =>
  Promise.all(files.map(async (file) => (await subject.view(file)).bytes))

proves(
  'scenario/node-files',
  async (subject) => {
    const { entry, messages } = await runAlone(subject, textToImage())
    const { images } = entry.outputs['9']
    expect(await viewed(subject, images)).toEqual([png, jpeg, Buffer.from('not a picture')])
    const executed = messages.find(({ type, data }) => type === 'executed' && data['node'] === '9')
    expect(executed?.data['output']).toEqual({ images })
    expect(images.map(({ type }: { type: string }) => type)).toEqual(['output', 'output', 'output'])
  },
  scripted({
    nodes: [
      {
        class_type: 'SaveImage',
        outputs: {
          images: [{ base64: base64(png) }, { base64: base64(jpeg) }, { text: 'not a picture' }],
        },
      },
    ],
  }),
)

const moving = {
  '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 0 }),
  '2': node('CreateVideo', { images: ['1', 0], fps: 8 }),
  '3': node('SaveVideo', {
    video: ['2', 0],
    filename_prefix: 'film/V',
    format: 'auto',
    codec: 'auto',
  }),
}
const film = scripted({
  nodes: [
    {
      class_type: 'SaveVideo',
      outputs: { videos: [{ base64: base64(mp4) }], audio: [{ base64: base64(flac) }] },
    },
  ],
})

proves(
  'scenario/node-files',
  async (subject) => {
    const { entry } = await runAlone(subject, moving)
    const { audio, ...rest } = entry.outputs['3']
    const isHosted = subject.deployment === 'hosted'
    expect(Object.keys(rest)).toEqual([isHosted ? 'video' : 'videos'])
    const videos = rest.video ?? rest.videos
    expect(await viewed(subject, [...videos, ...audio])).toEqual([mp4, flac])
  },
  film,
)

provesQuirk(
  'local.video-under-images',
  async (subject) => {
    const { entry } = await runAlone(subject, moving)
    expect(Object.keys(entry.outputs['3'])).toEqual(['images', 'audio', 'animated'])
  },
  film,
)

proves(
  'scenario/node-file-names',
  async (subject) => {
    const { entry } = await runAlone(subject, solid(1, 'mine'))
    const names = entry.outputs['2'].images.map(
      ({ filename, subfolder }: { filename: string; subfolder: string }) => [subfolder, filename],
    )
    const isHosted = subject.deployment === 'hosted'
    const own = expect.stringMatching(isHosted ? /^[0-9a-f]{64}\.png$/ : /^mine_00001_\.png$/)
    expect(names).toEqual([
      ['', own],
      [isHosted ? '' : 'deep', 'own.bin'],
    ])
    expect(await viewed(subject, entry.outputs['2'].images)).toEqual([png, jpeg])
  },
  scripted({
    nodes: [
      {
        node_id: '2',
        outputs: {
          images: [{ base64: base64(png) }, { base64: base64(jpeg), filename: 'deep/own.bin' }],
        },
      },
    ],
  }),
)

provesRuns(
  'scenario/node-file-names',
  scripted({
    nodes: [{ node_id: '2', outputs: { images: [{ text: '', filename: '../x.png' }] } }],
  }),
  [
    solid(),
    {
      error: {
        node_id: '2',
        exception_message: expect.stringContaining('outside the output folder'),
      },
    },
  ],
)

proves(
  'scenario/node-own-file',
  async (subject) => {
    const graph = {
      '1': node('EmptyImage', { width: 8, height: 8, batch_size: 2, color: 5 }),
      '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'two' }),
    }
    const { entry } = await runAlone(subject, graph)
    const [first, second, third] = await viewed(subject, entry.outputs['2'].images)
    expect(first).toEqual(png)
    expect(decode(second!)).toMatchObject({ width: 8, height: 8 })
    expect(third).toBeUndefined()
  },
  scripted({
    nodes: [
      {
        class_type: 'SaveImage',
        outputs: { images: [{ base64: base64(png) }, { own: true }, { own: true }] },
      },
    ],
  }),
)

proves(
  'scenario/node-animated',
  async (subject) => {
    const graph = {
      '1': node('EmptyImage', { width: 8, height: 8, batch_size: 2, color: 5 }),
      '2': node('SaveAnimatedPNG', {
        images: ['1', 0],
        filename_prefix: 'two',
        fps: 6,
        compress_level: 4,
      }),
    }
    const { entry } = await runAlone(subject, graph)
    expect(entry.outputs['2']).toMatchObject({ animated: [true] })
    expect(await viewed(subject, entry.outputs['2'].images)).toEqual([png])
  },
  scripted({
    nodes: [{ class_type: 'SaveAnimatedPNG', outputs: { images: [{ base64: base64(png) }] } }],
  }),
)

provesRuns(
  'scenario/node-outputs',
  scripted({
    nodes: [
      { class_type: 'SaveImage', outputs: { text: ['one', 'two'] } },
      { class_type: 'PreviewAny', outputs: {} },
    ],
  }),
  [
    { ...solid(), '3': node('PreviewAny', { source: 1 }) },
    { outputs: { '2': { text: ['one', 'two'] } } },
  ],
)

provesRuns(
  'scenario/node-values',
  scripted({
    nodes: [
      { class_type: 'PrimitiveInt', values: [7] },
      { class_type: 'PrimitiveString', values: [{ input: 'value' }] },
      { class_type: 'PrimitiveFloat', values: [2] },
      { class_type: 'PrimitiveBoolean', values: [true] },
      { class_type: 'GetImageSize', values: [null, 5] },
    ],
  }),
  [
    {
      '1': node('PrimitiveInt', { value: 3 }),
      '2': node('PrimitiveString', { value: 'given' }),
      '3': node('PrimitiveFloat', { value: 0.5 }),
      '4': node('PrimitiveBoolean', { value: false }),
      '5': node('PreviewAny', { source: ['1', 0] }),
      '6': node('PreviewAny', { source: ['2', 0] }),
      '7': node('PreviewAny', { source: ['3', 0] }),
      '8': node('PreviewAny', { source: ['4', 0] }),
    },
    {
      outputs: {
        '5': { text: ['7'] },
        '6': { text: ['given'] },
        '7': { text: ['2.0'] },
        '8': { text: ['True'] },
      },
    },
  ],
  [
    {
      '1': node('EmptyImage', { width: 64, height: 32, batch_size: 1, color: 0 }),
      '2': node('GetImageSize', { image: ['1', 0] }),
      '3': node('PreviewAny', { source: ['2', 0] }),
      '4': node('PreviewAny', { source: ['2', 1] }),
    },
    { outputs: { '3': { text: ['64'] }, '4': { text: ['5'] } } },
  ],
)
