// Scenario files: what is wrong with them, the files that they name, and the commands that list and check them.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmulator } from 'flowdouble'
import {
  scenarioNames,
  scenariosCommand,
  validateCommand,
} from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'

/** Runs a function with a folder that has these files. */
async function withFolder(
  files: Readonly<Record<string, string>>,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'flowdouble-scenario-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    await body(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs one of the commands in a folder. */
async function command(
  run: typeof validateCommand,
  cwd: string,
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const output = { stdout: '', stderr: '' }
  const into = (name: keyof typeof output) => ({
    write: (text: string): void => {
      output[name] += text
    },
  })
  const io = { stdout: into('stdout'), stderr: into('stderr'), env: {}, cwd }
  const code = await run(argv, io)
  return { code, ...output }
}

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

test('each problem of a file has its line, column and member, and the nearest name', () =>
  withFolder({ 'wrong.yaml': wrong }, async (folder) => {
    const { code, stdout } = await command(validateCommand, folder, 'wrong.yaml')
    expect(code).toBe(1)
    const lines = stdout.trim().split('\n')
    const starts = [
      'wrong.yaml:2:1: abuot is not a known member; did you mean about?',
      'wrong.yaml:4:9: world.pace must be a number from 0 to 86400000',
      'wrong.yaml:8:7: faults[0].then.clsoe is not a known member; did you mean close?',
      'wrong.yaml:9:15: faults[0].then.status must be a whole number from',
      'wrong.yaml:10:5: faults[1] lacks the member then',
      'wrong.yaml:11:7: runs must be a list',
      'wrong.yaml:13:17: nodes[0].class_type must be a non-empty text',
      'wrong.yaml:14:13: nodes[0].atStep must be a whole number',
    ]
    const found = starts.filter((start) => lines.some((line) => line.startsWith(start)))
    expect(found, stdout).toEqual(starts)
    expect(lines).toHaveLength(starts.length)
  }))

test('problems are also data', () =>
  withFolder({ 'wrong.json': '{"version": 1,\n "seed": 3}' }, async (folder) => {
    const { code, stdout } = await command(validateCommand, folder, 'wrong.json', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'wrong.json', line: 2, column: 2, path: 'seed' },
    ])
  }))

/** Files that cannot be used as they are, and what the server says. */
const unusable: Readonly<Record<string, readonly [text: string, message: string]>> = {
  'not YAML': ['version: [1', 'a.yaml:1:'],
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
  'with a file outside the folders': [
    'version: 1\nstart: { files: [{ path: ../a.png, text: a }] }',
    'start.files[0].path of the scenario must name a file in input, output or temp',
  ],
  'with a workflow that the server rejects': [
    'version: 1\nstart: { queue: [{ workflow: {} }] }',
    'start.queue[0] of the scenario cannot run: the server rejects its workflow with 400',
  ],
}

for (const [what, [text, message]] of Object.entries(unusable)) {
  test(`a scenario ${what} is reported`, () =>
    withFolder({ 'a.yaml': text }, async (folder) => {
      const { code, stdout } = await command(validateCommand, folder, 'a.yaml')
      expect(stdout).toContain(message)
      expect(code).toBe(1)
      await expect(startEmulator({ scenario: join(folder, 'a.yaml') })).rejects.toThrow(
        message.replace(/^a.yaml:/, ''),
      )
    }))
}

test('a scenario can name files beside it: contents and workflows', () =>
  withFolder(
    {
      'a.yaml': [
        'version: 1',
        'start:',
        '  files: [{ path: input/hello.txt, from: files/hello.txt }]',
        '  history: [{ workflow: solid.json }]',
      ].join('\n'),
      'solid.json': JSON.stringify(solid()),
    },
    async (folder) => {
      mkdirSync(join(folder, 'files'))
      writeFileSync(join(folder, 'files', 'hello.txt'), 'hello')
      const server = await startEmulator({ scenario: join(folder, 'a.yaml'), clock: 'manual' })
      const view = await fetch(`${server.url}/view?filename=hello.txt&type=input`)
      expect(await view.text()).toBe('hello')
      const history = (await (await fetch(`${server.url}/history`)).json()) as object
      expect(Object.keys(history)).toHaveLength(1)
      await server.close()
    },
  ))

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

test('scenarios lists the scenarios of the package, with one line about each', async () => {
  const { code, stdout } = await command(scenariosCommand, '.', '--json')
  expect(code).toBe(0)
  const all = JSON.parse(stdout) as { name: string; about: string }[]
  const files = readdirSync(join(import.meta.dirname, '../../../recordings/scenarios'))
  const names = files.map((file) => file.replace('.yaml', '')).toSorted()
  expect(all.map(({ name }) => name)).toEqual(names)
  expect(all.filter(({ about }) => !/^[A-Z].{20,}\.$/.test(about))).toEqual([])
  const text = await command(scenariosCommand, '.')
  for (const { name, about } of all) expect(text.stdout).toContain(`${name}\n  ${about}\n`)
})

test('each scenario of the package is valid, and a server can start with it', async () => {
  const names = scenarioNames()
  const { code, stdout } = await command(validateCommand, '.', ...names)
  expect(stdout).toBe(names.map((name) => `${name} is valid\n`).join(''))
  expect(code).toBe(0)
})

test('validate needs a file that can be read, and says so', async () => {
  expect(await command(validateCommand, '.')).toMatchObject({ code: 2 })
  expect(await command(validateCommand, '.', 'gone.yaml')).toMatchObject({ code: 2 })
  const { code, stdout } = await command(validateCommand, '.', '--help')
  expect({ code, isHelp: stdout.startsWith('Usage: flowdouble validate') }).toEqual({
    code: 0,
    isHelp: true,
  })
  expect(await command(validateCommand, '.', 'out-of-memory')).toMatchObject({
    code: 0,
    stdout: 'out-of-memory is valid\n',
  })
})
