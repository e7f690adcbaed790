// Each program of each README runs as it is printed, in a folder with the packed package, and compiles as strictly as possible.

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'rolldown/utils'
import { expect, test } from 'vitest'
import { startProcess } from '../../support/spawned.ts'
import { blocksIn, root } from './pages.ts'
import { readersFolder } from './terminal.ts'

const programs = blocksIn('ts').map(({ text, page }) => ({
  text,
  file: page.file,
}))

/** A recording that a program can read. */
const recording = join(root, 'recordings/sessions/texts-and-half-valid.har')

async function folderWith(name: string, text: string): Promise<string> {
  const folder = await readersFolder()
  cpSync(recording, join(folder, 'session.har'))
  writeFileSync(join(folder, name), text)
  return folder
}

/** What a program says in its comments that it prints. */
const printedBy = (text: string): readonly string[] =>
  [...text.matchAll(/^console\.log\(.*\) \/\/ (\d+|\[.*\])$/gm)].map(([, said = '']) => said)

for (const { text, file } of programs) {
  const isTest = text.includes('flowdouble/vitest')
  const name = `${file}: ${text}`
  if (isTest)
    test(name, async () => {
      const cwd = await folderWith('client.test.ts', text)
      writeFileSync(join(cwd, 'vitest.config.mjs'), 'export default {}')
      const vitest = join(root, 'node_modules/vitest/vitest.mjs')
      const { stdout } = await startProcess(process.execPath, [vitest, 'run', '--root', '.'], cwd)
        .ends
      expect(stdout).toContain('1 passed')
    })
  else
    test(name, async () => {
      const cwd = await folderWith('program.mjs', transformSync('program.ts', text).code)
      const { code, stdout, stderr } = await startProcess(process.execPath, ['program.mjs'], cwd)
        .ends
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      for (const said of printedBy(text)) expect(stdout).toContain(`${said}\n`)
    })
}

test('the programs compile', async () => {
  const folder = await readersFolder()
  const names = programs.map(({ text }, at) => {
    writeFileSync(join(folder, `program-${at}.ts`), text)
    return `program-${at}.ts`
  })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const checks = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', 'node']
  const lib = ['--target', 'es2023', '--module', 'nodenext', '--allowImportingTsExtensions']
  const { stdout } = await startProcess(
    process.execPath,
    [tsc, ...checks, ...lib, ...names],
    folder,
  ).ends
  expect(stdout).toBe('')
})
