// Paints pixels from recipes: whole pictures, and previews, which get clearer with every step.

import { decodePicture } from './codecs/decode.ts'
import { MOST_NUMBERS } from '../compute/index.ts'
import { compute } from './computed.ts'
import { CELL, coarsen, expand, mixNoise } from './mosaic.ts'
import type { Channel, Picture, Preview } from './picture.ts'
import {
  type Budget,
  blend,
  crop,
  fill,
  greyOf,
  invert,
  type Mosaic,
  onlyChannels,
  type Pixels,
  withAlphaOf,
} from './pixels.ts'
import { seedOf } from './random.ts'
import { scale, type Target } from './resample.ts'
import { paintScene } from './scene-paint.ts'
import { sceneOf } from './scene.ts'

export type { Pixels } from './pixels.ts'

/** Paints a picture that another one is based on. */
type Maker = (picture: Picture) => Pixels

/** The pixels of `picture`, in its original size. They are not shared: callers may change them. */
export const paint = (picture: Picture, budget: Budget = { left: MOST_NUMBERS }): Pixels =>
  paintWith(picture, new Map(), budget)

/**
 * The latest blended pictures of one recipe, the newest last. If each of twenty pictures is blended from two copies of
 * the one before, the first would otherwise be painted a million times.
 */
type RecentPixels = Map<Picture, Pixels>

const MOST_SEEN = 8

const paintWith = (picture: Picture, seen: RecentPixels, budget: Budget): Pixels => {
  const known = seen.get(picture)
  if (known !== undefined) return known
  const pixels = paintKind(picture, (part) => paintWith(part, seen, budget), budget)
  const sized = scale(pixels, picture)
  if (picture.kind === 'blended' || picture.kind === 'computed')
    remember(seen, picture, sized, MOST_SEEN)
  return sized
}

const remember = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void => {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

const paintKind = (picture: Picture, make: Maker, budget: Budget): Pixels => {
  const { width, height } = picture
  switch (picture.kind) {
    case 'painted':
      return paintId(picture, { width, height })
    case 'stored':
      return decodePicture(picture.bytes) ?? paintId(picture, { width, height })
    case 'solid':
      return fill(width, height, picture.color)
    case 'inverted':
      return invert(make(picture.of))
    case 'scaled':
      return make(picture.of)
    case 'cropped':
      return crop(make(picture.of), picture.x, picture.y, width, height)
    case 'blended': {
      const of = scale(make(picture.of), { width, height })
      return blend(of, scale(make(picture.over), { width, height }), picture.opacity)
    }
    case 'masked': {
      const of = scale(make(picture.of), { width, height })
      return withAlphaOf(of, scale(make(picture.mask), { width, height }))
    }
    case 'channel':
      return takeChannel(make(picture.of), picture.channel)
    case 'computed':
      return compute(picture, make, budget) ?? paintId(picture, { width, height })
  }
}

const takeChannel = (pixels: Pixels, channel: Channel): Pixels =>
  channel === 'rgb' ? onlyChannels(pixels, 'rgb') : greyOf(pixels, channel)

/** The scene of a picture's id, on any number of pixels. */
const paintId = (picture: Picture, { width, height, spanX = 1, spanY = 1 }: Target): Pixels => {
  const shorter = Math.min(picture.width, picture.height)
  return paintScene(sceneOf(picture.id), {
    width,
    height,
    stepX: spanX / width,
    stepY: spanY / height,
    sideX: picture.width / shorter,
    sideY: picture.height / shorter,
  })
}

/**
 * The picture after `step` of `steps`: noise and coarse blocks at first, then more of the picture and finer blocks,
 * down to 8 by 8 pixels. The longer side is `maxSize` pixels, even if the picture is smaller; the shorter one keeps the
 * aspect ratio; both are at least 8. Opaque.
 */
export const mosaicOf = ({ of, step, steps, maxSize }: Preview): Mosaic => {
  const { width, height } = previewSize(of, maxSize)
  const share = steps > 0 ? Math.min(Math.max(step / steps, 0), 1) : 1
  const blocks = coarsen(cellsOf(of, width, height), blockSide(share, maxSize))
  return { width, height, cells: mixNoise(blocks, share, seedOf(of.id)) }
}

/** The pixels of a preview. */
export const paintPreview = (preview: Preview): Pixels => expand(mosaicOf(preview))

const previewSize = ({ width, height }: Picture, maxSize: number) => {
  const factor = maxSize / Math.max(width, height)
  return {
    width: Math.max(CELL, Math.round(width * factor)),
    height: Math.max(CELL, Math.round(height * factor)),
  }
}

/**
 * The side of a block in cells: powers of two, so that each block consists of whole blocks of the
 * next step, and a finer mosaic is never farther from the picture. At most an eighth of `maxSize`.
 */
const blockSide = (share: number, maxSize: number): number => {
  let levels = 1
  while (CELL << levels <= maxSize / 8) levels++
  return 1 << Math.min(levels - 1, Math.floor((1 - share) * levels))
}

/** On the longer side. */
const LEAST_SAMPLES = 128
/** Up to this many pixels, a picture is painted in full: that is fast enough, and exact. */
const SMALL_AREA = LEAST_SAMPLES * LEAST_SAMPLES
const MOST_CELLS = 8
/** The cells of the last few pictures: all previews of a picture start from the same ones. */
const cellsMade = new Map<string, Pixels>()

const cellsOf = (picture: Picture, width: number, height: number): Pixels => {
  const key = `${picture.kind} ${picture.id} ${picture.width}x${picture.height} ${width}x${height}`
  const known = cellsMade.get(key)
  if (known !== undefined) return known
  const across = Math.ceil(width / CELL)
  const down = Math.ceil(height / CELL)
  const spans = { spanX: (across * CELL) / width, spanY: (down * CELL) / height }
  const cells = sampleCells(picture, { width: across, height: down, ...spans })
  remember(cellsMade, key, cells, MOST_CELLS)
  return cells
}

/**
 * The mean colour of each square of `side` by `side` pixels, one pixel each; at the right and at the bottom, of what is
 * left of it. Exact for small and for computed pictures, otherwise of many samples.
 */
export const paintCells = (picture: Picture, side: number, budget: Budget): Pixels => {
  const { width, height } = picture
  const across = Math.ceil(width / side)
  const down = Math.ceil(height / side)
  const spans = { spanX: (across * side) / width, spanY: (down * side) / height }
  const isExact = picture.kind === 'computed' || width * height <= SMALL_AREA
  if (isExact) return scale(paint(picture, budget), { width: across, height: down, ...spans })
  return sampleCells(picture, { width: across, height: down, ...spans })
}

/** Cells of several samples each, so that everything inside a cell counts. */
const sampleCells = (picture: Picture, { width, height, ...spans }: Target): Pixels => {
  const fine = Math.max(2, Math.ceil(LEAST_SAMPLES / Math.max(width, height)))
  const target = { width: width * fine, height: height * fine, ...spans }
  return scale(paintSmall(picture, target, new Map()), { width, height })
}

/** `picture` on few pixels, without painting it in full first if possible. */
const paintSmall = (picture: Picture, target: Target, seen: RecentPixels): Pixels => {
  const known = seen.get(picture)
  if (known !== undefined) return known
  const isSmall = picture.width * picture.height <= SMALL_AREA
  const pixels = isSmall
    ? scale(paint(picture, { left: MOST_PREVIEW_EFFORT }), target)
    : paintKindSmall(picture, target, (part) => paintSmall(part, target, seen))
  if (picture.kind === 'blended') remember(seen, picture, pixels, MOST_SEEN)
  return pixels
}

const paintKindSmall = (picture: Picture, target: Target, make: Maker): Pixels => {
  switch (picture.kind) {
    case 'painted':
      return paintId(picture, target)
    case 'stored': {
      const decoded = decodePicture(picture.bytes)
      return decoded === null ? paintId(picture, target) : scale(decoded, target)
    }
    case 'solid':
      return fill(target.width, target.height, picture.color)
    case 'inverted':
      return invert(make(picture.of))
    case 'scaled':
      return make(picture.of)
    case 'cropped':
      return scale(paint(picture, { left: MOST_PREVIEW_EFFORT }), target)
    case 'blended':
      return blend(make(picture.of), make(picture.over), picture.opacity)
    case 'masked':
      return withAlphaOf(make(picture.of), make(picture.mask))
    case 'channel':
      return takeChannel(make(picture.of), picture.channel)
    case 'computed':
      return picture.effort > MOST_PREVIEW_EFFORT
        ? paintId(picture, target)
        : scale(paint(picture, { left: MOST_PREVIEW_EFFORT }), target)
  }
}

/** A preview shows a scene in place of what takes longer to compute. */
const MOST_PREVIEW_EFFORT = 2 ** 24
