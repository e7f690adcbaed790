// Where the body of a request or an answer ends: by its length, its chunks, or the end of the connection.

/** How a body is framed. */
export type Framing = { readonly length: number } | 'chunked' | 'to the end'

/** What some bytes hold of a body. */
export type BodyPart = {
  /** The bytes of the body among them, without the framing. */
  readonly body: readonly Uint8Array[]
  /** What follows the body; undefined as long as it has not ended. */
  readonly rest?: Buffer
}

/** Reads a body piece by piece. Throws if it is not framed as it has to be. */
export type BodyReader = (bytes: Buffer) => BodyPart

export const bodyReader = (framing: Framing): BodyReader =>
  framing === 'chunked'
    ? chunkReader()
    : framing === 'to the end'
      ? (bytes) => ({ body: [bytes] })
      : lengthReader(framing.length)

function lengthReader(length: number): BodyReader {
  let left = length
  return (bytes) => {
    const body = bytes.subarray(0, left)
    left -= body.length
    return { body: [body], ...(left === 0 && { rest: bytes.subarray(body.length) }) }
  }
}

/** The longest line between chunks, in bytes. */
const MAX_LINE = 16_384

function chunkReader(): BodyReader {
  /** The beginning of a line whose end is not here. */
  let kept: Buffer = Buffer.alloc(0)
  /** How many bytes of the chunk are missing, with the line end behind it. */
  let left = 0
  let isTrailer = false
  return (bytes) => {
    const body: Uint8Array[] = []
    let rest = Buffer.concat([kept, bytes])
    kept = Buffer.alloc(0)
    while (rest.length > 0) {
      if (left > 0) {
        const taken = rest.subarray(0, left)
        // The last two bytes end the line.
        const content = taken.subarray(0, Math.max(0, Math.min(taken.length, left - 2)))
        if (content.length > 0) body.push(content)
        const ending = taken.subarray(content.length).toString('latin1')
        if (!(left <= 2 ? '\r\n'.endsWith(ending) : '\r\n'.startsWith(ending)))
          throw new Error('A chunk is longer than it says.')
        left -= taken.length
        rest = rest.subarray(taken.length)
        continue
      }
      const end = rest.indexOf('\r\n')
      if (end < 0) {
        if (rest.length > MAX_LINE || (!isTrailer && !/^[\da-f]*(;.*)?\r?$/i.test(text(rest))))
          throw new Error('A chunk has no length.')
        kept = rest
        break
      }
      const line = text(rest.subarray(0, end))
      rest = rest.subarray(end + 2)
      if (isTrailer && line === '') return { body, rest }
      if (isTrailer) continue
      const size = /^([\da-f]{1,12})(?:;.*)?$/i.exec(line)?.[1]
      if (size === undefined) throw new Error('A chunk has no length.')
      isTrailer = Number.parseInt(size, 16) === 0
      left = isTrailer ? 0 : Number.parseInt(size, 16) + 2
    }
    return { body }
  }
}

const text = (bytes: Buffer): string => bytes.toString('latin1')
