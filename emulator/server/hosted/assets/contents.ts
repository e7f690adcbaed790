// The bytes of stored files, and archives of several: ZIP, in which each file is as it is.

import { limits } from '../../../../spec/limits.ts'
import { concat, little, utf8 } from '../../../lib/bytes.ts'
import type { Body } from '../../../machine.ts'
import { checksum } from '../../../pictures/codecs/png-chunks.ts'
import { encodeFile } from '../../../pictures/encode.ts'
import { pixelsOf } from '../../../pictures/work.ts'

/** The bytes of a body; null for a picture whose encoding would hold up other requests [v2-assets/large-outputs]. */
export function encoded(body: Body): Uint8Array | null {
  if (typeof body === 'string') return utf8(body)
  if (body instanceof Uint8Array) return body
  return pixelsOf(body) > limits.pixels.value ? null : encodeFile(body)
}

/** What both headers of a file say: how to read it, when it was written, its checksum, its sizes. Names are UTF-8. */
function factsOf(name: Uint8Array, bytes: Uint8Array): Uint8Array {
  const [version, utf8Names, stored, time, date] = [20, 0x800, 0, 0, 0x21]
  const words = [version, utf8Names, stored, time, date].map((word) => little(word, 2))
  const sizes = [checksum(bytes), bytes.length, bytes.length].map((size) => little(size, 4))
  return concat([...words, ...sizes, little(name.length, 2), little(0, 2)])
}

/** An archive of these files. */
export function zip(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]) {
  const parts: Uint8Array[] = []
  const entries: Uint8Array[] = []
  let at = 0
  for (const { name, bytes } of files) {
    const nameBytes = utf8(name)
    const facts = factsOf(nameBytes, bytes)
    const head = concat([utf8('PK\x03\x04'), facts, nameBytes])
    // No comment, on the first disk, without attributes.
    const rest = [little(0, 6), little(0, 4), little(at, 4)]
    entries.push(concat([utf8('PK\x01\x02'), little(20, 2), facts, ...rest, nameBytes]))
    parts.push(head, bytes)
    at += head.length + bytes.length
  }
  const directory = concat(entries)
  const counts = [little(0, 4), little(files.length, 2), little(files.length, 2)]
  const end = [...counts, little(directory.length, 4), little(at, 4), little(0, 2)]
  return concat([...parts, directory, utf8('PK\x05\x06'), ...end])
}
