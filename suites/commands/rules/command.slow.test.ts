// The command `rules`, run as users run it: in this repository, and in the package without suites.

import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'vitest'
import type { rulesCommand as runHere } from '../../../dist/emulator/internal.js'
import type { Rule } from '../../../spec/language.ts'
import { rules } from '../../../spec/index.ts'
import { start } from '../../support/spawned.ts'
import { expect } from '../../judge/expect.ts'
import { folder } from '../../support/folder.ts'
import { commandRows, outputOf, refusals } from '../../support/in-process.ts'

const root = join(import.meta.dirname, '../../..')
const entries: [string, Rule][] = Object.entries(rules)

/** The command `rules` in this process; `place` is where it was built. */
async function rulesCommand(argv: readonly string[], cwd = root) {
  const path = join(cwd, 'dist', 'emulator', 'cli', 'rules.js')
  const command = (await import(path)) as { rulesCommand: typeof runHere }
  return outputOf(command.rulesCommand, argv, { cwd })
}

const command = (...argv: readonly string[]) => start(...argv).ends

type RuleEntry = { readonly id: string; readonly proved: boolean | null }

/** Types and maps are half of what the compiler writes. */
const isRun = (file: string): boolean => !/\.d\.ts$|\.map$|\.tsbuildinfo$/.test(file)

/** Copies the built command to a separate place, as in an installed package. */
async function elsewhere(use: (place: string) => Promise<void>): Promise<void> {
  const place = folder()
  for (const part of ['dist/emulator', 'dist/spec'])
    cpSync(join(root, part), join(place, part), { recursive: true, filter: isRun })
  cpSync(join(root, 'package.json'), join(place, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  await use(place)
}

test('rules/list It prints one line per rule, with basis, deployments and statements', async () => {
  const { code, stdout } = await command('rules')
  expect(code).toBe(0)
  const lines = stdout.split('\n')
  expect(lines.slice(0, entries.length).map((line) => line.split(' ')[0])).toEqual(
    entries.map(([id]) => id),
  )
  const line = (id: string) => lines.find((one) => one.startsWith(`${id} `))?.split(/ {2,}/)
  expect(line('queue/listing')).toEqual([
    'queue/listing',
    'stated',
    'both',
    'proved',
    'GET /queue lists the runs in queue_running and queue_pending. [A7 A91]',
  ])
  expect(line('queue/item')?.slice(1, 4)).toEqual(['observed', 'local', 'proved'])
  expect(lines.at(-2)).toMatch(new RegExp(`^${entries.length} rules, \\d+ of them open\\.$`))
})

test('rules/json It prints the same as JSON', async () => {
  const listed: RuleEntry[] = JSON.parse((await rulesCommand(['--json'])).stdout)
  expect(listed.map(({ proved: _, ...rest }) => rest)).toEqual(
    entries.map(([id, { basis, source = null, on, says, carries = [] }]) => ({
      id,
      basis,
      source,
      on,
      says,
      carries,
    })),
  )
  expect(listed.filter(({ proved }) => proved).length).toBeGreaterThan(entries.length / 2)
})

test('rules/proved A rule is proved when a case of the suites names it', async () => {
  await elsewhere(async (place) => {
    const cases = {
      'contract/queue.test.ts': "proves('queue/item', async () => {})\nprovesQuirk('queue/clear')",
      'properties/deep/x.test.ts': "proves(\n  ['queue/listing', 'queue/delete'],\n  body)",
      'contract/helper.ts': "proves('queue/interrupt', body)",
      'house/rules.test.ts': "proves('queue/by-number', body)",
    }
    for (const [file, text] of Object.entries(cases)) {
      const path = join(place, 'suites', file)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const listed: RuleEntry[] = JSON.parse((await rulesCommand(['--json'], place)).stdout)
    const proved = ['queue/listing', 'queue/item', 'queue/delete']
    expect(listed.filter((one) => one.proved).map(({ id }) => id)).toEqual(proved)
    expect(listed.filter((one) => one.proved === false)).toHaveLength(entries.length - 3)
    const { stdout } = await rulesCommand([], place)
    expect(stdout).toMatch(/^queue\/clear +stated +both +open +POST/m)
    expect(stdout).toContain(`\n\n${entries.length} rules, ${entries.length - 3} of them open.\n`)
  })
})

test('rules/package Without the suites it does not print what is proved', async () => {
  await elsewhere(async (place) => {
    const listed: RuleEntry[] = JSON.parse((await rulesCommand(['--json'], place)).stdout)
    expect(new Set(listed.map(({ proved }) => proved))).toEqual(new Set([null]))
    const { stdout } = await rulesCommand([], place)
    expect(stdout).toMatch(/^queue\/item +observed +local +- +A listed run/m)
    expect(stdout).toContain(`\n\n${entries.length} rules.\n`)
  })
})

commandRows(command, {
  'rules/usage It explains itself': [['help', 'rules'], 0, /Usage: flowdouble rules/, ''],
})

const seeHelp = '\nSee: flowdouble rules --help\n'
refusals((...argv) => rulesCommand(argv), {
  'rules/usage An unknown flag': [
    ['--jsn'],
    `Unknown option '--jsn'. Did you mean --json?${seeHelp}`,
  ],
  'rules/usage A word': [['queue'], `rules takes --json only.${seeHelp}`],
})

test('rules/usage The help of the program lists it', async () => {
  expect((await command()).stdout).toMatch(/^ {2}rules +/m)
})
