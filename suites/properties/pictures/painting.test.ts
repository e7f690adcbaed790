// What holds for the painter, the encoders and the header reader, whatever the picture is.

import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { decode as decodePng } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'
import { describe, expect, it } from 'vitest'

import {
  encodeJpeg,
  encodePicture,
  encodePng,
  encodePreview,
  paint,
  type Picture,
  type Pixels,
  probePicture,
} from '../../../dist/emulator/internal.js'
import { distance, painted, stored } from '../../support/pictures.ts'
import { runs } from '../../support/effort.ts'

const ODD_SIZES = [
  [1, 1],
  [7, 3],
  [8, 8],
  [513, 257],
] as const

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const fromJpeg = (bytes: Uint8Array): Pixels => decodeJpeg(bytes, { useTArray: true })

const pictureOf = (id: number, width: number, height: number): fc.Arbitrary<Picture> => {
  const base = painted(id, width, height)
  const size = { id: id + 1, width, height }
  return fc.constantFrom<Picture>(
    base,
    { kind: 'inverted', ...size, of: base },
    { kind: 'scaled', ...size, of: painted(id, 40, 90) },
    { kind: 'cropped', ...size, of: base, x: -3, y: 5 },
    { kind: 'blended', ...size, of: base, over: painted(id + 9, 20, 30), opacity: 0.3 },
    { kind: 'channel', ...size, of: base, channel: 'green' },
  )
}

const anyPicture = (most: number): fc.Arbitrary<Picture> =>
  fc
    .tuple(fc.nat(), fc.integer({ min: 1, max: most }), fc.integer({ min: 1, max: most }))
    .chain(([id, width, height]) => pictureOf(id, width, height))

describe('encoders', () => {
  it('pictures/jpeg-size a JPEG file has the size of its picture, odd or not', () => {
    for (const [width, height] of ODD_SIZES) {
      const bytes = encodePicture(painted(1, width, height), 'jpeg')
      expect(fromJpeg(bytes)).toMatchObject({ width, height })
      expect(probePicture(bytes)).toEqual({ format: 'jpeg', width, height })
    }
  })

  it('pictures/jpeg-near a JPEG file of quality 95 is near a smooth picture, by 35 dB', () => {
    // 35 dB are a mean squared error of 255 squared / 10 to the power of 3.5.
    for (const id of [1, 2, 3]) {
      const pixels = paint(painted(id, 201, 150))
      expect(distance(fromJpeg(encodeJpeg(pixels, 95)), pixels)).toBeLessThan(20.5)
    }
  })

  it('pictures/jpeg-any any pixels and any quality give a JPEG file that can be read', () => {
    const property = (width: number, height: number, seed: number, quality: number): void => {
      const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => (at * seed) >> 5)
      const pixels = { width, height, data }
      const read = fromJpeg(encodeJpeg(pixels, quality))
      if (quality >= 98) expect(distance(read, pixels)).toBeLessThan(15)
      expect(read).toMatchObject({ width, height })
    }
    const side = fc.integer({ min: 1, max: 40 })
    const quality = fc.integer({ min: 1, max: 100 })
    fc.assert(fc.property(side, side, fc.nat(), quality, property), { seed: 1, numRuns: runs(60) })
  })

  it('pictures/png-exact a PNG file holds exactly the pixels of its picture', () => {
    const property = (picture: Picture): void => {
      const pixels = paint(picture)
      const bytes = encodePng(pixels)
      expect(probePicture(bytes)).toEqual({
        format: 'png',
        width: picture.width,
        height: picture.height,
      })
      expect(decodePng(bytes).channels).toBe(3)
      expect(paint(stored(bytes, picture.width, picture.height))).toEqual(pixels)
    }
    fc.assert(fc.property(anyPicture(60), property), { seed: 2, numRuns: runs(40) })
  })

  it('pictures/png-alpha a PNG file keeps an alpha channel that is not opaque', () => {
    const pixels = { width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 255) }
    expect(decodePng(encodePng(pixels))).toMatchObject({ channels: 4, data: pixels.data })
  })

  it('pictures/png-text a PNG file carries its texts before its pixels, in ASCII', () => {
    const pixels = paint(painted(1, 9, 9))
    const json = JSON.stringify({ text: 'süß 漢字 😀\n' })
    const bytes = encodePng(pixels, [
      ['prompt', json],
      ['', 'no keyword'],
      ['k'.repeat(80), 'a long keyword'],
    ])
    const { text } = decodePng(bytes)
    expect(Object.keys(text)).toEqual(['prompt'])
    expect(text.prompt).toMatch(/^[ -~]+$/)
    expect(JSON.parse(text.prompt!)).toEqual(JSON.parse(json))
    const file = String.fromCharCode(...bytes)
    expect(file.indexOf('tEXtprompt')).toBeLessThan(file.indexOf('IDAT'))
  })

  it('pictures/pinned the same recipe produces the same bytes, today and tomorrow', () => {
    const picture = painted(20260101, 96, 64)
    const preview = { of: picture, step: 7, steps: 20, maxSize: 128 }
    expect({
      png: sha256(encodePicture(picture, 'png')),
      jpeg: sha256(encodePicture(picture, 'jpeg')),
      preview: sha256(encodePreview(preview, 'jpeg')),
    }).toEqual({
      png: '57554ea29f6aa02d76e63563dfb5d71fbab583bcf1bd45d3f5ea31b2901edfb8',
      jpeg: 'c9860ba5758f691eae28163b51e7b664e14c0305d80663c76592f91c02171596',
      preview: '1033c1f3f274ccdcbff9dc5e258939f576fc1d93ad8be45d2740dff9f873a536',
    })
  })

  it('pictures/once a picture that is requested twice is painted once', () => {
    const picture = painted(11, 32, 32)
    expect(encodePicture(picture, 'png')).toBe(encodePicture({ ...picture }, 'png'))
    expect(encodePicture(picture, 'jpeg')).not.toBe(encodePicture(picture, 'png'))
  })
})

describe('painting', () => {
  it('pictures/sizes every kind of picture has its declared size', () => {
    const property = (picture: Picture): void => {
      const { width, height, data } = paint(picture)
      expect({ width, height }).toEqual({ width: picture.width, height: picture.height })
      expect(data.length).toBe(width * height * 4)
    }
    fc.assert(fc.property(anyPicture(70), property), { seed: 3, numRuns: runs(60) })
  })

  it('pictures/distinct different ids give clearly different pictures', () => {
    const pictures = Array.from({ length: 20 }, (_, id) => paint(painted(id, 32, 32)))
    for (const [index, one] of pictures.entries()) {
      for (const other of pictures.slice(index + 1))
        expect(distance(one, other)).toBeGreaterThan(50)
    }
  })

  it('pictures/any-size the same id produces the same scene at every size', () => {
    const large = painted(8, 512, 384)
    const reduced = paint({ kind: 'scaled', id: 1, width: 64, height: 48, of: large })
    expect(distance(reduced, paint(painted(8, 64, 48)))).toBeLessThan(60)
  })

  it('pictures/inverted a picture inverted twice is the original', () => {
    const property = (of: Picture): void => {
      const { width, height } = of
      const once: Picture = { kind: 'inverted', id: 1, width, height, of }
      const pixels = paint({ kind: 'inverted', id: 2, width, height, of: once })
      expect(pixels).toEqual(paint(of))
      expect(paint(once).data[0]).toBe(255 - pixels.data[0]!)
    }
    fc.assert(fc.property(anyPicture(40), property), { seed: 4, numRuns: runs(30) })
  })

  it('pictures/solid a solid picture stays what it is at every size and in every mix', () => {
    const of: Picture = { kind: 'solid', id: 1, width: 5, height: 9, color: 0x336699 }
    const other: Picture = { kind: 'solid', id: 2, width: 2, height: 2, color: 0x6699cc }
    const colorOf = (picture: Picture): number[] => [...new Set(paint(picture).data)]
    for (const [width, height] of ODD_SIZES) {
      expect(colorOf({ kind: 'scaled', id: 3, width, height, of })).toEqual([51, 102, 153, 255])
    }
    const mixed = { kind: 'blended', id: 4, width: 5, height: 9, of, over: other } as const
    expect(colorOf({ ...mixed, opacity: 0 })).toEqual([51, 102, 153, 255])
    expect(colorOf({ ...mixed, opacity: 0.5 })).toEqual([77, 128, 179, 255])
    expect(colorOf({ ...mixed, opacity: 1 })).toEqual([102, 153, 204, 255])
  })

  it('pictures/cropped the area outside of a cropped picture is black', () => {
    const of: Picture = { kind: 'solid', id: 1, width: 2, height: 2, color: 0xffffff }
    const redsAt = (x: number, y: number): number[] => {
      const { data } = paint({ kind: 'cropped', id: 2, width: 3, height: 2, of, x, y })
      return [...data].filter((_, at) => at % 4 === 0)
    }
    expect(redsAt(0, 0)).toEqual([255, 255, 0, 255, 255, 0])
    expect(redsAt(-1, 1)).toEqual([0, 255, 255, 0, 0, 0])
    expect(redsAt(9, 9)).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('pictures/shared a picture blended of copies of itself is painted quickly', () => {
    let picture = painted(3, 16, 16)
    for (let id = 0; id < 40; id++) {
      const over: Picture = { kind: 'inverted', id, width: 16, height: 16, of: picture }
      picture = { kind: 'blended', id, width: 16, height: 16, of: picture, over, opacity: 0.1 }
    }
    expect(paint(picture).data.length).toBe(1024)
  })
})
