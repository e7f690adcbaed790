// What the server issues to accounts [sign-in/*]: access and refresh tokens, and sessions of browsers.

import { issuedToken, sessionCookie, tokenLifetimes } from '../../../../spec/accounts/sign-in.ts'
import { clear, get, put, remove } from '../../../lib/bounded.ts'
import { drawHex32 } from '../../../lib/random.ts'
import type { Headers } from '../../../machine.ts'
import type { AccountState, IssuedToken } from '../../state/accounts.ts'
import type { Server } from '../../state/server.ts'
import type { HostedWorld, World } from '../../state/world.ts'
import { accountStateOf } from './account-state.ts'

/** The time in the world at which what is issued now expires. */
export const expiryOf = ({ state }: World, kind: keyof typeof tokenLifetimes): number =>
  state.nowMs + tokenLifetimes[kind] * 1000

/** A text that nobody can guess, of the form of what the server issues. */
export const drawToken = ({ state }: World, kind: keyof typeof tokenLifetimes): string =>
  `flowdouble-${kind}-${drawHex32(state.random)}`

/** Issues a token of a sign-in. */
export function issue(
  world: HostedWorld,
  kind: IssuedToken['kind'],
  of: Pick<IssuedToken, 'grant' | 'clientId' | 'scope'>,
): string {
  const token = drawToken(world, kind)
  const { grant, clientId, scope } = of
  const untilMs = expiryOf(world, kind)
  put(accountStateOf(world).tokens, token, {
    kind,
    grant,
    clientId,
    scope,
    untilMs,
    isSpent: false,
  })
  return token
}

/** Ends all tokens of a sign-in. */
export function endGrant({ tokens }: AccountState, grant: string): void {
  const kept = [...tokens.entries].filter(([, { value }]) => value.grant !== grant)
  clear(tokens)
  for (const [token, { value }] of kept) put(tokens, token, value)
}

/** The account with a token of this kind that has not expired. */
function holderOf(
  { worlds }: Pick<Server, 'worlds'>,
  kind: IssuedToken['kind'],
  token: string,
): World | undefined {
  if (!issuedToken.test(token)) return undefined
  return worlds.find(({ state }) => {
    const found = state.account === undefined ? undefined : get(state.account.tokens, token)
    return found?.kind === kind && found.untilMs > state.nowMs
  })
}

/** The world of the account to which an access token was issued. */
export const worldOfToken = (server: Server, token: string): World | undefined =>
  holderOf(server, 'access', token)

/** The session that the cookies of a request name; empty without one. */
export const sessionIn = (headers: Headers): string =>
  new RegExp(`(?:^|;\\s*)${sessionCookie}="?([\\w-]+)`).exec(headers['cookie'] ?? '')?.[1] ?? ''

/** The world of the account whose session a cookie names [sign-in/session-cookie]. */
export const worldOfSession = (server: Server, headers: Headers): World | undefined =>
  holderOf(server, 'session', sessionIn(headers))

/** The session of an account that a request names, if it has not expired. */
export function sessionOf(world: HostedWorld, headers: Headers): IssuedToken | undefined {
  const found = get(accountStateOf(world).tokens, sessionIn(headers))
  return found?.kind === 'session' && found.untilMs > world.state.nowMs ? found : undefined
}

export const endSessionOf = (world: HostedWorld, headers: Headers): boolean =>
  remove(accountStateOf(world).tokens, sessionIn(headers))
