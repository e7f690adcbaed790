// Words that documents and comments avoid, because they made sentences hard to read: old-fashioned words, and verbs for
// people used for data. Without a list they come back, because every author copies the nearest sentence.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** The folders and files that the list applies to. */
const checked: readonly string[] = [
  'spec/',
  'emulator/',
  'suites/',
  'recordings/README.md',
  'README.md',
  '.github/',
]

/** Texts on the wire that the recorded transcripts contain: they stay as they are. */
const recorded: readonly string[] = [
  'and gives the same bytes on every run.',
  'and gives it as an output under the key text',
]

/** What is not written, and what to write instead. */
const words: readonly (readonly [unwanted: RegExp, instead: string])[] = [
  [/\b(tells?|told|untold|telling)\b/i, 'returns, reports, contains, states'],
  [/\b(hears?|heard)\b/i, 'receives'],
  [/(?<!\bthere )\b(is|are|was|were|be) no (?!longer\b)[a-z]/i, 'is not a, is not a valid'],
  [/\bthere (is|are|was) (none|not)\b/i, 'without one; does not exist'],
  [/\b(one's|of (its|his|their|our|my|your)) own\b/i, 'separate; name the thing'],
  [/\bwants?\b/i, 'requires'],
  [/\bas good( as)?\b/i, 'is treated as, works too'],
  [/\bmade-up\b/i, 'test (node types), synthetic'],
  [/\btwins?\b(?!')/i, 'alias, duplicate'],
  [/\b(the|webhook) receivers?\b/i, 'gateway'],
  [/ at once\b/i, 'immediately; at the same time'],
  [/\bask(s|ed)? for leave\b/i, 'permission'],
  [/\bgives\b(?! up)/i, 'returns'],
  [/\bbut for\b/i, 'except for'],
  [/\bwithout a word\b/i, 'silently; by default'],
  [/\b(brings?|brought) (it )?about\b/i, 'causes'],
  [/\blet in\b/i, 'has access'],
  [/\b(reckon|behold|whoso)/i, 'compute; see; whoever'],
  [/\bis answered [1-5]\d\d\b/i, 'returns, receives'],
]

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|md|py)$/.test(file) && !file.endsWith('words.test.ts'))
  .filter((file) => checked.some((place) => file.startsWith(place)) && existsSync(join(root, file)))

const withoutRecorded = (line: string): string =>
  recorded.reduce((text, one) => text.replace(one, ''), line)

/** Lines with such a word, each with its place and with what to write instead. */
const findings = (file: string): string[] =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, at) =>
      words
        .filter(([unwanted]) => unwanted.test(withoutRecorded(line)))
        .map(([, instead]) => `${file}:${at + 1}: ${line.trim()} (${instead})`),
    )

test('there are files to check', () => {
  expect(files).toEqual(expect.arrayContaining(['spec/PROTOCOL.md', 'README.md']))
  expect(files.length).toBeGreaterThan(500)
})

test.each(files)('%s avoids words that are hard to read', (file) => {
  expect(findings(file)).toEqual([])
})
