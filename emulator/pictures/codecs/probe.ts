// Detects the format and the size of a picture from its headers alone. The bytes are untrusted: imports nothing, never
// throws, and only moves forward.

/** The headers of a picture. `width` and `height` are in pixels, at least 1. */
export type Probe = {
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'bmp'
  width: number
  height: number
}

/** Pictures with more pixels are not decoded: their few bytes could fill the memory. */
export const MOST_PIXELS = 4096 * 4096

/** The format and size of the picture in `bytes`, or null for an unknown format. */
export const probePicture = (bytes: Uint8Array): Probe | null => {
  const found =
    probePng(bytes) ?? probeJpeg(bytes) ?? probeGif(bytes) ?? probeBmp(bytes) ?? probeWebp(bytes)
  return found !== null && found.width > 0 && found.height > 0 ? found : null
}

// Numbers beyond the end read as 0, and a size of 0 is invalid: hence few checks.
const bigEndian = (bytes: Uint8Array, at: number, length: number): number => {
  let value = 0
  for (let i = at; i < at + length; i++) value = value * 256 + (bytes[i] ?? 0)
  return at + length <= bytes.length ? value : 0
}

const littleEndian = (bytes: Uint8Array, at: number, length: number): number => {
  let value = 0
  for (let i = at + length - 1; i >= at; i--) value = value * 256 + (bytes[i] ?? 0)
  return at + length <= bytes.length ? value : 0
}

const hasText = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    if (bytes[at + i] !== text.charCodeAt(i)) return false
  }
  return true
}

const probePng = (bytes: Uint8Array): Probe | null => {
  if (!hasText(bytes, 0, '\x89PNG\r\n\x1a\n') || !hasText(bytes, 12, 'IHDR')) return null
  const width = bigEndian(bytes, 16, 4)
  const height = bigEndian(bytes, 20, 4)
  // The standard limits sizes to 2 to the power of 31, minus 1.
  return width < 2 ** 31 && height < 2 ** 31 ? { format: 'png', width, height } : null
}

const probeJpeg = (bytes: Uint8Array): Probe | null => {
  if (!hasText(bytes, 0, '\xff\xd8\xff')) return null
  let at = 2
  while (at < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else if (isFrame(marker)) return frameAt(bytes, at)
    else if (marker === 0xd9 || marker === 0xda) return null
    else at += 2 + Math.max(2, bigEndian(bytes, at + 2, 2))
  }
  return null
}

/** Markers that no length follows: TEM, RST0 to RST7, SOI. */
const isBare = (marker: number): boolean => marker === 1 || (marker >= 0xd0 && marker <= 0xd8)

/** SOF0 to SOF15, without the three of that range that are tables: DHT, JPG, DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const frameAt = (bytes: Uint8Array, at: number): Probe => ({
  format: 'jpeg',
  width: bigEndian(bytes, at + 7, 2),
  height: bigEndian(bytes, at + 5, 2),
})

const probeGif = (bytes: Uint8Array): Probe | null => {
  if (!hasText(bytes, 0, 'GIF87a') && !hasText(bytes, 0, 'GIF89a')) return null
  return { format: 'gif', width: littleEndian(bytes, 6, 2), height: littleEndian(bytes, 8, 2) }
}

const probeBmp = (bytes: Uint8Array): Probe | null => {
  if (!hasText(bytes, 0, 'BM')) return null
  const header = littleEndian(bytes, 14, 4)
  if (header === 12) {
    return { format: 'bmp', width: littleEndian(bytes, 18, 2), height: littleEndian(bytes, 20, 2) }
  }
  if (header < 40 || header > 124) return null
  // A negative height means that the rows run from the top down.
  const width = littleEndian(bytes, 18, 4) | 0
  const height = littleEndian(bytes, 22, 4) | 0
  return { format: 'bmp', width, height: Math.abs(height) }
}

const probeWebp = (bytes: Uint8Array): Probe | null => {
  if (!hasText(bytes, 0, 'RIFF') || !hasText(bytes, 8, 'WEBP')) return null
  if (hasText(bytes, 12, 'VP8X')) return extendedWebp(bytes)
  if (hasText(bytes, 12, 'VP8L')) return losslessWebp(bytes)
  return hasText(bytes, 12, 'VP8 ') ? lossyWebp(bytes) : null
}

const extendedWebp = (bytes: Uint8Array): Probe | null => {
  if (bytes.length < 30) return null
  const width = littleEndian(bytes, 24, 3) + 1
  return { format: 'webp', width, height: littleEndian(bytes, 27, 3) + 1 }
}

const losslessWebp = (bytes: Uint8Array): Probe | null => {
  if (bytes.length < 25 || bytes[20] !== 0x2f) return null
  // 14 bits of width and 14 bits of height, each minus 1, from the lowest bit up.
  const bits = littleEndian(bytes, 21, 4)
  return { format: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const lossyWebp = (bytes: Uint8Array): Probe | null => {
  const isKeyFrame = ((bytes[20] ?? 1) & 1) === 0
  if (!isKeyFrame || !hasText(bytes, 23, '\x9d\x01\x2a')) return null
  const width = littleEndian(bytes, 26, 2) & 0x3fff
  return { format: 'webp', width, height: littleEndian(bytes, 28, 2) & 0x3fff }
}
