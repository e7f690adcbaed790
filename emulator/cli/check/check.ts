// The command `check`: reads its flags, and opens the door to the suites, which judge the server.

import { existsSync } from 'node:fs'
import {
  type Allowance,
  allowances,
  checkExitCodes,
  type CheckOptions,
  type DriftOptions,
  type ReportOptions,
  type SessionOptions,
  type TraceOptions,
  usualSessions,
} from '../../../spec/check.ts'
import { printable } from '../../client/terminal-text.ts'
import { packageBundle } from '../../config/package-files.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import type { Recording } from '../../session/recording.ts'
import { writeHar } from '../../recording/write-har.ts'
import { gatewayFactsOf, gatewayFlags, gatewayHelp, MAX_GATEWAY_RUNS } from './gateway.ts'
import { reportCommand } from './report.ts'
import { type NamedRecording, readRecordings, traceHelp, traceOptionsOf } from './trace.ts'
import { annotationText, sarifPlace, sarifText } from '../lib/ci-formats.ts'
import { parseFlags } from '../lib/command.ts'
import { headerFlag, headersGiven } from '../lib/header-flag.ts'
import type { CommandIo } from '../lib/io.ts'

const help = `Usage: flowdouble check URL [options]
       flowdouble check --client COMMAND [options]   judge a client (flowdouble check --client --help)
       flowdouble check --gateway URL --route NAME --secret SECRET [options]
       flowdouble check --trace FILE... [options]    judge recorded traffic, without a server
       flowdouble check --recording FILE URL [options]  has a server changed since a session was recorded?
       flowdouble check report FILE... [options]     reports on checks that are over (flowdouble check report --help)

Judges a workflow server or a webhook gateway by the rules of the protocol: which rule it breaks, and how to see it
again. By default it touches nothing but its own runs and files below flowdouble-check/, and removes what can be removed; it
says first about how many files stay.

The server:
  --deployment NAME   local or hosted (default: found by asking)
  --key KEY           API key of a hosted server (or FLOWDOUBLE_API_KEY)
  --second-key KEY    key of another account, for what accounts must not see of each other
  --free-key KEY      key of an account in the free tier
  --token TOKEN       bearer token of a local server
  --partner-key KEY   key with which partner nodes run, with --allow paid
  --header 'N: V'     a further header of each request; repeatable

${gatewayHelp}
${traceHelp}
What it may do:
  --read-only         submit nothing and change nothing
  --allow LIST        between commas: global, destructive, paid, slow, heavy or all
  --max-runs N        runs that it submits at most (default: what the stated rules need, some 100; what all cases need
                      with --only or --allow slow), or posts that a gateway accepts (default ${MAX_GATEWAY_RUNS}, with --allow slow 500)
  --max-seconds N     time that it takes at most (default 300)

Which cases:
  --only WHAT         a rule, an area, a glob such as queue/*, a title, or a tag (global, destructive, paid, slow,
                      heavy, own-world); repeatable
  --sessions N        how many seeded sessions of two clients are played (default 3), some 40 runs each;
                      they need --allow slow
  --seed S            seed of the first one; the others follow (default 1)
  --list              list the cases with what they cost, and run none

What counts:
  --accept QUIRK      a known other behaviour that is accepted; repeatable (flowdouble quirks lists them)
  --like NAME         accept all that this named server does otherwise
  --baseline FILE     known failures, each with a reason; one that no longer fails is an error
  --update-baseline   write the failures of this check into that file: then they are known, and it ends with 0

Reports:
  --json              print one JSON object per line, as things happen
  --junit FILE        for the test view of a CI
  --html FILE         one page that needs no network
  --markdown FILE     for the summary of a CI job
  --sarif FILE        for code scanning and other tools for static analysis (SARIF 2.1.0)
  --annotations       print the outcome and what is broken as annotations of a workflow run on GitHub, too
  --name NAME         what the reports call the server (default: its address)
  --ledger FILE       where it writes down what it makes (default flowdouble-check-HOST-PORT.ledger); the file goes
                      when all that can be removed is. Sessions that break a rule are kept beside it, in
                      flowdouble-check.counterexamples, and played first by the next check with --allow slow
  --clean LEDGER      remove what a check has left that could not end, list and forget what cannot be removed, and do
                      nothing else; exit code 5 if the server refuses for now

Options:
  -h, --help          print this help

Exit codes: 0 as expected, 1 a rule is broken, 2 wrong usage, 3 the baseline is stale, 4 an error in check itself, 5 not
measured: the server cannot be reached, or is not one that can be judged.

Examples:
  flowdouble check http://127.0.0.1:8188
  flowdouble check http://127.0.0.1:8188 --only 'queue/*' --allow all
  flowdouble check http://127.0.0.1:8188 --allow slow --sessions 20 --seed 100 --max-seconds 1800
  flowdouble check https://cloud.example.com --key "$KEY" --read-only
  flowdouble check --client "npm test"
  flowdouble check --trace session.har --like comfyui-0.3.64
  flowdouble check report a.ndjson b.ndjson --html both.html
  flowdouble check --gateway http://127.0.0.1:8644 --route builds --secret "$SECRET"
`

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const
const flags = {
  deployment: text,
  key: text,
  'second-key': text,
  'free-key': text,
  token: text,
  'partner-key': text,
  ...headerFlag,
  'read-only': flag,
  allow: texts,
  'max-runs': text,
  'max-seconds': text,
  only: texts,
  sessions: text,
  seed: text,
  list: flag,
  accept: texts,
  like: text,
  name: text,
  junit: text,
  html: text,
  markdown: text,
  sarif: text,
  annotations: flag,
  baseline: text,
  'update-baseline': flag,
  ledger: text,
  clean: text,
  json: flag,
  trace: flag,
  recording: text,
  update: flag,
  ...gatewayFlags,
  help: { type: 'boolean', short: 'h' },
} as const

/** Flags that choose or judge the cases of a check: those of a recording are what it contains. */
const notWithRecording = ['only', 'list', 'sessions', 'seed', 'clean']

/** Whether a client is to be judged, which has flags of its kind. */
const isAboutClient = (argv: readonly string[]): boolean =>
  argv.some((one) => /^--client(=|$)/.test(one))

/** What the bundle of the suites exports. */
type CheckBundle = {
  readonly runCheck: (options: CheckOptions, io: CheckIo) => Promise<number>
  readonly runClean: (options: CheckOptions, io: CheckIo) => Promise<number>
  readonly clientCommand: (argv: readonly string[], io: CheckIo) => Promise<number>
  readonly runTrace: (
    options: TraceOptions,
    recordings: readonly NamedRecording[],
    io: CheckIo,
  ) => Promise<number>
  readonly runDrift: (
    options: DriftOptions,
    recording: NamedRecording,
    io: CheckIo,
  ) => Promise<number>
  readonly runReport: (options: ReportOptions, io: CommandIo & typeof formats) => Promise<number>
}

/** What the suites need from the process. */
type CheckIo = CommandIo & {
  readonly now: () => string
  readonly exists: (file: string) => boolean
  readonly didYouMean: typeof didYouMean
  readonly writeHar: (recording: Recording) => string
} & typeof formats

const formats = { annotationText, sarifText, sarifPlace }

/** What the suites need besides the streams of the process. */
const more = {
  ...formats,
  now: (): string => new Date().toISOString(),
  exists: existsSync,
  didYouMean,
  writeHar,
}

/** Loads the bundle of the suites. */
const load = (): CheckBundle => packageBundle('judge') as CheckBundle

/** Runs the command with the arguments after `check`; resolves to its exit code. */
export async function checkCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  if (isAboutClient(argv)) {
    const { clientCommand } = load()
    return clientCommand(argv, { ...io, ...more })
  }
  try {
    const [first, ...rest] = argv
    if (first === 'report') return await reportCommand(rest, { ...io, ...formats }, load)
    const { values, positionals } = parseFlags(argv, flags)
    if (values['help'] === true) {
      io.stdout.write(help)
      return checkExitCodes.asExpected
    }
    if (values['trace'] === true) {
      const options = traceOptionsOf(values)
      const recordings = readRecordings(positionals, io)
      const { runTrace } = load()
      return await runTrace(options, recordings, { ...io, ...more })
    }
    const isClean = typeof values['clean'] === 'string'
    const options = optionsOf(values, isClean ? ['http://unused'] : positionals, io.env)
    if (typeof values['recording'] === 'string') {
      const other = notWithRecording.find((name) => values[name] !== undefined)
      if (other !== undefined) throw usageError(`--${other} does not go with --recording.`)
      const [recording] = readRecordings([values['recording']], io)
      const { runDrift } = load()
      const own = { ...options, isUpdate: values['update'] === true }
      return await runDrift(own, recording as NamedRecording, { ...io, ...more })
    }
    if (values['update'] === true) throw usageError('--update needs --recording.')
    const { runCheck, runClean } = load()
    return await (isClean ? runClean : runCheck)(options, { ...io, ...more })
  } catch (error) {
    if (!isUsageError(error)) throw error
    io.stderr.write(`${printable(error.message)}\nSee: flowdouble check --help\n`)
    return checkExitCodes.wrongUsage
  }
}

type Values = Readonly<Record<string, unknown>>

function optionsOf(
  values: Values,
  positionals: readonly string[],
  env: CommandIo['env'],
): CheckOptions {
  const isGateway = values['gateway'] !== undefined
  const [url, ...more] = isGateway ? [values['gateway'] as string, ...positionals] : positionals
  if (url === undefined || more.length > 0) throw usageError('check needs the URL of one server.')
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw usageError('check needs a URL that begins with http:// or https://.')
  const { deployment } = values
  if (deployment !== undefined && deployment !== 'local' && deployment !== 'hosted')
    throw usageError('--deployment is local or hosted.')
  const allow = allowancesOf(values['allow'] as readonly string[] | undefined)
  const sessions = sessionsOf(values, allow)
  const usualPosts = allow.includes('slow') ? 500 : MAX_GATEWAY_RUNS
  const maxRuns = numberOf(values, 'max-runs') ?? (isGateway ? usualPosts : undefined)
  const key = (values['key'] as string | undefined) ?? env['FLOWDOUBLE_API_KEY']
  return {
    url,
    ...(deployment && { deployment }),
    ...(key !== undefined && { key }),
    ...textIn(values, 'second-key', 'secondKey'),
    ...textIn(values, 'free-key', 'freeKey'),
    ...textIn(values, 'token', 'token'),
    ...textIn(values, 'partner-key', 'partnerKey'),
    headers: Object.fromEntries(headersGiven(values)),
    allow,
    isReadOnly: values['read-only'] === true,
    ...(maxRuns !== undefined && { maxRuns }),
    ...sessions,
    ...(isGateway && { gateway: gatewayFactsOf(values, env, numberOf) }),
    maxSeconds: numberOf(values, 'max-seconds') ?? 300,
    select: (values['only'] ?? []) as readonly string[],
    isList: values['list'] === true,
    accept: (values['accept'] ?? []) as readonly string[],
    ...textIn(values, 'like', 'like'),
    ...textIn(values, 'name', 'name'),
    isJson: values['json'] === true,
    ...textIn(values, 'junit', 'junit'),
    ...textIn(values, 'html', 'html'),
    ...textIn(values, 'markdown', 'markdown'),
    ...textIn(values, 'sarif', 'sarif'),
    hasAnnotations: values['annotations'] === true,
    ...textIn(values, 'baseline', 'baseline'),
    isBaselineUpdate: values['update-baseline'] === true,
    ledger: ((values['clean'] ?? values['ledger']) as string | undefined) ?? ledgerOf(url),
  }
}

/** The name of the ledger for a server: no two servers share one. */
function ledgerOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  const place = `${hostname} ${port || (protocol === 'https:' ? '443' : '80')} ${pathname}`
  const name = place.replace(/[^\w.]+/g, '-').replace(/^-|-$/g, '')
  return `flowdouble-check-${name}.ledger`
}

function sessionsOf(values: Values, allow: readonly Allowance[]): SessionOptions {
  const [sessions, seed] = [numberOf(values, 'sessions'), numberOf(values, 'seed')]
  if ((sessions ?? seed) !== undefined && !allow.includes('slow'))
    throw usageError('--sessions and --seed need --allow slow: a session submits some 40 runs.')
  return {
    sessions: sessions ?? usualSessions.sessions,
    seed: seed ?? usualSessions.seed,
  }
}

const textIn = (values: Values, name: string, to: string): Readonly<Record<string, string>> =>
  typeof values[name] === 'string' ? { [to]: values[name] } : {}

function allowancesOf(lists: readonly string[] = []): readonly Allowance[] {
  const known = Object.keys(allowances) as readonly Allowance[]
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => name !== 'all' && !known.some((one) => one === name))
  if (unknown !== undefined)
    throw usageError(
      `Unknown --allow ${JSON.stringify(unknown)}.${didYouMean(unknown, [...known, 'all'])} It is ${known.join(', ')} or all.`,
    )
  return names.includes('all') ? known : known.filter((name) => names.includes(name))
}

function numberOf(values: Values, name: string): number | undefined {
  const value = values[name] as string | undefined
  if (value === undefined) return undefined
  if (!/^[1-9]\d{0,6}$/.test(value)) throw usageError(`--${name} is a number from 1 to 9999999.`)
  return Number(value)
}
