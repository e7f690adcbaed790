// Reads WebM files: the track of pictures, its frames with their times, the index, and the tags.

export type Webm = {
  readonly codec: string
  readonly width: number
  readonly height: number
  readonly durationMs: number
  readonly frames: readonly { readonly timeMs: number; readonly bytes: Buffer }[]
  readonly texts: Readonly<Record<string, string>>
}

type Element = { readonly id: number; readonly at: number; readonly content: Buffer }

/** The elements in bytes, the first of which stands at `start` of the file. */
function elementsIn(bytes: Buffer, start: number): Element[] {
  const found: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const idLength = Math.clz32(bytes[at]!) - 23
    const size = at + idLength
    const sizeLength = Math.clz32(bytes[size]!) - 23
    const length = bytes.readUIntBE(size, sizeLength) - 2 ** (7 * sizeLength)
    const content = size + sizeLength
    if (content + length > bytes.length) throw new Error(`An element of ${length} bytes at ${at}.`)
    const id = bytes.readUIntBE(at, idLength)
    found.push({ id, at: start + at, content: bytes.subarray(content, content + length) })
    at = content + length
  }
  return found
}

const inside = (bytes: Buffer, ...path: readonly number[]): Buffer =>
  path.reduce((content, id) => {
    const one = elementsIn(content, 0).find((element) => element.id === id)
    if (one === undefined) throw new Error(`There is no element ${id.toString(16)}.`)
    return one.content
  }, bytes)

const numberIn = (bytes: Buffer): number =>
  bytes.readUIntBE(bytes.length - Math.min(bytes.length, 6), Math.min(bytes.length, 6))

export function readWebm(bytes: Buffer): Webm {
  const [head, segment] = elementsIn(bytes, 0)
  if (head?.id !== 0x1a45dfa3 || segment?.id !== 0x18538067) throw new Error('Not a WebM file.')
  const { content } = segment
  const track = inside(content, 0x1654ae6b, 0xae)
  const parts = elementsIn(content, 0)
  const clusters = parts.filter(({ id }) => id === 0x1f43b675)
  checkIndex(content, clusters)
  return {
    codec: inside(track, 0x86).toString(),
    width: numberIn(inside(track, 0xe0, 0xb0)),
    height: numberIn(inside(track, 0xe0, 0xba)),
    durationMs: inside(content, 0x1549a966, 0x4489).readDoubleBE(),
    frames: clusters.flatMap((cluster) => {
      const start = numberIn(inside(cluster.content, 0xe7))
      return elementsIn(cluster.content, 0)
        .filter(({ id }) => id === 0xa3)
        .map(({ content: block }) => ({
          timeMs: start + block.readInt16BE(1),
          bytes: block.subarray(4),
        }))
    }),
    texts: textsIn(parts.find(({ id }) => id === 0x1254c367)?.content),
  }
}

/** Each cluster is in the index, at its time. */
function checkIndex(segment: Buffer, clusters: readonly Element[]): void {
  const points = elementsIn(inside(segment, 0x1c53bb6b), 0).map(({ content }) => [
    numberIn(inside(content, 0xb3)),
    numberIn(inside(content, 0xb7, 0xf1)),
  ])
  const places = clusters.map(({ at, content }) => [numberIn(inside(content, 0xe7)), at])
  if (JSON.stringify(points) !== JSON.stringify(places)) throw new Error('The index is wrong.')
}

function textsIn(tags: Buffer | undefined): Record<string, string> {
  if (tags === undefined) return {}
  return Object.fromEntries(
    elementsIn(inside(tags, 0x7373), 0)
      .filter(({ id }) => id === 0x67c8)
      .map(({ content }) => [
        inside(content, 0x45a3).toString(),
        inside(content, 0x4487).toString(),
      ]),
  )
}
