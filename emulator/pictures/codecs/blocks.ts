// Frames of a video as flat blocks in the colours of video. Both codecs write such blocks in a few bits, and every player
// decodes them exactly.

import type { Pixels } from '../pixels.ts'

/** The side of a block in pixels: that of the macroblocks of both codecs. */
export const BLOCK = 16

/** The blocks of a frame, row by row: of each plane (brightness, blue, red) one value of 0 to 255 a block. */
export type Blocks = {
  readonly across: number
  readonly down: number
  readonly planes: readonly [Uint8Array, Uint8Array, Uint8Array]
}

/** Blocks from one pixel each, by the matrix of standard television (ITU-R BT.601, limited range). */
export const blocksOf = ({ width, height, data }: Pixels): Blocks => {
  const count = width * height
  const planes = [new Uint8Array(count), new Uint8Array(count), new Uint8Array(count)] as const
  for (let at = 0; at < count; at++) {
    const red = data[at * 4]!
    const green = data[at * 4 + 1]!
    const blue = data[at * 4 + 2]!
    planes[0][at] = 16.5 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255
    planes[1][at] = 128.5 + (-37.797 * red - 74.203 * green + 112 * blue) / 255
    planes[2][at] = 128.5 + (112 * red - 93.786 * green - 18.214 * blue) / 255
  }
  return { across: width, down: height, planes }
}

/** Where the decoder takes its guess of a block from: the block to the left or above, or a medium grey. */
export type Guess = 'left' | 'above' | 'grey'

export const guessOf = (at: number, across: number): Guess => {
  if (at % across > 0) return 'left'
  return at > 0 ? 'above' : 'grey'
}

const GREY = 128

/** How much a block differs from the guess, in one plane. */
export const differenceAt = ({ planes, across }: Blocks, plane: 0 | 1 | 2, at: number): number => {
  const values = planes[plane]
  const before = at % across > 0 ? values[at - 1]! : at > 0 ? values[at - across]! : GREY
  return values[at]! - before
}
