// Scenario files: what is wrong with them, the files that they name, the commands that list and check them, and those of the package.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import {
  completeOptions,
  scenarioNames,
  scenariosCommand,
  validateCommand,
} from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { newFiles } from '../../support/files.ts'
import { outputOf } from '../../support/in-process.ts'
import { start } from '../../support/spawned.ts'
import { playNamed } from '../../judge/play-scenario.ts'
import { sampleOf } from '../../support/effort.ts'

const wrong = `version: 1
abuot: a typing error
world:
  pace: -3
faults:
  - when: { path: /prompt }
    then:
      clsoe: 1012
      status: 200
  - when: {}
runs: { outcome: error }
nodes:
  - class_type: ""
    atStep: two
`

test('each problem of a file has its line, column and member, and the nearest name', async () => {
  const folder = newFiles({ 'wrong.yaml': wrong })
  const { code, stdout } = await folder.run(validateCommand, 'wrong.yaml')
  expect(code).toBe(1)
  const lines = stdout.trim().split('\n')
  const starts = [
    'wrong.yaml:2:1: abuot is not a known member; did you mean about?',
    'wrong.yaml:4:9: world.pace must be a number from 0 to 86400000',
    'wrong.yaml:8:7: faults[0].then.clsoe is not a known member; did you mean close?',
    'wrong.yaml:9:15: faults[0].then.status must be one of 301, 302',
    'wrong.yaml:10:5: faults[1] lacks the member then',
    'wrong.yaml:11:7: runs must be a list',
    'wrong.yaml:13:17: nodes[0].class_type must be a non-empty text',
    'wrong.yaml:14:13: nodes[0].atStep must be a whole number',
  ]
  const found = starts.filter((start) => lines.some((line) => line.startsWith(start)))
  expect(found, stdout).toEqual(starts)
  expect(lines).toHaveLength(starts.length)
})

test('problems are also data', async () => {
  const folder = newFiles({ 'wrong.json': '{"version": 1,\n "seed": 3}' })
  const { code, stdout } = await folder.run(validateCommand, 'wrong.json', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([
    { file: 'wrong.json', line: 2, column: 2, path: 'seed' },
  ])
})

/** Files that cannot be used as they are, and what the server says. */
const unusable: Readonly<Record<string, readonly [text: string, message: string]>> = {
  'not YAML': ['version: [1', 'a.yaml:1:12: not valid YAML: '],
  empty: ['', 'a.yaml:1:1: the scenario must be an object'],
  'without a version': ['about: nothing', 'a.yaml:1:1: the scenario lacks the member version'],
  'of another version': ['version: 2', 'a.yaml:1:10: version must be 1'],
  'with a name twice': ['version: 1\nversion: 1', 'a.yaml:2:1: '],
  'with too many aliases': [
    `version: 1\ntypes:\n  a: &a [1]\n  b: &b [${'*a, '.repeat(20)}]\n  c: [${'*b, '.repeat(20)}]`,
    'a.yaml:1:1: Excessive alias count',
  ],
  'that names a missing file': [
    'version: 1\nstart: { files: [{ path: input/a.png, from: gone.png }] }',
    'a.yaml:2:45: start.files[0].from cannot be read: ENOENT',
  ],
  'that names a folder': [
    'version: 1\nstart: { files: [{ path: input/a.png, from: . }] }',
    'a.yaml:2:45: start.files[0].from cannot be read: ',
  ],
  'with two contents': [
    'version: 1\nstart: { files: [{ path: input/a.png, text: a, base64: YQ }] }',
    'a.yaml:2:18: start.files[0] has text and base64: choose one',
  ],
  'with a workflow that is not JSON': [
    'version: 1\nstart: { history: [{ workflow: a.yaml }] }',
    'a.yaml:2:32: start.history[0].workflow cannot be used: a.yaml is not valid JSON',
  ],
  'with a fault that has no effect': [
    'version: 1\nfaults:\n  - { when: { message: progress }, then: { status: 503 } }',
    'a.yaml:3:52: faults[0].then.status ',
  ],
  'with a pattern that is not one': [
    'version: 1\nnodes: [{ validate: [{ input: a, pattern: ( }] }]',
    'a.yaml:2:43: nodes[0].validate[0].pattern is not a regular expression',
  ],
  'that is nested too deeply': [
    `version: 1\nnodes: ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'a.yaml:1:1: nested more than 900 levels deep',
  ],
  'that has too many lists in lists': [
    `version: 1\nnodes:\n  ${'- '.repeat(20_000)}1`,
    'a.yaml:1:1: nested more than 900 levels deep',
  ],
  'with a file without content': [
    'version: 1\nnodes: [{ outputs: { images: [{}] } }]',
    "a.yaml:2:31: nodes[0].outputs.images[0] needs from, text or base64 (text: '' for an empty file)",
  ],
  'with an expansion whose result leads nowhere': [
    'version: 1\nnodes: [{ expands: { graph: {}, result: [[b, 0]] } }]',
    'a.yaml:2:42: nodes[0].expands.result[0] is a link to a node that the graph lacks',
  ],
  'with an expansion of something else than nodes': [
    'version: 1\nnodes: [{ expands: { graph: { a: {} }, result: [] } }]',
    'a.yaml:2:34: nodes[0].expands.graph.a is not a node: it needs a class_type',
  ],
  'with an additional type that is none': [
    'version: 1\ntypes: { Own: {} }',
    'a.yaml:2:15: types.Own is not a node type: it needs the object input',
  ],
}

test('a scenario that begins with runs is valid for the command too, which loads only what it needs', async () => {
  const folder = newFiles({ 'a.yaml': 'version: 1\nstart: { history: [{ times: 3 }] }' })
  const { code, stdout, stderr } = await start('validate', folder.path('a.yaml')).ends
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('valid')
})

for (const [what, [text, message]] of Object.entries(unusable)) {
  test(`a scenario ${what} is reported`, async () => {
    const folder = newFiles({ 'a.yaml': text })
    const { code, stdout } = await folder.run(validateCommand, 'a.yaml')
    expect(stdout).toContain(message)
    expect(code).toBe(1)
    await expect(startEmulator({ scenario: folder.path('a.yaml') })).rejects.toThrow(
      message.replace(/^a.yaml:/, ''),
    )
  })
}

/** Files that a certain server cannot use. Only validate knows where in the file the reason is. */
const unusableOnServer: typeof unusable = {
  'with a file outside the folders': [
    'version: 1\nstart: { files: [{ path: ../a.png, text: a }] }',
    'a.yaml:2:26: start.files[0].path of the scenario must name a file in input, output or temp',
  ],
  'with a workflow that the server rejects': [
    'version: 1\nstart: { queue: [{ workflow: {} }] }',
    'a.yaml:2:18: start.queue[0] of the scenario cannot run: the server rejects its workflow with 400',
  ],
  'for an unknown node type': [
    'version: 1\nnodes: [{ class_type: KSampller }]',
    'a.yaml:2:23: nodes[0].class_type names the unknown node type "KSampller"; did you mean KSampler?',
  ],
  'for an unknown account': [
    'version: 1\nworld: { deployment: hosted }\nstart: { queue: [{ user: others }] }',
    'a.yaml:3:26: start.queue[0].user is not an account: accounts are test-user, test-user-free (',
  ],
  'with a fault for an unknown account': [
    'version: 1\nworld: { deployment: hosted }\nfaults: [{ when: { user: test-usr }, then: { status: 500 } }]',
    'a.yaml:3:26: faults[0].when.user is not an account: accounts are test-user, ',
  ],
  'with a failure of an unknown node type': [
    'version: 1\nworld: { failures: [{ class_type: KSampller, exception_type: X }] }',
    'a.yaml:2:8: Failure 1 names the unknown node type "KSampller". Did you mean KSampler?',
  ],
  'with a failure for an unknown account': [
    'version: 1\nworld: { deployment: hosted, failures: [{ user: test-usr, exception_type: X }] }',
    'a.yaml:2:40: world.failures cannot be used: failure 1 names an unknown user (did you mean test-user?)',
  ],
  'with an option of another deployment': [
    'version: 1\nworld: { deployment: hosted, cors: "*" }',
    'a.yaml:2:36: world.cors applies to local servers only, and this server is hosted.',
  ],
}

for (const [what, [text, message]] of Object.entries(unusableOnServer)) {
  test(`a scenario ${what} is reported with its place`, async () => {
    const folder = newFiles({ 'a.yaml': text })
    const { code, stdout } = await folder.run(validateCommand, 'a.yaml')
    expect(stdout).toContain(message)
    expect(code).toBe(1)
    await expect(startEmulator({ scenario: folder.path('a.yaml') })).rejects.toThrow(
      message.replace(/^a.yaml:\d+:\d+: (world\.)?/, ''),
    )
  })
}

test('a scenario can name files beside it: contents and workflows', async () => {
  const folder = newFiles({
    'a.yaml': [
      'version: 1',
      'start:',
      '  files: [{ path: input/hello.txt, from: files/hello.txt }]',
      '  history: [{ workflow: solid.json }]',
    ].join('\n'),
    'solid.json': JSON.stringify(solid()),
  })
  mkdirSync(folder.path('files'))
  folder.write('files/hello.txt', 'hello')
  const server = await startEmulator({ scenario: folder.path('a.yaml'), clock: 'manual' })
  const view = await fetch(`${server.url}/view?filename=hello.txt&type=input`)
  expect(await view.text()).toBe('hello')
  const history = (await (await fetch(`${server.url}/history`)).json()) as object
  expect(Object.keys(history)).toHaveLength(1)
  await server.close()
})

test('a name stands for a scenario of the package; an unknown one is reported with the nearest', async () => {
  const server = await startEmulator({ scenario: 'out-of-memory' })
  expect(server.options.scenario.nodes).not.toEqual([])
  await server.close()
  await expect(startEmulator({ scenario: 'out-of-memry' })).rejects.toThrow(
    'Did you mean out-of-memory? List the names with: flowdouble scenarios',
  )
})

test('a scenario from a program is checked the same way, without lines', async () => {
  const scenario = { version: 1, nodes: [{ clas_type: 'KSampler' }] } as object
  await expect(startEmulator({ scenario: scenario as { version: 1 } })).rejects.toThrow(
    'scenario 1: nodes[0].clas_type is not a known member; did you mean class_type?',
  )
})

test('where no files can be read, a scenario that names one is rejected', () => {
  const starts = [
    { files: [{ path: 'input/a.png', from: 'a.png' }] },
    { history: [{ workflow: 'a.json' }] },
    { cached: ['a.json'] },
  ]
  for (const start of starts)
    expect(() => completeOptions({ scenario: { version: 1, start } })).toThrow(
      'names a file, which cannot be read here: give its content',
    )
})

test('bytes in a scenario of a program are one problem, which says what to write', async () => {
  const images = [Buffer.from('picture')] as object[]
  await expect(
    startEmulator({ scenario: { version: 1, nodes: [{ outputs: { images } }] } }),
  ).rejects.toThrow(
    "scenario 1: nodes[0].outputs.images[0] is a Buffer: write { base64: buffer.toString('base64') }",
  )
})

test('scenarios lists the scenarios of the package, with one line about each', async () => {
  const { code, stdout } = await outputOf(scenariosCommand, ['--json'])
  expect(code).toBe(0)
  const all = JSON.parse(stdout) as { name: string; about: string }[]
  const files = readdirSync(join(import.meta.dirname, '../../../recordings/scenarios'))
  const names = files.map((file) => file.replace('.yaml', '')).toSorted()
  expect(all.map(({ name }) => name)).toEqual(names)
  expect(all.filter(({ about }) => !/^[A-Z].{20,}\.$/.test(about))).toEqual([])
  const text = await outputOf(scenariosCommand, [])
  for (const { name, about } of all) expect(text.stdout).toContain(`${name}\n  ${about}\n`)
})

test('each scenario of the package is valid, and a server can start with it', async () => {
  const names = scenarioNames()
  const { code, stdout } = await outputOf(validateCommand, names)
  expect(stdout).toBe(names.map((name) => `${name} is valid\n`).join(''))
  expect(code).toBe(0)
})

test('there are at least 30 scenarios', () => {
  expect(scenarioNames().length).toBeGreaterThanOrEqual(30)
})

for (const name of sampleOf(scenarioNames(), 4)) {
  test(`two sessions with ${name} have the same journal`, async () => {
    const first = await playNamed(name)
    expect(first.length).toBeGreaterThan(4)
    expect(await playNamed(name)).toEqual(first)
  })
}
