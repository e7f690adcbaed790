// Decides who may use the control paths: programs on this machine, and programs elsewhere with the control token, but
// no page of another site, and no client with only an API key of the emulated server.

import { isEqual } from '../lib/equal.ts'
import { isLoopback } from '../lib/loopback.ts'

/** The parts of a request that identify the caller. */
export type Caller = {
  /** The remote address. */
  readonly address: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type Guard = {
  /** The address to listen on, as configured. */
  readonly host: string
  /** The origin whose pages may call; null for only the server's own. */
  readonly origin: string | null
  /** The token for callers from other machines; null rejects them. */
  readonly token: string | null
  /** Whether callers on this machine need the token as well: behind a proxy all seem to be here. */
  readonly isTokenOnly?: boolean
}

/** Headers that proxies, tunnels and content networks add to the requests of other machines, by parts of their names. */
const forwarding =
  /forwarded|(^|-|client|socket)ip($|-)|addr(ess)?$|original-(host|ur[il])|^(via|x-host|cdn-loop|cf-ray|x-amz-cf-id)$/

/** Why a caller is rejected, as a sentence that says what to do; undefined for an accepted one. */
export function whyRefused(caller: Caller, guard: Guard): string | undefined {
  if (isForeignPage(caller, guard))
    return 'Pages of another origin cannot use these paths. Start with --cors ORIGIN to allow one origin.'
  if (hasToken(caller, guard)) return undefined
  if (guard.isTokenOnly === true)
    return 'These paths require the header "Authorization: Bearer TOKEN": with the token of the world below /w/NAME, else with the control token.'
  if (!isFromHere(caller)) {
    return guard.token === null
      ? 'These paths are for clients on this machine. Start with --control-token TOKEN, or FLOWDOUBLE_CONTROL_TOKEN in a container, to use them from elsewhere.'
      : 'From other machines these paths require the header "Authorization: Bearer TOKEN" with the control token.'
  }
  if (!isAskedFor(caller, guard))
    return 'Request these paths at the address that the server listens on, such as 127.0.0.1 or localhost.'
  return undefined
}

function hasToken({ headers }: Caller, { token }: Guard): boolean {
  const [, offered] = /^bearer +(.*)$/i.exec(headerText(headers['authorization'])) ?? []
  return token !== null && offered !== undefined && isEqual(offered, token)
}

const isFromHere = ({ address, headers }: Caller): boolean =>
  isLoopback(address) && !Object.keys(headers).some((name) => forwarding.test(name))

/** Rejects other host names that resolve to this machine (DNS rebinding). */
function isAskedFor({ headers }: Caller, { host }: Guard): boolean {
  const named = headerText(headers['host']).replace(/:\d+$/, '').toLowerCase()
  return isLoopback(named) || named === host.toLowerCase() || named === `[${host.toLowerCase()}]`
}

function isForeignPage({ headers }: Caller, { origin }: Guard): boolean {
  if (headers['origin'] !== undefined) {
    const given = headerText(headers['origin'])
    return given !== origin && given.replace(/^https?:\/\//, '') !== headers['host']
  }
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

const headerText = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : ''
