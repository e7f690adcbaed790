// The changelog has an entry for the version of package.json, and a release does not begin without one.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { entryOf } from '../../release/changelog.mjs'
import { root } from '../../support/packed.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { readonly version: string }
const changelog = read('CHANGELOG.md')

test('house/changelog The version of package.json has an entry.', () => {
  expect(entryOf(changelog, version).date).toMatch(/^(unreleased|\d{4}-\d\d-\d\d)$/)
})

test('house/changelog Each version has one entry, and only the newest is unreleased.', () => {
  const titles = [...changelog.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title)
  const isDated = (title: string): boolean => /^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/.test(title)
  const [newest = '', ...others] = titles
  expect(isDated(newest) || /^\d+\.\d+\.\d+ - unreleased$/.test(newest), newest).toBe(true)
  expect(others.filter((title) => !isDated(title))).toEqual([])
  expect(new Set(titles.map((title) => title.split(' ')[0])).size).toBe(titles.length)
})

test.each([
  ['without an entry', '# Changelog\n', 'has 0 entries'],
  [
    'with two entries',
    '## 1.2.3 - unreleased\n\na\n\n## 1.2.3 - 2026-01-01\n\nb\n',
    'has 2 entries',
  ],
  ['with an empty entry', '## 1.2.3 - unreleased\n\n## 1.2.2 - 2026-01-01\n\nb\n', 'is empty'],
])('house/changelog A version %s cannot be released.', (_, text, message) => {
  expect(() => entryOf(text, '1.2.3')).toThrow(message)
})

test('house/changelog The notes of a release are the entry without its title.', () => {
  const text =
    '# Changelog\n\n## 1.2.3 - 2026-01-02\n\nOne.\n\n- Two.\n\n## 1.2.2 - 2026-01-01\n\nOld.\n'
  expect(entryOf(text, '1.2.3')).toEqual({ date: '2026-01-02', text: 'One.\n\n- Two.\n' })
})
