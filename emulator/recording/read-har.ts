// Reads a recording from the text of a HAR file, whoever wrote it: flowdouble, a browser, or Playwright.

import {
  cutBodies,
  type CutBody,
  harSchema,
  type PlayedFault,
  type RecordedClose,
  type RecordingInfo,
} from '../../spec/recording.ts'
import { bytesOfBase64 } from '../lib/base64.ts'
import { refused } from '../lib/refused.ts'
import { violations, violationText } from '../options/json-schema.ts'
import {
  type HeaderList,
  headerOf,
  inOrder,
  type RecordedExchange,
  type RecordedMessage,
  type RecordedSocket,
  type Recording,
} from '../session/recording.ts'

type HarHeader = { readonly name: string; readonly value: string }
type HarBody = {
  readonly text?: string
  readonly encoding?: 'base64'
  readonly mimeType?: string
  readonly params?: unknown
  readonly size?: number
  /** Playwright keeps bodies in separate files unless it embeds them. */
  readonly _file?: unknown
}
type HarEntry = {
  readonly startedDateTime: string
  readonly time?: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers?: readonly HarHeader[]
    readonly postData?: HarBody
  }
  readonly response: {
    readonly status: number
    readonly headers?: readonly HarHeader[]
    readonly content?: HarBody
  }
  readonly _webSocketMessages?: readonly {
    readonly type: 'send' | 'receive'
    readonly time: number
    readonly opcode: number
    readonly data: string
    readonly _flowdouble?: { readonly fault?: PlayedFault }
  }[]
  readonly _flowdouble?: {
    readonly close?: RecordedClose
    readonly cut?: readonly CutBody[]
    readonly fault?: PlayedFault
  }
}
type Har = {
  readonly log: { readonly entries: readonly HarEntry[]; readonly _flowdouble?: RecordingInfo }
}

/** Above this a time is in milliseconds: in seconds it would be in the year 5138. */
const MAX_SECONDS = 1e11
const TEXT = 1
const BINARY = 2
const SWITCHING_PROTOCOLS = 101
/** Statuses of responses whose Content-Length is not that of a body. */
const withoutBody: ReadonlySet<number> = new Set([204, 304])

/**
 * Reads a recording. Entries of other protocols, such as pages that a browser extension loaded, are left out.
 * @param name the name of the file, for messages.
 * Throws a refusal that names the place in the file, if it is not a HAR file or lacks what a recording needs.
 */
export const readHar = (text: string, name: string): Recording =>
  recordingOf(parsed(text, name), name)

/** The recording in the value of a HAR file. */
export function recordingOf(har: unknown, name: string): Recording {
  const { log } = checked(har, name)
  const exchanges: RecordedExchange[] = []
  const sockets: RecordedSocket[] = []
  for (const [index, entry] of log.entries.entries()) {
    const reader = entryReader(entry, index, name)
    if (!reader.isKnown) continue
    if (reader.isSocket) sockets.push(reader.socket())
    else exchanges.push(reader.exchange())
  }
  const recording = inOrder({ info: log._flowdouble ?? null, exchanges, sockets })
  // Our recordings have the paths that the server saw.
  return log._flowdouble === undefined ? withoutPathPrefix(recording) : recording
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const cut = text.trimEnd().endsWith('}') ? '' : ' It seems to be cut off.'
    throw refused(`${name} is not a HAR file: ${(error as Error).message}.${cut}`)
  }
}

/** Some tools write the log without the object around it. */
const isLog = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'entries' in value && !('log' in value)

function checked(value: unknown, name: string): Har {
  const har = isLog(value) ? { log: value } : value
  const [first] = violations(harSchema, har)
  if (first === undefined) return har as Har
  throw refused(`${name} is not a recording: ${violationText(first, 'it')}.`)
}

function entryReader(entry: HarEntry, index: number, name: string) {
  const { request, response } = entry
  const refuse = (problem: string): Error =>
    refused(`${name}, entry ${index} (${request.method} ${request.url.slice(0, 200)}): ${problem}`)
  const url = ((): URL => {
    try {
      return new URL(request.url)
    } catch {
      throw refuse('its address is not valid.')
    }
  })()
  const startMs = timeOf(entry.startedDateTime)
  if (Number.isNaN(startMs)) throw refuse('startedDateTime is not a time.')

  const bodyOf = (body: HarBody | undefined, what: string): Uint8Array => {
    if (body === undefined) return new Uint8Array()
    if (body._file !== undefined)
      throw refuse(`its ${what} is in another file. Record again with content: 'embed'.`)
    return body.encoding === 'base64'
      ? decoded(body.text ?? '', what)
      : new TextEncoder().encode(body.text ?? '')
  }
  const decoded = (text: string, what: string): Uint8Array => {
    try {
      return bytesOfBase64(text)
    } catch {
      throw refuse(`its ${what} is not valid base64.`)
    }
  }
  const isStatus = response.status <= 0 || (response.status >= 100 && response.status <= 999)
  if (!isStatus) throw refuse('its status has to have three digits.')
  const exchange = (): RecordedExchange => ({
    entry: index,
    startMs,
    endMs: startMs + Math.max(0, entry.time ?? 0),
    method: request.method,
    url: url.href,
    headers: pairs(request.headers),
    body: bodyOf(request.postData, 'body'),
    // A browser writes status 0 or -1 for a request without a response.
    response:
      response.status <= 0
        ? null
        : {
            status: response.status,
            headers: pairs(response.headers),
            body: bodyOf(response.content, 'response'),
          },
    ...cutOf(entry),
    ...faultOf(entry._flowdouble),
  })
  const socket = (): RecordedSocket => {
    if (response.content?._file !== undefined)
      throw refuse("its messages are in another file. Record again with content: 'embed'.")
    const messages = (entry._webSocketMessages ?? []).flatMap(
      ({ type, time, opcode, data, _flowdouble }, at): readonly RecordedMessage[] => {
        if (opcode !== TEXT && opcode !== BINARY) return []
        const what = `message ${at}`
        if (time < 0) throw refuse(`its ${what} has no time. Record again with mode: 'full'.`)
        return [
          {
            from: type === 'send' ? 'client' : 'server',
            atMs: time > MAX_SECONDS ? time : time * 1000,
            data: opcode === TEXT ? data : decoded(data, what),
            ...faultOf(_flowdouble),
          },
        ]
      },
    )
    return {
      entry: index,
      openMs: Math.min(startMs, messages[0]?.atMs ?? Infinity),
      url: url.href,
      headers: pairs(request.headers),
      messages,
      close: entry._flowdouble?.close ?? null,
    }
  }
  return {
    isKnown: /^(?:http|ws)s?:$/.test(url.protocol),
    // A browser leaves out the messages of a socket that had none.
    isSocket:
      entry._webSocketMessages !== undefined ||
      (url.protocol.startsWith('ws') && response.status === SWITCHING_PROTOCOLS),
    exchange,
    socket,
  }
}

const faultOf = ({ fault }: { readonly fault?: PlayedFault } = {}): {
  readonly fault?: PlayedFault
} => (fault === undefined ? {} : { fault })

/**
 * The bodies that an entry lacks. A browser does not export a form with files, nor a response that its page did not read;
 * only sizes show that there was something.
 */
function cutOf({ request, response, _flowdouble }: HarEntry): Pick<RecordedExchange, 'cut'> {
  if (_flowdouble?.cut !== undefined) return { cut: _flowdouble.cut }
  const isWithout = request.method === 'HEAD' || withoutBody.has(response.status)
  const cut = cutBodies.filter((which) =>
    which === 'request'
      ? request.postData === undefined && lengthIn(request.headers) > 0
      : !isWithout && response.content?.text === undefined && sizeOf(response) !== 0,
  )
  return cut.length > 0 ? { cut } : {}
}

/** How large the body of a response was: what the file says, else the server. -1 is unknown, and there was one. */
const sizeOf = ({ content, headers }: HarEntry['response']): number =>
  headerOf(pairs(headers), 'content-length') === undefined
    ? (content?.size ?? 0)
    : Math.max(content?.size ?? 0, lengthIn(headers))

const lengthIn = (headers: HarEntry['request']['headers']): number =>
  Number(headerOf(pairs(headers), 'content-length') ?? 0)

/** A time in milliseconds since 1970, with the digits after the millisecond, which `Date` leaves out. NaN if it is none. */
function timeOf(text: string): number {
  const [, digits = ''] = /\.\d{3}(\d+)/.exec(text) ?? []
  return Date.parse(text) + Number(`0.${digits}`)
}

const pairs = (headers: readonly HarHeader[] = []): HeaderList =>
  headers.map(({ name, value }) => [name, value] as const)

/** What is below the prefix of a server, if there is one; hosted servers have a prefix themselves. */
const known = /^(.*?)(?:\/api)?\/(?:ws|prompt|system_stats)$/

/** The recording with the paths that the server itself sees, if all that clients always ask for is below one path. */
function withoutPathPrefix(recording: Recording): Recording {
  const { exchanges, sockets } = recording
  const paths = [...exchanges, ...sockets].map(({ url }) => new URL(url).pathname)
  const prefixes = new Set(paths.flatMap((path) => known.exec(path)?.[1] ?? []))
  const [prefix = ''] = prefixes
  // Each world of a flowdouble has such a path.
  if (prefixes.size !== 1 || prefix === '' || /^\/w\/[^/]+$/.test(prefix)) return recording
  const stripped = <T extends { readonly url: string }>(one: T): T => {
    const url = new URL(one.url)
    if (!url.pathname.startsWith(`${prefix}/`)) return one
    url.pathname = url.pathname.slice(prefix.length)
    return { ...one, url: url.href }
  }
  return { ...recording, exchanges: exchanges.map(stripped), sockets: sockets.map(stripped) }
}
