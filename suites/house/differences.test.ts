// Each difference between description and real servers is settled by an existing rule, and each quirk belongs to one.

import { describe, expect, test } from 'vitest'
import { quirks, rules } from '../../spec/index.ts'
import type { Place, Quirk, Rule } from '../../spec/language.ts'
import { difference, differenceTables } from '../render/differences.ts'
import { tablesOf } from '../render/markdown.ts'

/** Where the tables hold, in their order. */
const places: readonly Place[] = ['local', 'local', 'hosted', 'gateway', 'gateway']
const rows = differenceTables.flatMap((all, at) =>
  all.map(({ texts: [topic = ''], carriers }) => {
    const named = (kind: string) => carriers.flatMap((one) => (one.kind === kind ? one.name : []))
    return { topic, on: places[at]!, rules: named(''), quirks: named('quirk') }
  }),
)
const everyQuirk: Readonly<Record<string, Quirk>> = quirks
const everyRule: Readonly<Record<string, Rule>> = rules

test.each(rows)('$topic ($on) is settled by a rule of its deployment', (row) => {
  expect(row.rules.filter((id) => everyRule[id]?.on.includes(row.on))).not.toEqual([])
  expect(row.quirks.filter((id) => !everyQuirk[id]?.on.includes(row.on))).toEqual([])
})

test('each topic of a table occurs in it once', () => {
  for (const all of differenceTables) {
    const topics = all.map(({ texts: [topic] }) => topic)
    expect(topics.filter((topic, at) => topics.indexOf(topic) !== at)).toEqual([])
  }
})

test.each(Object.entries(everyQuirk))('the quirk %s belongs to a difference', (id, { on }) => {
  const answered = rows.filter((row) => row.quirks.includes(id))
  expect([...new Set(answered.map((row) => row.on))].toSorted()).toEqual([...on].toSorted())
})

describe('a bad row', () => {
  const head = '| Topic | Real servers | This server | By |\n| --- | --- | --- | --- |'

  test.each([
    ['| a | b | queue/listing |', 'this row has 3 cells, and its table 4'],
    ['| a | b | c | queue/listing', 'a row begins with "| " and ends with "|"'],
    ['| a | b | c | queue/list |', '"queue/list" is not a rule, a quirk or a refusal'],
    [
      '| a | b | c | quirk queue/listing |',
      '"quirk queue/listing" is not a rule, a quirk or a refusal',
    ],
    ['| a | b | c | queue/listing, queue/listing |', '"queue/listing" occurs twice'],
    ['| a |  | c | queue/listing |', 'a cell is empty or ends in a full stop: ""'],
    ['| a | b. | c | queue/listing |', 'a cell is empty or ends in a full stop: "b."'],
  ])('%s', (row, says) => {
    const read = () => tablesOf('a.md', `# A\n\n${head}\n${row}`).flat().map(difference)
    expect(read).toThrow(`a.md:5: ${says}`)
  })
})
