// Writes WAV files of 16 bits.

import { concat, latin1, little } from '../lib/bytes.ts'
import type { Samples } from './samples.ts'

const BYTES = 2
const PCM = 1

export const encodeWav = ({ rate, channels }: Samples): Uint8Array => {
  const count = channels.length
  const length = channels[0]?.length ?? 0
  const size = length * count * BYTES
  const data = new Uint8Array(size)
  const view = new DataView(data.buffer)
  for (const [channel, levels] of channels.entries())
    for (let at = 0; at < length; at++)
      view.setInt16((at * count + channel) * BYTES, levels[at]!, true)
  const format = [
    little(PCM, 2),
    little(count, 2),
    little(rate, 4),
    little(rate * count * BYTES, 4),
    little(count * BYTES, 2),
    little(8 * BYTES, 2),
  ]
  return concat([
    latin1('RIFF'),
    little(36 + size, 4),
    latin1('WAVEfmt '),
    little(16, 4),
    ...format,
    latin1('data'),
    little(size, 4),
    data,
  ])
}
