// Replaces many known texts in another one, in a time that does not grow with their number.

/** Replaces each occurrence of a known text. Those that overlap are replaced together. */
export type Replacer = (text: string) => string

/** How many characters find the known texts that can begin at a position. */
const KEY_CHARACTERS = 4

type Known = { readonly text: string; readonly by: string }

/** A number for the characters at a position. Others can have the same: it only finds candidates. */
const keyAt = (text: string, at: number): number =>
  (text.charCodeAt(at) & 255) |
  ((text.charCodeAt(at + 1) & 255) << 8) |
  ((text.charCodeAt(at + 2) & 255) << 16) |
  ((text.charCodeAt(at + 3) & 255) << 24)

/** @param pairs known texts, of four characters at least, and what replaces each. */
export function createReplacer(pairs: Iterable<readonly [text: string, by: string]>): Replacer {
  /** By their first characters. */
  const known = new Map<number, Known[]>()
  for (const [text, by] of pairs) {
    const key = keyAt(text, 0)
    const same = known.get(key)
    if (same === undefined) known.set(key, [{ text, by }])
    else {
      same.push({ text, by })
      // The longest one first: a shorter one can be its beginning.
      same.sort((a, b) => b.text.length - a.text.length)
    }
  }
  const foundAt = (text: string, at: number): Known | undefined =>
    known.get(keyAt(text, at))?.find((one) => text.startsWith(one.text, at))
  return (text) => {
    let replaced = ''
    let from = 0
    for (let at = 0; at + KEY_CHARACTERS <= text.length; at++) {
      const found = foundAt(text, at)
      if (found === undefined) continue
      let end = at + found.text.length
      // No end of one that begins within stays.
      for (let inner = at + 1; inner < end; inner++)
        end = Math.max(end, inner + (foundAt(text, inner)?.text.length ?? 0))
      replaced += text.slice(from, at) + found.by
      from = end
      at = end - 1
    }
    return from === 0 ? text : replaced + text.slice(from)
  }
}
