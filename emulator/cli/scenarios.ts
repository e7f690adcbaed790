// The commands `scenarios`, which lists the scenarios of the package, and `validate`, which checks scenario files.

import {
  loadScenario,
  problemText,
  scenarioNames,
  type ScenarioProblem,
} from '../config/scenario-files.ts'
import { tryScenario } from '../edge/node/try-scenario.ts'
import { printable } from '../client/terminal-text.ts'
import { violationText } from '../options/json-schema.ts'
import { scenarioWarnings } from '../options/scenario-warnings.ts'
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
What is probably a mistake is a warning, such as a fault of a path that no server has; the file is valid nevertheless.
A name of flowdouble scenarios stands for its file.

Options:
  --json      print one JSON array of {file, line, column, path, message, severity}; severity is error or warning
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
    return await validateFiles(positionals, values['json'] === true, io)
  } catch (error) {
    if (!isUsageError(error)) throw error
    stderr.write(`${printable(error.message)}\nSee: flowdouble validate --help\n`)
    return 2
  }
}

/** Checks each file, and prints what is wrong with it. Returns the exit code. */
async function validateFiles(
  files: readonly string[],
  isJson: boolean,
  io: CommandIo,
): Promise<number> {
  const all: ScenarioProblem[] = []
  for (const file of files) {
    const problems = await problemsOf(file, io)
    if (problems === undefined) return 2
    all.push(...problems)
    if (isJson) continue
    const lines = [...problems.map(problemText), ...(isValid(problems) ? [`${file} is valid`] : [])]
    io.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''))
  }
  if (isJson) io.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
  return isValid(all) ? 0 : 1
}

const isValid = (problems: readonly ScenarioProblem[]): boolean =>
  problems.every(({ severity }) => severity === 'warning')

/** Errors and warnings; undefined for a file that cannot be read, which it reports. */
async function problemsOf(
  file: string,
  io: CommandIo,
): Promise<readonly ScenarioProblem[] | undefined> {
  const loaded = await loadScenario(file, io.cwd, file).catch((error: unknown) => {
    if (!isUsageError(error)) throw error
    io.stderr.write(`${printable(error.message)}\n`)
  })
  if (loaded === undefined) return undefined
  if ('problems' in loaded) return loaded.problems
  const { scenario, problemAt } = loaded
  const problems = await tryScenario(scenario)
  const warnings = [...loaded.warnings, ...scenarioWarnings(scenario)]
  return [
    ...problems.map(({ path, message }) => problemAt('error', path, message)),
    ...warnings.map((one) => problemAt('warning', one.path, violationText(one, 'the scenario'))),
  ]
}
