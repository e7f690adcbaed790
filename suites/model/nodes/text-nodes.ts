// The model of nodes for texts and primitive values.

import { type Inputs, type Op, type Ops, unpredicted } from './values.ts'

/** A character that begins a word, in title case: only its first letter is a capital. */
const capital = (character: string): string => {
  const [first = '', ...rest] = Array.from(character.toUpperCase())
  return first + rest.join('').toLowerCase()
}

const hasCase = (character: string): boolean => character.toLowerCase() !== character.toUpperCase()

/** Each run of letters begins with a capital, also behind an apostrophe. */
export function titled(
  text: string,
  begins = (before: string): boolean => !hasCase(before),
): string {
  let before = ' '
  let result = ''
  for (const character of text) {
    result += begins(before) ? capital(character) : character.toLowerCase()
    before = character
  }
  return result
}

function capitalised(text: string): string {
  const [first = '', ...rest] = Array.from(text)
  return capital(first) + rest.join('').toLowerCase()
}

const caseOf: Readonly<Record<string, (text: string) => string>> = {
  UPPERCASE: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  Capitalize: capitalised,
  'Title Case': (text) => titled(text),
}

const trimOf: Readonly<Record<string, (text: string) => string>> = {
  Both: (text) => text.trim(),
  Left: (text) => text.trimStart(),
  Right: (text) => text.trimEnd(),
}

/** Two texts, in lower case if that does not matter. */
const pair = ({ text, flag }: Inputs, a: string, b: string): readonly [string, string] =>
  flag('case_sensitive') ? [text(a), text(b)] : [text(a).toLowerCase(), text(b).toLowerCase()]

const compared: Op = (inputs) => {
  const [a, b] = pair(inputs, 'string_a', 'string_b')
  switch (inputs.text('mode')) {
    case 'Starts With':
      return [a.startsWith(b)]
    case 'Ends With':
      return [a.endsWith(b)]
    case 'Equal':
      return [a === b]
    default:
      return unpredicted()
  }
}

const replaced: Op = ({ text }) => {
  const [string, find] = [text('string'), text('find')]
  // An empty text is found before, between and behind all characters.
  const parts = find === '' ? ['', ...Array.from(string), ''] : string.split(find)
  return [parts.join(text('replace'))]
}

export const textNodes: Ops = {
  PrimitiveString: ({ text }) => [text('value')],
  PrimitiveStringMultiline: ({ text }) => [text('value')],
  PrimitiveInt: ({ number }) => [number('value')],
  PrimitiveFloat: ({ number }) => [{ kind: 'float', value: number('value') }],
  PrimitiveBoolean: ({ flag }) => [flag('value')],
  StringConcatenate: ({ text }) => [text('string_a') + text('delimiter') + text('string_b')],
  StringSubstring: ({ text, number }) => {
    const characters = Array.from(text('string'))
    return [characters.slice(number('start'), number('end')).join('')]
  },
  StringLength: ({ text }) => [Array.from(text('string')).length],
  CaseConverter: ({ text }) => [(caseOf[text('mode')] ?? unpredicted())(text('string'))],
  StringTrim: ({ text }) => [(trimOf[text('mode')] ?? unpredicted())(text('string'))],
  StringReplace: replaced,
  StringContains: (inputs) => {
    const [string, substring] = pair(inputs, 'string', 'substring')
    return [string.includes(substring)]
  },
  StringCompare: compared,
}
