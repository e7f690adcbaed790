// What holds for binary frames: a client decodes what the server encodes, and a cut is noticed.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import type { FrameContent } from 'flowdouble'
import { encodeFrame } from '../../dist/emulator/internal.js'
import { frames } from '../../spec/server/frames.ts'
import { type DecodedFrame, decodeFrame } from '../../dist/emulator/session/index.js'
import { anyText } from '../generate/texts.ts'
import { runs } from '../support/effort.ts'

const settings = { seed: 11, numRuns: runs(300) }

const text = fc.oneof(anyText(40), fc.string({ unit: 'grapheme', maxLength: 20 }))
const format = fc.constantFrom('jpeg' as const, 'png' as const)
const bytes = fc.uint8Array({ maxLength: 60 })
const image = { kind: 'solid', id: 1, width: 1, height: 1, color: 0 } as const

type Case = {
  readonly content: FrameContent
  readonly file: Uint8Array
  readonly fields: DecodedFrame['fields']
}

const anyCase: fc.Arbitrary<Case> = fc.oneof(
  fc.record({ node_id: text, text }).map((fields) => ({
    content: { frame: 'text' as const, ...fields },
    file: new TextEncoder().encode(fields.text),
    fields,
  })),
  fc.record({ format, file: bytes }).map(({ format, file }) => ({
    content: { frame: 'previewImage' as const, format, image },
    file,
    fields: { image_type: format === 'jpeg' ? 1 : 2, image: file },
  })),
  fc
    .record({
      format,
      file: bytes,
      metadata: fc.dictionary(text, fc.option(text), { noNullPrototype: true }),
    })
    .map(({ format, file, metadata }) => ({
      content: { frame: 'previewWithMetadata' as const, format, image, metadata },
      file,
      fields: { metadata, image: file },
    })),
)

const encoded = ({ content, file }: Case): Uint8Array => encodeFrame(content, () => file)

it('frames/round-trip what the server encodes decodes to the same fields', () => {
  const property = (one: Case): void => {
    const { frame, fields } = decodeFrame(encoded(one))
    expect(frame).toBe(one.content.frame)
    expect(Object.keys(fields)).toEqual(frames[frame].fields.map(({ name }) => name))
    expect(fields).toEqual(one.fields)
  }
  fc.assert(fc.property(anyCase, property), settings)
})

/** Why a frame cannot be decoded, or nothing. */
function fault(frame: Uint8Array): string {
  try {
    decodeFrame(frame)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

it('frames/cut a frame that ends before its last field begins cannot be decoded', () => {
  const property = (one: Case): void => {
    const whole = encoded(one)
    const lengths = Array.from({ length: whole.length - one.file.length }, (_, length) => length)
    expect(lengths.filter((length) => !/ends/.test(fault(whole.subarray(0, length))))).toEqual([])
    expect(decodeFrame(whole.subarray(0, whole.length - one.file.length)).frame).toBe(
      one.content.frame,
    )
  }
  fc.assert(fc.property(anyCase, property), settings)
})

it('frames/place a frame decodes wherever it is in its buffer', () => {
  const property = (one: Case, before: Uint8Array): void => {
    const whole = encoded(one)
    const buffer = Uint8Array.of(...before, ...whole, ...before)
    const view = buffer.subarray(before.length, before.length + whole.length)
    expect(decodeFrame(view)).toEqual(decodeFrame(whole))
  }
  fc.assert(fc.property(anyCase, bytes, property), settings)
})
