// Texts: cases, parts, comparisons, replacements. Python counts characters, not UTF-16 units.

import { type Json } from '../../lib/json.ts'
import { trimBoth, trimEnd, trimStart } from '../../lib/python.ts'
import { checkText, checkTextLength, type Family, type Inputs } from '../values/inputs.ts'
import { lower, lowersOf, titleCase, toTitle, upper } from '../arithmetic/title-case.ts'

/** A text as a result. */
const textOf = (text: string): readonly [Json] => [checkText(text)]

const capitalise = (text: string): string => {
  const [first = ''] = text
  return toTitle(first) + lowersOf(text).slice(1).join('')
}

const cases: Readonly<Record<string, (text: string) => string>> = {
  UPPERCASE: upper,
  lowercase: lower,
  Capitalize: capitalise,
  'Title Case': titleCase,
}

const trims: Readonly<Record<string, (text: string) => string>> = {
  Both: trimBoth,
  Left: trimStart,
  Right: trimEnd,
}

const comparisons: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  Equal: (a, b) => a === b,
  'Starts With': (a, b) => a.startsWith(b),
  'Ends With': (a, b) => a.endsWith(b),
}

const ownOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const compare = ({ text, flag }: Inputs): readonly [Json] => {
  const [a, b] = [text('string_a'), text('string_b')].map((one) =>
    flag('case_sensitive', true) ? one : lower(one),
  ) as [string, string]
  const holds = ownOf(comparisons, text('mode', 'Starts With'))
  return [holds === undefined ? null : holds(a, b)]
}

/** Python's slice, of characters. */
const substring = ({ text, number }: Inputs): readonly [Json] => {
  const characters = Array.from(text('string'))
  return [characters.slice(number('start'), number('end')).join('')]
}

function replaceAll(text: string, find: string, by: string): string {
  const parts = find === '' ? ['', ...Array.from(text), ''] : text.split(find)
  checkTextLength(text.length + (parts.length - 1) * by.length)
  return parts.join(by)
}

export const texts: Family = {
  CaseConverter: ({ text }) => {
    const change = ownOf(cases, text('mode'))
    return textOf(change === undefined ? text('string') : change(text('string')))
  },
  StringCompare: compare,
  StringConcatenate: ({ text }) =>
    textOf([text('string_a'), text('string_b')].join(text('delimiter'))),
  StringContains: ({ text, flag }) => {
    const [whole, part] = [text('string'), text('substring')]
    if (flag('case_sensitive', true)) return [whole.includes(part)]
    return [lower(whole).includes(lower(part))]
  },
  StringLength: ({ text }) => [Array.from(text('string')).length],
  StringReplace: ({ text }) => textOf(replaceAll(text('string'), text('find'), text('replace'))),
  StringSubstring: substring,
  StringTrim: ({ text }) => {
    const trim = ownOf(trims, text('mode'))
    return textOf(trim === undefined ? text('string') : trim(text('string')))
  },
}
