// The pictures of previews: their bytes, their sizes, and that they get sharper.

import { decode as decodePng } from 'fast-png'
import jpeg from 'jpeg-js'
import { expect } from '../../judge/expect.ts'
import {
  askForMetadata,
  hex,
  imagesOf,
  JPEG_MAGIC,
  painting,
  PNG_MAGIC,
} from '../../judge/frames.ts'
import { proves } from '../../judge/proves.ts'

const word = (value: number): string => value.toString(16).padStart(8, '0')

/** The mean squared error between two pictures of one size. */
const distance = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  expect(one.length).toBe(other.length)
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at]! - other[at]!) ** 2
  return sum / one.length
}

type Picture = Readonly<Record<'width' | 'height', number>> & { readonly data: ArrayLike<number> }
const formats = [
  {
    preview: 'jpeg',
    size: { width: 128, height: 64 },
    begin: word(1) + word(1) + JPEG_MAGIC,
    decode: (bytes: Uint8Array): Picture => jpeg.decode(bytes),
  },
  {
    preview: 'png',
    size: { width: 64, height: 128 },
    begin: word(1) + word(2) + PNG_MAGIC,
    decode: (bytes: Uint8Array): Picture => decodePng(bytes),
  },
] as const

for (const { preview, size, begin, decode } of formats) {
  const common = ['frames/type-code', 'frames/preview', 'frames/image-types'] as const
  proves(
    preview === 'jpeg' ? [...common, 'frames/previews-on'] : common,
    async ({ connect, run }) => {
      const session = await connect('me')
      await run(session, painting(4, 1, size.width, size.height))
      expect(session.rawFrames).toHaveLength(4)
      for (const bytes of session.rawFrames) expect(hex(bytes).slice(0, begin.length)).toBe(begin)
      const pictures = imagesOf(session).map((bytes) => decode(bytes))
      for (const { width, height } of pictures)
        expect({ width, height }).toEqual({ width: 4 * size.width, height: 4 * size.height })
      const errors = pictures.map(({ data }) => distance(data, pictures[3]!.data))
      expect(errors).toEqual(errors.toSorted((one, other) => other - one))
      expect(new Set(errors).size).toBe(4)
    },
    { preview },
  )
}

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
  { preview: 'jpeg' },
)
