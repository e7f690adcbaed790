// Who may use the control paths of a server or a gateway: programs on this machine, and those elsewhere that have the
// control token. Never the page of another site, and never whoever has only a key of the server that is played.

import { isEqual } from '../lib/equal.ts'
import { isLoopback } from '../lib/loopback.ts'

/** A request as far as it shows who asks. */
export type Caller = {
  /** The address that it came from. */
  readonly address: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type Guard = {
  /** The address that was asked for to listen on. */
  readonly host: string
  /** The origin whose pages may call; null for none but the own one. */
  readonly origin: string | null
  /** What callers from elsewhere have to know; null where there are none. */
  readonly token: string | null
}

/** Headers by which a proxy or a tunnel says that it hands on what somebody elsewhere asks. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Why a caller is turned away, as a sentence that says what to do instead; undefined for one who may go on. */
export function whyRefused(caller: Caller, guard: Guard): string | undefined {
  if (isForeignPage(caller, guard))
    return 'Pages of another origin cannot use these paths. Start with --cors ORIGIN to let in those of one origin.'
  if (hasToken(caller, guard)) return undefined
  if (!isFromHere(caller)) {
    return guard.token === null
      ? 'These paths answer callers on this machine. Start with --control-token TOKEN to use them from elsewhere.'
      : 'From elsewhere these paths need the header "Authorization: Bearer TOKEN" with the control token.'
  }
  if (!isAskedFor(caller, guard))
    return 'These paths answer at the address that the server listens on, such as 127.0.0.1 or localhost.'
  return undefined
}

function hasToken({ headers }: Caller, { token }: Guard): boolean {
  const [, offered] = /^bearer +(.*)$/i.exec(textOf(headers['authorization'])) ?? []
  return token !== null && offered !== undefined && isEqual(offered, token)
}

const isFromHere = ({ address, headers }: Caller): boolean =>
  isLoopback(address) && forwarding.every((name) => headers[name] === undefined)

/** A name that somebody else has made lead to this machine is not one that was asked for. */
function isAskedFor({ headers }: Caller, { host }: Guard): boolean {
  const named = textOf(headers['host']).replace(/:\d+$/, '').toLowerCase()
  return isLoopback(named) || named === host.toLowerCase() || named === `[${host.toLowerCase()}]`
}

function isForeignPage({ headers }: Caller, { origin }: Guard): boolean {
  if (headers['origin'] !== undefined) {
    const given = textOf(headers['origin'])
    return given !== origin && given.replace(/^https?:\/\//, '') !== headers['host']
  }
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : ''
