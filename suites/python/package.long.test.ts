// The Python package as its users have it: the wheel, in a new environment, with the plugins and type checkers
// that they use. Needs Python and the packages of PyPI.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { folder } from '../support/folder.ts'
import { buildWheel, root, run, source, suites, whyNot } from './pythons.ts'

const reason = whyNot()
/** What the examples of the README import. */
const clients = ['aiohttp', 'httpx', 'requests', 'respx', 'websocket-client', 'websockets']
const plugins = ['pytest', 'pytest-asyncio', 'pytest-xdist', 'anyio']
const checkers = ['mypy', 'pyright[nodejs]', 'ruff', 'types-requests', 'twine']

/** A folder with the programs of the README as files. */
function programs(): string {
  const place = folder()
  const page = readFileSync(join(source, 'README.md'), 'utf8')
  for (const [at, [, text = '']] of [...page.matchAll(/^```py\n([^]*?)^```$/gm)].entries())
    writeFileSync(join(place, `program_${at}.py`), text)
  return place
}

describe(`the wheel${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let wheel = ''
  /** The programs of the environment. They see no others: no Node, as after `env -i`. */
  let bin = ''
  const inside = (program: string, ...args: readonly string[]): Promise<string> => {
    const env = { PATH: bin, HOME: folder(), PYTHONDONTWRITEBYTECODE: '1' }
    return run(join(bin, program), args, { cwd: root, env })
  }

  beforeAll(async () => {
    if (reason !== undefined) return
    const place = folder()
    wheel = await buildWheel(place)
    await run('python3', ['-m', 'venv', join(place, 'venv')])
    bin = join(place, 'venv/bin')
    const packages = [wheel, ...clients, ...plugins, ...checkers]
    await run(join(bin, 'pip'), ['install', '--quiet', ...packages])
  })

  test.skipIf(reason !== undefined)('passes its tests with its own Node', async () => {
    const flags = ['-q', '-p', 'no:cacheprovider', '-p', 'no:asyncio']
    const printed = await inside('python', '-m', 'pytest', ...flags, suites)
    const [, passed = '0'] = /(\d+) passed/.exec(printed) ?? []
    expect(Number(passed), printed).toBeGreaterThanOrEqual(60)
    expect(printed).not.toMatch(/failed|error|skipped/)
  })

  test.skipIf(reason !== undefined)(
    'mypy accepts the package, its tests and its README',
    async () => {
      const strict = [
        '--no-incremental',
        '--strict',
        '--config-file',
        join(source, 'pyproject.toml'),
      ]
      await inside('mypy', ...strict, join(source, 'flowdouble'))
      await inside('mypy', ...strict, suites)
      // Tests of users seldom have types.
      await inside('mypy', ...strict, '--allow-untyped-defs', '--allow-untyped-calls', programs())
    },
  )

  test.skipIf(reason !== undefined)('pyright accepts the package and its README', async () => {
    const python = ['--pythonpath', join(bin, 'python')]
    await inside('pyright', ...python, '--project', source)
    await inside('pyright', ...python, programs())
  })

  test.skipIf(reason !== undefined)('ruff accepts the package and its tests', async () => {
    const config = ['--no-cache', '--config', join(source, 'pyproject.toml'), source, suites]
    await inside('ruff', 'check', ...config)
    await inside('ruff', 'format', '--check', ...config)
  })

  test.skipIf(reason !== undefined)('twine accepts its description', async () => {
    expect(await inside('twine', 'check', '--strict', wheel)).toContain('PASSED')
  })
})
