// The header of AVI files, which stands at a fixed place.

import type { MediaFacts } from './facts.ts'
import { readerOf } from './reader.ts'

const HEADER_AT = 24

export function probeAvi(bytes: Uint8Array): MediaFacts | undefined {
  const { little, word } = readerOf(bytes)
  if (word(0, 4) !== 'RIFF' || word(8, 4) !== 'AVI ' || word(HEADER_AT, 4) !== 'avih')
    return undefined
  const at = HEADER_AT + 8
  const fps = 1e6 / little(at, 4)
  const [frames, width, height] = [little(at + 16, 4), little(at + 32, 4), little(at + 36, 4)]
  return { video: { width, height, frames, fps } }
}
