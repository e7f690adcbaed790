// Changes one thing in a recording, for cases that break it.

import type { RecordedExchange, Recording } from '../../../dist/emulator/internal.js'
import type { Place } from '../../../spec/language.ts'

type RecordedMessage = Recording['sockets'][number]['messages'][number]
export type Edit = (recording: Recording) => Recording

/**
 * What breaks a law: its rules as they are printed, the places where the change is possible, and the other laws that it
 * cannot but break, where they hold.
 */
export type BreakRow = readonly [law: string, on: readonly Place[], edit: Edit, ...also: string[]]

/** A message of a type: the nth on the socket with this index. */
export type Which = { readonly socket?: number; readonly nth?: number }

const isMessage =
  (type: string) =>
  ({ from, data }: RecordedMessage): boolean =>
    from === 'server' && typeof data === 'string' && JSON.parse(data).type === type

const isFrame =
  (code: number) =>
  ({ from, data }: RecordedMessage): boolean =>
    from === 'server' && typeof data !== 'string' && data[3] === code

/** Changes the messages of a socket. */
export const messages =
  (change: (all: readonly RecordedMessage[]) => readonly RecordedMessage[], socket = 0): Edit =>
  (recording) => ({
    ...recording,
    sockets: recording.sockets.map((one, index) =>
      index === socket ? { ...one, messages: change(one.messages) } : one,
    ),
  })

/** Puts others in the place of one that matches. */
const replacing = (
  matches: (one: RecordedMessage) => boolean,
  { socket = 0, nth = 0 }: Which,
  others: (one: RecordedMessage) => readonly RecordedMessage[],
): Edit =>
  messages((all) => {
    const found = all.filter(matches).at(nth)
    if (found === undefined) throw new Error('The session has no such message.')
    return all.flatMap((one) => (one === found ? others(one) : [one]))
  }, socket)

const rewritten = (one: RecordedMessage, change: (message: any) => any): RecordedMessage => ({
  ...one,
  data: JSON.stringify(change(JSON.parse(one.data as string))),
})

/** Changes a message as a whole. */
export const message = (type: string, change: (message: any) => any, which: Which = {}): Edit =>
  replacing(isMessage(type), which, (one) => [rewritten(one, change)])

/** Sets members of the data of a message; undefined removes one. */
export const data = (type: string, members: (data: any) => object, which: Which = {}): Edit =>
  message(type, (own) => ({ ...own, data: { ...own.data, ...members(own.data) } }), which)

export const dropped = (type: string, which: Which = {}): Edit =>
  replacing(isMessage(type), which, () => [])

/** Puts a message of this text before one of a type. */
export const before = (type: string, text: string | Uint8Array, which: Which = {}): Edit =>
  replacing(isMessage(type), which, (one) => [{ ...one, data: text }, one])

/** Changes the bytes of a frame with this type code. */
export const frame = (
  code: number,
  change: (bytes: Uint8Array) => Uint8Array,
  which: Which = {},
): Edit =>
  replacing(isFrame(code), which, (one) => [
    { ...one, data: change((one.data as Uint8Array).slice()) },
  ])

/** Moves a frame before the nth message of a type. */
export const frameBefore = (code: number, type: string, which: Which = {}): Edit =>
  messages((all) => {
    const found = all.find(isFrame(code))
    const target = all.filter(isMessage(type)).at(which.nth ?? 0)
    if (found === undefined || target === undefined) throw new Error('The session lacks them.')
    return all.flatMap((one) => (one === found ? [] : one === target ? [found, one] : [one]))
  }, which.socket)

/** Which exchange: how its method and path begin, or another condition. */
type Exchanged = string | ((one: RecordedExchange) => boolean)

const isOf =
  (wanted: Exchanged) =>
  (one: RecordedExchange): boolean =>
    typeof wanted === 'string' ? `${one.method} ${pathOf(one.url)}`.startsWith(wanted) : wanted(one)

/** Puts others in the place of an exchange: the nth of those that are so, or the last with -1. */
export const exchanges =
  (
    wanted: Exchanged,
    change: (one: RecordedExchange) => readonly RecordedExchange[],
    nth = 0,
  ): Edit =>
  (recording) => {
    const found = recording.exchanges.filter(isOf(wanted)).at(nth)
    if (found === undefined) throw new Error(`The session has no ${wanted.toString()}.`)
    return {
      ...recording,
      exchanges: recording.exchanges.flatMap((one) => (one === found ? change(one) : [one])),
    }
  }

/** Changes an exchange. */
export const exchange = (
  wanted: Exchanged,
  change: (one: RecordedExchange) => RecordedExchange,
  nth = 0,
): Edit => exchanges(wanted, (one) => [change(one)], nth)

/** Several changes, one after the other. */
export const all =
  (...edits: readonly Edit[]): Edit =>
  (recording) =>
    edits.reduce((sum, edit) => edit(sum), recording)

/** A change on the socket of a client; on hosted on all sockets of the account, which receive the same. */
export const atClient =
  (make: (which: Which) => Edit, nth = 0): Edit =>
  (recording) =>
    recording.info?.place === 'hosted'
      ? all(make({ socket: 0, nth }), make({ socket: 1, nth }))(recording)
      : make({ nth })(recording)

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname.replace(/^\/api(?=\/)/, '') + search
}

/** Changes the JSON of a response. */
export const reply = (wanted: Exchanged, change: (body: any) => any, nth = 0): Edit =>
  exchange(
    wanted,
    (one) => ({
      ...one,
      response: { ...responseOf(one), body: changed(responseOf(one).body, change) },
    }),
    nth,
  )

/** Changes the JSON of a request. */
export const request = (wanted: Exchanged, change: (body: any) => any, nth = 0): Edit =>
  exchange(wanted, (one) => ({ ...one, body: changed(one.body, change) }), nth)

/** Sets status, headers or body of a response. */
export const response = (
  wanted: Exchanged,
  members: Partial<NonNullable<RecordedExchange['response']>>,
  nth = 0,
): Edit =>
  exchange(wanted, (one) => ({ ...one, response: { ...responseOf(one), ...members } }), nth)

function responseOf({ response }: RecordedExchange): NonNullable<RecordedExchange['response']> {
  if (response === null) throw new Error('The request has no response.')
  return response
}

const changed = (body: Uint8Array, change: (body: any) => any): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(change(JSON.parse(new TextDecoder().decode(body)))))

/** The headers of an answer without a body: with the id of a call, which each answer of the Router has. */
const bare: readonly (readonly [string, string])[] = [
  ['content-length', '0'],
  ['x-comfy-request-id', '8b1f6f0c-63a5-4d53-9f35-6d3c5a0a0b11'],
]

/** An exchange without a body, as a last one. */
export const added =
  (method: string, path: string, status: number): Edit =>
  (recording) => {
    const last = recording.exchanges.at(-1)
    if (last === undefined) throw new Error('The session is empty.')
    const one: RecordedExchange = {
      entry: 1000,
      startMs: last.endMs + 1,
      endMs: last.endMs + 2,
      method,
      url: new URL(path, last.url).href,
      headers: [],
      body: new Uint8Array(),
      response: { status, headers: bare, body: new Uint8Array() },
    }
    return { ...recording, exchanges: [...recording.exchanges, one] }
  }

/** Changes the metadata of a preview. */
export const metadata = (change: (own: any) => any): Edit =>
  frame(4, (bytes) => {
    const end = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4)
    const own: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(8, end)))
    const text = new TextEncoder().encode(JSON.stringify(change(own)))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return new Uint8Array(Buffer.concat([bytes.subarray(0, 4), length, text, bytes.subarray(end)]))
  })
