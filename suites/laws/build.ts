// Builds a trace from a recording, in one pass over its exchanges and messages.

import type { RecordedExchange, RecordedSocket, Recording } from '../../dist/emulator/internal.js'
import type { Place } from '../../spec/language.ts'
import { decodeFrame } from '../judge/decode.ts'
import type { Message } from '../judge/judge.ts'
import { findEndpoint, plainPath } from './find-endpoint.ts'
import { runsOf } from './runs.ts'
import { type RecordedServer, serverOf, softwareOf } from './server-of.ts'
import type { Item, TypedMessage, Trace, TracedExchange, TracedSocket } from './trace.ts'
import { pythonJson } from '../judge/connection/python-json.ts'

/** The trace of a recording; undefined if nothing in it is of a server that the spec knows. */
export function traceOf(recording: Recording, name: string, wanted?: Place): Trace | undefined {
  const found = serverOf(recording)
  if (found === undefined) return undefined
  return traceAt(recording, name, {
    place: recording.info?.place ?? wanted ?? found.place,
    host: found.host,
  })
}

/** The trace of a recording of a server that is known. */
export function traceAt(
  recording: Recording,
  name: string,
  { place, host }: RecordedServer,
): Trace {
  const exchanges: TracedExchange[] = []
  const links: TracedExchange[] = []
  const signed = new Set<string>()
  for (const recorded of recording.exchanges) {
    const url = new URL(recorded.url)
    const one = exchangeOf(place, recorded, url)
    if (url.host === host) exchanges.push(one)
    else if (signed.has(url.href)) links.push(one)
    const location = place === 'hosted' ? locationOf(recorded) : undefined
    if (location !== undefined) signed.add(location)
  }
  const sockets = recording.sockets.filter(({ url }) => isSocket(url, host)).map(socketOf)
  const statistics = exchanges.find(
    ({ endpoint, status }) => endpoint?.name === 'systemStats' && status === 200,
  )
  return {
    name,
    place,
    software: softwareOf(recording, statistics?.reply()),
    recording,
    exchanges,
    links,
    sockets,
    ...runsOf(place, exchanges, sockets),
    byType: messagesByType(sockets),
  }
}

function messagesByType(sockets: readonly TracedSocket[]): Trace['byType'] {
  const byType = new Map<string, TypedMessage[]>()
  for (const socket of sockets)
    for (const item of socket.items) {
      const { message } = item
      if (message === undefined) continue
      const own = byType.get(message.type)
      if (own === undefined) byType.set(message.type, [{ socket, item, message }])
      else own.push({ socket, item, message })
    }
  return byType
}

/** The path of an address as it was sent: a URL resolves its dot segments. */
const pathIn = (url: string): string => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ''

const isSocket = (text: string, host: string): boolean => {
  const url = new URL(text)
  return url.host === host && /^(?:\/w\/[^/]+)?\/ws$/.test(url.pathname)
}

/** The value of a header of a response, in any letter case. */
export const responseHeader = ({ response }: RecordedExchange, name: string): string | undefined =>
  response?.headers.find(([own]) => own.toLowerCase() === name)?.[1]

function locationOf(recorded: RecordedExchange): string | undefined {
  const text = responseHeader(recorded, 'location')
  return text !== undefined && URL.canParse(text) ? new URL(text).href : undefined
}

function exchangeOf(place: Place, recorded: RecordedExchange, url: URL): TracedExchange {
  const path = plainPath(place, pathIn(recorded.url))
  const { response } = recorded
  const found = findEndpoint(place, recorded.method, path)
  const length = responseHeader(recorded, 'content-length')
  return {
    recorded,
    path,
    query: url.searchParams,
    endpoint: found && { name: found.name, spec: found.spec },
    parts: found?.parts ?? [],
    status: response?.status ?? 0,
    type: (responseHeader(recorded, 'content-type') ?? '').toLowerCase(),
    hasBody: (response?.body.length ?? 0) > 0 || length === '0',
    asked: jsonOf(recorded.body),
    reply: jsonOf(response?.body ?? new Uint8Array()),
  }
}

const decoder = new TextDecoder()

/** Reads a body as JSON, once. */
function jsonOf(body: Uint8Array): () => unknown {
  let isRead = false
  let value: unknown
  return () => {
    if (isRead) return value
    isRead = true
    try {
      value = pythonJson(decoder.decode(body))
    } catch {
      value = undefined
    }
    return value
  }
}

function socketOf(recorded: RecordedSocket): TracedSocket {
  const named = new URL(recorded.url).searchParams.get('clientId')
  const items: Item[] = []
  let wantsMetadata: boolean | undefined
  for (const [index, { from, atMs, data }] of recorded.messages.entries()) {
    if (from === 'server') items.push({ index, atMs, ...contentOf(data) })
    // Only the first message of a client counts.
    else wantsMetadata ??= asksForMetadata(data)
  }
  return {
    recorded,
    clientId: named || sidOf(items),
    named,
    token: new URL(recorded.url).searchParams.get('token'),
    items,
    openMs: items[0]?.atMs ?? Infinity,
    wantsMetadata: wantsMetadata ?? false,
  }
}

/** The id that the server gave a socket that names none. */
function sidOf([first]: readonly Item[]): string | null {
  const sid = first?.message?.data['sid']
  return typeof sid === 'string' ? sid : null
}

type Content = Pick<Item, 'message' | 'frame' | 'problem'>

function contentOf(data: string | Uint8Array): Content {
  try {
    return typeof data === 'string' ? messageOf(pythonJson(data)) : { frame: decodeFrame(data) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

function messageOf(value: unknown): Content {
  const { type, data } = (value ?? {}) as Partial<Message>
  const isMessage = typeof type === 'string' && typeof data === 'object' && data !== null
  return isMessage
    ? { message: value as Message }
    : { problem: 'It is not an object with type and data.' }
}

/** Whether a client's message requests previews with metadata. */
function asksForMetadata(data: string | Uint8Array): boolean {
  const { message } = contentOf(data)
  return message?.type === 'feature_flags' && message.data['supports_preview_metadata'] === true
}
