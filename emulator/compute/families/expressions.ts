// Texts and regular expressions: whether one matches, what it extracts, what replaces it.

import type { Json } from '../../lib/json.ts'
import { checkText, checkTextLength, type Family, type Inputs } from '../values/inputs.ts'
import { codesOf, type Match, search, searchAll } from '../../regex/search.ts'
import { parse } from '../../regex/parse.ts'
import { compile, type Pattern } from '../../regex/program.ts'
import { parseTemplate } from '../../regex/template.ts'
import { Raised, raise } from '../../lib/raised.ts'

/** Longer patterns exceed the simulated memory. */
const MOST_IN_PATTERN = 2 ** 17

const patternOf = ({ text, flag }: Inputs): Pattern =>
  compile(
    parse(shortEnough(text('regex_pattern')), {
      i: flag('case_insensitive', true),
      m: flag('multiline'),
      s: flag('dotall'),
      a: false,
    }),
  )

const shortEnough = (pattern: string): string =>
  pattern.length > MOST_IN_PATTERN ? raise('MemoryError', '') : pattern

/** What a function returns, or `otherwise` if the expression is invalid. */
function orInvalid<Result>(compute: () => Result, otherwise: Result): Result {
  try {
    return compute()
  } catch (error) {
    if (error instanceof Raised && error.type === 're.error') return otherwise
    throw error
  }
}

type Texts = {
  readonly codes: readonly number[]
  readonly between: (start: number, end: number) => string
  readonly groupOf: (match: Match, index: number) => string | null
}

const textsOf = (text: string): Texts => {
  const codes = codesOf(text)
  const characters = Array.from(text)
  const between = (start: number, end: number): string => characters.slice(start, end).join('')
  const groupOf = (match: Match, index: number): string | null => {
    const [start, end] = match[index] ?? raise('IndexError', 'no such group')
    return end < 0 ? null : between(start, end)
  }
  return { codes, between, groupOf }
}

const joined = (texts: readonly (string | null)[]): string => {
  const missing = texts.indexOf(null)
  if (missing >= 0)
    raise('TypeError', `sequence item ${missing}: expected str instance, NoneType found`)
  return texts.join('\n')
}

function extract(inputs: Inputs): Json {
  const { text, number } = inputs
  const pattern = patternOf(inputs)
  const { codes, groupOf } = textsOf(text('string'))
  const index = number('group_index', 1)
  const hasGroup = pattern.groups >= index
  switch (text('mode')) {
    case 'First Match': {
      const match = search(pattern, codes, 0, { steps: 0 })
      return match === undefined ? '' : groupOf(match, 0)
    }
    case 'All Matches': {
      const own = pattern.groups === 0 ? 0 : 1
      return joined(searchAll(pattern, codes).map((match) => groupOf(match, own) ?? ''))
    }
    case 'First Group': {
      const match = search(pattern, codes, 0, { steps: 0 })
      return match === undefined || !hasGroup ? '' : groupOf(match, index)
    }
    case 'All Groups': {
      const matches = searchAll(pattern, codes)
      if (pattern.groups === 0 || !hasGroup) return ''
      return joined(matches.map((match) => groupOf(match, index)))
    }
    default:
      return ''
  }
}

function replace(inputs: Inputs): readonly Json[] {
  const { text, number } = inputs
  const pattern = patternOf(inputs)
  const template = parseTemplate(text('replace'), pattern.tree)
  const { codes, between, groupOf } = textsOf(text('string'))
  const count = number('count')
  const matches = count < 0 ? [] : searchAll(pattern, codes, count === 0 ? Infinity : count)
  const parts: string[] = []
  let length = 0
  const add = (part: string): void => {
    length += part.length
    checkTextLength(Math.max(length, parts.push(part)))
  }
  let at = 0
  for (const match of matches) {
    const [start, end] = match[0] as readonly [number, number]
    add(between(at, start))
    const groups = new Map<number, string>()
    const group = (index: number): string => {
      const text = groups.get(index) ?? groupOf(match, index) ?? ''
      groups.set(index, text)
      return text
    }
    for (const part of template) add(typeof part === 'string' ? part : group(part))
    at = end
  }
  add(between(at, codes.length))
  return [parts.join('')]
}

const checkExtracted = (text: Json): Json => (typeof text === 'string' ? checkText(text) : text)

export const expressions: Family = {
  RegexExtract: (inputs) => [orInvalid(() => extract(inputs), '')].map(checkExtracted),
  RegexMatch: (inputs) => {
    const find = (): boolean =>
      search(patternOf(inputs), codesOf(inputs.text('string')), 0, { steps: 0 }) !== undefined
    return [orInvalid(find, false)]
  },
  RegexReplace: replace,
}
