// Messages of comparisons of long values name what differs, where, and what was expected.

import { describe, expect, test } from 'vitest'
import { expectSame } from '../../support/same.ts'

const lines = (...numbers: readonly number[]): string =>
  numbers.map((one) => `line ${one}`).join('\n')

const samples: readonly (readonly [string, unknown, unknown, ...string[]])[] = [
  ['a line', lines(1, 5, 3), lines(1, 2, 3), 'line 2', '  expected: line 2', '  received: line 5'],
  [
    'a new line',
    lines(1, 9, 2),
    lines(1, 2),
    'line 2',
    '  expected: (no such line)',
    '  received: line 9',
  ],
  [
    'a line that is gone',
    lines(1, 3),
    lines(1, 2, 3),
    'line 2',
    '  expected: line 2',
    '  received: (no such line)',
  ],
  [
    'a part of a long line',
    `${'a'.repeat(300)}b${'c'.repeat(300)}`,
    'a'.repeat(300),
    'column 301',
    `  expected: …${'a'.repeat(20)}`,
    `  received: …${'a'.repeat(20)}b${'c'.repeat(79)}…`,
  ],
  [
    'a member',
    { log: { entries: [{ status: 200 }] } },
    { log: { entries: [{ status: 201 }] } },
    '.log.entries[0].status',
    '  expected: 201',
    '  received: 200',
  ],
  ['a member that is missing', {}, { id: 'a' }, '.id', '  expected: "a"', '  received: nothing'],
  ['an item of another kind', [{}], [[]], '[0]', '  expected: []', '  received: {}'],
  [
    'a byte',
    { body: Uint8Array.of(1, 2) },
    { body: Uint8Array.of(1, 3, 4) },
    '.body byte 1',
    '  expected: 0304 of 3 bytes',
    '  received: 02 of 2 bytes',
  ],
]

describe('a comparison', () => {
  test.each(samples)('shows %s', (_, received, expected, ...shown) => {
    expect(() => expectSame('It', received, expected)).toThrow(
      new Error(['It differs:', ...shown].join('\n')),
    )
  })

  test.each(samples)('accepts the same without %s', (_, received) => {
    expectSame('It', structuredClone(received), received)
  })

  test('shows five differences, and counts the others', () => {
    const all = (of: number): object =>
      Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`a${at}`, of]))
    const message = /^It differs:\n\.a0\n(?:.*\n){13}  received: 1\nand 4 more$/
    expect(() => expectSame('It', all(1), all(2))).toThrow(message)
  })
})
