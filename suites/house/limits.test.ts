// Each limit is stated in the sentences of its rules, with its number.

import { expect, test } from 'vitest'
import { limits, rules } from '../../spec/index.ts'
import type { Limit } from '../../spec/limits.ts'
import type { Rule, Rules } from '../../spec/language.ts'
import { amount } from '../render/rules.ts'

const pairs = Object.entries<Limit>(limits).flatMap(([name, limit]) =>
  limit.rules.map((id) => [name, id, limit] as const),
)

test.each(pairs)('the limit %s is in the sentence of %s', (_, id, limit) => {
  const says = (rules as Rules)[id]?.says
  expect(` ${says}`).toContain(` ${amount(limit)}`)
})

test('each limit is a whole number and has a rule', () => {
  const wrong = Object.entries<Limit>(limits).filter(
    ([, { value, rules: ids }]) => !Number.isInteger(value) || value <= 0 || ids.length === 0,
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('a number of bytes in the sentence of a rule is always a limit', () => {
  const amounts = new Set(Object.values<Limit>(limits).map((limit) => amount(limit)))
  const sentences = Object.values<Rule>(rules).map(({ says }) => says)
  const numbers = sentences.flatMap((says) => says.match(/\b\d[\d,]* MiB\b/g) ?? [])
  expect(numbers.length).toBeGreaterThan(0)
  expect(numbers.filter((number) => !amounts.has(number))).toEqual([])
})
