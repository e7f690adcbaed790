// The selection of recorded lines that `check` submits: selected.json is generated from the recording.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLines } from './lines.ts'
import { select } from './select.ts'

const selection = select(readLines())

test('selected.json is the selection of the recording; -u writes it', async () => {
  const text = `[\n${selection.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'selected.json'))
})

test('the selection has lines of each family, of many types', () => {
  expect(selection.length).toBeGreaterThan(150)
  expect(selection.length).toBeLessThan(250)
  expect(new Set(selection.map(({ family }) => family)).size).toBe(8)
  expect(new Set(selection.map(({ class_type }) => class_type)).size).toBeGreaterThan(70)
})
