// The command `validate` checks scenario files.

import { loadScenario, problemText, type ScenarioProblem } from '../config/scenario-files.ts'
import { scenarioProblems, tryOptions } from '../edge/node/try-scenario.ts'
import { printable } from '../client/terminal-text.ts'
import type { OptionValues } from '../options/read.ts'
import { isUsageError } from '../options/usage.ts'
import { runOnFiles } from './lib/command.ts'
import type { CommandIo } from './lib/io.ts'
import { helpLine, optionFlags, optionHelp, optionsGiven, readFiles } from './lib/server-flags.ts'

/** The options of a server that decide whether a scenario can be used. */
const options = ['deployment', 'like', 'objectInfo', 'nodes', 'models', 'unknownNodes'] as const

const help = `Usage: flowdouble validate FILE... [options]

Checks scenario files, YAML or JSON, without starting a server: members and values, the files that they name, and
whether a server could start with them. Prints one line per problem: FILE:LINE:COLUMN: MESSAGE
What is probably a mistake is a warning, such as a fault of a path that no server has; the file is valid nevertheless.
A name of flowdouble scenarios stands for its file.

Options of the server, as of flowdouble serve; they override those of a file:
${optionHelp(options)}

Options:
${helpLine('--json', 'print one JSON array of {file, line, column, path, message, severity}; severity is error or warning')}
${helpLine('-h, --help', 'print this help')}

Exit codes: 0 all files are valid, 1 at least one is not, 2 wrong usage or a file cannot be read.

Examples:
  flowdouble validate tests/out-of-memory.yaml
  flowdouble validate scenarios/*.yaml --json
  flowdouble validate custom.yaml --object-info dump.json
`

/** Runs the command with the arguments after `validate`; resolves to its exit code. */
export const validateCommand = (argv: readonly string[], io: CommandIo): Promise<number> =>
  runOnFiles(
    {
      name: 'validate',
      takes: 'file',
      help,
      flags: { ...optionFlags(options), json: { type: 'boolean' } },
      run: (files, values) => {
        const given = readFiles(optionsGiven(options, values), io.cwd)
        tryOptions(given)
        return validateFiles(files, given, values['json'] === true, io)
      },
    },
    argv,
    io,
  )

/** Checks each file, and prints what is wrong with it. Returns the exit code. */
async function validateFiles(
  files: readonly string[],
  given: OptionValues,
  isJson: boolean,
  io: CommandIo,
): Promise<number> {
  const all: ScenarioProblem[] = []
  for (const file of files) {
    const problems = await problemsOf(file, given, io)
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
  given: OptionValues,
  io: CommandIo,
): Promise<readonly ScenarioProblem[] | undefined> {
  const loaded = await loadScenario(file, io.cwd, file).catch((error: unknown) => {
    if (!isUsageError(error)) throw error
    io.stderr.write(`${printable(error.message)}\n`)
  })
  return loaded === undefined ? undefined : scenarioProblems(loaded, given)
}
