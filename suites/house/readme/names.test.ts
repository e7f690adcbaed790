// What the pages name exists: flags, paths of the control API, and scripts; and the door of the repository stays short.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { type Sender, senders } from '../../../spec/gateway/deliveries.ts'
import {
  configDirectory,
  type GatewaySetting,
  gatewaySettings,
} from '../../../spec/gateway/subscriptions.ts'
import { start } from '../../support/spawned.ts'
import { actionOf } from '../shipped/action.ts'
import { blocksIn, pageOf, readmes, root } from './pages.ts'

const pages = [...readmes, pageOf('.github/CONTRIBUTING.md')]
const texts = pages.map(({ text }) => text).join('\n')

/** What a pattern finds in all pages, each once. */
const named = (pattern: RegExp): readonly string[] => [
  ...new Set([...texts.matchAll(pattern)].map(([, name = '']) => name)),
]

test('the README has at most 150 lines', () => {
  expect(pageOf('README.md').text.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('each flag that a page names is in the help of a command', async () => {
  const list = (await start('--help').ends).stdout
  const commands = [...list.matchAll(/^ {2}(\w+) .*$/gm)].map(([, name = '']) => [name])
  const helps = await Promise.all(
    [...commands, ['check', '--client'], ['check', 'report']].map(
      async (words) => (await start(...words, '--help').ends).stdout,
    ),
  )
  const known = new Set(helps.join('\n').match(/--[a-z][\w-]+/g))
  const ours = named(/(?:`|npx flowdouble [^\n]*? |serve )(--[a-z][\w-]+)/g)
  expect(ours.length).toBeGreaterThan(20)
  expect(ours.filter((flag) => !known.has(flag))).toEqual([])
})

test('the page of the gateway lists each variable that it reads', async () => {
  const help = (await start('gateway', '--help').ends).stdout.split('\n\n')
  const sections = help.filter((part) => /^Options for (?:all|run)\b/.test(part))
  const flags = new Set(sections.join('\n').match(/(?<=--)[a-z][\w-]+/g))
  flags.delete('help')
  const expected = [
    configDirectory.variable,
    ...Object.values<GatewaySetting>(gatewaySettings).map(({ variable }) => variable),
    ...Object.values<Sender>(senders).flatMap((one) => [one.tokenVariable, one.homeVariable]),
    ...[...flags].map((flag) => `FLOWDOUBLE_${flag.toUpperCase().replaceAll('-', '_')}`),
    // Those of programs that it uses.
    'PATH',
    'PGPASSWORD',
  ]
  const table = pageOf('emulator/gateway/README.md').text.match(/^\| `.*(?= \|.*\|$)/gm) ?? []
  const listed = table.flatMap((row) => row.split(' | ')[0]?.match(/[A-Z]\w+/g) ?? [])
  const read = expected.filter((name) => name !== undefined)
  expect(listed.toSorted()).toEqual([...new Set(read)].toSorted())
})

test('each path of the control API that a page names is in its document', () => {
  const { paths } = JSON.parse(readFileSync(join(root, 'spec/openapi.control.json'), 'utf8')) as {
    readonly paths: object
  }
  const ours = named(/(\/_flowdouble\/[\w-]*(?:\.json|\/\{name\})?)/g)
  expect(ours).toContain('/_flowdouble/advance')
  expect(ours.filter((path) => !(path in paths))).toEqual([])
})

test('each script of npm that a page names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: object
  }
  const ours = named(/npm run ([\w:]+)/g)
  expect(ours).toContain('check')
  expect(ours.filter((name) => !(name in scripts))).toEqual([])
})

test('our actions have the inputs that a page sets', () => {
  type Step = { readonly uses?: string; readonly with?: object }
  const steps = blocksIn('yaml')
    .map(({ text }) => parse(text) as unknown)
    .flatMap((value) => (Array.isArray(value) ? (value as readonly Step[]) : []))
    .flatMap(({ uses = '', with: inputs = {} }) => {
      const name = /^flowdouble\/flowdouble\/\.github\/actions\/(\w+)@main$/.exec(uses)?.[1]
      return name === undefined ? [] : [{ name, inputs }]
    })
  expect(steps.map(({ name }) => name).toSorted()).toEqual(['check', 'serve'])
  for (const { name, inputs } of steps)
    expect(Object.keys(actionOf(name).inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)))
})
