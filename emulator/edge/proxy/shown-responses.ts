// Responses of the target of a proxy as the client gets them: redirects and links in texts lead through the proxy.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HeaderList } from '../../session/recording.ts'
import { decodedBody } from './bodies.ts'
import type { Place, Places } from './places.ts'
import { headerPairs } from './upstream.ts'

/** The proxy as its client addresses it. */
const proxyOf = ({ headers }: IncomingMessage): string => `http://${headers.host ?? ''}`

/** The headers of a response for the client: a redirect leads through the proxy. */
export function shownHeaders(
  places: Places,
  message: IncomingMessage,
  place: Place,
  head: IncomingMessage,
): HeaderList {
  return headerPairs(head.rawHeaders).map(([name, value]) =>
    name.toLowerCase() === 'location'
      ? [name, places.locationFor(proxyOf(message), place, value)]
      : [name, value],
  )
}

export function writeHead(
  response: ServerResponse,
  head: IncomingMessage,
  headers: HeaderList,
): void {
  response.sendDate = false
  response.writeHead(head.statusCode ?? 502, head.statusMessage, headers.flat())
}

/** Whether a response can be a text with links. */
export const mayHoldLinks = (
  { headers, statusCode = 0 }: IncomingMessage,
  method: string,
): boolean =>
  method !== 'HEAD' &&
  statusCode !== 204 &&
  statusCode !== 304 &&
  /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '')

/** A response as its client gets it. */
export type ShownResponse = { readonly headers: HeaderList; readonly body: Buffer }

/** The response with links that lead through the proxy, where its text has any. */
export function withLinks(
  places: Places,
  message: IncomingMessage,
  place: Place,
  head: IncomingMessage,
  body: Buffer,
): ShownResponse {
  const headers = shownHeaders(places, message, place, head)
  const text = decodedBody(body, headers)?.toString() ?? ''
  const shown = head.complete ? places.linksFor(proxyOf(message), text) : text
  if (shown === text) return { headers, body }
  const rewritten = headers.filter(
    ([name]) => !/^(?:content-(?:length|encoding)|transfer-encoding)$/i.test(name),
  )
  const length = String(Buffer.byteLength(shown))
  return { headers: [...rewritten, ['Content-Length', length]], body: Buffer.from(shown) }
}

/** The response for the client, whatever its body is. */
export const shownResponse = (
  places: Places,
  message: IncomingMessage,
  place: Place,
  head: IncomingMessage,
  body: Buffer,
): ShownResponse =>
  mayHoldLinks(head, message.method ?? 'GET')
    ? withLinks(places, message, place, head, body)
    : { headers: shownHeaders(places, message, place, head), body }
