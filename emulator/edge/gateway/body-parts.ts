// Collects the chunks of a body. Small ones are copied together: a sender that sends byte by byte takes no more memory.

/** A smaller chunk costs more memory by itself than as a part of a block. */
const SMALL = 4096
const BLOCK_BYTES = 16 * 2 ** 10

export type BodyParts = {
  readonly add: (chunk: Buffer) => void
  /** How much memory they take, in bytes. */
  readonly heldBytes: () => number
  readonly whole: () => Buffer
  readonly drop: () => void
}

export function createBodyParts(): BodyParts {
  const parts: Buffer[] = []
  let held = 0
  /** What takes small chunks, and how much of it is used; null without any. */
  let block: Buffer | null = null
  let used = 0
  /** Where the part begins to which small chunks are added; null if the last part is not in the block. */
  let from: number | null = null
  const addSmall = (chunk: Buffer): void => {
    if (block === null || used + chunk.length > BLOCK_BYTES) {
      block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      held += BLOCK_BYTES
      used = 0
      from = null
    }
    chunk.copy(block, used)
    if (from === null) {
      from = used
      parts.push(block)
    }
    used += chunk.length
    parts[parts.length - 1] = block.subarray(from, used)
  }
  return {
    add: (chunk) => {
      // The first one is usually all of the body.
      if (parts.length > 0 && chunk.length < SMALL) return addSmall(chunk)
      parts.push(chunk)
      held += chunk.length
      from = null
    },
    heldBytes: () => held,
    whole: () => (parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)),
    drop: () => {
      parts.length = 0
      block = null
      held = 0
    },
  }
}
