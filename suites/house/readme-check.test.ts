// The check that the README shows is a real one, and the action has the inputs that it names.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { start } from '../support/spawned.ts'
import { action } from './shipped/action.ts'

const readme = readFileSync(join(import.meta.dirname, '../..', 'README.md'), 'utf8')
const section = /^## Check a server\n[\s\S]*?(?=^## )/m.exec(readme)?.[0] ?? ''

/** The only block of this language in the section. */
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section)?.[1] ?? ''

test('the check that the README shows finds the fault', async () => {
  const [command = '', ...shown] = blockOf('console').trimEnd().split('\n')
  const mutant = /serve --mutant (\S+?)`/.exec(section)?.[1] ?? ''
  const server = start('serve', '--port', '0', '--json', '--mutant', mutant)
  try {
    const { url } = JSON.parse(await server.says(/\n/)) as { url: string }
    const args = command.replace('$ npx flowdouble ', '').split(' ')
    const here = args.map((word) => (word.startsWith('http') ? url : word))
    const { code, stdout, stderr } = await start(...here).ends
    expect({ code, stderr }, stdout).toEqual({ code: 1, stderr: '' })
    const lines = new Set(stdout.replaceAll(url, 'http://127.0.0.1:8188').split('\n'))
    expect(shown.filter((line) => !lines.has(line))).toEqual([])
  } finally {
    server.process.kill()
    await server.ends
  }
})

test('the action has the inputs that the README names', () => {
  const [step] = parse(blockOf('yaml')) as [{ readonly with: Readonly<Record<string, string>> }]
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)))
})
