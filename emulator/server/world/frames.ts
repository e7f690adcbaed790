// Encodes binary frames by the layouts of spec/server/frames.ts [frames/*]. Only the suites decode them.

import { concat } from '../../lib/bytes.ts'
import { frames } from '../../../spec/server/frames.ts'
import type { FrameField } from '../../../spec/language.ts'
import type { FrameContent } from '../../machine.ts'
import type { FrameImage } from '../../pictures/picture.ts'

const encoder = new TextEncoder()

/** The bytes of a frame. `encodeImage` encodes its picture, if it has one. */
export function encodeFrame(
  content: FrameContent,
  encodeImage: (of: FrameImage) => Uint8Array,
): Uint8Array {
  if (content.frame === 'recorded') return content.bytes
  if (content.frame === 'scripted') return concat([u32(content.event), content.bytes])
  const layout: { type: number; fields: readonly FrameField[] } = frames[content.frame]
  const parts = [u32(layout.type)]
  for (const field of layout.fields) {
    const value = fieldValue(field, content, encodeImage)
    if (field.is === 'prefixed-text' || field.is === 'prefixed-json') parts.push(u32(value.length))
    parts.push(value)
  }
  return concat(parts)
}

function fieldValue(
  field: FrameField,
  content: Exclude<FrameContent, { bytes: Uint8Array }>,
  encodeImage: (of: FrameImage) => Uint8Array,
): Uint8Array {
  if (content.frame === 'text') {
    return encoder.encode(field.name === 'node_id' ? content.node_id : content.text)
  }
  if (field.is === 'bytes') return encodeImage(content)
  if (field.is === 'u32') return u32(field.values?.[`image/${content.format}`] ?? 0)
  return encoder.encode('metadata' in content ? JSON.stringify(content.metadata) : '')
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}
