// Reads files of sounds: FLAC with its samples, and how long MP3 and Opus files are.

export type ReadSound = {
  readonly rate: number
  readonly channels: number
  /** Of each channel. */
  readonly samples: number
  /** The samples of each channel, where they are decoded. */
  readonly values?: () => readonly (readonly number[])[]
  readonly texts: Readonly<Record<string, string>>
}

/** Comments of `keyword=text`, each behind its length, behind the name of the writer. */
function commentsIn(bytes: Buffer): Record<string, string> {
  let at = 4 + bytes.readUInt32LE(0)
  const count = bytes.readUInt32LE(at)
  at += 4
  return Object.fromEntries(
    Array.from({ length: count }, () => {
      const end = at + 4 + bytes.readUInt32LE(at)
      const text = bytes.toString('utf8', at + 4, end)
      at = end
      return [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]
    }),
  )
}

/** A FLAC file of parts that are silent, or not compressed. */
export function readFlac(bytes: Buffer): ReadSound {
  if (bytes.toString('latin1', 0, 4) !== 'fLaC') throw new Error('Not a FLAC file.')
  const blocks = new Map<number, Buffer>()
  let at = 4
  for (let isLast = false; !isLast;) {
    const end = at + 4 + bytes.readUIntBE(at + 1, 3)
    blocks.set(bytes[at]! & 127, bytes.subarray(at + 4, end))
    isLast = bytes[at]! >= 128
    at = end
  }
  const information = blocks.get(0)!
  const settings = information.readUInt32BE(10)
  const rate = settings >>> 12
  const channels = ((settings >>> 9) & 7) + 1
  const samples = information.readUInt32BE(14)
  const start = at
  const values = () => {
    const all = Array.from({ length: channels }, (): number[] => [])
    for (let frame = 0, next = start; next < bytes.length; frame++)
      next = readFrame(bytes, next, frame, all)
    return all
  }
  return { rate, channels, samples, values, texts: commentsIn(blocks.get(4)!) }
}

/** Adds the samples of a frame to those of its channels, and returns where the next one starts. */
function readFrame(bytes: Buffer, start: number, frame: number, values: number[][]): number {
  if (bytes.readUInt16BE(start) !== 0xfff8) throw new Error(`No frame stands at ${start}.`)
  const rateKind = bytes[start + 2]! & 15
  if (bytes[start + 2]! >> 4 !== 7 || bytes[start + 3] !== ((values.length - 1) << 4) + 8)
    throw new Error('A frame of another kind.')
  const [number, at] = longNumberAt(bytes, start + 4)
  if (number !== frame) throw new Error(`The frame ${frame} has the number ${number}.`)
  const length = bytes.readUInt16BE(at) + 1
  // A check of the head follows the rate, one of the frame its channels.
  let next = at + 2 + (rateKind === 13 ? 2 : 0) + 1
  for (const own of values) {
    const isSilent = bytes[next] === 0
    if (!isSilent && bytes[next] !== 2) throw new Error('A channel of another kind.')
    for (let sample = 0; sample < length; sample++)
      own.push(bytes.readInt16BE(next + 1 + (isSilent ? 0 : sample * 2)))
    next += 1 + (isSilent ? 2 : length * 2)
  }
  return next + 2
}

/** A number in the manner of UTF-8, and where it ends. */
function longNumberAt(bytes: Buffer, at: number): [value: number, end: number] {
  const first = bytes[at]!
  if (first < 128) return [first, at + 1]
  const length = Math.clz32(~first << 24)
  let value = first & (0xff >> (length + 1))
  for (let byte = 1; byte < length; byte++) value = value * 64 + (bytes[at + byte]! & 63)
  return [value, at + length]
}

/** An MP3 file of frames with a header each, all of the same size. */
export function readMp3(bytes: Buffer): ReadSound {
  const texts: Record<string, string> = {}
  let at = 0
  if (bytes.toString('latin1', 0, 3) === 'ID3') {
    const end = 10 + sevenBits(bytes, 6)
    for (at = 10; at < end;) {
      const size = sevenBits(bytes, at + 4)
      const [key = '', text = ''] = bytes.toString('utf8', at + 11, at + 10 + size).split('\0')
      texts[key] = text
      at += 10 + size
    }
  }
  const isLater = ((bytes[at + 1]! >> 3) & 3) !== 3
  const perFrame = isLater ? 576 : 1152
  const bits = isLater ? 64_000 : 128_000
  const rates: Readonly<Record<number, readonly number[]>> = {
    3: [44_100, 48_000, 32_000],
    2: [22_050, 24_000, 16_000],
    0: [11_025, 12_000, 8000],
  }
  const rate = rates[(bytes[at + 1]! >> 3) & 3]![(bytes[at + 2]! >> 2) & 3]!
  const size = Math.floor((perFrame / 8) * (bits / rate))
  const channels = bytes[at + 3]! >> 6 === 3 ? 1 : 2
  const frames = (bytes.length - at) / size
  for (let frame = 0; frame < frames; frame++)
    if (bytes.readUInt32BE(at + frame * size) !== bytes.readUInt32BE(at))
      throw new Error(`The frame ${frame} has another header.`)
  // The first frame says how many follow.
  const information = bytes.indexOf('Info', at)
  const said = bytes.readUInt32BE(information + 8)
  if (said !== frames - 1) throw new Error(`${frames - 1} frames, not ${said}.`)
  return { rate, channels, samples: said * perFrame, texts }
}

const sevenBits = (bytes: Buffer, at: number): number =>
  [0, 1, 2, 3].reduce((value, byte) => value * 128 + bytes[at + byte]!, 0)

/** An Opus file: pages of Ogg, whose packets last 20 milliseconds each. */
export function readOpus(bytes: Buffer): ReadSound {
  const packets: Buffer[] = []
  let open: Buffer[] = []
  let end = 0
  for (let at = 0, page = 0; at < bytes.length; page++) {
    const count = bytes[at + 26]!
    if (bytes.toString('latin1', at, at + 4) !== 'OggS' || bytes.readUInt32LE(at + 18) !== page)
      throw new Error(`No page ${page} stands at ${at}.`)
    const position = bytes.readBigInt64LE(at + 6)
    if (position >= 0n) end = Number(position)
    let next = at + 27 + count
    for (const size of bytes.subarray(at + 27, at + 27 + count)) {
      open.push(bytes.subarray(next, next + size))
      next += size
      if (size === 255) continue
      packets.push(Buffer.concat(open))
      open = []
    }
    at = next
  }
  const [head, tags, ...sound] = packets as [Buffer, Buffer, ...Buffer[]]
  const skipped = head.readUInt16LE(10)
  if (Math.ceil(end / 960) !== sound.length)
    throw new Error('The last page is at the wrong position.')
  return {
    rate: 48_000,
    channels: head[9]!,
    samples: end - skipped,
    texts: commentsIn(tags.subarray(8)),
  }
}
