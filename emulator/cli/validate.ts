// The command `validate` checks scenario files.

import { loadScenario, problemText, type ScenarioProblem } from '../config/scenario-files.ts'
import { scenarioProblems, tryOptions } from '../edge/node/try-scenario.ts'
import { printable } from '../client/terminal-text.ts'
import type { OptionValues } from '../options/read.ts'
import type { ScenarioInput } from '../options/scenario.ts'
import { isUsageError, usageError } from '../options/usage.ts'
import { runOnFiles } from './lib/command.ts'
import type { CommandIo } from './lib/io.ts'
import {
  fileContents,
  helpLine,
  optionFlags,
  optionHelp,
  optionsGiven,
  readFiles,
} from './lib/server-flags.ts'

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
${helpLine('--content', 'print one JSON array of the scenarios, with the content of the files that they name: what the control API takes')}
${helpLine('--json', 'print one JSON array of {file, line, column, path, message, severity}; severity is error or warning')}
${helpLine('-h, --help', 'print this help')}

Exit codes: 0 all files are valid, 1 at least one is not, 2 wrong usage or a file cannot be read.

Examples:
  flowdouble validate tests/out-of-memory.yaml
  flowdouble validate scenarios/*.yaml --json
  flowdouble validate custom.yaml --object-info dump.json
  flowdouble validate custom.yaml --content > world.json
`

/** Runs the command with the arguments after `validate`; resolves to its exit code. */
export const validateCommand = (argv: readonly string[], io: CommandIo): Promise<number> =>
  runOnFiles(
    {
      name: 'validate',
      takes: 'file',
      help,
      flags: { ...optionFlags(options), content: { type: 'boolean' }, json: { type: 'boolean' } },
      run: (files, values) => {
        const given = readFiles(optionsGiven(options, values), io.cwd)
        tryOptions(given)
        const [isContent, isJson] = [values['content'] === true, values['json'] === true]
        if (isContent && isJson) throw usageError('Give --content or --json, not both.')
        return validateFiles(files, given, isContent ? 'content' : isJson ? 'json' : 'text', io)
      },
    },
    argv,
    io,
  )

/** How to print the result: problems as lines or as JSON, or the content of the scenarios, with problems on standard error. */
type Form = 'text' | 'json' | 'content'

/** Checks each file, and prints what is wrong with it, or its content. Returns the exit code. */
async function validateFiles(
  files: readonly string[],
  given: OptionValues,
  form: Form,
  io: CommandIo,
): Promise<number> {
  const all: ScenarioProblem[] = []
  const contents: unknown[] = []
  for (const file of files) {
    const checked = await check(file, given, io)
    if (checked === undefined) return 2
    const { problems, content } = checked
    all.push(...problems)
    contents.push(content)
    if (form === 'json') continue
    const isGood = isValid(problems) && form === 'text'
    const lines = [...problems.map(problemText), ...(isGood ? [`${file} is valid`] : [])]
    const output = form === 'text' ? io.stdout : io.stderr
    output.write(lines.map((line) => `${printable(line)}\n`).join(''))
  }
  if (form === 'json') io.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
  if (form === 'content' && isValid(all)) io.stdout.write(`${JSON.stringify(contents)}\n`)
  return isValid(all) ? 0 : 1
}

const isValid = (problems: readonly ScenarioProblem[]): boolean =>
  problems.every(({ severity }) => severity === 'warning')

/** A checked file: its errors and warnings, and the scenario, which only a valid one has. */
type Checked = { readonly problems: readonly ScenarioProblem[]; readonly content?: object }

/** Checks a file; undefined for one that cannot be read, which it reports. */
async function check(
  file: string,
  given: OptionValues,
  io: CommandIo,
): Promise<Checked | undefined> {
  const loaded = await loadScenario(file, io.cwd, file).catch((error: unknown) => {
    if (!isUsageError(error)) throw error
    io.stderr.write(`${printable(error.message)}\n`)
  })
  if (loaded === undefined) return undefined
  const problems = await scenarioProblems(loaded, given)
  return 'scenario' in loaded
    ? { problems, content: withFileContents(loaded.scenario) }
    : { problems }
}

/** A scenario whose options of the server have the content of the files that they name. */
const withFileContents = (scenario: ScenarioInput): object =>
  scenario.world === undefined
    ? scenario
    : { ...scenario, world: fileContents({ ...scenario.world }) }
