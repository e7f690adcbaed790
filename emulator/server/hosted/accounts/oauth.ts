// OAuth for command lines [sign-in/*]: authorization codes with PKCE, and refresh tokens that rotate. Nobody is asked for
// approval: each sign-in is approved immediately.

import {
  knownClient,
  type oauthClient as clientSchema,
  type oauthTokens as tokensSchema,
  tokenLifetimes,
} from '../../../../spec/accounts/sign-in.ts'
import type { Static } from '../../../../spec/static.ts'
import { base64Url } from '../../../lib/base64.ts'
import { get, put, remove } from '../../../lib/bounded.ts'
import { copyText, isObject } from '../../../lib/json.ts'
import { drawHex32, drawUuid } from '../../../lib/random.ts'
import { json, refuseOauth, type Reply } from '../../../http/replies.ts'
import { bodyJson, type Request } from '../../../http/requests.ts'
import { strictText } from '../../../lib/python-bytes.ts'
import type { AccountState, IssuedToken } from '../../state/accounts.ts'
import type { Server } from '../../state/server.ts'
import type { HostedWorld } from '../../state/world.ts'
import { isHosted, timestamp } from '../../world/derived.ts'
import { accountStateOf } from './account-state.ts'
import { drawToken, endGrant, expiryOf, issue } from './tokens.ts'

const noStore = { 'Cache-Control': 'no-store' }

const withoutStore = (reply: Reply): Reply =>
  Object.assign({}, reply, { headers: Object.assign({}, reply.headers, noStore) })

const loopback = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?:\/[^\s#]*)?$/i
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && (loopback.test(value) || /^https:\/\/[^\s#]+$/i.test(value))

export function oauthRegister(world: HostedWorld, request: Request): Reply {
  const body = bodyJson(request)
  if (!isObject(body)) return refuseOauth('metadataInvalid')
  const given = body.get('redirect_uris')
  if (!Array.isArray(given) || given.length === 0 || !given.every(isAddress))
    return refuseOauth('redirectsInvalid')
  const redirect_uris = given.map(copyText)
  const client_id = drawUuid(world.state.random)
  put(accountStateOf(world).clients, client_id, redirect_uris)
  const name = body.get('client_name')
  const reply: Static<typeof clientSchema> = Object.assign(
    { client_id, client_id_issued_at: Math.floor(timestamp(world) / 1000), redirect_uris },
    typeof name === 'string' ? { client_name: name } : {},
    {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  )
  return withoutStore(json(JSON.stringify(reply), 201))
}

/** The addresses that a client has registered; undefined for an unknown one. */
const addressesOf = (world: HostedWorld, clientId: string): readonly string[] | undefined =>
  clientId === knownClient ? [] : get(accountStateOf(world).clients, clientId)

/** What is wrong with a request to authorize, in the words of OAuth; undefined if nothing is. */
function errorIn(query: URLSearchParams): string | undefined {
  if (query.get('response_type') !== 'code') return 'unsupported_response_type'
  const isChallenge = /^[\w-]{43}$/.test(query.get('code_challenge') ?? '')
  if (!isChallenge || query.get('code_challenge_method') !== 'S256') return 'invalid_request'
  if (!query.get('state')) return 'invalid_request'
  return query.get('resource') ? undefined : 'invalid_target'
}

/** The account that signs in; undefined without one of that name. */
function accountNamed({ worlds }: Server, hint: string | null): HostedWorld | undefined {
  const accounts = worlds.filter(isHosted)
  return hint === null
    ? accounts[0]
    : accounts.find(({ setup }) => setup.hosted.account.user === hint)
}

export function oauthAuthorize(world: HostedWorld, request: Request, server: Server): Reply {
  const query = new URLSearchParams(request.query)
  const clientId = query.get('client_id') ?? ''
  const redirectUri = query.get('redirect_uri') ?? ''
  const registered = addressesOf(world, clientId)
  if (registered === undefined) return refuseOauth('clientUnknown')
  if (!loopback.test(redirectUri) && !registered.includes(redirectUri))
    return refuseOauth('redirectInvalid')
  const account = accountNamed(server, query.get('login_hint'))
  const error = errorIn(query) ?? (account === undefined ? 'access_denied' : undefined)
  const answer = new URLSearchParams()
  if (error !== undefined || account === undefined) answer.set('error', error ?? '')
  else {
    const code = drawToken(account, 'code')
    put(accountStateOf(account).codes, code, {
      clientId: copyText(clientId),
      redirectUri: copyText(redirectUri),
      challenge: copyText(query.get('code_challenge') ?? ''),
      scope: copyText(query.get('scope') ?? ''),
      untilMs: expiryOf(account, 'code'),
    })
    answer.set('code', code)
  }
  const state = query.get('state')
  if (state !== null) answer.set('state', state)
  const Location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${answer.toString()}`
  return { status: 302, headers: Object.assign({ Location }, noStore), body: '' }
}

/** The tokens of a sign-in, new ones. */
function tokensReply(
  world: HostedWorld,
  of: Pick<IssuedToken, 'grant' | 'clientId' | 'scope'>,
): Reply {
  const reply: Static<typeof tokensSchema> = {
    access_token: issue(world, 'access', of),
    refresh_token: issue(world, 'refresh', of),
    expires_in: tokenLifetimes.access,
    scope: of.scope,
    token_type: 'Bearer',
  }
  return withoutStore(json(JSON.stringify(reply)))
}

/** The account whose codes or tokens have this one, with its state. */
function findHolder(
  { worlds }: Server,
  has: (state: AccountState) => boolean,
): readonly [HostedWorld, AccountState] | undefined {
  const world = worlds.find(({ state }) => state.account !== undefined && has(state.account))
  return world === undefined || !isHosted(world) ? undefined : [world, accountStateOf(world)]
}

/** The SHA-256 of a text as OAuth writes it. */
function challengeOf({ setup }: HostedWorld, verifier: string): string {
  const hex = setup.hosted.hashing.sha256Hex(verifier)
  return base64Url(Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)))
}

type Form = ReadonlyMap<string, string>
type Grant = {
  /** The parameters that it needs beside `client_id`. */
  readonly needs: readonly string[]
  readonly exchange: (server: Server, form: Form) => Reply
}

const text = (form: Form, name: string): string => form.get(name) ?? ''

function exchangeCode(server: Server, form: Form): Reply {
  const code = text(form, 'code')
  const [world, state] = findHolder(server, ({ codes }) => get(codes, code) !== undefined) ?? []
  const found = state === undefined ? undefined : get(state.codes, code)
  const invalid = refuseOauth('grantInvalid', { grant: 'code' })
  if (world === undefined || state === undefined || found === undefined) return invalid
  // Whoever shows it wrongly may have stolen it.
  remove(state.codes, code)
  const isValid =
    found.untilMs > world.state.nowMs &&
    found.clientId === text(form, 'client_id') &&
    found.redirectUri === text(form, 'redirect_uri') &&
    found.challenge === challengeOf(world, text(form, 'code_verifier'))
  if (!isValid) return invalid
  const { clientId, scope } = found
  return tokensReply(world, { grant: drawHex32(world.state.random), clientId, scope })
}

function exchangeRefresh(server: Server, form: Form): Reply {
  const token = text(form, 'refresh_token')
  const [world, state] = findHolder(server, ({ tokens }) => get(tokens, token) !== undefined) ?? []
  const found = state === undefined ? undefined : get(state.tokens, token)
  const invalid = refuseOauth('grantInvalid', { grant: 'refresh_token' })
  if (world === undefined || state === undefined || found?.kind !== 'refresh') return invalid
  if (found.clientId !== text(form, 'client_id') || found.untilMs <= world.state.nowMs)
    return invalid
  if (found.isSpent) {
    endGrant(state, found.grant)
    return refuseOauth('refreshReused')
  }
  put(state.tokens, token, Object.assign({}, found, { isSpent: true }))
  return tokensReply(world, found)
}

const grants: Readonly<Record<string, Grant>> = {
  authorization_code: {
    needs: ['code', 'redirect_uri', 'code_verifier'],
    exchange: exchangeCode,
  },
  refresh_token: { needs: ['refresh_token'], exchange: exchangeRefresh },
}

export function oauthToken(world: HostedWorld, request: Request, server: Server): Reply {
  const form: Form = new Map(new URLSearchParams(strictText(request.body) ?? ''))
  const missing = (name: string): Reply => refuseOauth('parameterMissing', { name })
  const type = form.get('grant_type')
  if (type === undefined) return missing('grant_type')
  const grant = Object.hasOwn(grants, type) ? grants[type] : undefined
  if (grant === undefined) return refuseOauth('grantUnsupported')
  const lacking = ['client_id', ...grant.needs].find((name) => !form.get(name))
  if (lacking !== undefined) return missing(lacking)
  if (addressesOf(world, text(form, 'client_id')) === undefined) return refuseOauth('clientRefused')
  return grant.exchange(server, form)
}
