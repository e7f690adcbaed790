// Python's title case: the first letter of each run of letters in title case, the others in lower case.

/** Characters whose title case is neither their upper case nor the first of it in upper case. */
const special: Readonly<Record<string, string>> = {
  ǆ: 'ǅ',
  Ǆ: 'ǅ',
  ǅ: 'ǅ',
  ǉ: 'ǈ',
  Ǉ: 'ǈ',
  ǈ: 'ǈ',
  ǌ: 'ǋ',
  Ǌ: 'ǋ',
  ǋ: 'ǋ',
  ǳ: 'ǲ',
  Ǳ: 'ǲ',
  ǲ: 'ǲ',
  ŉ: 'ʼN',
}

/** One character in title case: a ligature has a capital only in front. */
export function toTitle(character: string): string {
  const own = special[character]
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
