// Builds prefix codes for WebP: short codes for frequent symbols.

/** The maximum length of a code, in bits. */
export const MOST_CODE_BITS = 15

/** The length of the code of each symbol, 0 for unused ones. At least one is used. */
export const codeLengths = (counts: Uint32Array): Uint8Array => {
  let weights = counts
  let lengths = huffmanLengths(weights)
  // Flatter counts result in a flatter tree.
  while (Math.max(...lengths) > MOST_CODE_BITS) {
    weights = weights.map((weight) => (weight > 0 ? (weight >>> 1) | 1 : 0))
    lengths = huffmanLengths(weights)
  }
  return lengths
}

const huffmanLengths = (weights: Uint32Array): Uint8Array => {
  const lengths = new Uint8Array(weights.length)
  const trees = Array.from(weights, (weight, symbol) => ({ weight, symbols: [symbol] })).filter(
    ({ weight }) => weight > 0,
  )
  while (trees.length > 1) {
    trees.sort((one, other) => other.weight - one.weight)
    const [light, lightest] = trees.splice(-2) as [(typeof trees)[0], (typeof trees)[0]]
    const symbols = [...light.symbols, ...lightest.symbols]
    for (const symbol of symbols) lengths[symbol]!++
    trees.push({ weight: light.weight + lightest.weight, symbols })
  }
  return lengths
}

/** The codes for these lengths, to be written from the lowest bit up. */
export const canonicalCodes = (lengths: Uint8Array): Uint16Array => {
  const codes = new Uint16Array(lengths.length)
  let next = 0
  for (let length = 1; length <= MOST_CODE_BITS; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === length) codes[symbol] = reversed(next++, length)
    }
    next *= 2
  }
  return codes
}

const reversed = (code: number, length: number): number => {
  let result = 0
  for (let bit = 0; bit < length; bit++) result |= ((code >> bit) & 1) << (length - 1 - bit)
  return result
}
