// Sets of characters in a regular expression: `[a-z\d]`.

import { codedEscape, itself, octalEscape } from './escapes.ts'
import { DIGITS, lengthOfText, OCTAL, type Reader } from './reader.ts'
import type { CharacterClass, CharacterSet } from './tree.ts'

type Item = { readonly code: number } | { readonly class: CharacterClass }

/** Parses a set after its opening bracket. */
export function parseSet(reader: Reader): CharacterSet {
  const start = reader.at - 1
  const isNegated = reader.takeIf('^')
  const ranges: [number, number][] = []
  const classes: CharacterClass[] = []
  const add = (item: Item): void => {
    if ('class' in item) classes.push(item.class)
    else ranges.push([item.code, item.code])
  }
  const take = (): string =>
    reader.isDone ? reader.fail('unterminated character set', reader.at - start) : reader.take()
  for (;;) {
    const one = take()
    if (one === ']' && ranges.length + classes.length > 0) break
    const from = itemOf(reader, one)
    if (!reader.takeIf('-')) {
      add(from)
      continue
    }
    const other = take()
    if (other === ']') {
      add(from)
      add({ code: 0x2d })
      break
    }
    const to = itemOf(reader, other)
    if ('class' in from || 'class' in to || to.code < from.code)
      return reader.fail(
        `bad character range ${one}-${other}`,
        lengthOfText(one) + 1 + lengthOfText(other),
      )
    ranges.push([from.code, to.code])
  }
  return { isNegated, ranges, classes }
}

function itemOf(reader: Reader, token: string): Item {
  if (!token.startsWith('\\')) return { code: token.codePointAt(0) as number }
  const letter = token.slice(1)
  if ('dDwWsS'.includes(letter)) return { class: letter as CharacterClass }
  const coded = codedEscape(reader, token)
  if (coded !== undefined) return { code: coded }
  if (OCTAL.includes(letter)) return { code: octalEscape(reader, token) }
  if (DIGITS.includes(letter)) reader.fail(`bad escape ${token}`, 2)
  return { code: itself(reader, token) }
}
