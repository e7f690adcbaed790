// Each flag of each command is completed; zsh and fish load their scripts and complete, where they are installed.

import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { expect } from '../../judge/expect.ts'
import { after, linked, printedBy } from './shells.ts'

const hasShell = (name: string): boolean => spawnSync(name, ['--version']).status === 0

const lines: readonly (readonly string[])[] = [
  ['che'],
  ['serve', '--clo'],
  ['serve', '--clock', 'i'],
  ['serve', '--scenario', 'mine'],
  ['serve', '--web-root', 'd'],
]

test.skipIf(!hasShell('fish'))(
  'completion/fish fish completes with descriptions and files (skipped without fish on the path)',
  async () => {
    const { folder, env } = linked({ 'mine.yaml': 'version: 1', 'docs/a.txt': '' })
    const script = lines.map((words) => `complete -C 'flowdouble ${words.join(' ')}'`)
    const { stdout } = await promisify(execFile)(
      'fish',
      ['--no-config', '-c', ['flowdouble completion fish | source', ...script].join('\n')],
      { cwd: folder, env },
    )
    const words = stdout.split('\n').map((line) => line.split('\t')[0])
    expect(words).toEqual(['check', '--clock', 'instant', 'mine.yaml', 'docs/', ''])
    expect(stdout).toMatch(/^check\tjudge a server/)
  },
)

test.skipIf(!hasShell('zsh'))(
  'completion/zsh zsh completes with descriptions and files (skipped without zsh on the path)',
  async () => {
    const { folder, env } = linked({ 'mine.yaml': 'version: 1', 'docs/a.txt': '' })
    // A separate zsh in a terminal: Tab completes each line, and Ctrl+G prints it.
    const script = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT_EOL_MARK= ; autoload -U compinit; compinit -u -D; source <(flowdouble completion zsh)"
zpty -w shell "show() { print; print -r -- \\"LINE <\\$BUFFER>\\"; BUFFER= }; zle -N show; bindkey '^G' show; setopt no_always_last_prompt no_list_beep; print REA''DY"
zpty -r -m shell text '*READY*'
${lines.map((words) => `zpty -n -w shell $'flowdouble ${words.join(' ')}\\t\\x07'\nzpty -r -m shell text '*LINE <*>*'; print -r -- "\${\${text##*LINE <}%%>*}"`).join('\n')}
zpty -d shell
`
    const { stdout } = await promisify(execFile)('zsh', ['-f', '-c', script], {
      cwd: folder,
      env: { ...env, TERM: 'dumb' },
      timeout: 60_000,
    })
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'flowdouble check',
      'flowdouble serve --clock',
      'flowdouble serve --clock instant',
      'flowdouble serve --scenario mine.yaml',
      'flowdouble serve --web-root docs/',
      '',
    ])
  },
)

test('completion/flags Each command that the help names exists, and each flag of its help completes', async () => {
  const lacking = []
  for (const name of (await after('')).filter((one) => one !== 'help')) {
    const help = await printedBy(name, '--help')
    const named = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z][\w-]*)/gm)].map(([, flag]) => flag!)
    expect(named).toContain('--help')
    const groups = (await after(name, '')).filter((word) => /^[a-z]+$/.test(word))
    const isGroup = ['gateway', 'webhook'].includes(name)
    const places = isGroup ? groups.map((group) => [name, group]) : [[name]]
    const all = await Promise.all(places.map((place) => after(...place, '--')))
    lacking.push(...named.filter((flag) => !all.flat().includes(flag)).map((flag) => [name, flag]))
  }
  expect(lacking).toEqual([])
})

test('completion/rest Words without candidates, and rare ones', async () => {
  expect(await after('help', 'le')).toEqual(['learn'])
  expect(await after('serve', '--clock', '=')).toEqual(['real', 'instant', 'manual'])
  expect(await after('serve', '--port', '')).toEqual([])
  expect(await after('serve', '--json', '--jso')).toEqual([])
  expect(await after('webhook', 're')).toEqual(['remove'])
  expect(await after('webhook', 'remove', '--no')).toEqual([])
  expect(await after('check', 'report', '--junit', '')).toEqual([':files'])
  expect(await after('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(await after('no-such-command', '')).toEqual([])
})
