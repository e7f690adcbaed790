// Lists of files that are kept by hand name files that exist.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layers } from './layers.ts'

const root = join(import.meta.dirname, '../../..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')

/** The places where neither a file is, nor a folder with files. */
const lacking = (places: readonly string[]): readonly string[] =>
  places.filter((place) => !files.some((file) => file === place || isIn(place, file)))
const isIn = (place: string, file: string): boolean => place.endsWith('/') && file.startsWith(place)

test('each layer has files', () => {
  expect(lacking(layers)).toEqual([])
})

/** Patterns that have one of the alternatives of a pattern each, such as `/a-b/` and `/a-c/` for `/a-(b|c)/`. */
function alternativesOf(pattern: string): readonly string[] {
  const [group, inside] = /\((?:\?:)?((?:[^()\\]|\\.)*\|(?:[^()\\]|\\.)*)\)/.exec(pattern) ?? []
  if (group === undefined || inside === undefined) return [pattern]
  const all = inside.split('|').flatMap((one) => alternativesOf(pattern.replace(group, () => one)))
  return [...new Set(all)]
}

test('a pattern has its alternatives', () => {
  const found = alternativesOf(String.raw`\/(a|b-(?:c|d)|e\w+)\.ts$`)
  expect(found.toSorted()).toEqual(
    ['a', 'b-c', 'b-d', 'e\\w+'].map((one) => String.raw`\/${one}\.ts$`),
  )
})

test('each alternative of the patterns for files in rolldown.config.ts matches a file', () => {
  const text = readFileSync(join(root, 'rolldown.config.ts'), 'utf8')
  const patterns = [...text.matchAll(/(?<=[ (])\/((?:[^/\\\n]|\\.)*\\\.ts\$)\//g)]
  const alternatives = patterns.flatMap(([, pattern = '']) => alternativesOf(pattern))
  expect(alternatives.length).toBeGreaterThan(20)
  const matchNone = alternatives.filter((one) => {
    const pattern = new RegExp(one.replace(/^\^/, '^\\/'))
    return !files.some((file) => pattern.test(`/${file}`))
  })
  expect(matchNone).toEqual([])
})
