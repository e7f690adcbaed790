// The files that the recorded runs used: pictures, latents and sounds of simple patterns.

import { crc32, deflateSync } from 'node:zlib'

export type PictureFile = {
  readonly w: number
  readonly h: number
  readonly pattern: string
  readonly mode?: string
}

/** One colour channel of a pixel. */
function valueAt(
  pattern: string,
  w: number,
  h: number,
  k: number,
  x: number,
  y: number,
  c: number,
): number {
  if (pattern === 'gradient') {
    if (c === 0) return Math.floor((255 * x) / Math.max(1, w - 1))
    if (c === 1) return Math.floor((255 * y) / Math.max(1, h - 1))
    if (c === 2) return (37 * k + 11 * x + 7 * y) % 256
    return Math.floor((255 * (x + y)) / Math.max(1, w + h - 2))
  }
  if (pattern === 'noise') return (73 * x + 151 * y + 199 * c + 57 * k + 31 * x * y) % 256
  if (pattern === 'checker') return ((x >> 1) + (y >> 1) + k) % 2 === 1 ? 255 : 0
  if (pattern === 'square') {
    const [left, top] = [w >> 2, h >> 2]
    return left <= x && x < w - left && top <= y && y < h - top ? 255 : 0
  }
  return Number(pattern.slice('solid:'.length).split(',')[c] ?? 255)
}

const channelsOf: Readonly<Record<string, readonly number[]>> = {
  RGB: [0, 1, 2],
  RGBA: [0, 1, 2, 3],
  L: [0],
  LA: [0, 3],
  '1': [0],
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG file of picture `k` of a pattern. */
export function pngOf({ w, h, pattern, mode = 'RGB' }: PictureFile, k: number): Uint8Array {
  const channels = channelsOf[mode] ?? []
  return encodedPng(w, h, channels.length, (x, y, at) => {
    const value = valueAt(pattern, w, h, k, x, y, channels[at] ?? 0)
    return mode === '1' ? (value >= 128 ? 255 : 0) : value
  })
}

const colourTypes: Readonly<Record<number, number>> = { 1: 0, 2: 4, 3: 2, 4: 6 }

/** A PNG file of so many channels, by the byte at each place. */
export function encodedPng(
  w: number,
  h: number,
  channels: number,
  byteAt: (x: number, y: number, channel: number) => number,
): Uint8Array {
  const line = 1 + w * channels
  const rows = Buffer.alloc(line * h)
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++)
      for (let at = 0; at < channels; at++)
        rows[y * line + 1 + x * channels + at] = byteAt(x, y, at)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(w, 0)
  head.writeUInt32BE(h, 4)
  head[8] = 8
  head[9] = colourTypes[channels] ?? 2
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export type LatentFile = { readonly shape: readonly number[]; readonly pattern: string }

/** A safetensors file of a latent. */
export function latentOf({ shape, pattern }: LatentFile): Uint8Array {
  const size = shape.reduce((all, one) => all * one, 1)
  const values = Float32Array.from({ length: size }, (_, i) =>
    pattern === 'wave' ? (((37 * i + 11) % 201) - 100) / 50 : Number(pattern.slice('fill:'.length)),
  )
  const head = JSON.stringify({
    latent_tensor: { dtype: 'F32', shape, data_offsets: [0, size * 4] },
    latent_format_version_0: { dtype: 'F32', shape: [0], data_offsets: [size * 4, size * 4] },
  })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(head.length))
  return Buffer.concat([length, Buffer.from(head), Buffer.from(values.buffer)])
}

export type AudioFile = {
  readonly samples: number
  readonly channels?: number
  readonly rate?: number
}

/** A WAV file of a tone. */
export function wavOf({ samples, channels = 1, rate = 8000 }: AudioFile): Uint8Array {
  const data = Buffer.alloc(samples * channels * 2)
  for (let i = 0; i < samples; i++)
    for (let c = 0; c < channels; c++)
      data.writeInt16LE(16 * (((37 * i + 1000 * c) % 2001) - 1000), (i * channels + c) * 2)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * channels * 2, 28)
  head.writeUInt16LE(channels * 2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}
