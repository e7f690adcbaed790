// Inflates the deflate streams of untrusted PNG files, with limits for the output and the work. The library for the
// rest has neither: it inflates everything, and builds a table of 32,768 entries for every block, even an empty one.

const MOST_CODE_BITS = 15
/** Codes up to this length are decoded with one lookup; building such a table is cheap. */
const QUICK_BITS = 9
/** The blocks of normal files have some thousand bytes. */
const LEAST_BLOCK_BYTES = 128
const SPARE_BLOCKS = 1000

/** The order of the code length codes in the format. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const END_OF_BLOCK = 256
const LITERALS = 288
const DISTANCES = 30

/** The lengths and distances of the symbols: the smallest value, and the number of extra bits to add. */
const LENGTH_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]
const DISTANCE_BITS = Array.from({ length: DISTANCES }, (_, at) => Math.max(0, (at >> 1) - 1))

const leastOf = (bits: readonly number[], first: number): number[] => {
  let next = first
  return bits.map((count) => {
    const least = next
    next += 2 ** count
    return least
  })
}
// The longest length has a separate symbol, which breaks the sequence.
const LEAST_LENGTH = [...leastOf(LENGTH_BITS.slice(0, -1), 3), 258]
const LEAST_DISTANCE = leastOf(DISTANCE_BITS, 1)

/**
 * A code: `quick` contains `symbol * 16 + length` for the next bits of the stream, or 0; the rest describes longer
 * codes.
 */
type Code = { quick: Uint16Array; counts: Uint16Array; symbols: Uint16Array }

/** The bytes read so far, and unused bits of them; the first bit is the lowest. */
type Source = { data: Uint8Array; at: number; bits: number; bitCount: number }

/** Bytes unpacked so far. */
type Sink = { bytes: Uint8Array; length: number }

/**
 * The first `mostBytes` bytes of a zlib stream, or all if it has fewer; ignores the rest and the checksum. Throws for a
 * damaged stream, and for one with many nearly empty blocks.
 */
export const inflate = (data: Uint8Array, mostBytes: number): Uint8Array => {
  const head = ((data[0] ?? 0) << 8) | (data[1] ?? 0)
  const hasDictionary = (head & 0x20) !== 0
  if (((head >> 8) & 15) !== 8 || head % 31 !== 0 || hasDictionary) throw damaged()
  const source: Source = { data, at: 2, bits: 0, bitCount: 0 }
  const sink: Sink = { bytes: new Uint8Array(mostBytes), length: 0 }
  let blocksLeft = SPARE_BLOCKS + mostBytes / LEAST_BLOCK_BYTES
  for (let isLast = false; !isLast && sink.length < mostBytes; blocksLeft--) {
    if (blocksLeft <= 0) throw new RangeError('The stream has more blocks than its bytes need.')
    isLast = takeBits(source, 1) === 1
    const kind = takeBits(source, 2)
    if (kind === 0) copyStored(source, sink)
    else if (kind === 1) unpack(source, sink, fixedCodes())
    else if (kind === 2) unpack(source, sink, readCodes(source))
    else throw damaged()
  }
  return sink.bytes.subarray(0, sink.length)
}

const damaged = (): Error => new RangeError('The stream is damaged.')

const readAhead = (source: Source): void => {
  while (source.bitCount <= 24 && source.at < source.data.length) {
    source.bits |= source.data[source.at++]! << source.bitCount
    source.bitCount += 8
  }
}

/** The next bits as a number; at most 16. */
const takeBits = (source: Source, count: number): number => {
  if (source.bitCount < count) readAhead(source)
  if (source.bitCount < count) throw damaged()
  const value = source.bits & ((1 << count) - 1)
  skipBits(source, count)
  return value
}

const skipBits = (source: Source, count: number): void => {
  source.bits >>>= count
  source.bitCount -= count
}

const copyStored = (source: Source, sink: Sink): void => {
  skipBits(source, source.bitCount & 7)
  const length = takeBits(source, 16)
  if (length !== (takeBits(source, 16) ^ 0xffff)) throw damaged()
  // Return the bytes that were read ahead.
  const from = source.at - (source.bitCount >> 3)
  const end = Math.min(length, sink.bytes.length - sink.length)
  if (from + end > source.data.length) throw damaged()
  sink.bytes.set(source.data.subarray(from, from + end), sink.length)
  sink.length += end
  source.at = from + length
  source.bits = 0
  source.bitCount = 0
}

type Codes = { readonly literals: Code; readonly distances: Code }

const unpack = (source: Source, sink: Sink, { literals, distances }: Codes): void => {
  const { bytes } = sink
  while (sink.length < bytes.length) {
    const symbol = decode(source, literals)
    if (symbol < END_OF_BLOCK) bytes[sink.length++] = symbol
    else if (symbol === END_OF_BLOCK) return
    else copyBack(source, sink, symbol - END_OF_BLOCK - 1, distances)
  }
}

const copyBack = (source: Source, sink: Sink, symbol: number, distances: Code): void => {
  const lengthBits = LENGTH_BITS[symbol]
  if (lengthBits === undefined) throw damaged()
  const length = LEAST_LENGTH[symbol]! + takeBits(source, lengthBits)
  const place = decode(source, distances)
  const distanceBits = DISTANCE_BITS[place]
  if (distanceBits === undefined) throw damaged()
  const distance = LEAST_DISTANCE[place]! + takeBits(source, distanceBits)
  if (distance > sink.length) throw damaged()
  const { bytes } = sink
  const end = Math.min(sink.length + length, bytes.length)
  for (let to = sink.length; to < end; to++) bytes[to] = bytes[to - distance]!
  sink.length = end
}

const decode = (source: Source, { quick, counts, symbols }: Code): number => {
  if (source.bitCount < MOST_CODE_BITS) readAhead(source)
  const entry = quick[source.bits & ((1 << QUICK_BITS) - 1)]!
  const length = entry & 15
  if (length > 0 && length <= source.bitCount) {
    skipBits(source, length)
    return entry >> 4
  }
  let code = 0
  let first = 0
  let index = 0
  for (let bit = 0; bit < MOST_CODE_BITS && bit < source.bitCount; bit++) {
    code = (code << 1) | ((source.bits >> bit) & 1)
    const count = counts[bit + 1]!
    if (code - first < count) {
      skipBits(source, bit + 1)
      return symbols[index + code - first]!
    }
    index += count
    first = (first + count) << 1
  }
  throw damaged()
}

/** The code for these code lengths: the symbols in the order of their codes, and the short codes by their bits. */
const buildCode = (lengths: Uint8Array): Code => {
  const counts = new Uint16Array(MOST_CODE_BITS + 1)
  for (const length of lengths) counts[length]!++
  counts[0] = 0
  const places = new Uint16Array(MOST_CODE_BITS + 2)
  const next = new Uint16Array(MOST_CODE_BITS + 2)
  for (let length = 1; length <= MOST_CODE_BITS; length++) {
    const count = counts[length]!
    if (next[length]! + count > 1 << length) throw damaged()
    places[length + 1] = places[length]! + count
    next[length + 1] = (next[length]! + count) << 1
  }
  const symbols = new Uint16Array(lengths.length)
  const quick = new Uint16Array(1 << QUICK_BITS)
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!
    if (length === 0) continue
    symbols[places[length]!++] = symbol
    const code = next[length]!++
    if (length > QUICK_BITS) continue
    let bits = 0
    for (let bit = 0; bit < length; bit++) bits |= ((code >> bit) & 1) << (length - 1 - bit)
    for (let at = bits; at < quick.length; at += 1 << length) quick[at] = (symbol << 4) | length
  }
  return { quick, counts, symbols }
}

let fixed: Codes | undefined

const fixedCodes = (): Codes => {
  const lengths = new Uint8Array(LITERALS).fill(8).fill(9, 144, 256).fill(7, 256, 280)
  const distances = new Uint8Array(32).fill(5)
  fixed ??= { literals: buildCode(lengths), distances: buildCode(distances) }
  return fixed
}

/** The codes in the header of a block; their lengths are coded themselves. */
const readCodes = (source: Source): Codes => {
  const literals = takeBits(source, 5) + 257
  const distances = takeBits(source, 5) + 1
  const codeCount = takeBits(source, 4) + 4
  const ofLengths = new Uint8Array(LENGTH_ORDER.length)
  for (const symbol of LENGTH_ORDER.slice(0, codeCount)) ofLengths[symbol] = takeBits(source, 3)
  const code = buildCode(ofLengths)
  const lengths = new Uint8Array(literals + distances)
  for (let at = 0; at < lengths.length;) {
    const symbol = decode(source, code)
    if (symbol < 16) {
      lengths[at++] = symbol
      continue
    }
    if (symbol === 16 && at === 0) throw damaged()
    const repeated = symbol === 16 ? lengths[at - 1]! : 0
    const times =
      symbol === 16
        ? 3 + takeBits(source, 2)
        : symbol === 17
          ? 3 + takeBits(source, 3)
          : 11 + takeBits(source, 7)
    if (at + times > lengths.length) throw damaged()
    lengths.fill(repeated, at, at + times)
    at += times
  }
  return {
    literals: buildCode(lengths.subarray(0, literals)),
    distances: buildCode(lengths.subarray(literals)),
  }
}

const MOST_STORED_BYTES = 0xffff

/** A zlib stream that stores these bytes uncompressed. Its checksum is 0: the decoders here ignore it. */
export const stored = (bytes: Uint8Array): Uint8Array => {
  const blocks = Math.max(1, Math.ceil(bytes.length / MOST_STORED_BYTES))
  const stream = new Uint8Array(2 + 5 * blocks + bytes.length + 4)
  stream.set([0x78, 0x01])
  let to = 2
  for (let block = 0; block < blocks; block++) {
    const part = bytes.subarray(block * MOST_STORED_BYTES, (block + 1) * MOST_STORED_BYTES)
    const { length } = part
    const isLast = block === blocks - 1
    stream.set([isLast ? 1 : 0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255], to)
    stream.set(part, to + 5)
    to += 5 + length
  }
  return stream
}
