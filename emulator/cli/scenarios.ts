// The commands `scenarios`, which lists the scenarios of the package, and `validate`, which checks scenario files.

import {
  loadScenario,
  problemText,
  scenarioNames,
  type ScenarioProblem,
} from '../config/scenario-files.ts'
import { tryScenario } from '../edge/node/try-scenario.ts'
import { printable } from '../client/terminal-text.ts'
import { isUsageError, usageError } from '../options/usage.ts'
import { parseFlags } from './lib/command.ts'
import type { CommandIo } from './lib/io.ts'
import { listCommand } from './lib/list-command.ts'

const scenariosHelp = `Usage: flowdouble scenarios [--json]

Lists the scenarios of this package: what happens in each, and what a good client does.
Use one with: flowdouble serve --scenario NAME (repeatable, merged in order)

Options:
  --json      print one JSON array of {name, about}
  -h, --help  print this help

Examples:
  flowdouble scenarios
  flowdouble serve --scenario out-of-memory --scenario queue-full-of-others
  flowdouble scenarios --json | jq -r '.[].name'
`

const validateHelp = `Usage: flowdouble validate FILE... [--json]

Checks scenario files, YAML or JSON, without starting a server: members and values, the files that they name, and
whether a server could start with them. Prints one line per problem: FILE:LINE:COLUMN: MESSAGE
A name of flowdouble scenarios stands for its file.

Options:
  --json      print one JSON array of {file, line, column, path, message}; empty if all files are valid
  -h, --help  print this help

Exit codes: 0 all files are valid, 1 at least one is not, 2 wrong usage or a file cannot be read.

Examples:
  flowdouble validate tests/out-of-memory.yaml
  flowdouble validate scenarios/*.yaml --json
`

/** Runs the command with the arguments after `scenarios`; resolves to its exit code. */
export async function scenariosCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const all: { readonly name: string; readonly about: string }[] = []
  for (const name of scenarioNames()) {
    const loaded = await loadScenario(name, io.cwd, name)
    all.push({ name, about: ('scenario' in loaded ? loaded.scenario.about : undefined) ?? '' })
  }
  return listCommand('scenarios', scenariosHelp, argv, io, (isJson) =>
    isJson
      ? `${JSON.stringify(all, null, 2)}\n`
      : all.map(({ name, about }) => `${name}\n  ${about}\n`).join(''),
  )
}

/** Runs the command with the arguments after `validate`; resolves to its exit code. */
export async function validateCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const { stdout, stderr } = io
  try {
    const { values, positionals } = parseFlags(argv, {
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    })
    if (values['help'] === true) {
      stdout.write(validateHelp)
      return 0
    }
    if (positionals.length === 0) throw usageError('validate needs at least one file.')
    const isJson = values['json'] === true
    const all: ScenarioProblem[] = []
    for (const file of positionals) {
      const problems = await problemsOf(file, io)
      all.push(...problems)
      if (isJson) continue
      const lines = problems.length === 0 ? [`${file} is valid`] : problems.map(problemText)
      stdout.write(lines.map((line) => `${printable(line)}\n`).join(''))
    }
    if (isJson) stdout.write(`${JSON.stringify(all, null, 2)}\n`)
    return all.length === 0 ? 0 : 1
  } catch (error) {
    if (!isUsageError(error)) throw error
    stderr.write(`${printable(error.message)}\nSee: flowdouble validate --help\n`)
    return 2
  }
}

async function problemsOf(file: string, { cwd }: CommandIo): Promise<readonly ScenarioProblem[]> {
  const loaded = await loadScenario(file, cwd, file)
  if ('problems' in loaded) return loaded.problems
  const message = await tryScenario(loaded.scenario)
  return message === undefined ? [] : [{ file, line: null, column: null, path: null, message }]
}
