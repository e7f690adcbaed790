// The blocks that a frame should have: the mean colours of squares of its picture, in the colours of video.

import type { FlatFrame } from './flat-frames.ts'

/** A picture as a decoder of PNG files returns it. */
type Picture = {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly data: ArrayLike<number>
}

/** The three planes of a picture (ITU-R BT.601, limited range), a number for each square of 16 by 16 pixels. */
export function blocksOf({ width, height, channels, data }: Picture): FlatFrame['planes'] {
  const planes: FlatFrame['planes'] = [[], [], []]
  for (let top = 0; top < height; top += 16)
    for (let left = 0; left < width; left += 16) {
      const sums = [0, 0, 0]
      const [right, bottom] = [Math.min(left + 16, width), Math.min(top + 16, height)]
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++)
          for (const color of [0, 1, 2]) sums[color]! += data[(y * width + x) * channels + color]!
      const [r = 0, g = 0, b = 0] = sums.map((sum) => sum / ((right - left) * (bottom - top)) / 255)
      planes[0].push(16 + 65.481 * r + 128.553 * g + 24.966 * b)
      planes[1].push(128 - 37.797 * r - 74.203 * g + 112 * b)
      planes[2].push(128 + 112 * r - 93.786 * g - 18.214 * b)
    }
  return planes
}

/** The largest difference between blocks as they should be, and as a frame has them. */
export const worstDifference = (wanted: FlatFrame['planes'], { planes }: FlatFrame): number =>
  Math.max(
    ...wanted.flatMap((values, plane) => [
      Math.abs(values.length - planes[plane]!.length) * 256,
      ...values.map((value, at) => Math.abs(value - (planes[plane]![at] ?? Infinity))),
    ]),
  )
