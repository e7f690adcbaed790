// The command validate: what it only warns of, and files that it cannot read.

import { test } from 'vitest'
import { validateCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { commandRows, outputOf } from '../../support/in-process.ts'
import { newFiles } from '../../support/files.ts'

/** Scenarios that a server can use, and the warning about what is probably a mistake in them. */
const doubtful: readonly (readonly [text: string, warning: string])[] = [
  [
    'faults: [{ when: { path: /promt }, then: { status: 500 } }]',
    'a.yaml:2:26: warning: faults[0].when.path matches no path of a server; did you mean /prompt?',
  ],
  [
    'faults: [{ when: { path: /api/histori/* }, then: { status: 500 } }]',
    'a.yaml:2:26: warning: faults[0].when.path matches no path of a server',
  ],
  [
    'nodes: [{ outputs: { images: [{ from: a.yaml }] } }]',
    'a.yaml:2:39: warning: nodes[0].outputs.images[0].from is not a picture of a known format',
  ],
  [
    'nodes: [{ class_type: SaveImage, outputs: { gifs: [{ bas64: AAAA }] } }]',
    'a.yaml:2:61: warning: nodes[0].outputs.gifs[0].bas64 is sent as it is, without a file; did you mean base64?',
  ],
  [
    'nodes: [{ expands: { result: [], graph: { a: { class_type: PreviewAny, inputs: { source: [b, 0] } } } } }]',
    'a.yaml:2:90: warning: nodes[0].expands.graph.a.inputs.source is a link to a node that the graph lacks',
  ],
]

for (const [text, warning] of doubtful) {
  test(`a file with a warning is valid: ${warning.replace(/^.*warning: /, '')}`, async () => {
    const folder = newFiles({ 'a.yaml': `version: 1\n${text}` })
    const { code, stdout } = await folder.run(validateCommand, 'a.yaml')
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [expect.stringContaining(warning), 'a.yaml is valid', ''],
    })
    const json = await folder.run(validateCommand, 'a.yaml', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject([{ line: 2, severity: 'warning' }])
  })
}

test.each([
  ['contentType: "audio/mpeg\\e"', 'contentType'],
  ['droppedParams: ["\\u6f22"]', 'droppedParams[0]'],
  ['refusalSubject: "a\\nb"', 'refusalSubject'],
  ['headers: { X-Mine: "\\0" }', 'headers'],
])('texts that no header can have are refused in rules of models: %s', async (rule, at) => {
  const folder = newFiles({ 'a.yaml': `version: 1\nmodels: [{ ${rule} }]` })
  const { code, stdout, stderr } = await folder.run(validateCommand, 'a.yaml')
  expect({ code, said: stdout + stderr }).toEqual({
    code: 1,
    said: expect.stringContaining(`models[0].${at}`),
  })
})

test('paths of servers get no warning, with parameters, stars or the prefix', async () => {
  const paths = ['/prompt', '/api/prompt', '/history/1', '/history/*', '/**', '/api/**', '/vi*']
  const others = ['/userdata/a/b', '/test-user/a.png', '/*/*', '/api/view/**', '/ws']
  const faults = [...paths, ...others].map((path) => ({ when: { path }, then: { status: 500 } }))
  const folder = newFiles({ 'a.json': JSON.stringify({ version: 1, faults }) })
  const { stdout } = await folder.run(validateCommand, 'a.json')
  expect(stdout).toBe('a.json is valid\n')
})

commandRows((...argv) => outputOf(validateCommand, argv, { cwd: '.' }), {
  'validate needs a file': [[], 2, '', /./],
  'validate needs a file that can be read, and says so': [
    ['gone.yaml'],
    2,
    '',
    /^Cannot read the scenario gone\.yaml: ENOENT.*\n$/,
  ],
  'validate explains itself': [['--help'], 0, /^Usage: flowdouble validate/, ''],
  'validate knows the scenarios of this package by their names': [
    ['out-of-memory'],
    0,
    'out-of-memory is valid\n',
    '',
  ],
})

const custom = 'version: 1\nnodes: [{ class_type: Own, outputs: { gifs: [{ own: true }] } }]'
const refused = 'a.yaml:2:23: nodes[0].class_type names the unknown node type "Own"'
const ownTypes = JSON.stringify({ Own: { input: { required: {} }, output: [], output_node: true } })

/** Flags of a server, and whether it has the node type then. */
const flagsOfServer: readonly (readonly [flags: readonly string[], isValid: boolean])[] = [
  [[], false],
  [['--unknown-nodes', 'accept'], true],
  [['--nodes', 'types.json'], true],
  [['--object-info', 'types.json'], true],
  [['--models', 'any'], false],
  [['--like', 'comfyui-0.27'], false],
  [['--deployment', 'hosted', '--nodes', 'types.json'], true],
  [['--deployment', 'both', '--like', 'comfyui-0.27', '--nodes', 'types.json'], true],
]

test('validate takes the options of serve that decide which node types there are', async () => {
  const folder = newFiles({ 'a.yaml': custom, 'types.json': ownTypes })
  for (const [flags, isValid] of flagsOfServer) {
    const { code, stdout } = await folder.run(validateCommand, 'a.yaml', ...flags)
    expect({ flags, code }).toEqual({ flags, code: isValid ? 0 : 1 })
    expect(stdout).toContain(isValid ? 'a.yaml is valid' : refused)
  }
})

test('validate refuses options that no server can have', async () => {
  const folder = newFiles({ 'a.yaml': custom })
  const missing = await folder.run(validateCommand, 'a.yaml', '--nodes', 'gone.json')
  expect(missing).toMatchObject({ code: 2, stdout: '' })
  expect(missing.stderr).toContain('Cannot read the node types')
  const wrong = await folder.run(validateCommand, 'a.yaml', '--unknown-nodes', 'acept')
  expect(wrong.stderr).toMatch(/^--unknown-nodes cannot be "acept": use one of refuse, accept/)
})

const severalWrong = `nodes:
  - class_type: Own
    atStep: three
  - outputs: { images: [{}], gifs: [{ from: gone.mp4 }] }
  - class_type: KSampller
    values: 5
faults:
  - when: { path: 5, user: nobody }
  - { when: { user: nobody }, then: { status: 500 } }
world: { deployment: hosted }
`

test('validate reports all problems together: members, contents, node types and accounts', async () => {
  const folder = newFiles({ 'a.yaml': severalWrong })
  const { stdout } = await folder.run(validateCommand, 'a.yaml')
  const places = stdout
    .split('\n')
    .map((line) => line.split(/: ENOENT|:? (?:is|needs|lacks|must|names)/)[0])
  expect(places).toEqual([
    'a.yaml:1:1: the scenario',
    'a.yaml:2:17: nodes[0].class_type',
    'a.yaml:3:13: nodes[0].atStep',
    'a.yaml:4:25: nodes[1].outputs.images[0]',
    'a.yaml:4:45: nodes[1].outputs.gifs[0].from cannot be read',
    'a.yaml:5:17: nodes[2].class_type',
    'a.yaml:6:13: nodes[2].values',
    'a.yaml:8:5: faults[0]',
    'a.yaml:8:19: faults[0].when.path',
    'a.yaml:9:21: faults[1].when.user',
    '',
  ])
})

test('validate --content prints the scenarios with the files that they name, as a server takes them over HTTP', async () => {
  const types = { Shout: { input: { required: {} }, output: ['STRING'] } }
  const folder = newFiles({
    'a.yaml': 'version: 1\nanswers: [{ path: /mine, from: b.txt }]\nworld: { nodes: types.json }',
    'b.txt': 'hello',
    'types.json': JSON.stringify(types),
  })
  const { code, stdout, stderr } = await folder.run(validateCommand, 'a.yaml', '--content')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const scenario = JSON.parse(stdout) as { answers: unknown[]; world: object }[]
  expect(scenario).toMatchObject([{ version: 1, world: { nodes: types } }])
  expect(JSON.stringify(scenario)).toContain(Buffer.from('hello').toString('base64'))
})

test('validate --content prints only what is wrong with a scenario, on standard error', async () => {
  const folder = newFiles({ 'a.yaml': 'version: 1\nfaultz: []' })
  expect(await folder.run(validateCommand, 'a.yaml', '--content')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^a\.yaml:2:1: faultz/),
  })
  const both = await folder.run(validateCommand, 'a.yaml', '--content', '--json')
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('not both') })
})
