// Large texts that come again and again, such as the whole catalogue: a journal keeps each of them once.

/** Texts of so many characters or more are kept once. */
export const MIN_REPEATED_LENGTH = 4096
/** A file names them as long as they are among so many that came last, of so many characters together. */
const MAX_TEXTS = 16
const MAX_LENGTH = 16 * 2 ** 20

export type Repeats = {
  /** The number of the entry that holds the text; undefined where none does, and from now on this one does. */
  readonly find: (text: string, entry: number) => number | undefined
}

export function createRepeats(): Repeats {
  const entries = new Map<string, number>()
  let length = 0
  const find = (text: string, entry: number): number | undefined => {
    if (text.length < MIN_REPEATED_LENGTH || text.length > MAX_LENGTH) return undefined
    const earlier = entries.get(text)
    // The text is now the one that came last.
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
