// Writes a recording as the text of a HAR file: one entry per line, so that two versions of a file can be compared.

import { base64 } from '../lib/base64.ts'
import type {
  HeaderList,
  RecordedExchange,
  RecordedMessage,
  RecordedSocket,
  Recording,
} from '../session/recording.ts'
import { headerOf } from '../session/recording.ts'

/** The text of a HAR file. Equal recordings have equal texts. */
export function writeHar(recording: Recording): string {
  const { info } = recording
  const head = {
    version: '1.2',
    creator: { name: 'flowdouble', version: '1' },
    ...(info && { _flowdouble: info }),
  }
  return harText(head, entriesOf(recording))
}

/** The text of a HAR file with what is added to it: its entries stay as they are. */
export function addToHar(text: string, added: Recording): string {
  const har = JSON.parse(text) as { readonly log?: Log } & Log
  const { entries, ...head } = har.log ?? har
  return harText(head, [...entries, ...entriesOf(added)])
}

type Log = { readonly entries: readonly object[] }

const entriesOf = ({ exchanges, sockets }: Recording): readonly object[] =>
  [
    ...exchanges.map((one) => ({ atMs: one.startMs, value: exchangeEntry(one) })),
    ...sockets.map((one) => ({ atMs: one.openMs, value: socketEntry(one) })),
  ]
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ value }) => value)

function harText(head: object, entries: readonly object[]): string {
  const start = JSON.stringify(head).slice(0, -1)
  const lines = entries.map((value) => JSON.stringify(value))
  return `{"log":${start},"entries":[\n${lines.join(',\n')}\n]}}\n`
}

const common = (startMs: number, timeMs: number) => ({
  startedDateTime: timeText(startMs),
  time: rounded(timeMs),
})

/** Times to the microsecond: more digits would say nothing. */
const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** A time in ISO 8601, to the microsecond: what happens within a millisecond keeps its order. */
function timeText(atMs: number): string {
  const [wholeMs, micros] = [Math.floor(atMs), Math.round((atMs % 1) * 1000)]
  const digits = String(Math.min(micros, 999)).padStart(3, '0')
  return new Date(wholeMs).toISOString().replace('Z', digits === '000' ? 'Z' : `${digits}Z`)
}

const requestOf = (method: string, url: string, headers: HeaderList, body: Uint8Array) => ({
  method,
  url,
  httpVersion: 'HTTP/1.1',
  cookies: [],
  headers: namedValues(headers),
  queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
  ...(body.length > 0 && {
    postData: { mimeType: headerOf(headers, 'content-type') ?? '', ...textOf(body) },
  }),
  headersSize: -1,
  bodySize: body.length,
})

/** The entry of an exchange in a HAR file. */
export function exchangeEntry(exchange: RecordedExchange) {
  const { startMs, endMs, method, url, headers, body, response, cut, fault } = exchange
  return {
    ...common(startMs, endMs - startMs),
    request: requestOf(method, url, headers, body),
    response: responseOf(response),
    cache: {},
    timings: { send: 0, wait: rounded(endMs - startMs), receive: 0 },
    ...((cut ?? fault) && { _flowdouble: { ...(cut && { cut }), ...(fault && { fault }) } }),
  }
}

/** Status 0 stands for no response, as in what browsers export. */
function responseOf(response: RecordedExchange['response']) {
  const { status, headers, body } = response ?? { status: 0, headers: [], body: new Uint8Array() }
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: namedValues(headers),
    content: {
      size: body.length,
      mimeType: headerOf(headers, 'content-type') ?? 'x-unknown',
      ...(body.length > 0 && textOf(body)),
    },
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: body.length,
  }
}

/** The entry of a socket. */
export function socketEntry({ openMs, url, headers, messages, close }: RecordedSocket) {
  const lastMs = close?.atMs ?? messages.at(-1)?.atMs ?? openMs
  return {
    ...common(openMs, lastMs - openMs),
    _resourceType: 'websocket',
    request: requestOf('GET', url, headers, new Uint8Array()),
    response: { ...responseOf({ status: 101, headers: [], body: new Uint8Array() }) },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    _webSocketMessages: messages.map(messageOf),
    ...(close && { _flowdouble: { close } }),
  }
}

/** A message of the entry of a socket. */
export const messageOf = ({ from, atMs, data, fault }: RecordedMessage) => ({
  type: from === 'client' ? 'send' : 'receive',
  time: rounded(atMs) / 1000,
  opcode: typeof data === 'string' ? 1 : 2,
  data: typeof data === 'string' ? data : base64(data),
  ...(fault && { _flowdouble: { fault } }),
})

const namedValues = (headers: HeaderList) => headers.map(([name, value]) => ({ name, value }))

/** A body as text, if its bytes are UTF-8; otherwise as base64. */
function textOf(body: Uint8Array): { readonly text: string; readonly encoding?: 'base64' } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { text: base64(body), encoding: 'base64' }
  }
}
