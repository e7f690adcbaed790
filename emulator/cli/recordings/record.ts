// The command `record`: a proxy in front of a server that writes down what passes through it.

import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Place } from '../../../spec/language.ts'
import { printable } from '../../client/terminal-text.ts'
import { type Proxy, startProxy } from '../../edge/proxy/proxy.ts'
import {
  createPartFile,
  partPath,
  requireFree,
  writeRecording,
} from '../../edge/proxy/recording-file.ts'
import { isRefused } from '../../lib/refused.ts'
import { defaults } from '../../options/server-options.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { aboutRecording, type KnownInfo } from '../../session/server-of.ts'
import { isPart } from '../../recording/part.ts'
import { readRecording } from '../../recording/read-recording.ts'
import { parseFlags } from '../lib/command.ts'
import type { CommandIo } from '../lib/io.ts'
import { listenMessage } from '../lib/listen-errors.ts'
import { readyFile } from '../lib/ready-file.ts'
import { variablesHelp, withVariables } from '../lib/variables.ts'
import { proxyFlags, proxySettings, type ProxySettings, readText, targetOf } from './proxy-flags.ts'
import { type Counts, countedSink, countsText, progressOn } from './record-counts.ts'
import { readPlayed } from './record-faults.ts'

const USUAL_PORT = 8189

const help = `Usage: flowdouble record URL --out FILE.har [options]
       flowdouble record --from FILE --out FILE.har [options]

Records a session with a workflow server or a webhook gateway as a HAR file. Starts a proxy in front of the server at URL:
give its address to any client, and press Ctrl+C when the session is over. Requests, responses, messages and binary frames
are recorded on one timeline. Redirects and signed links to other hosts lead through the proxy as well. If URL has a path,
the server is recorded without it, like one at the root.

The file contains no secrets: keys, tokens, cookies, signatures of links and keys in bodies are replaced by placeholders,
the same for the same secret. If something still looks like a secret, the file is not written, and the command says where
it is.

With --from, reads a recording instead: one that did not end, or a HAR file of a browser, and writes it without secrets.

With --scenario, faults are played on what passes: on answers, handshakes and messages, matched and counted as in a world of
flowdouble serve. Times count from the start of the proxy, delays from the answer of the server, and each copy of a message that
goes to several sockets counts. A client that a fault cuts off is gone for the server, too. The recording holds what the
server itself said, with marks where a fault was played: learn, replay and check --trace do not take a fault for the server's
own behaviour. Parts of a scenario that need a world, such as nodes and start, are refused.

Options:
  --out FILE         the file to write; until the end, the session is in FILE.part
  --from FILE        read this recording instead of making one
  --port PORT        port to listen on; 0 picks a free one (default ${USUAL_PORT})
  --host HOST        address to listen on; whoever reaches it reaches the server (default 127.0.0.1)
  --header 'N: V'    a header that the server gets with each request, and no client has to send; repeatable. It is a
                     secret, and not in the recording
  --scenario FILE    a scenario whose faults are played, a file or a name of flowdouble scenarios; repeatable
  --seed TEXT        decides about faults with a probability (default: world.seed of the scenario, or 0)
  --ca FILE          a certificate in PEM form to trust, for a server with its own
  --deployment NAME  what the server is: local, hosted or gateway (default: found from the session)
  --origin TEXT      where the session comes from, for its readers (default: the version of the server)
  --redact NAME      a header, parameter or member whose value is a secret too; repeatable
  --keep NAME        one whose value only looks like a secret; repeatable
  --overwrite        replace FILE if it exists
  --ready-file FILE  write the address as JSON to this file while the proxy listens
  --json             print the address, and at the end the numbers, as one JSON object each
  -h, --help         print this help

Bodies of more than 64 MiB pass, and are marked as left out. Compressed files inside of bodies are not searched for secrets.

${variablesHelp}
Exit codes: 0 written, 1 not written, 2 wrong usage.

Examples:
  flowdouble record http://127.0.0.1:8188 --out session.har
  flowdouble record https://cloud.example.com --out session.har --port 0 --json
  flowdouble record http://127.0.0.1:8188 --out session.har --scenario ./faults.yaml
  flowdouble record --from session.har.part --out session.har
  flowdouble record --from browser.har --out session.har --redact X-Team
`

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const
const flags = {
  out: text,
  from: text,
  port: text,
  host: text,
  deployment: text,
  origin: text,
  ...proxyFlags,
  scenario: texts,
  seed: text,
  overwrite: flag,
  'ready-file': text,
  json: flag,
  help: { type: 'boolean', short: 'h' },
} as const

const exitCodes = { written: 0, notWritten: 1, wrongUsage: 2 } as const

/** Runs the command with the arguments after `record`; resolves to its exit code when it is stopped. */
export async function recordCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await withVariables(argv, flags, io, async (all) => {
      const { values, positionals } = parseFlags(all, flags)
      if (values['help'] === true) {
        io.stdout.write(help)
        return exitCodes.written
      }
      const options = optionsOf(values, positionals, io)
      requireFree(options.out, options.overwrites, options.from === undefined)
      const counts = options.from === undefined ? await record(options, io) : undefined
      finish(options, counts?.faults, io)
      return exitCodes.written
    })
  } catch (error) {
    const why = isUsageError(error) ? error.message : listenMessage(error)
    if (why === undefined && !isRefused(error)) throw error
    io.stderr.write(`${printable(why ?? (error as Error).message)}\n`)
    if (why === undefined) return exitCodes.notWritten
    io.stderr.write('See: flowdouble record --help\n')
    return exitCodes.wrongUsage
  }
}

type Values = Readonly<Record<string, unknown>>

type RecordOptions = ProxySettings & {
  /** Undefined with `from`. */
  readonly target: URL | undefined
  readonly from: string | undefined
  readonly out: string
  readonly overwrites: boolean
  readonly host: string
  readonly port: number
  readonly scenarios: readonly string[]
  readonly seed: string | undefined
  readonly readyFile: string | undefined
  readonly isJson: boolean
  readonly known: KnownInfo
}

function optionsOf(values: Values, urls: readonly string[], io: CommandIo): RecordOptions {
  const { cwd } = io
  const [url, ...more] = urls
  const own = (name: string): string | undefined => values[name] as string | undefined
  const [out, from, place, origin] = ['out', 'from', 'deployment', 'origin'].map(own)
  const hasOneSource = (url === undefined) !== (from === undefined) && more.length === 0
  const lacks = [
    ...(hasOneSource ? [] : ['the URL of one server, or --from FILE']),
    ...(out === undefined || out === '' ? ['--out FILE.har'] : []),
  ]
  if (out === undefined || lacks.length > 0)
    throw usageError(
      `record needs ${lacks.join(', and ')}, such as: flowdouble record http://127.0.0.1:8188 --out session.har`,
    )
  if (place !== undefined && !['local', 'hosted', 'gateway'].includes(place))
    throw usageError('--deployment is local, hosted or gateway.')
  const settings = proxySettings(values, io)
  if (from !== undefined && settings.headers.length > 0)
    throw usageError('--header needs the URL of a server.')
  const scenarios = (values['scenario'] ?? []) as readonly string[]
  if (from !== undefined && scenarios.length > 0)
    throw usageError('--scenario needs the URL of a server.')
  if (own('seed') !== undefined && scenarios.length === 0)
    throw usageError('--seed needs --scenario.')
  return {
    ...settings,
    target: url === undefined ? undefined : targetOf(url, 'record'),
    from: from === undefined ? undefined : resolve(cwd, from),
    out: resolve(cwd, out),
    overwrites: values['overwrite'] === true,
    host: own('host') ?? '127.0.0.1',
    port: portOf(own('port')),
    scenarios,
    seed: own('seed'),
    readyFile: own('ready-file'),
    isJson: values['json'] === true,
    known: { ...(place && { place: place as Place }), ...(origin && { origin }) },
  }
}

function portOf(given: string | undefined): number {
  if (given === undefined) return USUAL_PORT
  const port = /^\d{1,5}$/.test(given) ? Number(given) : NaN
  if (!(port <= 65_535)) throw usageError('--port is a number from 0 to 65535.')
  return port
}

/** Records until the command is stopped. */
async function record(options: RecordOptions, io: CommandIo): Promise<Counts | undefined> {
  const { target, host, port, ca, headers, out, known, scenarios, isJson } = options
  if (target === undefined) return undefined
  const scripted = scenarios.length > 0 ? await readPlayed(scenarios, io.cwd) : undefined
  const warn = (line: string): void => void io.stderr.write(`${printable(line)}\n`)
  const counts: Counts = { exchanges: 0, sockets: 0, messages: 0, ...(scripted && { faults: 0 }) }
  let part: ReturnType<typeof createPartFile> | undefined
  const show = isJson ? () => undefined : progressOn(io.stderr, counts)
  const sink = countedSink(counts, () => part?.sink, show)
  const played = (): void => {
    counts.faults = (counts.faults ?? 0) + 1
    show()
  }
  const seed = options.seed ?? scripted?.seed ?? defaults.seed
  const faults = scripted ? { faults: scripted.faults, seed, place: known.place, played } : null
  const proxy = await startProxy({ target, host, port, ca, headers, sink, faults })
  try {
    const empty = { info: null, exchanges: [], sockets: [] }
    part = createPartFile(partPath(out), aboutRecording(empty, known), options.redact, warn)
    const ready = options.readyFile && (await readyFile(options.readyFile, io.cwd))
    announce(proxy, target, isJson, io)
    if (ready) ready.write({ url: proxy.url, port: proxy.port, pid: process.pid })
    await stopped(io.signal)
    if (ready) ready.remove()
  } finally {
    await proxy.close()
    part?.close()
  }
  if (io.stderr.isTTY === true && !isJson) io.stderr.write('\n')
  for (const id of proxy.unplayed()) warn(`The fault ${id} was never played: nothing matched.`)
  return counts
}

const stopped = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((stop) => {
    if (signal?.aborted === true) stop()
    signal?.addEventListener('abort', () => stop(), { once: true })
  })

function announce({ url, port }: Proxy, target: URL, isJson: boolean, { stdout }: CommandIo): void {
  stdout.write(
    isJson
      ? `${JSON.stringify({ url, port, pid: process.pid })}\n`
      : `Recording ${target.origin}. Give this address to your client: ${url}\nStop with Ctrl+C.\n`,
  )
}

/** Writes the file from the part file, or from the one that --from names. */
function finish(
  { from, out, known, redact, isJson }: RecordOptions,
  faults: number | undefined,
  { stdout }: CommandIo,
): void {
  const source = from ?? partPath(out)
  const content = from === undefined ? readFileSync(source, 'utf8') : readText(source, '--from')
  const read = readRecording(content, source)
  const info = isPart(content) ? null : read.info
  const recording = { ...read, info: info ?? aboutRecording(read, known) }
  writeRecording(out, recording, redact, source)
  if (source === partPath(out)) rmSync(source, { force: true })
  const counts = {
    exchanges: read.exchanges.length,
    sockets: read.sockets.length,
    messages: read.sockets.reduce((sum, { messages }) => sum + messages.length, 0),
    ...(faults !== undefined && { faults }),
  }
  stdout.write(
    isJson
      ? `${JSON.stringify({ file: out, ...counts })}\n`
      : `Wrote ${printable(out)}: ${countsText(counts)}.\n`,
  )
}
