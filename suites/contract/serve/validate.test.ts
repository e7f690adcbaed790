// The command validate: what it only warns of, and files that it cannot read.

import { validateCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { runCommand, withFolder } from '../../support/scenario-files.ts'

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
  test(`a file with a warning is valid: ${warning.replace(/^.*warning: /, '')}`, () =>
    withFolder({ 'a.yaml': `version: 1\n${text}` }, async (folder) => {
      const { code, stdout } = await runCommand(validateCommand, folder, 'a.yaml')
      expect({ code, lines: stdout.split('\n') }).toEqual({
        code: 0,
        lines: [expect.stringContaining(warning), 'a.yaml is valid', ''],
      })
      const json = await runCommand(validateCommand, folder, 'a.yaml', '--json')
      expect(JSON.parse(json.stdout)).toMatchObject([{ line: 2, severity: 'warning' }])
    }))
}

test('paths of servers get no warning, with parameters, stars or the prefix', () => {
  const paths = ['/prompt', '/api/prompt', '/history/1', '/history/*', '/**', '/api/**', '/vi*']
  const others = ['/userdata/a/b', '/test-user/a.png', '/*/*', '/api/view/**', '/ws']
  const faults = [...paths, ...others].map((path) => ({ when: { path }, then: { status: 500 } }))
  return withFolder({ 'a.json': JSON.stringify({ version: 1, faults }) }, async (folder) => {
    const { stdout } = await runCommand(validateCommand, folder, 'a.json')
    expect(stdout).toBe('a.json is valid\n')
  })
})

test('validate needs a file that can be read, and says so', async () => {
  expect(await runCommand(validateCommand, '.')).toMatchObject({ code: 2 })
  const { stderr } = await runCommand(validateCommand, '.', 'gone.yaml')
  expect(stderr).toMatch(/^Cannot read the scenario gone\.yaml: ENOENT.*\n$/)
  expect(await runCommand(validateCommand, '.', 'gone.yaml')).toMatchObject({ code: 2 })
  const { code, stdout } = await runCommand(validateCommand, '.', '--help')
  expect({ code, isHelp: stdout.startsWith('Usage: flowdouble validate') }).toEqual({
    code: 0,
    isHelp: true,
  })
  expect(await runCommand(validateCommand, '.', 'out-of-memory')).toMatchObject({
    code: 0,
    stdout: 'out-of-memory is valid\n',
  })
})
