// What completes a command line: commands, flags and values.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { completionCommand } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { outputOf } from '../../support/in-process.ts'
import { after, candidatesIn, linked, printedBy } from './shells.ts'

const rows: readonly (readonly [words: readonly string[], candidates: readonly string[]])[] = [
  [['che'], ['check']],
  [['serve', '--clo'], ['--clock']],
  [
    ['serve', '--clock', ''],
    ['real', 'instant', 'manual'],
  ],
  [['serve', '--clock=i'], ['--clock=instant']],
  [['serve', '--clock', '=', 'i'], ['instant']],
  [
    ['serve', '--clock', '='],
    ['real', 'instant', 'manual'],
  ],
  [
    ['serve', '--deployment', ''],
    ['local', 'hosted', 'both'],
  ],
  [
    ['record', '--deployment', ''],
    ['local', 'hosted', 'gateway'],
  ],
  [
    ['serve', '--scenario', 'out-of'],
    ['out-of-memory', ':files'],
  ],
  [['serve', '--mutant', 'messages/null-n'], ['messages/null-never']],
  [['serve', '--web-root', ''], [':dirs']],
  [['serve', '--quirk', 'a', '--quir'], ['--quirk']],
  [['check', '--only', 'queue/by-n'], ['queue/by-number']],
  [['check', 'rep'], ['report']],
  [['check', '--client', 'x', '--du'], ['--duty']],
  [
    ['run', 'text'],
    ['text-to-image', ':files'],
  ],
  [['webhook', 'add', '--deliver', 'gi'], ['github_comment']],
  [['webhook', 'ls', '--no'], ['--no-secrets']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
]

test('completion/words Each row of a command line is completed', async () => {
  /** What a command prints about itself, by its words. */
  const known = new Map<string, Promise<string>>()
  const printed = (argv: readonly string[]): Promise<string> => {
    const found = known.get(argv.join(' ')) ?? printedBy(...argv)
    known.set(argv.join(' '), found)
    return found
  }
  for (const [words, candidates] of rows) {
    const { stdout } = await outputOf(
      (argv, io) => completionCommand(argv, io, printed),
      ['words', '--', ...words],
    )
    expect([words, candidatesIn(stdout)]).toEqual([words, candidates])
  }
  // As shells call it.
  const [[words, candidates] = [[], []]] = rows
  expect(await after(...words)).toEqual(candidates)
})

test('completion/bash bash completes commands, values, names and files', async () => {
  const { folder, env } = linked({ 'mine.yaml': 'version: 1', 'docs/a.txt': '' })
  const lines: readonly (readonly string[])[] = [
    ['che'],
    ['serve', '--clock', '=', 'i'],
    ['serve', '--scenario', 'mine'],
    ['serve', '--web-root', ''],
  ]
  const script = lines.map(
    (words) =>
      `COMP_WORDS=(flowdouble ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _flowdouble; echo "\${COMPREPLY[*]}"`,
  )
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-c', ['source <(flowdouble completion bash)', ...script].join('\n')],
    { cwd: folder, env },
  )
  expect(stdout.split('\n')).toEqual(['check', 'instant', 'mine.yaml', 'docs', ''])
})

test('completion/usage An unknown shell is refused with the known ones', async () => {
  const { code, stderr } = await outputOf(
    (argv, io) => completionCommand(argv, io, () => Promise.resolve('')),
    ['fsh'],
  )
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^completion takes one shell: bash, zsh, fish/),
  })
})
