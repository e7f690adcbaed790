#!/usr/bin/env node
// Builds the files of a release, tries each of them as a user would, and rehearses the whole: what the workflow
// .github/workflows/release.yml does beyond this needs the registries.
//
//   npm run release:files -- [--tag vX.Y.Z]   builds them into dist/release/, and compares tag, version and changelog
//   npm run release:try                       installs each of them in an empty folder, and uses it
//   npm run release:dry -- [--tag vX.Y.Z]     both in a clean clone of what is committed, with a rehearsal of publishing
//
// Exit codes: 0 all steps passed, 1 a step failed, 2 wrong usage, 5 nothing failed, but a step could not be tried here.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { filesSteps } from './files.mjs'
import { Ends, NotHere, run } from './step.mjs'
import { trySteps } from './try.mjs'

const root = join(import.meta.dirname, '../..')

/** Steps that make a clean clone, in which the others work. */
const cloneSteps = {
  'clone what is committed': async ({ place }) => {
    await run('git', ['clone', '--quiet', root, place])
    const { stdout } = await run('git', ['status', '--porcelain'], { cwd: root })
    return stdout === '' ? '' : 'the work tree has changes that are not part of it'
  },
  'npm ci': async ({ place }) => void (await run('npm', ['ci'], { cwd: place })),
}

const plans = {
  files: () => ({ place: root, steps: filesSteps }),
  try: () => ({ place: root, steps: trySteps }),
  dry: () => ({
    place: join(temporary, 'clone'),
    steps: { ...cloneSteps, ...filesSteps, ...trySteps },
  }),
}

function usage(problem) {
  console.error(`${problem}\nUsage: node suites/release/run.mjs files|try|dry [--tag vX.Y.Z]`)
  return process.exit(2)
}

function argumentsOf(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { tag: { type: 'string' } },
      allowPositionals: true,
    })
    const [name = '', ...rest] = positionals
    if (rest.length > 0) return usage(`There is one argument: ${rest.join(' ')} is more.`)
    return Object.hasOwn(plans, name)
      ? { name, tag: values.tag }
      : usage(`There is no plan ${JSON.stringify(name)}.`)
  } catch (error) {
    return usage(error.message)
  }
}

const { name, tag } = argumentsOf(process.argv.slice(2))
const temporary = mkdtempSync(join(tmpdir(), 'flowdouble-release-'))
process.on('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }))

const { place, steps } = plans[name]()
const context = { place, tag, out: join(place, 'dist/release'), temporary }

/** What became of each step. Most failures end no other step but those that need its files, which say so. */
const rows = []
for (const [step, carryOut] of Object.entries(steps)) {
  process.stdout.write(`${step} ...`)
  const startedMs = performance.now()
  const [result, note = '', error] = await Promise.resolve(context)
    .then(carryOut)
    .then(
      (text) => ['passed', text],
      (error) => [error instanceof NotHere ? 'not tried' : 'failed', error.message, error],
    )
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  rows.push({ step, result, seconds, note })
  process.stdout.write(` ${result} (${seconds} s)\n${result === 'passed' ? '' : `${note}\n`}`)
  if (error instanceof Ends) break
}

const widthOf = (key) => Math.max(...rows.map((row) => row[key].length))
const [stepWidth, secondsWidth] = [widthOf('step'), widthOf('seconds')]
console.log('')
for (const { step, result, seconds, note } of rows) {
  const [line = ''] = note.trim().split('\n')
  const cells = [result.padEnd(9), `${seconds.padStart(secondsWidth)} s`, step.padEnd(stepWidth)]
  console.log(`${cells.join('  ')}  ${line}`.trimEnd())
}
const count = (wanted) => rows.filter(({ result }) => result === wanted).length
console.log(
  `\n${count('passed')} passed, ${count('failed')} failed, ${count('not tried')} not tried`,
)
process.exitCode = count('failed') > 0 ? 1 : count('not tried') > 0 ? 5 : 0
