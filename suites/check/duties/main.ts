// The form of the command `check` that judges a client: its flags, its help, and the lines that it prints.

import { parseArgs } from 'node:util'
import { both, type Deployment } from '../../../spec/language.ts'
import { rules } from '../../../spec/server/duties.ts'
import type { CheckEvent } from '../events.ts'
import type { ProcessOptions } from './client-process.ts'
import { chosenDuties, type DutyOptions, runDuties, withoutDuty } from './run-duties.ts'

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
  --json              print one JSON object per line: start, each case, end
  -h, --help          print this help

Exit codes: 0 all duties kept, notes apart; 1 a duty is broken; 2 wrong usage; 4 a fault of flowdouble;
5 nothing was judged.

Examples:
  flowdouble check --client "npm test"
  flowdouble check --client "python generate.py --server {host}" --deployment local
  flowdouble check --client "npm test" --duty 'socket-*' --seconds 10
`

/** What the command needs of its process. */
export type ClientIo = Pick<ProcessOptions, 'cwd' | 'env' | 'signal'> & {
  readonly stdout: { readonly write: (text: string) => unknown }
  readonly stderr: { readonly write: (text: string) => unknown }
}

type Flags = DutyOptions &
  Pick<ProcessOptions, 'seconds'> & { readonly isJson: boolean; readonly isList: boolean }

/** Runs the command with the arguments after `check`; resolves to its exit code. */
export async function clientCommand(argv: readonly string[], io: ClientIo): Promise<number> {
  const flags = readFlags(argv)
  if (flags === 'help') {
    io.stdout.write(clientHelp)
    return 0
  }
  if (typeof flags === 'string') {
    io.stderr.write(`${flags}\nSee: flowdouble check --client --help\n`)
    return 2
  }
  if (flags.isList) {
    io.stdout.write(listing(flags))
    return 0
  }
  const { cwd, env, signal } = io
  let exitCode = 0
  for await (const event of runDuties({ ...flags, cwd, env, signal })) {
    io.stdout.write(flags.isJson ? `${JSON.stringify(event)}\n` : textOf(event))
    if (event.event === 'end') exitCode = event.exitCode
  }
  return exitCode
}

/** The flags, `help`, or a sentence about what is wrong with them. */
function readFlags(argv: readonly string[]): Flags | string {
  if (argv.includes('--help') || argv.includes('-h')) return 'help'
  let values
  try {
    values = parse(argv).values
  } catch (error) {
    return (error as Error).message
  }
  const { client: command = '', deployment, duty: only = [], seconds: text } = values
  const deployments = deployment === 'both' ? both : both.filter((one) => one === deployment)
  const seconds = Number(text)
  const isList = values.list === true
  if (command === '' && !isList) return '--client needs the command of your client.'
  if (deployments.length === 0) return `--deployment is local, hosted or both, not ${deployment}.`
  if (!(seconds > 0 && seconds <= 3600)) return `--seconds is a number up to 3600, not ${text}.`
  const flags = { command, deployments, only, seconds, isJson: values.json === true, isList }
  const [unknown] = withoutDuty(flags)
  return unknown === undefined ? flags : `--duty ${unknown} matches no duty (see --list).`
}

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    options: {
      client: { type: 'string' },
      deployment: { type: 'string', default: 'both' },
      duty: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '30' },
      list: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  })

function listing({ deployments, only }: DutyOptions): string {
  const lines = deployments.flatMap((place: Deployment) =>
    chosenDuties(place, only).map(({ rule }) => `${rule}  ${place}  ${rules[rule].says}\n`),
  )
  return lines.join('')
}

/** An event as lines for people. */
function textOf(event: CheckEvent): string {
  if (event.event === 'start') return ''
  if (event.event === 'warning') return `warning  ${event.text}\n`
  if (event.event === 'end') return `${event.outcome}\n`
  const { verdict, title, detail, failure } = event
  const why = detail === undefined ? '' : `      ${detail.replaceAll('\n', '\n      ')}\n`
  const wire = failure?.wire.map(({ atMs, direction, text }) => {
    const arrow = direction === 'sent' ? '->' : '<-'
    return `      ${Math.round(atMs)} ms ${arrow} ${text}\n`
  })
  return `${verdict}  ${title}\n${why}${(wire ?? []).join('')}${failure === undefined ? '' : `      ${failure.command}\n`}`
}
