// The form of the command `check` that judges a client: its flags and its help.

import { parseArgs } from 'node:util'
import { checkExitCodes, type CheckOptions, type ReportFiles } from '../../../spec/check.ts'
import { both, type Deployment } from '../../../spec/language.ts'
import { rules } from '../../../spec/server/duties.ts'
import { openKnown } from '../baseline/known.ts'
import { type CheckIo, reportsFor } from '../reports/reports.ts'
import { isWrongUse, wrongUse } from '../usage.ts'
import {
  chosenDuties,
  dutyCases,
  type DutyOptions,
  type ProcessOptions,
  runDuties,
  withoutDuty,
} from './run-duties.ts'

export const clientHelp = `Usage: flowdouble check --client COMMAND [options]

Judges a client of the API instead of a server: runs COMMAND, which submits a workflow and ends with
exit code 0 if and only if the run succeeded and its outputs are there, on a server on which nothing
goes wrong, and then once for each duty of a good client on a server that puts it to the test.
Each server listens on a free port of this machine only. COMMAND is a line for the shell, in which
{url}, {host} and {key} are replaced, and reads from its environment:

  FLOWDOUBLE_URL          base address of the server; requests of a hosted one go to /api/...
  FLOWDOUBLE_DEPLOYMENT   local or hosted
  FLOWDOUBLE_API_KEY      the API key of a hosted server; empty for a local one
  FLOWDOUBLE_PARTNER_KEY  the key for partner nodes, which a client may send
  FLOWDOUBLE_DUTY         the duty that is judged; empty in the ordinary run

The server accepts any model file and any node type. What the client never does, such as a
download, is not judged. A deployment on which the ordinary run fails is left out.

Options:
  --deployment WHICH  local, hosted or both (default both)
  --duty PATTERN      only these duties, such as socket-drop or 'retry-*' (repeatable)
  --seconds N         time limit for each run of COMMAND (default 30)
  --list              list the duties without running COMMAND
  -h, --help          print this help

What counts:
  --baseline FILE     known failures, each with a reason; one that no longer fails is an error
  --update-baseline   write the failures of this check into that file: then they are known, and it ends with 0

Reports:
  --json              print one JSON object per line, as things happen
  --junit FILE        for the test view of a CI
  --html FILE         one page that needs no network
  --markdown FILE     for the summary of a CI job
  --sarif FILE        for code scanning and other tools for static analysis (SARIF 2.1.0)
  --annotations       print the outcome and what is broken as annotations of a workflow run on GitHub, too
  --name NAME         what the reports call the client (default: COMMAND)

Exit codes: 0 as expected, 1 a duty is broken, 2 wrong usage, 3 the baseline is stale, 4 an error in
check itself, 5 nothing was judged.

Examples:
  flowdouble check --client "npm test"
  flowdouble check --client "python generate.py --server {host}" --deployment local
  flowdouble check --client "npm test" --duty 'socket-*' --seconds 10
  flowdouble check --client "npm test" --html duties.html --baseline known-duties.json --update-baseline
`

type Flags = DutyOptions &
  ReportFiles &
  Pick<ProcessOptions, 'seconds'> &
  Pick<CheckOptions, 'baseline' | 'isBaselineUpdate' | 'isJson' | 'hasAnnotations' | 'isList'>

/** Runs the command with the arguments after `check`; resolves to its exit code. */
export async function clientCommand(
  argv: readonly string[],
  io: Omit<CheckIo, 'now' | 'didYouMean' | 'writeHar'>,
): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write(clientHelp)
    return checkExitCodes.asExpected
  }
  try {
    return await judgeClient(readFlags(argv), io)
  } catch (error) {
    if (!isWrongUse(error)) throw error
    io.stderr.write(`${error.message}\nSee: flowdouble check --client --help\n`)
    return checkExitCodes.wrongUsage
  }
}

async function judgeClient(
  flags: Flags,
  io: Omit<CheckIo, 'now' | 'didYouMean' | 'writeHar'>,
): Promise<number> {
  if (flags.isList) {
    io.stdout.write(listing(flags))
    return checkExitCodes.asExpected
  }
  const all = dutyCases({ deployments: both, only: [] })
  const known = openKnown(flags, io, dutyCases(flags), all)
  const reports = reportsFor(flags, io)
  const { cwd, env, signal } = io
  let exitCode: number = checkExitCodes.notMeasured
  for await (const event of runDuties({ ...flags, cwd, env, signal }, known)) {
    reports.take(event)
    if (event.event === 'end') exitCode = event.exitCode
  }
  await reports.end()
  return exitCode
}

/** The flags. Throws an error with the code USAGE if something is wrong with them. */
function readFlags(argv: readonly string[]): Flags {
  const { client: command = '', deployment, duty: only = [], seconds: text, ...more } = parse(argv)
  const deployments = deployment === 'both' ? both : both.filter((one) => one === deployment)
  const seconds = Number(text)
  const isList = more.list === true
  if (command === '' && !isList) throw wrongUse('--client needs the command of your client.')
  if (deployments.length === 0)
    throw wrongUse(`--deployment is local, hosted or both, not ${deployment}.`)
  if (!(seconds > 0 && seconds <= 3600))
    throw wrongUse(`--seconds is a number up to 3600, not ${text}.`)
  const [unknown] = withoutDuty({ deployments, only })
  if (unknown !== undefined) throw wrongUse(`--duty ${unknown} matches no duty (see --list).`)
  const {
    json,
    annotations,
    list: _list,
    'update-baseline': isBaselineUpdate = false,
    ...texts
  } = more
  const [isJson, hasAnnotations] = [json === true, annotations === true]
  return {
    ...texts,
    command,
    deployments,
    only,
    seconds,
    isJson,
    hasAnnotations,
    isList,
    isBaselineUpdate,
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags }).values
  } catch (error) {
    throw wrongUse((error as Error).message)
  }
}

const flags = {
  client: { type: 'string' },
  deployment: { type: 'string', default: 'both' },
  duty: { type: 'string', multiple: true },
  seconds: { type: 'string', default: '30' },
  list: { type: 'boolean' },
  baseline: { type: 'string' },
  'update-baseline': { type: 'boolean' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
  html: { type: 'string' },
  markdown: { type: 'string' },
  sarif: { type: 'string' },
  annotations: { type: 'boolean' },
  name: { type: 'string' },
} as const

function listing({ deployments, only }: Pick<DutyOptions, 'deployments' | 'only'>): string {
  const lines = deployments.flatMap((place: Deployment) =>
    chosenDuties(place, only).map(({ rule }) => `${rule}  ${place}  ${rules[rule].says}\n`),
  )
  return lines.join('')
}
