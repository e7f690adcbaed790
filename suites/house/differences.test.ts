// Each difference between description and real servers is settled by an existing rule, and each quirk belongs to one.

import { describe, expect, test } from 'vitest'
import type { Difference } from '../../spec/truth/differences/difference.ts'
import {
  errors,
  gatewayDifferences,
  gatewayRefusals,
  gatewaySilences,
  hostedDifferences,
  localDifferences,
  quirks,
  rules,
  silences,
} from '../../spec/index.ts'
import type { Place, Quirk, Rule } from '../../spec/language.ts'

type Row = Omit<Difference, 'stated'> & { readonly stated?: string }
const tables: readonly (readonly [Place, readonly Row[]])[] = [
  ['local', localDifferences],
  ['local', silences],
  ['hosted', hostedDifferences],
  ['gateway', gatewayDifferences],
  ['gateway', gatewaySilences],
]
const rows = tables.flatMap(([on, all]) => all.map((row) => [row.topic, on, row] as const))
const everyQuirk: Readonly<Record<string, Quirk>> = quirks
const everyRule: Readonly<Record<string, Rule>> = rules

describe.each(rows)('%s (%s)', (_, on, { rules: ruleIds, quirks: quirkIds = [], ...row }) => {
  test('cites rules, quirks and refusals that exist, each once', () => {
    const cited: [ids: readonly string[], known: object][] = [
      [ruleIds, rules],
      [quirkIds, quirks],
      [row.refusals ?? [], errors.refusals],
      [row.hostedRefusals ?? [], errors.hostedRefusals],
      [row.gatewayRefusals ?? [], gatewayRefusals],
    ]
    for (const [ids, known] of cited) {
      expect(ids.filter((id) => !Object.hasOwn(known, id))).toEqual([])
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    }
  })

  test('is settled by a rule of its deployment', () => {
    expect(ruleIds.filter((id) => everyRule[id]?.on.includes(on))).not.toEqual([])
    expect(quirkIds.filter((id) => !everyQuirk[id]?.on.includes(on))).toEqual([])
  })

  test('has a text in each column', () => {
    const texts = [row.topic, row.stated ?? '-', row.real, row.ours]
    expect(texts.filter((text) => text.trim() === '' || text.endsWith('.'))).toEqual([])
  })
})

test('each topic of a table occurs in it once', () => {
  for (const [, all] of tables) {
    const topics = all.map(({ topic }) => topic)
    expect(topics.filter((topic, at) => topics.indexOf(topic) !== at)).toEqual([])
  }
})

test.each(Object.entries(everyQuirk))('the quirk %s belongs to a difference', (id, { on }) => {
  const answered = rows.filter(([, , row]) => row.quirks?.some((one) => one === id))
  expect([...new Set(answered.map(([, where]) => where))].toSorted()).toEqual([...on].toSorted())
})
