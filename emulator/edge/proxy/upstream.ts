// Requests from a proxy to its target: headers unchanged except for those that name the address of the proxy.

import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Agent as HttpsAgent, request as requestTls } from 'node:https'
import { rootCertificates } from 'node:tls'
import { nameRules } from '../../journal/secret-names.ts'
import type { HeaderList } from '../../session/recording.ts'
import type { Place } from './places.ts'

export type Upstream = {
  /** Begins a request; the caller sends the body. */
  readonly begin: (message: IncomingMessage, place: Place, headers: HeaderList) => ClientRequest
  readonly close: () => void
}

const MAX_HEADER_BYTES = 1 << 18

/**
 * @param ca a certificate in PEM form that is trusted in addition to the usual ones; null for none.
 * @param own headers that the target gets with each request, in place of those of the client.
 */
export function createUpstream(ca: string | null, own: HeaderList): Upstream {
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  // A separate connection for each request: one that the target closes while it is idle cannot fail a request.
  const plain = new HttpAgent({ keepAlive: false })
  const secure = new HttpsAgent({
    keepAlive: false,
    ...(ca !== null && { ca: [...rootCertificates, ca] }),
  })
  const begin: Upstream['begin'] = ({ method = 'GET' }, { origin, target, isOther }, headers) => {
    const { protocol, hostname, port } = new URL(origin)
    const isSecure = protocol === 'https:'
    const sent = isOther
      ? headers
      : [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...own]
    return (isSecure ? requestTls : request)({
      agent: isSecure ? secure : plain,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      method,
      path: target,
      headers: sent.flat(),
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
  }
  return {
    begin,
    close: () => {
      plain.destroy()
      secure.destroy()
    },
  }
}

/** Alternating names and values as pairs. */
export const headerPairs = (raw: readonly string[]): HeaderList =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))

const { isSecretName } = nameRules()

/** The headers for the target: Host is its own, and so are an Origin and a Referer that name the proxy, as in a browser. */
export function headersFor(message: IncomingMessage, { origin, isOther }: Place): HeaderList {
  const proxy = `://${message.headers.host ?? ''}`
  const { host } = new URL(origin)
  return headerPairs(message.rawHeaders).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'host') return [[name, host] as const]
    // A client that saw that a redirect leads to another host would not send its credentials along.
    if (isOther && isSecretName(lower, 'header')) return []
    const isOfProxy =
      (lower === 'origin' || lower === 'referer') &&
      `${value.replace(/^\w+/, '')}/`.startsWith(`${proxy}/`)
    return [[name, isOfProxy ? origin + value.slice(value.indexOf(proxy) + proxy.length) : value]]
  })
}
