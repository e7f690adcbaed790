// Pictures as plain arrays of pixels, and operations on each pixel.

import { equalBytes } from '../lib/bytes.ts'

/** `width` times `height` pixels, row by row, 4 bytes a pixel: red, green, blue, alpha. */
export type Pixels = { width: number; height: number; data: Uint8Array }

/** A picture of `width` by `height` pixels in which every pixel of `cells` is a block of 8 by 8; the last ones are cut off. */
export type Mosaic = { width: number; height: number; cells: Pixels }

/** A picture of transparent black. */
export const blank = (width: number, height: number): Pixels => ({
  width,
  height,
  data: new Uint8Array(width * height * 4),
})

/** Whether a pixel is not opaque. */
export const hasAlpha = (data: Uint8Array): boolean => {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true
  return false
}

/** An opaque picture of one colour, 0xRRGGBB. */
export const fill = (width: number, height: number, color: number): Pixels => {
  const pixels = blank(width, height)
  const { data } = pixels
  for (let at = 0; at < data.length; at += 4) {
    data[at] = (color >> 16) & 255
    data[at + 1] = (color >> 8) & 255
    data[at + 2] = color & 255
    data[at + 3] = 255
  }
  return pixels
}

/** A copy with red, green and blue inverted; alpha is kept. */
export const invert = (pixels: Pixels): Pixels => {
  const data = pixels.data.slice()
  for (let at = 0; at < data.length; at += 4) {
    data[at]! ^= 255
    data[at + 1]! ^= 255
    data[at + 2]! ^= 255
  }
  return { ...pixels, data }
}

/** The part of `width` by `height` pixels that starts at (x, y); outside is opaque black. */
export const crop = (
  pixels: Pixels,
  x: number,
  y: number,
  width: number,
  height: number,
): Pixels => {
  const part = fill(width, height, 0)
  const left = Math.max(0, -x)
  const right = Math.min(width, pixels.width - x)
  if (left >= right) return part
  const bottom = Math.min(height, pixels.height - y)
  for (let row = Math.max(0, -y); row < bottom; row++) {
    const from = ((row + y) * pixels.width + x + left) * 4
    part.data.set(pixels.data.subarray(from, from + (right - left) * 4), (row * width + left) * 4)
  }
  return part
}

/** A copy of `pixels` with the alpha of `mask`, which has the same size. */
export const withAlphaOf = (pixels: Pixels, mask: Pixels): Pixels => {
  const data = pixels.data.slice()
  for (let at = 3; at < data.length; at += 4) data[at] = mask.data[at]!
  return { ...pixels, data }
}

/** A copy that shows the colours without alpha, or the alpha on black. */
export const onlyChannels = (pixels: Pixels, channels: 'rgb' | 'a'): Pixels => {
  const data = pixels.data.slice()
  for (let at = 0; at < data.length; at += 4) {
    if (channels === 'rgb') data[at + 3] = 255
    else data.fill(0, at, at + 3)
  }
  return { ...pixels, data }
}

const channelAt = { red: 0, green: 1, blue: 2, alpha: 3 } as const

/** An opaque grey copy with the brightness of one channel. */
export const greyOf = (pixels: Pixels, channel: keyof typeof channelAt): Pixels => {
  const data = pixels.data.slice()
  for (let at = 0; at < data.length; at += 4) {
    data.fill(data[at + channelAt[channel]]!, at, at + 3)
    data[at + 3] = 255
  }
  return { ...pixels, data }
}

/** `over` drawn on `of` with an opacity of 0 to 1; both have the same size. */
export const blend = (of: Pixels, over: Pixels, opacity: number): Pixels => {
  const pixels = blank(of.width, of.height)
  const { data } = pixels
  for (let at = 0; at < data.length; at += 4) {
    const front = (over.data[at + 3]! / 255) * opacity
    const back = (of.data[at + 3]! / 255) * (1 - front)
    const alpha = front + back
    if (alpha === 0) continue
    for (let channel = at; channel < at + 3; channel++) {
      const sum = over.data[channel]! * front + of.data[channel]! * back
      data[channel] = sum / alpha + 0.5
    }
    data[at + 3] = alpha * 255 + 0.5
  }
  return pixels
}

/** A picture of an animation, and its duration. */
export type Frame = { readonly pixels: Pixels; shownMs: number }

/** Pictures as frames. A picture equal to the previous one extends its duration. */
export const framesOf = (pictures: readonly Pixels[], frameMs: number): Frame[] => {
  const frames: Frame[] = []
  for (const pixels of pictures) {
    const last = frames.at(-1)
    if (last !== undefined && equalBytes(last.pixels.data, pixels.data)) last.shownMs += frameMs
    else frames.push({ pixels, shownMs: frameMs })
  }
  return frames
}

/** How much may still be computed, in numbers. */
export type Budget = {
  left: number
  /** With less, painting ends with `TooMuch`; otherwise a scene stands for what takes longer. */
  readonly isStrict?: boolean
}
