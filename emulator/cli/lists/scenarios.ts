// The command `scenarios` lists the scenarios of the package.

import { loadScenario, scenarioNames } from '../../config/scenario-files.ts'
import type { CommandIo } from '../lib/io.ts'
import { listCommand } from './list-command.ts'

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
