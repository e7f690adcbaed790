// Writes Opus files of silence, in pages of Ogg: a file with sound needs an encoder of which none in pure JavaScript is
// kept up.

import { concat, latin1, little } from '../lib/bytes.ts'
import { checksum } from './checksum.ts'
import { commentsOf, type Texts } from './comments.ts'

/** The format counts samples at this rate, whatever the rate of the sound was. */
const RATE = 48_000
/** Samples of a packet of 20 milliseconds, and those at the start that players skip. */
const PACKET = 960
const SKIPPED = 312

/** A silent file as long as a sound. */
export const encodeOpus = (
  { rate, channels, seconds }: { rate: number; channels: number; seconds: number },
  texts: Texts,
): Uint8Array => {
  const isMono = channels === 1
  const silence = Uint8Array.of(isMono ? 0xf8 : 0xfc, 0xff, 0xfe)
  const samples = SKIPPED + Math.round(seconds * RATE)
  const count = Math.ceil(samples / PACKET)
  const head = concat([
    latin1('OpusHead'),
    Uint8Array.of(1, isMono ? 1 : 2),
    little(SKIPPED, 2),
    little(rate, 4),
    new Uint8Array(3),
  ])
  const pages = createPages()
  pages.add([head], 0)
  pages.add([concat([latin1('OpusTags'), commentsOf(texts)])], 0)
  for (let from = 0; from < count; from += A_SECOND) {
    const packets = Math.min(A_SECOND, count - from)
    const position = Math.min((from + packets) * PACKET, samples)
    pages.add(
      Array.from({ length: packets }, () => silence),
      position,
    )
  }
  return pages.end()
}

/** Packets of a page. */
const A_SECOND = 50

const PAGE_CHECK = { bits: 32, polynomial: 0x04c11db7 } as const
const CHECK_AT = 22
const GOES_ON = 1
const FIRST = 2
const LAST = 4
/** A page has this many parts of a packet at most, of this many bytes; a shorter one ends the packet. */
const MOST_PARTS = 255
const PART = 255
/** The position of a page in which no packet ends. */
const NO_END = Uint8Array.from({ length: 8 }, () => 255)

type Page = {
  readonly position: Uint8Array
  readonly sizes: readonly number[]
  readonly content: Uint8Array
  readonly goesOn: boolean
}

/** Collects packets into pages. A long packet goes on in the next ones. */
function createPages() {
  const pages: Page[] = []
  const add = (packets: readonly Uint8Array[], samples: number): void => {
    const sizes = packets.flatMap(({ length }) => [
      ...Array.from({ length: Math.floor(length / PART) }, () => PART),
      length % PART,
    ])
    const content = concat(packets)
    for (let part = 0, at = 0; part < sizes.length; part += MOST_PARTS) {
      const own = sizes.slice(part, part + MOST_PARTS)
      const length = own.reduce((sum, size) => sum + size, 0)
      const isLast = part + MOST_PARTS >= sizes.length
      pages.push({
        position: isLast ? little(samples, 8) : NO_END,
        sizes: own,
        content: content.subarray(at, at + length),
        goesOn: part > 0,
      })
      at += length
    }
  }
  const end = (): Uint8Array =>
    concat(
      pages.map(({ position, sizes, content, goesOn }, at) => {
        const flags =
          (goesOn ? GOES_ON : 0) | (at === 0 ? FIRST : 0) | (at === pages.length - 1 ? LAST : 0)
        const page = concat([
          latin1('OggS'),
          Uint8Array.of(0, flags),
          position,
          little(1, 4),
          little(at, 4),
          new Uint8Array(4),
          Uint8Array.of(sizes.length, ...sizes),
          content,
        ])
        page.set(little(checksum(page, PAGE_CHECK), 4), CHECK_AT)
        return page
      }),
    )
  return { add, end }
}
