// The Python package as its users have it: the wheel, in a new environment, with the plugins and type checkers
// that they use. Needs Python and the packages of PyPI.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { clients } from '../clients/clients.mjs'
import { folder } from '../support/folder.ts'
import { buildWheel, root, run, source, suites, whyNot } from './pythons.ts'

const reason = whyNot()
const inPython = test.skipIf(reason !== undefined)
const requirements = ['-r', join(suites, 'requirements.txt')]
const five = ['comfyapi', 'comfyflow', 'comfy-api-simplified', 'comfy-sdk', 'pycomfy']
const checkers = ['mypy', 'pyright[nodejs]', 'ruff', 'types-requests', 'twine']

/** Creates an environment with these packages; resolves to the folder of its programs. */
async function environment(...packages: readonly string[]): Promise<string> {
  const place = folder()
  await run('python3', ['-m', 'venv', place])
  await run(join(place, 'bin/pip'), ['install', '--quiet', ...packages])
  return join(place, 'bin')
}

/** What programs in an environment see: its programs alone, and so no Node, as after `env -i`. */
const onlyIn = (bin: string): Readonly<Record<string, string>> => ({
  PATH: bin,
  HOME: folder(),
  PYTHONDONTWRITEBYTECODE: '1',
})

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
  /** The programs of the environment. */
  let bin = ''
  const inside = (program: string, ...args: readonly string[]): Promise<string> =>
    run(join(bin, program), args, { cwd: root, env: onlyIn(bin) })

  beforeAll(async () => {
    if (reason !== undefined) return
    wheel = await buildWheel(folder())
    bin = await environment(wheel, ...requirements, ...checkers)
  })

  inPython('passes its tests with its own Node', async () => {
    const flags = ['-q', '-p', 'no:cacheprovider', '-p', 'no:asyncio']
    const printed = await inside('python', '-m', 'pytest', ...flags, suites)
    const [, passed = '0'] = /(\d+) passed/.exec(printed) ?? []
    expect(Number(passed), printed).toBeGreaterThanOrEqual(60)
    expect(printed).not.toMatch(/failed|error|skipped/)
  })

  inPython('serves five public clients, in their tests', async () => {
    const versions = clients.flatMap(({ name, version }) =>
      five.includes(name) ? `${name}==${version}` : [],
    )
    expect(versions).toHaveLength(five.length)
    const place = await environment(wheel, 'pytest', ...versions)
    const argv = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(suites, 'clients')]
    expect(await run(join(place, 'python'), argv, { env: onlyIn(place) })).toContain('5 passed')
  })

  inPython('mypy accepts the package, its tests and its README', async () => {
    const strict = ['--no-incremental', '--strict', '--config-file', join(source, 'pyproject.toml')]
    await inside('mypy', ...strict, join(source, 'flowdouble'))
    await inside('mypy', ...strict, '--exclude', 'clients', suites)
    // Tests of users seldom have types.
    await inside('mypy', ...strict, '--allow-untyped-defs', '--allow-untyped-calls', programs())
  })

  inPython('pyright accepts the package and its README', async () => {
    const python = ['--pythonpath', join(bin, 'python')]
    await inside('pyright', ...python, '--project', source)
    await inside('pyright', ...python, programs())
  })

  inPython('ruff accepts the package and its tests', async () => {
    const config = ['--no-cache', '--config', join(source, 'pyproject.toml'), source, suites]
    await inside('ruff', 'check', ...config)
    await inside('ruff', 'format', '--check', ...config)
  })

  inPython('twine accepts its description', async () => {
    expect(await inside('twine', 'check', '--strict', wheel)).toContain('PASSED')
  })
})
