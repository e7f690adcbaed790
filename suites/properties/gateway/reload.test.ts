// The subscriptions file of thousands of routes: what is read of a changed one, and the redaction of as many secrets.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReplacer, readSubscriptionsText } from '../../../dist/emulator/internal.js'
import { runs } from '../../support/effort.ts'

/** A member of the file as text. Files are long enough that only their changes are read. */
const member = (name: string, prompt: string): string =>
  `${JSON.stringify(name)}: {"secret": "of-${name}", "prompt": "${prompt}", "events": ["a", "b"]}`
const LENGTH = 4000
const COUNT = 40
const names = Array.from({ length: COUNT }, (_, at) => `route-${at}`)
const base = names.map((name) => member(name, name.padEnd(LENGTH, 'x')))
const fileOf = (members: readonly string[]): string => `{\n  ${members.join(',\n  ')}\n}\n`

/** What a file contains, read in another way; undefined if it is not a JSON object of objects. */
function expected(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    const isFile =
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => one instanceof Object && !Array.isArray(one))
    return isFile ? JSON.stringify(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

/** The same of what the gateway has read. */
const found = (text: string): string | undefined => {
  const read = readSubscriptionsText(text)
  return read && JSON.stringify([...read].map(([name, route]) => [name, Object.fromEntries(route)]))
}

const at = fc.nat(COUNT)
const count = fc.nat(3)
const newMembers = fc.array(
  fc.tuple(fc.constantFrom('new', '', 'route-3', 'route-20', 'é☃'), fc.constantFrom('x', 'y {a}')),
  { maxLength: 3 },
)
const sign = fc.constantFrom('', ' ', ',', '}', '{', '"', ':', '\\', 'null', '[', '/**/', '\n', 'é')

/** A change of a text that is a file, or of one that is not. */
const change: fc.Arbitrary<(text: string) => string> = fc.oneof(
  // Members are replaced, added and removed.
  fc.tuple(at, count, newMembers).map(
    ([from, most, added]) =>
      () =>
        fileOf(base.toSpliced(from, most, ...added.map(([name, prompt]) => member(name, prompt)))),
  ),
  fc.tuple(at, at).map(
    ([one, other]) =>
      () =>
        fileOf(base.toSpliced(one, 1).toSpliced(other, 0, base[one] ?? member('z', ''))),
  ),
  // Something happens at any place.
  fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(5), sign)
    .map(([part, most, inserted]) => (text: string) => {
      const from = Math.floor(part * text.length)
      return text.slice(0, from) + inserted + text.slice(from + most)
    }),
  // The same near the beginning and the end of a member.
  fc
    .tuple(at, fc.integer({ min: -4, max: 4 }), fc.nat(4), sign)
    .map(([which, by, most, inserted]) => (text: string) => {
      const from = Math.max(0, text.indexOf(`"route-${which}"`) + by)
      return text.slice(0, from) + inserted + text.slice(from + most)
    }),
  fc.constantFrom(
    (text: string) => `\uFEFF${text}`,
    (text: string) => `${text} `,
    (text: string) => text.replaceAll('\n', '\r\n'),
    () => '{}',
    () => fileOf(base.toReversed()),
    () => fileOf(base),
  ),
)

test('a changed subscriptions file is read like a new one, whatever has changed', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      let text = fileOf(base)
      expect(found(text)).toBe(expected(text))
      for (const one of changes) {
        text = one(text)
        expect(found(text)).toBe(expected(text))
        // From a text that is not a file one goes back, as a gateway does.
        if (expected(text) === undefined) text = fileOf(base)
      }
    }),
    { numRuns: runs(200) },
  )
})

test('of a changed subscriptions file only the routes are read that have changed', () => {
  const before = readSubscriptionsText(fileOf(base))
  const [first, , third, ...others] = base as [string, string, string, ...string[]]
  const after = readSubscriptionsText(fileOf([first, member('new', ''), third, ...others]))
  expect([...(after ?? [])].map(([name]) => name)).toEqual(names.with(1, 'new'))
  const changed = [...(after ?? [])].filter(([name, route]) => before?.get(name) !== route)
  expect(changed.map(([name]) => name)).toEqual(['new'])
})

test('each known text is replaced, and nothing of those that overlap stays', () => {
  const letter = fc.constantFrom('a', 'b', 'c', '\u0161')
  const word = fc.array(letter, { minLength: 4, maxLength: 9 }).map((letters) => letters.join(''))
  const words = fc.array(word, { maxLength: 8 })
  const text = fc.array(fc.oneof(letter, fc.constantFrom(' ', '|')), { maxLength: 60 })
  fc.assert(
    fc.property(words, text, (known, letters) => {
      const whole = letters.join('')
      const isHidden = Array.from(whole, () => false)
      for (const one of known)
        for (let from = whole.indexOf(one); from >= 0; from = whole.indexOf(one, from + 1))
          isHidden.fill(true, from, from + one.length)
      const replaced = createReplacer(known.map((one) => [one, '#']))(whole)
      const shown = Array.from(whole, (one, place) => (isHidden[place] ? '#' : one)).join('')
      expect(replaced.replaceAll(/#+/g, '#')).toBe(shown.replaceAll(/#+/g, '#'))
    }),
    { numRuns: runs(2000) },
  )
})
