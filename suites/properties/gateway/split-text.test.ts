// Whatever a text contains, its parts are short enough, and together say the same, with their code in fences.

import { array, assert, constantFrom, integer, oneof, property, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { splitText } from '../../../dist/emulator/internal.js'
import { runs } from '../../support/effort.ts'

type Reading = {
  /** Its characters, without blanks and fences, each line after the language of the code that it is in. */
  readonly characters: string
  readonly isOpen: boolean
}

/** Reads a text as a platform does: a line of marks begins code or ends it. */
function read(text: string): Reading {
  const pieces: string[] = []
  let open: { readonly marks: string; readonly language: string } | null = null
  for (const line of text.split('\n')) {
    const [, marks = '', info = ''] = /^ {0,3}(`{3,8}|~{3,8})(?!`|~)\s*(.*?)\s*$/.exec(line) ?? []
    const isMarks = marks !== '' && line.length <= 100
    const opens = isMarks && open === null && !(marks.startsWith('`') && info.includes('`'))
    const closes = isMarks && open !== null && info === '' && marks.startsWith(open.marks)
    if (opens) open = { marks, language: info.split(/\s/)[0] ?? '' }
    else if (closes) open = null
    else pieces.push(inCode(line.replaceAll(/\s/g, ''), open?.language))
  }
  return { characters: pieces.join(''), isOpen: open !== null }
}

/** The characters of a line that is in code, marked as such: a line can be cut anywhere. */
const inCode = (line: string, language: string | undefined): string =>
  language === undefined
    ? line
    : Array.from(line, (one) => `${one}\u0000${language}\u0000`).join('')

/** Half of a character. */
const half = /\p{Surrogate}/u

const word = oneof(
  string({ minLength: 1, maxLength: 12 }),
  string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  constantFrom('a', '```', '``', '~~~', '````', '`code`', '\t', ' '),
  integer({ min: 1, max: 700 }).map((length) => 'x'.repeat(length)),
  integer({ min: 1, max: 300 }).map((length) => '😀'.repeat(length)),
)
const line = array(word, { maxLength: 40 }).map((words) => words.join(' '))
const fence = tuple(constantFrom('```', '````', '~~~'), constantFrom('', 'ts', 'python title="x"'))
const code = tuple(fence, array(line, { maxLength: 6 })).map(([[marks, info], lines]) =>
  [marks + info, ...lines, marks].join('\n'),
)
const block = oneof(
  line,
  code,
  constantFrom('', '\n\n\n', '```ts', '```', '~~~~', '    ```', '  ```js'),
)
const text = array(block, { minLength: 1, maxLength: 12 }).map((blocks) => blocks.join('\n'))

test('the parts of any text are short, and its characters stay in their order, in code or outside of it', () => {
  let several = 0
  assert(
    property(text, constantFrom(300, 400, 1000), (whole, most) => {
      const parts = splitText(whole, most)
      if (whole.length <= most) expect(parts).toEqual([whole])
      if (parts.length > 1) several++
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(most)
        expect(half.test(part)).toBe(half.test(whole))
      }
      if (whole.trim() === '') return
      for (const part of parts) expect(part.trim()).not.toBe('')
      const readings = parts.map(read)
      // Each part closes what it opens; the last one as the text does.
      expect(readings.slice(0, -1).filter(({ isOpen }) => isOpen)).toEqual([])
      const together = readings.map(({ characters }) => characters).join('')
      expect(together === read(whole).characters).toBe(true)
    }),
    { seed: 20261128, numRuns: runs(1000) },
  )
  expect(several).toBeGreaterThan(runs(1000) / 4)
})
