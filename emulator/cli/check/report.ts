// The command `check report`: reads its flags, and opens the door to the suites, which write the reports.

import { checkExitCodes, type ReportOptions } from '../../../spec/check.ts'
import { usageError } from '../../options/usage.ts'
import { parseFlags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'

const help = `Usage: flowdouble check report FILE... [options]

Writes reports on checks that are over. Each FILE holds what one flowdouble check --json has printed, of a server, a
gateway or a client. The page of --html shows several checks side by side, a column for each in the order of the
files, and can show only the rules in which they differ. Without further flags it prints the report of each check.

Options:
  --html FILE         one page that needs no network
  --junit FILE        for the test view of a CI
  --markdown FILE     for the summary of a CI job
  --sarif FILE        for code scanning and other tools for static analysis (SARIF 2.1.0)
  --results FILE      a page of results as Markdown: a table with a row for each server
  -h, --help          print this help

Exit codes: 0 the reports are written, whatever they say; 2 wrong usage, or a FILE that is not the whole output of
one check --json.

Examples:
  flowdouble check http://127.0.0.1:8188 --json > before.ndjson
  flowdouble check http://127.0.0.1:8288 --json --name candidate > after.ndjson
  flowdouble check report before.ndjson after.ndjson --html servers.html
  flowdouble check report nightly/*.ndjson --markdown "$GITHUB_STEP_SUMMARY" --junit checks.xml
`

const flags = {
  html: { type: 'string' },
  junit: { type: 'string' },
  markdown: { type: 'string' },
  sarif: { type: 'string' },
  results: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Runs the command with the arguments after `check report`; `load` opens the door. Resolves to the exit code. */
export async function reportCommand<Io extends CommandIo>(
  argv: readonly string[],
  io: Io,
  load: () => { readonly runReport: (options: ReportOptions, io: Io) => Promise<number> },
): Promise<number> {
  const { values, positionals } = parseFlags(argv, flags)
  if (values['help'] === true) {
    io.stdout.write(help)
    return checkExitCodes.asExpected
  }
  if (positionals.length === 0)
    throw usageError('check report needs at least one file that check --json has written.')
  const { help: _help, ...files } = values as Readonly<Record<string, string>>
  const { runReport } = load()
  return runReport({ ...files, files: positionals }, io)
}
