// The selection of recorded lines that `check` submits.

import { expect, test } from 'vitest'
import { readLines } from './lines.ts'
import { select } from './select.ts'

const selection = select(readLines())

test('the selection has lines of each family, of many types', () => {
  expect(selection.length).toBeGreaterThan(150)
  expect(selection.length).toBeLessThan(250)
  expect(new Set(selection.map(({ family }) => family)).size).toBe(8)
  expect(new Set(selection.map(({ class_type }) => class_type)).size).toBeGreaterThan(70)
})
