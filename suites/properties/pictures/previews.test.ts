// What holds for previews: they get sharper, they fit, and they consist of blocks.

import { expect, it } from 'vitest'

import { encodeJpeg, encodePreview, paint, paintPreview } from '../../../dist/emulator/internal.js'
import { distance, painted } from '../../support/pictures.ts'

const SHAPES = [
  [512, 512, 256],
  [640, 272, 250],
  [90, 200, 200],
  [64, 64, 256],
] as const

it('pictures/sharpen every step of a preview is nearer to the picture than the one before', () => {
  for (const [width, height, maxSize] of SHAPES) {
    for (const id of [1, 2]) {
      const of = painted(id, width, height)
      const { width: across, height: down } = paintPreview({ of, step: 1, steps: 1, maxSize })
      const final = paint({ kind: 'scaled', id, width: across, height: down, of })
      const steps = id === 1 ? 20 : 50
      const errors = Array.from({ length: steps + 1 }, (_, step) =>
        distance(paintPreview({ of, step, steps, maxSize }), final),
      )
      expect(errors).toEqual(errors.toSorted((one, other) => other - one))
      expect(new Set(errors).size).toBe(errors.length)
      expect(errors.at(-1)).toBeLessThan(errors[0]! / 30)
    }
  }
})

it('pictures/preview-fits a preview fits its frame and keeps the shape of its picture', () => {
  const sizeOf = (width: number, height: number, maxSize: number): number[] => {
    const pixels = paintPreview({ of: painted(1, width, height), step: 1, steps: 2, maxSize })
    return [pixels.width, pixels.height]
  }
  expect(sizeOf(1024, 512, 512)).toEqual([512, 256])
  expect(sizeOf(64, 64, 512)).toEqual([512, 512])
  expect(sizeOf(513, 257, 100)).toEqual([100, 50])
  expect(sizeOf(1, 1000, 64)).toEqual([8, 64])
  expect(sizeOf(1, 1, 8)).toEqual([8, 8])
})

it('pictures/preview-blocks a preview consists of flat blocks of 8 by 8 pixels', () => {
  const { width, height, data } = paintPreview({
    of: painted(4, 300, 200),
    step: 3,
    steps: 9,
    maxSize: 100,
  })
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const corner = ((y - (y % 8)) * width + x - (x % 8)) * 4
      if (data[(y * width + x) * 4] !== data[corner]) expect.fail(`a seam at ${x}, ${y}`)
    }
  }
})

it('pictures/preview-file the file of a preview is that of its pixels, written block by block', () => {
  for (const [width, height, maxSize] of [...SHAPES, [300, 201, 100]] as const) {
    const preview = { of: painted(5, width, height), step: 7, steps: 9, maxSize }
    expect(encodePreview(preview, 'jpeg')).toEqual(encodeJpeg(paintPreview(preview), 95))
  }
})
