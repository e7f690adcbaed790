// A suite never runs on an old build: what changed after it is found, whether it was changed, added or deleted.

import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changedSince } from '../../fresh-build.ts'
import { folder } from '../../support/folder.ts'

/** A project with a bundle of time 100 and sources of time 50. */
function project(): string {
  const root = folder()
  for (const part of ['dist/bundle', 'emulator/lib', 'spec', 'suites'])
    mkdirSync(join(root, part), { recursive: true })
  for (const file of ['emulator/lib/a.ts', 'emulator/lib/b.ts', 'spec/openapi.json'])
    writeFileSync(join(root, file), '')
  for (const path of [
    'emulator',
    'emulator/lib',
    'emulator/lib/a.ts',
    'emulator/lib/b.ts',
    'spec',
    'suites',
  ])
    utimesSync(join(root, path), 50, 50)
  writeFileSync(join(root, 'dist/bundle/main.cjs'), '')
  utimesSync(join(root, 'dist/bundle/main.cjs'), 100, 100)
  return root
}

test('a build newer than its sources is current, whatever the generated documents are', () => {
  expect(changedSince(project())).toBeUndefined()
})

test('a changed source makes a build old', () => {
  const root = project()
  utimesSync(join(root, 'emulator/lib/a.ts'), 101, 101)
  expect(changedSince(root)).toBe('emulator/lib/a.ts')
})

test('so does data of the cases, which is part of the bundle', () => {
  const root = project()
  writeFileSync(join(root, 'suites/selected.json'), '')
  utimesSync(join(root, 'suites'), 50, 50)
  expect(changedSince(root)).toBe('suites/selected.json')
})

test('a deleted source makes a build old', () => {
  const root = project()
  rmSync(join(root, 'emulator/lib/a.ts'))
  expect(changedSince(root)).toBe('emulator/lib')
})

test('a project without a build has none that is current', () => {
  const root = project()
  rmSync(join(root, 'dist/bundle/main.cjs'))
  expect(changedSince(root)).toBe('emulator')
})
