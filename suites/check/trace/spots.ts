// Where a finding is, in words, and the lines of the wire around it, without secrets.

import type { WireLine } from '../events.ts'
import type { Spot } from '../../laws/law.ts'
import type { Trace, TracedExchange, TracedSocket } from '../../../dist/emulator/session/index.js'

/** The longest text of a body or of a message that is shown, in characters, */
const MAX_TEXT = 1500
/** and how many messages before the one that a finding is about. */
const MAX_BEFORE = 6

/** Members of bodies and parameters of addresses whose values are secret, in any writing. */
const secrets: readonly RegExp[] = [
  /("(?:api_key|auth_token)\w*"\s*:\s*")[^"]*/g,
  /([?&](?:token|api_key|X-Goog-\w+)=)[^&\s"]*/gi,
]

const hidden = (text: string): string =>
  secrets.reduce((sum, pattern) => sum.replaceAll(pattern, '$1[hidden]'), text)

const clipped = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text

const decoder = new TextDecoder()

/** A body as text; bytes that are not text as their number. */
function bodyText(body: Uint8Array): string {
  if (body.length === 0) return ''
  const text = decoder.decode(body.subarray(0, MAX_TEXT * 2))
  return /[\0\uFFFD]/.test(text.slice(0, 200)) ? `${body.length} bytes` : hidden(clipped(text))
}

/** The place of a finding: the file, the entry and the message, as they are counted there. */
export function placeText({ name }: Pick<Trace, 'name'>, at: Spot): string {
  if ('exchange' in at) {
    const { recorded, path } = (at as { exchange: TracedExchange }).exchange
    return `${name}, entry ${recorded.entry} (${recorded.method} ${path})`
  }
  if (!('socket' in at)) return name
  const { socket, item } = at as Extract<Spot, { readonly socket: TracedSocket }>
  const message = item === undefined ? '' : `, message ${item.index}`
  return `${name}, entry ${socket.recorded.entry} (socket)${message}`
}

/** What was on the wire there. Times count from the beginning of the recording. */
export function wireOf({ recording }: Trace, at: Spot): readonly WireLine[] {
  const beginMs = Math.min(
    ...recording.exchanges.slice(0, 1).map(({ startMs }) => startMs),
    ...recording.sockets.slice(0, 1).map(({ openMs }) => openMs),
  )
  const since = (atMs: number): number => Math.round(atMs - beginMs)
  if ('exchange' in at) {
    const { recorded } = (at as { exchange: TracedExchange }).exchange
    const { method, url, body, startMs, endMs, response } = recorded
    const { pathname, search } = new URL(url)
    return [
      {
        atMs: since(startMs),
        direction: 'sent',
        text: hidden(`${method} ${pathname}${search} ${bodyText(body)}`.trimEnd()),
      },
      ...(response === null
        ? []
        : [
            {
              atMs: since(endMs),
              direction: 'received' as const,
              text: `${response.status} ${bodyText(response.body)}`.trimEnd(),
            },
          ]),
    ]
  }
  if (!('socket' in at)) return []
  const { socket, item } = at as Extract<Spot, { readonly socket: TracedSocket }>
  const last = item?.index ?? socket.recorded.messages.length - 1
  return socket.recorded.messages
    .slice(Math.max(0, last - MAX_BEFORE), last + 1)
    .map(({ from, atMs, data }) => ({
      atMs: since(atMs),
      direction: from === 'client' ? 'sent' : 'received',
      text: typeof data === 'string' ? hidden(clipped(data)) : `a frame of ${data.length} bytes`,
    }))
}
