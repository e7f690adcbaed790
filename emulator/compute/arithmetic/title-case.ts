// Python's title case: the first letter of each run of letters in title case, the others in lower case.

// By their codes: a character beyond Latin-1 would make the whole bundle take twice the memory.

/** Letters that are two in one, by the form with a capital in front; the others stand beside it. */
const doubled = [0x1c5, 0x1c8, 0x1cb, 0x1f2]

/** The small n behind an apostrophe, whose capital is two characters. */
const APOSTROPHE_N = 0x149

/** Title case that is neither upper case nor the first of it in upper case; undefined for other characters. */
function special(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code === APOSTROPHE_N) return `${String.fromCodePoint(0x2bc)}N`
  const title = doubled.find((one) => Math.abs(one - code) <= 1)
  return title === undefined ? undefined : String.fromCodePoint(title)
}

const IOTA_BELOW = String.fromCodePoint(0x345)

/** Letters that have capitals, but not in title case. */
const GEORGIAN = /[\u10d0-\u10ff]/

/** Letters whose cases are younger than the version of Unicode that the real server knows, 14. */
const LATER =
  /[\u019b\u0264\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2-\ua7d5\ua7da-\ua7dc\u{10d50}-\u{10d85}\u{16ea0}-\u{16ed3}]/u

/** A text without younger letters as it is, others in parts. */
const known = (text: string, change: (part: string) => string): string =>
  LATER.test(text)
    ? text.replaceAll(new RegExp(`[^${LATER.source.slice(1)}+`, 'gu'), change)
    : change(text)

export const upper = (text: string): string => known(text, (part) => part.toUpperCase())
export const lower = (text: string): string => known(text, (part) => part.toLowerCase())

/** One character in title case: a ligature has a capital only in front. */
export function toTitle(character: string): string {
  const own = special(character)
  if (own !== undefined) return own
  if (GEORGIAN.test(character)) return character
  const [first = '', ...rest] = upper(character)
  // A small iota below a Greek letter stays there.
  if (rest.length > 0 && character.normalize('NFD').includes(IOTA_BELOW)) {
    const titled = first + rest.slice(0, -1).join('') + IOTA_BELOW
    return rest.length === 1 ? titled.normalize('NFC') : titled
  }
  return first + rest.map((one) => (/\p{L}/u.test(one) ? one.toLowerCase() : one)).join('')
}

/** What Python counts as a letter with case. */
const CASED = /(?![\u10fc\ua7f2-\ua7f4\uab69])[\p{Uppercase}\p{Lowercase}\p{Lt}\u0295]/u

/** The only letter whose lower case is two characters. */
const DOTTED_I = String.fromCodePoint(0x130)

/** Each character in lower case: a sigma is another one at the end of a word. */
export function lowersOf(text: string): readonly string[] {
  const inPlace = Array.from(lower(text.replaceAll(DOTTED_I, 'I')))
  return Array.from(text, (one, at) =>
    one === DOTTED_I ? one.toLowerCase() : (inPlace[at] as string),
  )
}

export function titleCase(text: string): string {
  const lowers = lowersOf(text)
  let titled = ''
  let isInside = false
  for (const [at, character] of Array.from(text).entries()) {
    titled += isInside ? lowers[at] : toTitle(character)
    isInside = CASED.test(character)
  }
  return titled
}
