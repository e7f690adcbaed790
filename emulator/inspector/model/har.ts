// Reads a HAR file, of flowdouble or a browser, as the journal of a server that sent the same.

import { stateIn } from '../../journal/run-states.ts'
import { membersOf, textOf, type Members, valueOf } from '../../lib/loose.ts'
import type { Journal } from './journal.ts'

type Happening = {
  readonly at: number
  readonly input: Members
  readonly effects: readonly Members[]
}

export function readHar(text: string): {
  readonly journal: Journal
  /** Addresses of pictures by key. */
  readonly pictures: ReadonlyMap<string, string>
} {
  const file = membersOf(JSON.parse(text))
  const { entries: listed } = membersOf(file['log'] ?? file)
  if (!Array.isArray(listed)) throw new Error('It has neither a log with entries nor a journal.')
  const all = (listed as readonly Members[]).flatMap((one, index) =>
    Array.isArray(one['_webSocketMessages']) ? socketOf(one, index) : exchangeOf(one, index),
  )
  const begin = Math.min(...all.map(({ at }) => at))
  const pictures = new Map<string, string>()
  const entries = all
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, input, effects }, n) => {
      const picture = textOf(effects[0]?.['picture'])
      if (picture !== null) pictures.set(`${n}.0`, picture)
      return { n, at: at - begin, input, effects }
    })
  const next = entries.length
  const journal = { isGateway: false, options: {}, first: 0, next, earlier: null, entries }
  return { journal, pictures }
}

const timeOf = (entry: Members): number => Date.parse(String(entry['startedDateTime']))

function targetOf({ url }: Members): string {
  const { pathname, search } = new URL(String(url))
  return pathname + search
}

function exchangeOf(entry: Members, index: number): readonly Happening[] {
  const [request, response] = [membersOf(entry['request']), membersOf(entry['response'])]
  const at = timeOf(entry)
  const input = {
    kind: 'request',
    request: index,
    method: request['method'],
    target: targetOf(request),
    headers: headersOf(request),
    body: bodyIn(membersOf(request['postData'])),
  }
  const { status } = response
  const reply = {
    kind: Number(status) > 0 ? 'reply' : 'reset',
    request: index,
    status,
    headers: headersOf(response),
    body: bodyIn(membersOf(response['content'])),
  }
  const endAt = at + Math.max(0, Number(entry['time'] ?? 0))
  return [
    { at, input, effects: faultsOf(entry).effects },
    { at: endAt, input: {}, effects: [reply] },
  ]
}

/** The faults that `record --scenario` has played on an entry or a message, as effects, and what they did. */
function faultsOf(one: Members): {
  readonly effects: readonly Members[]
  readonly did: readonly unknown[]
} {
  const { ids, did } = membersOf(membersOf(one['_flowdouble'])['fault'])
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
  return { effects: list(ids).map((id) => ({ kind: 'fault', id })), did: list(did) }
}

/** What a fault does to a message that never arrives. */
const losing: ReadonlySet<unknown> = new Set(['skip', 'reset', 'close', 'silence', 'cut'])

const headersOf = ({ headers }: Members): Members =>
  Object.fromEntries(
    ((headers ?? []) as readonly Members[]).map(({ name, value }) => [String(name), value]),
  )

/** A text as it is; of bytes their number. */
const bodyIn = ({ text = '', encoding, size, mimeType }: Members): unknown =>
  encoding === 'base64' ? { bytes: size, type: mimeType } : text

/** Above this a time is in milliseconds, else in seconds. */
const MAX_SECONDS = 1e11
const BINARY = 2

function socketOf(entry: Members, socket: number): readonly Happening[] {
  const open = { kind: 'open', socket, target: targetOf(membersOf(entry['request'])) }
  const { atMs, by, code, fault } = membersOf(membersOf(entry['_flowdouble'])['close'])
  const how = fault === 'reset' || fault === 'silence' ? fault : { close: code }
  const end = { kind: 'end', sockets: [socket], how }
  const close =
    by === 'client' && fault === undefined
      ? { input: { kind: 'close', socket }, effects: [] }
      : { input: {}, effects: [end] }
  return [
    { at: timeOf(entry), input: open, effects: [] },
    ...(entry['_webSocketMessages'] as readonly Members[]).map((one) => messageOf(one, socket)),
    ...(atMs === undefined ? [] : [{ at: Number(atMs), ...close }]),
  ]
}

function messageOf(one: Members, socket: number): Happening {
  const { type, time, opcode, data } = one
  const at = Number(time) > MAX_SECONDS ? Number(time) : Number(time) * 1000
  const text = String(data)
  if (type === 'send') return { at, input: { kind: 'message', socket, text }, effects: [] }
  const sockets = [socket]
  const faults = faultsOf(one)
  const isLost = faults.did.some((name) => losing.has(name))
  const sent =
    opcode === BINARY
      ? { kind: 'frame', sockets, ...frameIn(text) }
      : { kind: 'send', sockets, text }
  const message = isLost ? { kind: 'lost', message: sent } : sent
  const states = opcode === BINARY ? [] : statesIn(text)
  return { at, input: {}, effects: [message, ...states, ...faults.effects] }
}

/** The state of its run that a message announces, as an effect. */
function statesIn(text: string): readonly Members[] {
  const { type, data } = membersOf(valueOf(text))
  const members = membersOf(data)
  const state = stateIn(type, members)
  return state === null ? [] : [{ kind: 'run', prompt_id: members['prompt_id'], state }]
}

const PREVIEW = 1
const PREVIEW_WITH_METADATA = 4
const JPEG = 1

/** A frame: its kind in four bytes; then its format in four and a picture, or the length of metadata, these and a picture. */
function frameIn(base64: string): Members {
  const bytes = atob(base64)
  const numberAt = (at: number): number =>
    [0, 1, 2, 3].reduce((sum, index) => sum * 256 + bytes.charCodeAt(at + index), 0)
  const [kind, second] = [numberAt(0), numberAt(4)]
  const picture = (type: unknown, from: number): string =>
    `data:${String(type)};base64,${btoa(bytes.slice(from))}`
  if (kind === PREVIEW)
    return {
      content: { frame: 'previewImage' },
      picture: picture(second === JPEG ? 'image/jpeg' : 'image/png', 8),
    }
  if (kind !== PREVIEW_WITH_METADATA) return { content: { frame: 'text' } }
  const metadata = membersOf(valueOf(bytes.slice(8, 8 + second)))
  return {
    content: { frame: 'previewWithMetadata', metadata },
    picture: picture(metadata['image_type'], 8 + second),
  }
}
