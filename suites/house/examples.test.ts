// Each function of the public entry point has one example, which runs as written.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as flowdouble from 'flowdouble'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const emulator = join(root, 'emulator')
const sources = readdirSync(emulator, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(emulator, file), 'utf8'))

/** The examples of the comment before an export, as code. */
function examplesOf(name: string): readonly string[] {
  const exported = new RegExp(
    `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport (?:async function|const|type) ${name}\\b`,
  )
  const [, comment = ''] = sources.map((text) => exported.exec(text)).find(Boolean) ?? []
  return comment
    .split(/^ \* @example\n/m)
    .slice(1)
    .map((text) => text.split(/^ \* @/m)[0]!.replaceAll(/^ \*(?: |$)/gm, ''))
}

/** Runs code as a module beside package.json, and returns its exit code and output. */
const run = (code: string): Promise<readonly [number | null, string]> =>
  new Promise((resolve) => {
    const args = ['--input-type=module', '--eval', code]
    const child = spawn(process.execPath, args, { cwd: root })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.on('close', (code) => resolve([code, said]))
  })

test.each([
  'startEmulator',
  'startGateway',
  'Emulator',
  'replay',
  'replayGateway',
  'createEmulator',
])('examples/runs The example of %s runs as it is written, and says nothing', async (name) => {
  const [example = '', ...others] = examplesOf(name)
  expect(others).toEqual([])
  expect(example).toContain(name)
  expect(example).toContain('assert')
  expect(await run(example)).toEqual([0, ''])
})

test('examples/public Every function of the public entry has an example', () => {
  const names = Object.keys(flowdouble).filter((name) => name !== 'default')
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => examplesOf(name).length !== 1)).toEqual([])
})
