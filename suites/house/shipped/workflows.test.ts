// The workflows and actions name what exists: scripts of npm, files, jobs, artifacts.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../support/packed.ts'

type Step = {
  readonly uses?: string
  readonly with?: Readonly<Record<string, string | boolean>>
  readonly run?: string
}
type Job = {
  readonly needs?: string | readonly string[]
  readonly 'timeout-minutes'?: number
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}
type Workflow = {
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}
type Manifest = { readonly scripts: Readonly<Record<string, string>> }

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as Manifest
const workflows = readdirSync(join(root, '.github/workflows')).map(
  (name): readonly [string, Workflow] => [
    name,
    parse(read(`.github/workflows/${name}`)) as Workflow,
  ],
)
const actions = readdirSync(join(root, '.github/actions')).map(
  (name): readonly [string, readonly Step[]] => {
    const { runs } = parse(read(`.github/actions/${name}/action.yml`)) as {
      readonly runs: { readonly steps: readonly Step[] }
    }
    return [name, runs.steps]
  },
)
const stepsOf = ({ jobs }: Workflow): readonly Step[] =>
  Object.values(jobs).flatMap(({ steps }) => steps)

/** All steps, each with the file that it is in. */
const steps = [
  ...workflows.map(([name, workflow]) => [name, stepsOf(workflow)] as const),
  ...actions,
].flatMap(([name, own]) => own.map((step) => [name, step] as const))

test('there are workflows and actions to check', () => {
  expect(workflows.map(([name]) => name)).toEqual(
    expect.arrayContaining(['ci.yml', 'clients.yml', 'release.yml']),
  )
  expect(steps.length).toBeGreaterThan(30)
})

test('scripts of npm, files and actions that steps name exist', () => {
  const missing = steps.flatMap(([name, { run = '', uses = '', with: input = {} }]) => {
    const scripts = [...run.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script = '']) => script)
    const inRun = /(?<![\w/.-])(?:\.ci|\.github|suites|emulator|recordings)\/[\w./-]+/g
    const named = [run.match(inRun), uses.match(/(?<=^\.\/).+/), input['file']]
    const files = named.flatMap((found) => found ?? []).map(String)
    return [
      ...scripts.filter((script) => !Object.hasOwn(manifest.scripts, script)),
      ...files.filter((file) => !existsSync(join(root, file))),
    ].map((what) => `${name}: ${what}`)
  })
  expect(missing).toEqual([])
})

test('actions of others are pinned by a tag or a commit', () => {
  const used = steps.flatMap(([name, { uses }]) =>
    uses === undefined || uses.startsWith('./') ? [] : [`${name}: ${uses}`],
  )
  expect(used.filter((one) => !/@(v\d+(\.\d+)*|release\/v\d+|[\da-f]{40})$/.test(one))).toEqual([])
})

test('scripts of steps are valid for the shell', () => {
  for (const [, { run }] of steps) {
    // The shell receives them with the expressions replaced.
    const text = run?.replaceAll(/\$\{\{.*?\}\}/g, 'value')
    if (text !== undefined) execFileSync('bash', ['-n'], { input: text })
  }
})

describe.each(workflows)('%s', (_, { permissions, jobs }) => {
  test('limits its permissions and the time of each job', () => {
    expect(permissions).toEqual({ contents: 'read' })
    const unlimited = Object.entries(jobs).filter(([, job]) => job['timeout-minutes'] === undefined)
    expect(unlimited.map(([name]) => name)).toEqual([])
  })

  test('its jobs need jobs that exist, and download what an earlier one uploads', () => {
    const needed = Object.values(jobs).flatMap(({ needs = [] }) => needs)
    expect(needed.filter((name) => !Object.hasOwn(jobs, name))).toEqual([])
    const namesOf = (action: string): readonly unknown[] =>
      Object.values(jobs)
        .flatMap((job) => job.steps)
        .filter(({ uses = '' }) => uses.startsWith(`actions/${action}-artifact@`))
        .map((step) => step.with?.['name'])
    const uploaded = namesOf('upload')
    expect(namesOf('download').filter((name) => !uploaded.includes(name))).toEqual([])
  })

  test('stores no token: only those of the run itself are used', () => {
    const whole = JSON.stringify(jobs)
    expect(whole).not.toMatch(/secrets\./)
  })
})

test('what publishes may use its identity, and nothing else may', () => {
  const [, release] = workflows.find(([name]) => name === 'release.yml') ?? []
  const withIdentity = Object.entries(release?.jobs ?? {})
    .filter(([, job]) => job.permissions?.['id-token'] === 'write')
    .map(([name]) => name)
  expect(withIdentity).toEqual(['npm', 'pypi', 'image', 'release'])
  const others = workflows.filter(([name]) => name !== 'release.yml')
  expect(JSON.stringify(others)).not.toContain('id-token')
})
