// Animations keep the alpha of their pictures.

import { decodeApng, encode } from 'fast-png'
import { expect, test } from 'vitest'
import { encodeFile, paint, type Picture } from '../../../dist/emulator/internal.js'

const solid = (id: number, color: number): Picture => ({
  kind: 'solid',
  id,
  width: 3,
  height: 2,
  color,
})
const opaque = solid(1, 0xff0000)
/** Partly transparent. */
const clear: Picture = {
  kind: 'stored',
  id: 2,
  width: 3,
  height: 2,
  bytes: encode({
    width: 3,
    height: 2,
    channels: 4,
    data: Uint8Array.from({ length: 24 }, (_, at) => 10 * at),
  }),
}

test.each([{ pictures: [opaque, clear] }, { pictures: [clear, opaque] }])(
  'all frames of a PNG file have an alpha channel if one has',
  ({ pictures }) => {
    const [picture, ...rest] = pictures as [Picture, Picture]
    const animation = { rest, frameMs: 100 }
    const { frames, channels } = decodeApng(
      encodeFile({ picture, format: 'png', animation, text: [] }),
    )
    expect(channels).toBe(4)
    expect(frames.map(({ data }) => Array.from(data))).toEqual(
      pictures.map((one) => Array.from(paint(one).data)),
    )
  },
)

test.each([
  { picture: clear, flags: 0x12 },
  { picture: opaque, flags: 0x02 },
])('the header of a WebP file says whether a picture is clear: $flags', ({ picture, flags }) => {
  const animation = { rest: [solid(5, 0x0000ff)], frameMs: 100 }
  const bytes = encodeFile({ picture, format: 'webp', animation, text: [] })
  expect(String.fromCharCode(...bytes.subarray(12, 16))).toBe('VP8X')
  expect(bytes[20]).toBe(flags)
})
