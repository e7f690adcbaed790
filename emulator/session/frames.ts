// Decodes binary frames by the layouts in spec/server/frames.ts alone, without the code of the server that encodes them.

import { frames } from '../../spec/server/frames.ts'
import type { Frame } from '../../spec/language.ts'

/** A frame by the name of its layout, with its fields by name. */
export type DecodedFrame = {
  readonly frame: keyof typeof frames
  readonly fields: Readonly<
    Record<string, number | string | Uint8Array | Readonly<Record<string, unknown>>>
  >
}

/** Decodes a frame. Throws for an unknown type code and for a frame that ends before its fields do. */
export function decodeFrame(bytes: Uint8Array): DecodedFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const type = readU32(view, 0)
  const found = Object.entries<Frame>(frames).find(([, layout]) => layout.type === type)
  if (found === undefined) throw new Error(`There is no frame of type ${type}.`)
  const [name, layout] = found
  const fields: Record<string, DecodedFrame['fields'][string]> = {}
  let at = 4
  for (const field of layout.fields) {
    if (field.is === 'u32') {
      fields[field.name] = readU32(view, at)
      at += 4
      continue
    }
    const prefixed = field.is === 'prefixed-text' || field.is === 'prefixed-json'
    const start = prefixed ? at + 4 : at
    const end = prefixed ? start + readU32(view, at) : bytes.length
    if (end > bytes.length) throw new Error(`The frame ends inside ${field.name}.`)
    const part = bytes.slice(start, end)
    fields[field.name] = readPart(field.is, part)
    at = end
  }
  return { frame: name as DecodedFrame['frame'], fields }
}

function readU32(view: DataView, at: number): number {
  if (at + 4 > view.byteLength)
    throw new Error(`The frame ends at byte ${view.byteLength}, inside a number.`)
  return view.getUint32(at)
}

function readPart(is: string, part: Uint8Array): DecodedFrame['fields'][string] {
  if (is === 'bytes') return part
  const text = new TextDecoder('utf-8', { fatal: true }).decode(part)
  return is === 'prefixed-json' ? (JSON.parse(text) as Record<string, unknown>) : text
}
