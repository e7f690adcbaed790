// Reads MP4 files: the tracks, their samples, and the texts in their metadata.

/** A track: its kind, how long each sample is shown, and the samples. */
export type Track = {
  readonly kind: string
  readonly codec: string
  readonly width: number
  readonly height: number
  /** Units of time in a second, and the length of each sample in them. */
  readonly scale: number
  readonly times: readonly number[]
  readonly samples: readonly Buffer[]
  /** The numbers of the samples from which a player can start, from 1; all if absent. */
  readonly keys: readonly number[] | undefined
  /** What a decoder needs first. */
  readonly settings: Buffer
}

export type Mp4 = {
  readonly tracks: readonly Track[]
  readonly texts: Readonly<Record<string, string>>
}

/** The boxes in bytes, by name; a truncated one throws. */
function boxesIn(bytes: Buffer): Map<string, Buffer[]> {
  const boxes = new Map<string, Buffer[]>()
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at)
    if (size < 8 || at + size > bytes.length) throw new Error(`A box of ${size} bytes at ${at}.`)
    const name = bytes.toString('latin1', at + 4, at + 8)
    boxes.set(name, [...(boxes.get(name) ?? []), bytes.subarray(at + 8, at + size)])
    at += size
  }
  return boxes
}

function boxAt(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((inside, name) => {
    const [box] = boxesIn(inside).get(name) ?? []
    if (box === undefined) throw new Error(`There is no ${name}.`)
    return box
  }, bytes)
}

/** Numbers of four bytes behind the version, the flags and `skipped` bytes. */
const numbersIn = (box: Buffer, skipped: number): number[] =>
  Array.from({ length: (box.length - 4 - skipped) >> 2 }, (_, at) =>
    box.readUInt32BE(4 + skipped + at * 4),
  )

export function readMp4(bytes: Buffer): Mp4 {
  const all = boxesIn(bytes)
  if ([...all.keys()].join(' ') !== 'ftyp moov mdat')
    throw new Error('Not to be shown from its start.')
  const movie = boxAt(bytes, 'moov')
  const tracks = (boxesIn(movie).get('trak') ?? []).map((track) => readTrack(bytes, track))
  return { tracks, texts: boxesIn(movie).has('udta') ? textsIn(boxAt(movie, 'udta', 'meta')) : {} }
}

function readTrack(bytes: Buffer, track: Buffer): Track {
  const media = boxAt(track, 'mdia')
  const table = boxAt(media, 'minf', 'stbl')
  const boxes = boxesIn(table)
  const entry = boxAt(table, 'stsd').subarray(8)
  const isVideo = boxAt(media, 'hdlr').toString('latin1', 8, 12) === 'vide'
  const times = pairs(numbersIn(boxAt(table, 'stts'), 4)).flatMap(([count, time]) =>
    Array.from({ length: count }, () => time),
  )
  const sizes = numbersIn(boxAt(table, 'stsz'), 8)
  const [, , perChunk] = numbersIn(boxAt(table, 'stsc'), 0)
  const [, start] = numbersIn(boxAt(table, 'stco'), 0)
  if (perChunk !== sizes.length) throw new Error('The samples are in several pieces.')
  let at = start!
  const samples = sizes.map((size) => bytes.subarray(at, (at += size)))
  const keys = boxes.get('stss')?.[0]
  return {
    kind: isVideo ? 'video' : 'sound',
    codec: entry.toString('latin1', 4, 8),
    width: isVideo ? entry.readUInt16BE(32) : 0,
    height: isVideo ? entry.readUInt16BE(34) : 0,
    scale: boxAt(media, 'mdhd').readUInt32BE(12),
    times,
    samples,
    keys: keys && numbersIn(keys, 4),
    settings: isVideo ? boxAt(entry.subarray(86), 'avcC') : entry.subarray(36),
  }
}

const pairs = (numbers: readonly number[]): [number, number][] =>
  Array.from({ length: numbers.length / 2 }, (_, at) => [numbers[at * 2]!, numbers[at * 2 + 1]!])

/** The texts by their keys, as front ends read them. */
function textsIn(meta: Buffer): Record<string, string> {
  const boxes = meta.subarray(4)
  const keys: string[] = []
  const list = boxAt(boxes, 'keys')
  for (let at = 8; at < list.length; at += list.readUInt32BE(at))
    keys.push(list.toString('utf8', at + 8, at + list.readUInt32BE(at)))
  const items = boxAt(boxes, 'ilst')
  const texts: Record<string, string> = {}
  for (let at = 0; at < items.length; at += items.readUInt32BE(at)) {
    const item = items.subarray(at + 8, at + items.readUInt32BE(at))
    texts[keys[items.readUInt32BE(at + 4) - 1]!] = boxAt(item, 'data').toString('utf8', 8)
  }
  return texts
}
