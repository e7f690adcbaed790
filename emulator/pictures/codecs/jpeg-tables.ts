// The tables of the JPEG standard (ITU-T T.81, Annex K) and those that an encoder derives from them. jpeg.ts explains
// why the project has an encoder.

/** The positions of the 64 coefficients of a block, in the order of a file. */
export const ZIGZAG: readonly number[] = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
  13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52,
  45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
]

// K.1 and K.2, row by row: the quantisation steps at quality 50.
const LUMINANCE_STEPS: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
  14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
  92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
]
const CHROMINANCE_STEPS: readonly number[] = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
  47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
]

/** A Huffman table as in files: how many codes have 1 to 16 bits, and their symbols. */
export type HuffmanTable = { counts: readonly number[]; symbols: readonly number[] }

const hexBytes = (hex: string): number[] => (hex.match(/../g) ?? []).map((two) => parseInt(two, 16))

const DC_SYMBOLS = hexBytes('000102030405060708090a0b')

/** K.3 and K.5: for the brightness. */
export const LUMINANCE_DC: HuffmanTable = {
  counts: hexBytes('00010501010101010100000000000000'),
  symbols: DC_SYMBOLS,
}
export const LUMINANCE_AC: HuffmanTable = {
  counts: hexBytes('0002010303020403050504040000017d'),
  symbols: hexBytes(
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718' +
      '191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475' +
      '767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3' +
      'c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  ),
}
/** K.4 and K.6: for the two colour channels. */
export const CHROMINANCE_DC: HuffmanTable = {
  counts: hexBytes('00030101010101010101010000000000'),
  symbols: DC_SYMBOLS,
}
export const CHROMINANCE_AC: HuffmanTable = {
  counts: hexBytes('00020102040403040705040400010277'),
  symbols: hexBytes(
    '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125' +
      'f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a7374' +
      '75767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9ba' +
      'c2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
  ),
}

/** The code of every symbol, and its length in bits. */
export type Codes = { code: Uint16Array; length: Uint8Array }

/** Annex C: codes count upwards, with one more bit for each further length. */
export const codesOf = ({ counts, symbols }: HuffmanTable): Codes => {
  const codes: Codes = { code: new Uint16Array(256), length: new Uint8Array(256) }
  let next = 0
  let at = 0
  for (const [index, count] of counts.entries()) {
    for (const symbol of symbols.slice(at, at + count)) {
      codes.code[symbol] = next++
      codes.length[symbol] = index + 1
    }
    at += count
    next *= 2
  }
  return codes
}

/** The steps of both tables at a quality of 1 to 100, by the rule of the Independent JPEG Group. */
export const stepsAt = (quality: number): { luminance: number[]; chrominance: number[] } => {
  const held = Math.min(Math.max(Math.round(quality), 1), 100)
  const percent = held < 50 ? Math.floor(5000 / held) : 200 - held * 2
  const scaled = (step: number): number =>
    Math.min(Math.max(Math.floor((step * percent + 50) / 100), 1), 255)
  return { luminance: LUMINANCE_STEPS.map(scaled), chrominance: CHROMINANCE_STEPS.map(scaled) }
}
