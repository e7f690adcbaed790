// Generated files are what their sources say, and CONTRIBUTING.md names each. With -u they are written again, in one run.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectSame } from '../../support/same.ts'
import { generated } from './generated.ts'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, '.github/CONTRIBUTING.md'), 'utf8')

/** The rows of a table of the guide, below this heading: the cells of each. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const [, after = ''] = guide.split(`\n## ${heading}\n`)
  const lines = after
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Whether there is a file with this name, which may have a `*`. */
function isThere(path: string): boolean {
  const [start = '', end = ''] = basename(path).split('*')
  const names = readdirSync(join(root, dirname(path)))
  return names.some((name) => name.startsWith(start) && name.endsWith(end))
}

/** Whether a command names a script of the package or a file. */
function canRun(command: string): boolean {
  const [, way, name = ''] = /^`(node|npm run) ([^ `]+)/.exec(command) ?? []
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  return way === 'node' ? isThere(name) : Object.hasOwn(scripts, name)
}

const files = generated.flatMap(({ files: path, texts }) =>
  Object.entries(texts).map(([name, text]) => [path.replace('*', name), text] as const),
)

describe('generated files', () => {
  test.each(files)('%s is up to date', async (file, make) => {
    const text = await make()
    const path = join(root, file)
    // The message of the runner would print the whole text.
    await expect(text)
      .toMatchFileSnapshot(path)
      .catch((error: unknown) => {
        expectSame(`${file}, unless -u writes it,`, text, readFileSync(path, 'utf8'))
        throw error
      })
  })

  test('CONTRIBUTING.md names each, and what it is made of', () => {
    const rows = generated.map((one) => [`\`${one.files}\``, one.from])
    expect(tableBelow('Generated files').filter((cells) => cells.length === 2)).toEqual(rows)
  })

  test('CONTRIBUTING.md names the others with commands that exist', () => {
    const rows = tableBelow('Generated files').filter((cells) => cells.length === 3)
    expect(rows.length).toBeGreaterThan(2)
    const lacking = rows.filter(
      ([file = '', , command = '']) => !isThere(file.slice(1, -1)) || !canRun(command),
    )
    expect(lacking).toEqual([])
  })

  test('no other test writes files', () => {
    const sources = readdirSync(join(root, 'suites'), { recursive: true, encoding: 'utf8' })
    const writing = sources.filter(
      (file) =>
        file.endsWith('.ts') &&
        /toMatchFileSnapshot\(|toMatchSnapshot\(/.test(
          readFileSync(join(root, 'suites', file), 'utf8'),
        ),
    )
    expect(writing).toEqual(['house/suites/generated.test.ts'])
  })
})
