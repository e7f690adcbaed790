// Binary frames of the socket: previews and texts.

import { decode as decodePng } from 'fast-png'
import jpeg from 'jpeg-js'
import { previewMetadata } from '../../../spec/server/frames.ts'
import { askForMetadata, hex, imagesOf, JPEG_MAGIC, painting } from '../../judge/frames.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { judgeOrder, violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import { expect } from '../../judge/expect.ts'

const PNG_MAGIC = '89504e470d0a1a0a'
const word = (value: number): string => value.toString(16).padStart(8, '0')

/** The mean squared error between two pictures of one size. */
const distance = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  expect(one.length).toBe(other.length)
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at]! - other[at]!) ** 2
  return sum / one.length
}

const jpegPreviews = { preview: 'jpeg' } as const
const pngPreviews = { preview: 'png' } as const

proves(
  ['frames/type-code', 'frames/preview', 'frames/image-types', 'frames/previews-on'],
  async ({ connect, run, deployment }) => {
    const session = await connect('me')
    const { messages } = await run(session, painting(4, 1, 128, 64))
    expect(judgeOrder(deployment, messages)).toEqual([])
    expect(session.rawFrames).toHaveLength(4)
    for (const bytes of session.rawFrames) {
      expect(hex(bytes.subarray(0, 11))).toBe(word(1) + word(1) + JPEG_MAGIC)
    }
    const pictures = imagesOf(session).map((bytes) => jpeg.decode(bytes))
    expect(pictures.map(({ width, height }) => [width, height])).toEqual(
      Array.from({ length: 4 }, () => [512, 256]),
    )
    const last = pictures[3]!.data
    const errors = pictures.map(({ data }) => distance(data, last))
    expect(errors).toEqual(errors.toSorted((one, other) => other - one))
    expect(new Set(errors).size).toBe(4)
  },
  jpegPreviews,
)

proves(
  ['frames/preview', 'frames/image-types'],
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, painting(4, 1, 64, 128))
    for (const bytes of session.rawFrames) {
      expect(hex(bytes.subarray(0, 16))).toBe(word(1) + word(2) + PNG_MAGIC)
    }
    const pictures = imagesOf(session).map((bytes) => decodePng(bytes))
    expect(pictures.map(({ width, height }) => [width, height])).toEqual(
      Array.from({ length: 4 }, () => [256, 512]),
    )
    const errors = pictures.map(({ data }) => distance(data, pictures[3]!.data))
    expect(errors).toEqual(errors.toSorted((one, other) => other - one))
    expect(new Set(errors).size).toBe(4)
  },
  pngPreviews,
)

proves(
  ['frames/type-code', 'frames/text'],
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, { '2': node('FlowdoubleText', { text: 'hé' }) })
    await run(session, { 'ñ€': node('FlowdoubleText', { text: '灯台 🗼' }) })
    await run(session, { '3': node('FlowdoubleText', { text: '' }) })
    const expected = [
      '00000003 00000001 32 68c3a9',
      `00000003 00000005 c3b1e282ac ${hex(Buffer.from('灯台 🗼'))}`,
      '00000003 00000001 33',
    ]
    expect(session.rawFrames.map(hex)).toEqual(expected.map((bytes) => bytes.replaceAll(' ', '')))
  },
  ownWorld,
)

proves(
  ['frames/preview-with-metadata', 'frames/metadata-names-node', 'frames/type-code'],
  async ({ connect, run }) => {
    const session = await connect('me')
    await askForMetadata(session)
    const { prompt_id } = await run(session, painting(2))
    expect(session.rawFrames).toHaveLength(2)
    for (const raw of session.rawFrames) {
      const bytes = Buffer.from(raw)
      const length = bytes.readUInt32BE(4)
      const metadata: unknown = JSON.parse(bytes.subarray(8, 8 + length).toString())
      expect(bytes.readUInt32BE(0)).toBe(4)
      expect(violations(previewMetadata, metadata)).toEqual([])
      expect(metadata).toEqual({
        node_id: 'é',
        prompt_id,
        display_node_id: 'é',
        parent_node_id: null,
        real_node_id: 'é',
        image_type: 'image/jpeg',
      })
      expect(jpeg.decode(bytes.subarray(8 + length)).width).toBe(512)
    }
  },
  jpegPreviews,
)

proves(
  'frames/text-to-everyone',
  async ({ connect, run, submit, idle }) => {
    const sessions = [await connect('me'), await connect('other'), await connect()]
    const size: Graph = {
      '1': node('EmptyImage', { width: 30, height: 20, batch_size: 2, color: 0 }),
      '2': node('GetImageSize', { image: ['1', 0] }),
      '3': node('PreviewAny', { source: ['2', 0] }),
    }
    await run(sessions[0]!, size)
    await submit({ said: node('FlowdoubleText', { text: 'for nobody' }) })
    await idle()
    for (const session of sessions) {
      await session.settled()
      expect(session.frames()).toEqual([
        { frame: 'text', fields: { node_id: '2', text: 'width: 30, height: 20\n batch size: 2' } },
        { frame: 'text', fields: { node_id: 'said', text: 'for nobody' } },
      ])
    }
  },
  ownWorld,
)

const sent: Graph = {
  '1': node('EmptyImage', { width: 30, height: 20, batch_size: 2, color: 0x0000ff }),
  '2': node('SaveImageWebsocket', { images: ['1', 0] }),
}

proves(
  'frames/socket-images',
  async ({ connect, run }) => {
    const session = await connect('me')
    for (const graph of [sent, sent]) {
      const before = session.received.length
      const { messages, entry } = await run(session, graph)
      expect(judgeOrder('local', messages)).toEqual([])
      const lines = transcript(session.received.slice(before))
      expect(lines.slice(lines.indexOf('executing 2'), -3)).toEqual([
        'executing 2',
        expect.stringMatching(/^progress_state .*2 running 0\/2$/),
        'progress 2 0/2',
        'previewImage',
        expect.stringMatching(/^progress_state .*2 running 1\/2$/),
        'progress 2 1/2',
        'previewImage',
        expect.stringMatching(/^progress_state .*2 finished 2\/2$/),
      ])
      expect(entry.outputs).toEqual({})
    }
    expect(session.rawFrames).toHaveLength(4)
    for (const bytes of session.rawFrames) {
      expect(hex(bytes.subarray(0, 16))).toBe(word(1) + word(2) + PNG_MAGIC)
      const { width, height, data } = decodePng(bytes.subarray(8))
      expect([width, height, [...data.subarray(0, 3)]]).toEqual([30, 20, [0, 0, 255]])
    }
  },
  ownWorld,
)
