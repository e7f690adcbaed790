// Runs the steps of a composite action as a runner does it: each in a separate shell, with its inputs in the environment.

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../../support/packed.ts'
import { folder } from '../../support/folder.ts'

export type Step = {
  readonly name: string
  readonly if?: string
  readonly shell: string
  readonly env?: Readonly<Record<string, string>>
  readonly run: string
}

export type Action = {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

export const actionOf = (name: string): Action =>
  parse(readFileSync(join(root, '.github/actions', name, 'action.yml'), 'utf8')) as Action

/** How the job ended, what it printed, its summary, its outputs, and the variables of later steps. */
export type Job = {
  readonly code: number
  readonly output: string
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** Runs the steps with these inputs in a folder that holds these files. */
export async function runAction(
  action: Action,
  inputs: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<Job> {
  const [workspace, temporary] = [join(folder(), 'work space'), join(folder(), 'temp orary')]
  for (const place of [workspace, temporary]) mkdirSync(place)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text)
  const summary = join(temporary, 'summary.md')
  const runner = {
    RUNNER_TEMP: temporary,
    GITHUB_WORKSPACE: workspace,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: join(temporary, 'output'),
    GITHUB_ENV: join(temporary, 'env'),
    npm_config_offline: 'true',
  }
  for (const file of [summary, runner.GITHUB_OUTPUT, runner.GITHUB_ENV]) writeFileSync(file, '')
  let [code, output] = [0, '']
  for (const step of action.runs.steps) {
    if (code !== 0 && step.if !== 'always()') continue
    const done = await runStep(step, { ...runner, ...inputsOf(action, step, inputs) })
    output += done.output
    code ||= done.code
  }
  return {
    code,
    output,
    summary: readFileSync(summary, 'utf8'),
    outputs: pairsIn(runner.GITHUB_OUTPUT),
    variables: pairsIn(runner.GITHUB_ENV),
  }
}

/** The lines NAME=VALUE of a file. */
const pairsIn = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** The environment of a step: its inputs, or their defaults. */
const inputsOf = (
  action: Action,
  { env = {} }: Step,
  inputs: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? ''
      const fallback = action.inputs[input]
      if (fallback === undefined) throw new Error(`${name} is not an input: ${value}`)
      return [name, inputs[input] ?? fallback.default]
    }),
  )

/** Runs a script as a runner runs `shell: bash`. */
function runStep(
  { run }: Step,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const argv = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run]
  const child = spawn('bash', argv, { env: { ...process.env, NO_COLOR: '1', ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (output += part.toString()))
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? -1, output }))
  })
}
