// The command `lint`: says what a server would refuse in workflow files, without a server.

import type { Run } from 'sarif'
import { printable } from '../client/terminal-text.ts'
import { readSource } from '../edge/node/for-workflows.ts'
import { createLinter, type WorkflowProblem } from '../edge/node/lint.ts'
import { didYouMean } from '../lib/nearest.ts'
import { usageError } from '../options/usage.ts'
import { annotationText, sarifPlace, sarifText } from './lib/ci-formats.ts'
import { runOnFiles } from './lib/command.ts'
import { askFrom, askTypes, fromFlags, fromHelp } from './lib/from-server.ts'
import type { CommandIo } from './lib/io.ts'
import { helpLine, optionFlags, optionHelp, optionsGiven, readFiles } from './lib/server-flags.ts'

/** The options of the server that decide what it refuses. */
const options = ['like', 'objectInfo', 'nodes', 'models'] as const

const help = `Usage: flowdouble lint WORKFLOW... [options]

Says what a server refuses in workflow files: the validation of the server runs on each, with all of its unknown types.
Prints one line per problem: FILE: node ID (TYPE), INPUT: MESSAGE
Files have the API format, alone or as the body of a submit. Input files need not be there.

Options of the server, as of flowdouble serve:
${optionHelp(options)}

Options:
${fromHelp('judge by the node types, models and values of this server')}
${helpLine('--format FORMAT', 'text, json (one array), github (annotations of a workflow run) or sarif (default text)')}
${helpLine('-h, --help', 'print this help')}

Exit codes: 0 a server runs all of them, 1 it refuses at least one, 2 wrong usage or a file cannot be read,
3 the server of --from cannot be asked.

Examples:
  flowdouble lint workflows/*.json
  flowdouble lint portrait.json --object-info my.json
  flowdouble lint portrait.json --from http://192.168.1.20:8188
  flowdouble lint workflows/*.json --format sarif > lint.sarif
`

/** Runs the command with the arguments after `lint`; resolves to its exit code. */
export const lintCommand = (argv: readonly string[], io: CommandIo): Promise<number> =>
  runOnFiles(
    {
      name: 'lint',
      takes: 'workflow',
      help,
      flags: { ...optionFlags(options), ...fromFlags, format: { type: 'string' } },
      run: async (files, values) => {
        const write = writerFor(values['format'] ?? 'text')
        if (values['from'] !== undefined && values['object-info'] !== undefined)
          throw usageError('Give --from or --object-info, not both.')
        const from = await askFrom(values, io, askTypes)
        const lint = await createLinter(readFiles(optionsGiven(options, values), io.cwd), from)
        const problems: WorkflowProblem[] = []
        for (const [at, file] of files.entries())
          problems.push(...lint(await readSource(file, at, io.cwd)))
        io.stdout.write(write(problems))
        return problems.length === 0 ? 0 : 1
      },
    },
    argv,
    io,
  )

type Writer = (problems: readonly WorkflowProblem[]) => string

function writerFor(format: unknown): Writer {
  const known = Object.entries(writers).find(([name]) => name === format)
  if (known !== undefined) return known[1]
  const names = Object.keys(writers)
  const hint = didYouMean(String(format), names)
  throw usageError(`--format must be one of ${names.join(', ')}, not ${String(format)}.${hint}`)
}

/** Where a problem is, and what it is. */
const sentence = ({ node, class_type, input, says }: WorkflowProblem): string => {
  const type = class_type === null ? '' : ` (${class_type})`
  const place = node === null ? '' : `node ${node}${type}${input === null ? '' : `, ${input}`}: `
  return printable(place + says)
}

const lines = (all: readonly string[]): string => all.map((one) => `${one}\n`).join('')

const writers: Readonly<Record<string, Writer>> = {
  text: (problems) => lines(problems.map((one) => `${printable(one.file)}: ${sentence(one)}`)),
  json: (problems) => `${JSON.stringify(problems, null, 2)}\n`,
  github: (problems) =>
    problems
      .map((one) => {
        const { file, type: title } = one
        return annotationText({ level: 'error', file, title, message: sentence(one) })
      })
      .join(''),
  sarif: (problems) => sarifText([sarifRun(problems)]),
}

const sarifRun = (problems: readonly WorkflowProblem[]): Run => ({
  tool: {
    driver: {
      name: 'flowdouble lint',
      rules: [...new Set(problems.map(({ type }) => type))].map((id) => ({ id })),
    },
  },
  results: problems.map((one) => ({
    ruleId: one.type,
    level: 'error',
    message: { text: sentence(one) },
    locations: [
      {
        ...sarifPlace(one.file),
        logicalLocations: [{ name: one.input ?? one.node ?? one.file }],
      },
    ],
  })),
})
