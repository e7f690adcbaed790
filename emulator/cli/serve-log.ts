// The log of `serve`: turns journal entries into records of requests, runs and warnings, formats them as text or JSON,
// and writes them to the terminal, standard error or a file. Warnings are always printed.

import type { Generation } from '../../spec/generations.ts'
import type { Deployment } from '../../spec/language.ts'
import { type Output } from '../client/display.ts'
import { printable } from '../client/terminal-text.ts'
import { splitTarget } from '../http/requests.ts'
import { withoutSecrets } from '../journal/known-secrets.ts'
import { redactTarget } from '../journal/redact-target.ts'
import type { Effect, Entry } from '../machine.ts'
import type { KnownSecret } from '../server/state/server.ts'
import type { CommandIo } from './lib/io.ts'
import type { LogFile, LogFlags } from './lib/log-file.ts'
import { originRefusal, submitRefusal, unknownPath } from './serve-refusals.ts'

/** One log line. `atMs` is the time on the server's clock since its start. */
export type LogRecord = {
  readonly atMs: number
  /** The server, if there are two. */
  readonly server?: Deployment
  /** The name of a world below /w/NAME; absent for the server itself. */
  readonly world?: string
} & (
  | {
      readonly event: 'request'
      readonly method: string
      readonly target: string
      readonly status: number
      /** Why the server rejected a prompt, and which flags would accept it. */
      readonly reason?: string
      readonly hints?: readonly string[]
    }
  | {
      readonly event: 'run'
      readonly prompt_id: string
      readonly state: string
      readonly tookMs: number
    }
  | { readonly event: 'reload'; readonly files: readonly string[]; readonly changes: string }
  | { readonly event: 'warning'; readonly text: string }
)

/** The replacement for a secret in the log. */
const mask = (): string => '***'

/** Where log records come from: a server, or a world of it. */
export type RecordSource = {
  readonly deployment: Deployment
  readonly generation?: Generation | undefined
  /** The name of the server, if there are two. */
  readonly server?: Deployment | undefined
  /** The name of a world below /w/NAME. */
  readonly world?: string | undefined
  /** The credentials of its clients; no line contains one, wherever a client puts it. */
  readonly secrets: readonly KnownSecret[]
  readonly isKnownType: (class_type: string) => boolean
}

/** Converts the entries of one server into log records. */
export function createRecordReader({
  server,
  world,
  secrets,
  deployment,
  generation,
  isKnownType,
}: RecordSource): (entry: Entry) => readonly LogRecord[] {
  const masked = (text: string): string => withoutSecrets(text, secrets, mask)
  const maskedTarget = (target: string): string => redactTarget(target, mask, masked)
  const startedAtMs = new Map<string, number>()
  /** Requests whose replies a fault delays. */
  const waiting = new Map<number, RequestInput>()
  const requestOf = (input: Entry['input'], { request }: Reply): RequestInput | undefined => {
    if (input.kind === 'request' && input.request === request) return input
    const found = waiting.get(request)
    waiting.delete(request)
    return found
  }
  const recordOf = ({ input, effects }: Entry, effect: Effect): LogRecord | undefined => {
    const when = {
      atMs: input.atMs,
      ...(server !== undefined && { server }),
      ...(world !== undefined && { world }),
    }
    if (effect.kind === 'reply') {
      const request = requestOf(input, effect)
      if (request === undefined) return undefined
      const { method, target, links, headers } = request
      // The queries of signed links are too long for a log line.
      const logged = links
        ? `${masked(splitTarget(target)[0])} (signed link)`
        : maskedTarget(target)
      const { status } = effect
      const line = { ...when, event: 'request', method, target: logged, status } as const
      // The scenario replies as it is meant to.
      if (effects.some((one) => isAnswered(one, effect))) return line
      const refusal =
        originRefusal(headers, effect, masked) ??
        (links ? undefined : unknownPath({ deployment, generation }, request, effect, masked)) ??
        submitRefusal(request, effect, masked, isKnownType)
      return { ...line, ...refusal }
    }
    if (effect.kind === 'leak') return { ...when, event: 'warning', text: leakBy(effect) }
    if (effect.kind === 'fault')
      return { ...when, event: 'warning', text: masked(`the fault "${effect.id}" applies`) }
    if (effect.kind === 'answered' && effect.replaces !== undefined)
      return { ...when, event: 'warning', text: masked(replacedBy(effect.replaces)) }
    const gone = goneText(effect)
    if (gone !== undefined) return { ...when, event: 'warning', text: gone }
    if (effect.kind !== 'run') return undefined
    const { prompt_id, state } = effect
    if (state === 'started') {
      startedAtMs.set(prompt_id, input.atMs)
      return undefined
    }
    const tookMs = Math.round(input.atMs - (startedAtMs.get(prompt_id) ?? input.atMs))
    startedAtMs.delete(prompt_id)
    return { ...when, event: 'run', prompt_id: masked(prompt_id), state, tookMs }
  }
  return (entry) => {
    const { input, effects } = entry
    if (input.kind === 'request' && !effects.some((effect) => isReplyTo(input, effect)))
      waiting.set(input.request, input)
    return effects.flatMap((effect) => {
      if (effect.kind === 'reset') waiting.delete(effect.request)
      const record = recordOf(entry, effect)
      return record === undefined ? [] : [record]
    })
  }
}

/** The warning for a client that sends its key to a signed link. */
const leakBy = ({ where }: { readonly where: string }): string =>
  `a client sent its key (${where}) to a signed link, which is on another host`

const replacedBy = (endpoint: string): string =>
  `an answer of the scenario replaces ${endpoint} of the server`
/** What an effect says about a server that is gone; undefined for any other. */
function goneText(effect: Effect): string | undefined {
  if (effect.kind === 'listen') return 'the server is there again'
  if (effect.kind === 'exit') return `the server has exited with ${effect.code}`
  const downMs = effect.kind === 'restart' ? effect.downMs : undefined
  return downMs === undefined ? undefined : `the server is down for ${downMs} ms`
}

type Reply = Extract<Effect, { kind: 'reply' }>
type RequestInput = Extract<Entry['input'], { kind: 'request' }>

const isAnswered = (one: Effect, { request }: Reply): boolean =>
  one.kind === 'answered' && one.request === request

const isReplyTo = ({ request }: RequestInput, effect: Effect): boolean =>
  effect.kind === 'reply' && effect.request === request

type Paint = (text: string) => string
type Colors = {
  readonly dim: Paint
  readonly green: Paint
  readonly red: Paint
  readonly yellow: Paint
}

const plain: Paint = (text) => text
const noColors: Colors = { dim: plain, green: plain, red: plain, yellow: plain }

/** A record as text. `between` precedes each hint: a line break on a terminal. */
function recordText(record: LogRecord, colors: Colors, between: string): string {
  const time = colors.dim(`${(record.atMs / 1000).toFixed(3).padStart(9)}s`)
  const server = record.server === undefined ? '' : `${colors.dim(record.server.padEnd(6))}  `
  const world = record.world === undefined ? '' : `${colors.dim(`/w/${record.world}`)}  `
  return `${time}  ${server}${world}${eventText(record, colors, between)}`
}

function eventText(record: LogRecord, colors: Colors, between: string): string {
  if (record.event === 'warning') return colors.yellow(`warning: ${record.text}`)
  if (record.event === 'reload')
    return `reloaded ${printable(`${record.files.join(', ')}: ${record.changes}`)}`
  if (record.event === 'run') {
    const { state, prompt_id, tookMs } = record
    const word = state === 'success' ? colors.green(state) : colors.red(state)
    return `${word} run ${printable(prompt_id)} ${colors.dim(`${tookMs} ms`)}`
  }
  const { method, target, status, reason, hints = [] } = record
  const code = status < 400 ? colors.green(`${status}`) : colors.red(`${status}`)
  const why = reason === undefined ? '' : `  ${oneLine(reason, between)}`
  return `${code} ${printable(`${method} ${target}`)}${why}${hints.map((hint) => between + hint).join('')}`
}

/** The server reports errors of several nodes on separate lines. */
const oneLine = (text: string, between: string): string =>
  between.startsWith('\n') ? printable(text) : printable(text.replace(/\s*\n\s*/g, between))

/** A record as a line of JSON. */
const recordJson = ({ event, ...others }: LogRecord): string => JSON.stringify({ event, ...others })

export type Log = { readonly write: (record: LogRecord) => void }

/**
 * How many bytes may wait for a reader of standard error: the log of a process whose parent does not read it must
 * not fill its memory.
 */
const MAX_UNREAD_BYTES = 1 << 20

/** Hints go below their request on a terminal, and on the same line elsewhere. */
const below = '\n            '
const behind = '; '

type Line = (record: LogRecord) => string

/**
 * Opens the log that the flags describe. On a terminal it goes to standard output, like the banner; otherwise to
 * standard error, so that standard output carries only what a program reads.
 */
export async function openLog(flags: LogFlags, io: CommandIo, file?: LogFile): Promise<Log> {
  const isTerminal = io.stdout.isTTY === true && !flags.json && !flags.quiet
  const output = isTerminal ? io.stdout : io.stderr
  const colors = isTerminal && !io.env['NO_COLOR'] ? await terminalColors() : noColors
  const isJson = flags.logFormat === 'json'
  const text: Line = (record) => recordText(record, colors, isTerminal ? below : behind)
  const screen = createScreen(output, isJson ? recordJson : text)
  const fileLine: Line = isJson ? recordJson : (record) => recordText(record, noColors, behind)
  const write = (record: LogRecord): void => {
    file?.write(`${fileLine(record)}\n`)
    const isForScreen = file === undefined && !flags.quiet
    if (isForScreen || record.event === 'warning') screen(record)
  }
  return { write }
}

async function terminalColors(): Promise<Colors> {
  const { default: picocolors } = await import('picocolors')
  return picocolors.createColors(true)
}

/** Writes lines while somebody reads them. Counts dropped lines, and reports the count with the next line. */
function createScreen(output: Output, line: Line): (record: LogRecord) => void {
  let leftOut = 0
  return (record) => {
    if ((output.writableLength ?? 0) > MAX_UNREAD_BYTES) {
      leftOut++
      return
    }
    if (leftOut > 0) {
      const text = `dropped ${leftOut} log lines because nothing read them`
      leftOut = 0
      output.write(`${line({ event: 'warning', atMs: record.atMs, text })}\n`)
    }
    output.write(`${line(record)}\n`)
  }
}
