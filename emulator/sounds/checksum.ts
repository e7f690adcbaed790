// Checksums of frames and pages of sounds.

/** A cyclic redundancy check of so many bits, the highest bit first, that starts from 0. */
export type Check = { readonly bits: 8 | 16 | 32; readonly polynomial: number }

const tables = new Map<Check, Uint32Array>()

function tableOf(check: Check): Uint32Array {
  const known = tables.get(check)
  if (known !== undefined) return known
  const { bits, polynomial } = check
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = (byte << (bits - 8)) >>> 0
    for (let bit = 0; bit < 8; bit++) {
      const isHigh = rest >= 2 ** (bits - 1)
      rest = ((rest << 1) ^ (isHigh ? polynomial : 0)) >>> 0
      if (bits < 32) rest &= 2 ** bits - 1
    }
    return rest
  })
  tables.set(check, table)
  return table
}

export const checksum = (bytes: Uint8Array, check: Check): number => {
  const table = tableOf(check)
  const { bits } = check
  let rest = 0
  for (const byte of bytes) {
    rest = (table[((rest >>> (bits - 8)) ^ byte) & 255]! ^ (rest << 8)) >>> 0
    if (bits < 32) rest &= 2 ** bits - 1
  }
  return rest
}
