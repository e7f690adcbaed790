// Makes videos of pictures: each frame is its picture in flat blocks, so that players decode exact colours, and a video
// of some seconds takes milliseconds to write.

import { limits } from '../../spec/limits.ts'
import { BLOCK, type Blocks, blocksOf } from './codecs/blocks.ts'
import { h264Frame, h264KeyFrame, h264Settings } from './codecs/h264.ts'
import { encodeMp4 } from './codecs/mp4.ts'
import { usableTexts } from './codecs/png.ts'
import { vp8Frame } from './codecs/vp8.ts'
import { encodeWebm } from './codecs/webm.ts'
import { paintCells } from './paint.ts'
import {
  type Animation,
  type Picture,
  type PictureFile,
  rateOf,
  type VideoFormat,
} from './picture.ts'
import type { Budget } from './pixels.ts'

/**
 * A video of these pictures, which are all of the size of the first. MP4 needs even sides: an odd one loses a pixel.
 * @param animation the pictures after the first, and how long each is shown.
 */
export const encodeVideo = (
  { picture, text }: Pick<PictureFile, 'picture' | 'text'>,
  format: VideoFormat,
  animation: Animation,
  budget: Budget,
): Uint8Array => {
  const pictures = [picture, ...animation.rest]
  const rate = rateOf(animation)
  const texts = usableTexts(text)
  const frames = paintedFrames(pictures, budget)
  const { width, height } = picture
  if (format === 'webm') {
    const encoded = frames.map((blocks, at) =>
      blocks === frames[at - 1] ? undefined : vp8Frame(width, height, blocks),
    )
    return encodeWebm({ width, height, rate, frames: repeated(encoded) }, texts)
  }
  // A key frame a second, from which players go on after a seek.
  const distance = Math.max(1, Math.round(rate / 1000))
  const size = { width: evenOf(width), height: evenOf(height) }
  const encoded = frames.map((blocks, at) =>
    at % distance === 0
      ? h264KeyFrame(blocks, at / distance)
      : h264Frame(blocks, frames[at - 1]!, at % distance),
  )
  const { sound } = animation
  const soundSeconds = sound === undefined ? 0 : sound.samples / sound.rate
  const settings = h264Settings(size.width, size.height)
  const isKey = (frame: number): boolean => frame % distance === 0
  return encodeMp4({ ...size, rate, settings, frames: encoded, isKey, soundSeconds }, texts)
}

/** The side of a frame in MP4. */
export const evenOf = (side: number): number => Math.max(2, side - (side % 2))

/** The blocks of the frames. Once they are too many, the last frame stays [files/video-bounded]. */
const paintedFrames = (pictures: readonly Picture[], budget: Budget): readonly Blocks[] => {
  const frames: Blocks[] = []
  let left = limits.videoBlocks.value
  for (const [at, picture] of pictures.entries()) {
    const last = frames.at(-1)
    const { width, height } = picture
    const count = Math.ceil(width / BLOCK) * Math.ceil(height / BLOCK)
    const isSame = last !== undefined && picture === pictures[at - 1]
    if (last !== undefined && (isSame || left < count)) frames.push(last)
    else {
      frames.push(blocksOf(paintCells(picture, BLOCK, budget)))
      left -= count
    }
  }
  return frames
}

/** Frames, in place of which undefined stands for the one before. */
const repeated = (frames: readonly (Uint8Array | undefined)[]): Uint8Array[] => {
  const all: Uint8Array[] = []
  for (const frame of frames) all.push(frame ?? all.at(-1)!)
  return all
}
