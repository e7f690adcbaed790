// Detects repeated large texts, such as the whole catalogue: a journal contains each of them once.

/** The minimum length of such a text, in characters. */
export const MIN_REPEATED_LENGTH = 4096
/** How many of the latest texts, and how many characters in all, a file can refer to. */
const MAX_TEXTS = 16
const MAX_LENGTH = 16 * 2 ** 20

export type Repeats = {
  /** The number of the entry that contains the text; undefined if none does: from now on, this entry does. */
  readonly find: (text: string, entry: number) => number | undefined
}

export function createRepeats(): Repeats {
  const entries = new Map<string, number>()
  let length = 0
  const find = (text: string, entry: number): number | undefined => {
    if (text.length < MIN_REPEATED_LENGTH || text.length > MAX_LENGTH) return undefined
    const earlier = entries.get(text)
    // The text is now the latest one.
    entries.delete(text)
    entries.set(text, earlier ?? entry)
    if (earlier !== undefined) return earlier
    length += text.length
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_TEXTS && length <= MAX_LENGTH) break
      entries.delete(oldest)
      length -= oldest.length
    }
    return undefined
  }
  return { find }
}
