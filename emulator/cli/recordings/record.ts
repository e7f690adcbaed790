// The command `record`: a proxy in front of a server that writes down what passes through it.

import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Place } from '../../../spec/language.ts'
import { printable } from '../../client/terminal-text.ts'
import { readNamedFile } from '../../config/named-files.ts'
import { type Proxy, startProxy } from '../../edge/proxy/proxy.ts'
import {
  createPartFile,
  partPath,
  requireFree,
  writeRecording,
} from '../../edge/proxy/recording-file.ts'
import type { Sink } from '../../edge/proxy/sink.ts'
import { placeholders } from '../../journal/placeholders.ts'
import { credentialsOf } from '../../journal/redact-header.ts'
import { isRefused } from '../../lib/refused.ts'
import { isUsageError, usageError } from '../../options/usage.ts'
import { aboutRecording, type KnownInfo } from '../../session/server-of.ts'
import { isPart } from '../../recording/part.ts'
import { readRecording } from '../../recording/read-recording.ts'
import type { RedactOptions } from '../../recording/redact.ts'
import { parseFlags } from '../lib/command.ts'
import { headerFlag, headersGiven } from '../lib/header-flag.ts'
import type { CommandIo } from '../lib/io.ts'
import { listenMessage } from '../lib/listen-errors.ts'
import { readyFile } from '../lib/ready-file.ts'

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

A recording shows what the server did, so no fault of a scenario can be put in front of it: faults count the runs, sockets
and time of a world, which a proxy does not have. Learn a world from the server, and give that the faults:
  flowdouble learn --from URL --out server.yaml
  flowdouble serve --scenario ./server.yaml --scenario ./faults.yaml

Options:
  --out FILE         the file to write; until the end, the session is in FILE.part
  --from FILE        read this recording instead of making one
  --port PORT        port to listen on; 0 picks a free one (default ${USUAL_PORT})
  --host HOST        address to listen on; whoever reaches it reaches the server (default 127.0.0.1)
  --header 'N: V'    a header that the server gets with each request, and no client has to send; repeatable. It is a
                     secret, and not in the recording
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

Exit codes: 0 written, 1 not written, 2 wrong usage.

Examples:
  flowdouble record http://127.0.0.1:8188 --out session.har
  flowdouble record https://cloud.example.com --out session.har --port 0 --json
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
  ca: text,
  deployment: text,
  origin: text,
  ...headerFlag,
  redact: texts,
  keep: texts,
  overwrite: flag,
  'ready-file': text,
  json: flag,
  help: { type: 'boolean', short: 'h' },
} as const

const exitCodes = { written: 0, notWritten: 1, wrongUsage: 2 } as const

/** Runs the command with the arguments after `record`; resolves to its exit code when it is stopped. */
export async function recordCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const { values, positionals } = parseFlags(argv, flags)
    if (values['help'] === true) {
      io.stdout.write(help)
      return exitCodes.written
    }
    const options = optionsOf(values, positionals, io)
    requireFree(options.out, options.overwrites, options.from === undefined)
    if (options.from === undefined) await record(options, io)
    finish(options, io)
    return exitCodes.written
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

type RecordOptions = {
  /** Undefined with `from`. */
  readonly target: URL | undefined
  readonly from: string | undefined
  readonly out: string
  readonly overwrites: boolean
  readonly host: string
  readonly port: number
  readonly ca: string | null
  readonly headers: ReturnType<typeof headersGiven>
  readonly readyFile: string | undefined
  readonly isJson: boolean
  readonly known: KnownInfo
  readonly redact: RedactOptions
}

function optionsOf(
  values: Values,
  urls: readonly string[],
  { env, cwd }: CommandIo,
): RecordOptions {
  const [url, ...more] = urls
  const own = (name: string): string | undefined => values[name] as string | undefined
  const [out, from, ca, place, origin] = ['out', 'from', 'ca', 'deployment', 'origin'].map(own)
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
  const headers = headersGiven(values)
  if (from !== undefined && headers.length > 0)
    throw usageError('--header needs the URL of a server.')
  const key = env['FLOWDOUBLE_API_KEY'] ?? ''
  return {
    target: url === undefined ? undefined : targetOf(url),
    from: from === undefined ? undefined : resolve(cwd, from),
    out: resolve(cwd, out),
    overwrites: values['overwrite'] === true,
    host: own('host') ?? '127.0.0.1',
    port: portOf(own('port')),
    ca: ca === undefined ? null : readText(resolve(cwd, ca), '--ca'),
    headers,
    readyFile: own('ready-file'),
    isJson: values['json'] === true,
    known: { ...(place && { place: place as Place }), ...(origin && { origin }) },
    redact: {
      toPlaceholder: placeholders(randomUUID()),
      known: [key, ...headers.flatMap(([, value]) => [value, credentialsOf(value).secret])].filter(
        (secret) => secret !== '',
      ),
      names: {
        redact: (values['redact'] ?? []) as readonly string[],
        keep: (values['keep'] ?? []) as readonly string[],
      },
    },
  }
}

function targetOf(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw usageError('record needs a URL that begins with http:// or https://.')
  const { search, hash, username, password } = target
  if (search + hash + username + password !== '')
    throw usageError('record needs a URL without query and credentials: clients send their own.')
  return target
}

function portOf(given: string | undefined): number {
  if (given === undefined) return USUAL_PORT
  const port = /^\d{1,5}$/.test(given) ? Number(given) : NaN
  if (!(port <= 65_535)) throw usageError('--port is a number from 0 to 65535.')
  return port
}

function readText(path: string, of: string): string {
  try {
    return readNamedFile(path).toString()
  } catch (error) {
    throw usageError(`Cannot read ${of}: ${(error as Error).message}`)
  }
}

/** Records until the command is stopped. */
async function record(options: RecordOptions, io: CommandIo): Promise<void> {
  const { target, host, port, ca, headers, out, known, isJson } = options
  if (target === undefined) return
  const warn = (line: string): void => void io.stderr.write(`${printable(line)}\n`)
  const counts = { exchanges: 0, sockets: 0, messages: 0 }
  let part: ReturnType<typeof createPartFile> | undefined
  const show = isJson ? () => undefined : progressOn(io.stderr, counts)
  const sink = countedSink(counts, () => part?.sink, show)
  const proxy = await startProxy({ target, host, port, ca, headers, sink })
  try {
    const empty = { info: null, exchanges: [], sockets: [] }
    part = createPartFile(out, aboutRecording(empty, known), options.redact, warn)
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

type Counts = { exchanges: number; sockets: number; messages: number }

const countsText = ({ exchanges, sockets, messages }: Counts): string =>
  `${counted(exchanges, 'exchange')}, ${counted(sockets, 'socket')}, ${counted(messages, 'message')}`

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Counts what passes on its way into the file. */
function countedSink(counts: Counts, sink: () => Sink | undefined, show: () => void): Sink {
  const count = (what: keyof Counts): void => {
    counts[what]++
    show()
  }
  return {
    exchange: (exchange) => {
      sink()?.exchange(exchange)
      count('exchanges')
    },
    open: (socket, opened) => {
      sink()?.open(socket, opened)
      count('sockets')
    },
    message: (socket, message) => {
      sink()?.message(socket, message)
      count('messages')
    },
    close: (socket, close) => sink()?.close(socket, close),
  }
}

/** How often the line on a terminal changes, in milliseconds. */
const SHOW_MS = 100

function progressOn(output: CommandIo['stderr'], counts: Counts): () => void {
  let shownMs = -Infinity
  return () => {
    if (output.isTTY !== true || performance.now() - shownMs < SHOW_MS) return
    shownMs = performance.now()
    output.write(`\r\u001b[2K${countsText(counts)}`)
  }
}

/** Writes the file from the part file, or from the one that --from names. */
function finish({ from, out, known, redact, isJson }: RecordOptions, { stdout }: CommandIo): void {
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
  }
  stdout.write(
    isJson
      ? `${JSON.stringify({ file: out, ...counts })}\n`
      : `Wrote ${printable(out)}: ${countsText(counts)}.\n`,
  )
}
