// The command `types`: writes the world that workflows need as a scenario.

import { stringify } from 'yaml'
import { printable } from '../client/terminal-text.ts'
import { worldForWorkflows } from '../edge/node/for-workflows.ts'
import type { Finding } from '../infer/needs.ts'
import { runOnFiles } from './lib/command.ts'
import { askFrom, askTypes, fromFlags, fromHelp } from './lib/from-server.ts'
import type { CommandIo } from './lib/io.ts'
import { helpLine, optionFlags, optionHelp, optionsGiven, readFiles } from './lib/server-flags.ts'

/** The options of the server that decide which types are known. */
const options = ['like', 'objectInfo', 'nodes', 'values'] as const

const help = `Usage: flowdouble types WORKFLOW... [options]

Prints the scenario of a server that runs these workflows: the node types that it lacks, inferred from all workflows
together, model files in their folders, and placeholders for input files. Known types stay as they are, and strict.
What was guessed, what to look at, and what cannot run as it is goes to standard error.

With --from nothing is guessed: the node types are those of a running server, asked by GET requests alone, and the world
has the models and values that it lists. What it does not list cannot run.

Options of the server, as of flowdouble serve:
${optionHelp(options)}

Options:
${fromHelp('take node types, models and values from this server')}
${helpLine('--json', 'print one JSON object: scenario, and findings with kind, file, node and says')}
${helpLine('-h, --help', 'print this help')}

Exit codes: 0 all of them can run, 1 something cannot run as it is, 2 wrong usage or a file cannot be read,
3 the server of --from cannot be asked.

Examples:
  flowdouble types portrait.json video.json > world.yaml
  flowdouble serve --scenario world.yaml
  flowdouble types video.json --from http://192.168.1.20:8188 > world.yaml
  flowdouble serve --for portrait.json --for video.json
`

/** Runs the command with the arguments after `types`; resolves to its exit code. */
export const typesCommand = (argv: readonly string[], io: CommandIo): Promise<number> =>
  runOnFiles(
    {
      name: 'types',
      takes: 'workflow',
      help,
      flags: {
        ...optionFlags(options),
        ...fromFlags,
        values: { type: 'boolean' },
        json: { type: 'boolean' },
      },
      run: async (files, values) => {
        const { stdout, stderr, cwd } = io
        const given = {
          ...readFiles(optionsGiven(options, values), cwd),
          values: values['values'] === true,
        }
        const from = await askFrom(values, io, askTypes)
        const workflows = { ...given, for: files }
        const { options: made, findings } = await worldForWorkflows(workflows, { cwd, from })
        const [scenario] = made.scenario as readonly object[]
        if (values['json'] === true)
          stdout.write(`${JSON.stringify({ scenario, findings }, null, 2)}\n`)
        else {
          stdout.write(stringify(scenario, { lineWidth: 120 }))
          stderr.write(findingsText(findings))
        }
        return findings.some(({ kind }) => kind === 'impossible') ? 1 : 0
      },
    },
    argv,
    io,
  )

const headings = {
  guessed: 'Guessed',
  taken: 'Taken from the server',
  look: 'Look at this',
  impossible: 'Cannot run as it is',
} as const

/** What a person should know about a world, in groups; empty without anything. */
export const findingsText = (findings: readonly Finding[]): string =>
  Object.entries(headings)
    .map(([kind, heading]) => {
      const lines = findings.filter((one) => one.kind === kind).map(lineOf)
      return lines.length === 0 ? '' : `${heading}:\n${lines.join('')}`
    })
    .join('')

const lineOf = ({ file, node, says }: Finding): string =>
  printable(`  ${file}${node === null ? '' : `, node ${node}`}: ${says}`) + '\n'
