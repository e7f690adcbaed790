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

/** One character in title case: a ligature has a capital only in front. */
export function toTitle(character: string): string {
  const own = special(character)
  if (own !== undefined) return own
  const [first = '', ...rest] = character.toUpperCase()
  return first + rest.map((one) => (/\p{L}/u.test(one) ? one.toLowerCase() : one)).join('')
}

/** What Python counts as a letter with case. */
const CASED = /[\p{Uppercase}\p{Lowercase}\p{Lt}]/u

export function titleCase(text: string): string {
  const lowered = Array.from(text, (one) => one.toLowerCase())
  const whole = Array.from(text.toLowerCase())
  let titled = ''
  let isInside = false
  for (const [at, character] of Array.from(text).entries()) {
    const lower = whole.length === lowered.length ? whole[at] : lowered[at]
    titled += isInside ? lower : toTitle(character)
    isInside = CASED.test(character)
  }
  return titled
}
