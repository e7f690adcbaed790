// The command `diff`: reads its flags, and opens the door to the suites, which play sessions on two servers.

import {
  type Allowance,
  checkExitCodes,
  type TargetOptions,
  type DiffOptions,
} from '../../spec/check.ts'
import { printable } from '../client/terminal-text.ts'
import { packageBundle } from '../config/package-files.ts'
import { isUsageError, usageError } from '../options/usage.ts'
import { parseFlags } from './lib/command.ts'
import type { CommandIo } from './lib/io.ts'

const help = `Usage: flowdouble diff URL_A URL_B [options]

Plays the same seeded sessions on two workflow servers of one deployment, and says what differs beyond what may: ids,
times, versions, memory figures, counters in file names and extra fields. It submits runs without models, and makes files
below flowdouble-check/. The first difference of a session is shortened to the smallest session that shows it.

Options:
  --sessions N     how many sessions (default 3)
  --seed S         seed of the first one; the others follow (default 1)
  --key-a KEY      API key of the first server, if it is hosted (or FLOWDOUBLE_API_KEY)
  --key-b KEY      API key of the second (or FLOWDOUBLE_API_KEY)
  --max-seconds N  time that it takes at most (default 60 for each session)
  --json           print one JSON object per line
  -h, --help       print this help

Exit codes: 0 equal, 1 different, 2 wrong usage, 5 not measured: a server cannot be reached, or both cannot be compared,
or the time is used up, or the command was stopped.

Example:
  flowdouble diff http://127.0.0.1:8188 http://127.0.0.1:8288 --sessions 10 --seed 7
`

const text = { type: 'string' } as const
const flags = {
  sessions: text,
  seed: text,
  'key-a': text,
  'key-b': text,
  'max-seconds': text,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** What the bundle of the suites exports. */
type DiffBundle = {
  readonly runDiff: (options: DiffOptions, io: CommandIo) => Promise<number>
}

type Values = Readonly<Record<string, unknown>>

/** Runs the command with the arguments after `diff`; resolves to its exit code. */
export async function diffCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const { values, positionals } = parseFlags(argv, flags)
    if (values['help'] === true) {
      io.stdout.write(help)
      return checkExitCodes.asExpected
    }
    const options = optionsOf(values, positionals, io.env)
    const { runDiff } = packageBundle('judge') as DiffBundle
    return await runDiff(options, io)
  } catch (error) {
    if (!isUsageError(error)) throw error
    io.stderr.write(`${printable(error.message)}\nSee: flowdouble diff --help\n`)
    return checkExitCodes.wrongUsage
  }
}

function optionsOf(values: Values, urls: readonly string[], env: CommandIo['env']): DiffOptions {
  const [a, b] = urls
  if (a === undefined || b === undefined || urls.length > 2)
    throw usageError('diff needs the URLs of two servers.')
  const key = env['FLOWDOUBLE_API_KEY']
  const sessions = numberOf(values, 'sessions', 3)
  return {
    a: serverOf(a, (values['key-a'] as string | undefined) ?? key),
    b: serverOf(b, (values['key-b'] as string | undefined) ?? key),
    sessions,
    seed: numberOf(values, 'seed', 1),
    maxSeconds: numberOf(values, 'max-seconds', sessions * SESSION_SECONDS),
    isJson: values['json'] === true,
  }
}

/** What a session takes at most on a slow server, with the search for the smallest one, in seconds. */
const SESSION_SECONDS = 60

/** Sessions neither cost money nor touch the work of others. */
const allow: readonly Allowance[] = ['slow']

function serverOf(url: string, key: string | undefined): TargetOptions {
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw usageError('diff needs URLs that begin with http:// or https://.')
  return {
    url,
    ...(key !== undefined && { key }),
    headers: {},
    allow,
    isReadOnly: false,
    maxRuns: Infinity,
  }
}

function numberOf(values: Values, name: string, usual: number): number {
  const value = values[name] as string | undefined
  if (value === undefined) return usual
  if (!/^[1-9]\d{0,6}$/.test(value)) throw usageError(`--${name} is a number from 1 to 9999999.`)
  return Number(value)
}
