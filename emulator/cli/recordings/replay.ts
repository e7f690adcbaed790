// The command `replay`: answers as a recorded server did, until it is stopped.

import { resolve } from 'node:path'
import { printable } from '../../client/terminal-text.ts'
import type { Replay } from '../../edge/replay/handle.ts'
import { startInFront } from '../../edge/replay/in-front.ts'
import type { UpstreamOptions } from '../../edge/replay/upstream.ts'
import { replayHeader } from '../../recording/replay/answers.ts'
import { isRefused } from '../../lib/refused.ts'
import type { Entry } from '../../machine.ts'
import { optionTable } from '../../options/table.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { type FlagTable, parseFlags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { listenMessage } from '../lib/listen-errors.ts'
import { type ReadyFile, readyFile } from '../lib/ready-file.ts'
import { variablesHelp, withVariables } from '../lib/variables.ts'
import {
  type Added,
  addedText,
  upstreamFlags,
  upstreamSettings,
  withUpstream,
} from './replay-upstream.ts'

type Values = Readonly<Record<string, unknown>>

const serverFlags = ['port', 'host', 'clock', 'epoch', 'seed', 'cors', 'controlToken'] as const

const helpOf = (name: (typeof serverFlags)[number]): string => {
  const { flag, value, help } = optionTable[name]
  return `  ${`--${flag} ${value}`.padEnd(22)} ${help}`
}

const replayHelp = `Usage: flowdouble replay FILE.har [options]
       flowdouble replay FILE.har --upstream URL [options]

Answers as the server of a recorded session did: the same responses, messages and frames, with the ids of the present
client in place of the recorded ones. Messages come at the recorded distance from the request that caused them, and polls
get the state that a run has reached by then. A request that was not recorded gets 404 with the nearest one and what
differs; it is also printed on standard error.

A submit matches by its body without client_id and prompt_id, else by its workflow alone. With --any seed, members named
seed need not match; --any KSampler.seed names those of one type of node (or of the node with this id): for clients that
draw a seed for each run. Equal requests get the recorded responses in order, then the last one again; a run submitted once
more than recorded gets a new id. Several clients of one recording come in any order; a client whose socket is cut gets on
the next one what the recorded one got there. What clients ask
without having recorded it is answered too, with the header X-Flowdouble-Replay: the state of runs (queue, prompt, history,
jobs), /system_stats, /features, and a small sample for a file that a run made but nobody downloaded. A response of which
the recording does not hold the body gets the recorded status, and a body that says so; it is also printed.

With --upstream, what was not recorded is answered by the server at URL, and added to FILE when the replay ends: without
secrets, as record writes it. FILE need not exist before. A run comes from one side as a whole. A submit that was recorded is
replayed; any other goes to the server, and so does all about its run: its messages come on the sockets that its client has,
its history, job and files from the server. Requests about no certain run, such as the queue, are answered where the last
run went. A recorded upload is sent to the server before anything else that it has to know; other recorded changes, such as
settings, do not reach it. Of two files with one name, the last run's is served. What FILE held at the start is replayed, so
that each poll of a forwarded run reaches the server. If the server cannot be reached, requests get 502.

Options:
${serverFlags.map(helpOf).join('\n')}
  --upstream URL         a server that answers what was not recorded; FILE gets what it answered
  --deployment NAME      what that server is, for a new FILE: local, hosted or gateway (default local)
  --header 'N: V'        a header that it gets with each request, in place of the client's; repeatable, and never recorded
  --ca FILE              a certificate in PEM form to trust, for a server with its own
  --redact NAME          a header, parameter or member whose value is a secret too; repeatable
  --keep NAME            one whose value only looks like a secret; repeatable
  --any NAME             a member that need not match, as seed or KSampler.seed; repeatable, or separated by commas
  --ready-file FILE      write the address as JSON to this file while the server listens
  --json                 print the address, and at the end what was added, as one JSON object each
  --quiet                print warnings and errors only
  -h, --help             print this help

${variablesHelp}
Exit codes: 0 stopped by SIGINT or SIGTERM, 1 the file is not a recording or was not written, 2 wrong usage or the port is in
use.

Examples:
  flowdouble replay session.har
  flowdouble replay session.har --port 0 --clock instant --json
  flowdouble replay session.har --any seed,noise_seed             for a client that draws its seeds
  flowdouble replay session.har --clock x10                       ten times as fast as recorded
  flowdouble replay session.har --upstream http://127.0.0.1:8188  records what is new
`

/** Runs the command with the arguments after `replay`; resolves to its exit code after the server has stopped. */
export async function replayCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const table = flagTable()
    return await withVariables(argv, table, io, (all) => answer(all, table, io))
  } catch (error) {
    return report(error, io)
  }
}

async function answer(argv: readonly string[], table: FlagTable, io: CommandIo): Promise<number> {
  const { values, positionals } = parseFlags(argv, table)
  if (values['help'] === true) {
    io.stdout.write(replayHelp)
    return 0
  }
  const [file, ...more] = positionals
  if (file === undefined) throw usageError('No recording given: name a HAR file.')
  if (more.length > 0) throw usageError(`Only one recording at a time: remove ${more[0]}.`)
  const path = resolve(io.cwd, file)
  const settings = upstreamSettings(values, io)
  const play = (recording: string | object, upstream: UpstreamOptions | null): Promise<void> =>
    replayUntilStopped({ file, recording, upstream }, values, io)
  if (settings === null) await play(path, null)
  else {
    const added = await withUpstream(path, settings, io, ({ recording, upstream }) =>
      play(recording, upstream),
    )
    reportAdded(file, added, values, io)
  }
  return 0
}

/** What is replayed, and under which name. */
type Played = {
  readonly file: string
  readonly recording: string | object
  readonly upstream: UpstreamOptions | null
}

async function replayUntilStopped(
  { file, recording, upstream }: Played,
  values: Values,
  io: CommandIo,
): Promise<void> {
  let replay: Replay | undefined
  let ready: ReadyFile | undefined
  try {
    const named = values['ready-file']
    if (typeof named === 'string') ready = await readyFile(named, io.cwd)
    const onEntry = (entry: Entry): void => warn(entry, io)
    const any = namesIn(values['any'])
    replay = await startInFront(
      { port: 8188, ...optionsIn(values), any, recording, onEntry },
      upstream,
    )
    const { url, port, warnings } = replay
    for (const text of warnings) io.stderr.write(`flowdouble: ${printable(text)}\n`)
    const addresses = { url, ws: `${url.replace(/^http/, 'ws')}/ws`, port, pid: process.pid }
    ready?.write(addresses)
    if (values['json'] === true) io.stdout.write(`${JSON.stringify(addresses)}\n`)
    else if (values['quiet'] !== true)
      io.stdout.write(`Replaying ${printable(file)} at ${url}. Stop with Ctrl+C.\n`)
    await untilAborted(io.signal)
  } finally {
    ready?.remove()
    await replay?.close()
  }
}

function reportAdded(
  file: string,
  added: Added | undefined,
  values: Values,
  { stdout }: CommandIo,
): void {
  const { exchanges, sockets, messages } = added ?? { exchanges: 0, sockets: 0, messages: 0 }
  if (values['json'] === true)
    stdout.write(`${JSON.stringify({ file, added: { exchanges, sockets, messages } })}\n`)
  else if (values['quiet'] !== true && added !== undefined)
    stdout.write(`Added to ${printable(file)}: ${addedText(added)}.\n`)
}

const flagTable = (): FlagTable => ({
  ...Object.fromEntries(serverFlags.map((name) => [optionTable[name].flag, { type: 'string' }])),
  ...upstreamFlags,
  any: { type: 'string', multiple: true },
  'ready-file': { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
})

/** The options of the server as they were written: the server reads them. */
const optionsIn = (values: Values): object =>
  Object.fromEntries(
    serverFlags.flatMap((name) => {
      const value = values[optionTable[name].flag]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const namesIn = (any: unknown): readonly string[] =>
  ((any ?? []) as readonly string[]).flatMap((names) => names.split(',').map((one) => one.trim()))

/** Reports a request, or the body of a response, that the recording does not hold. */
function warn({ effects }: Entry, { stderr }: CommandIo): void {
  for (const effect of effects) {
    const mark = effect.kind === 'reply' ? effect.headers[replayHeader] : undefined
    if (effect.kind !== 'reply' || (mark !== 'unmatched' && mark !== 'no-body')) continue
    const { error } = JSON.parse(effect.body as string) as { readonly error: string }
    stderr.write(`flowdouble: ${printable(error)}\n`)
  }
}

/** Prints an error that the user can fix, and returns the exit code. */
function report(error: unknown, { stderr }: CommandIo): number {
  if (isRefused(error)) {
    stderr.write(`${printable(error.message)}\n`)
    return 1
  }
  const message = isUsageError(error) ? error.message : listenMessage(error)
  if (message === undefined) throw error
  stderr.write(`${printable(message)}\nSee: flowdouble replay --help\n`)
  return 2
}

/** Resolves when the signal is aborted; never without a signal. */
const untilAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
