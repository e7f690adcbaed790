// Signing in to a hosted server: OAuth for command lines, below /oauth, and tokens and sessions for browsers.

import { hosted, type Endpoints, type Rules, chosen, observedIn } from '../language.ts'
import { hostedError } from '../server/errors.ts'
import { time } from '../v2/shapes.ts'
import {
  anyObject,
  boolean,
  count,
  list,
  name,
  object,
  oneOf,
  optional,
  partial,
  text,
  volatile,
} from '../schema.ts'
import { get, post, remove } from '../endpoint.ts'

/** The root of its paths, which have no prefix. */
export const oauthRoot = '/oauth'

/** How long what the server issues is valid, in seconds. */
export const tokenLifetimes = {
  code: 600,
  access: 900,
  refresh: 30 * 86_400,
  session: 86_400,
} as const

/** What the server issues has this form. It is made of the seed of its world, and is a secret to nobody else. */
export const issuedToken = /^flowdouble-(?:code|access|refresh|session)-[0-9a-f]{32}$/

/** The client that every hosted server knows without a registration. */
export const knownClient = 'comfy-cli'

/** The cookie of a session. */
export const sessionCookie = 'comfy_session'

/** An error of `/oauth`: `error` is for programs. */
export const oauthError = object({ error: text, error_description: optional(text) })

const issued = volatile(text)

export const oauthTokens = object({
  access_token: issued,
  refresh_token: issued,
  expires_in: count,
  scope: text,
  token_type: oneOf('Bearer'),
})

export const oauthClient = object({
  client_id: issued,
  client_id_issued_at: volatile(count),
  client_name: optional(text),
  redirect_uris: list(text),
})

export const oauthRegistration = object({
  redirect_uris: {
    ...list({ type: 'string', examples: ['http://127.0.0.1:8000/callback'] } as const),
    minItems: 1,
  },
  client_name: optional(text),
})

export const webToken = object({ token: issued, expires_at: time })

export const webSession = object({
  user: object({ id: text }),
  csrf_token: issued,
  expires_at: time,
  absolute_expires_at: time,
  has_personal_workspace: boolean,
})

const ofBody = { 400: oauthError, 413: oauthError } as const

/** Those below `/oauth`, which need no key. */
export const oauthEndpoints = {
  oauthRegister: post('/oauth/register', hosted, {
    does: 'Registers a client of OAuth.',
    body: oauthRegistration,
    replies: { 201: oauthClient, ...ofBody },
    // Addresses have to be HTTPS, or on the loopback interface.
    rejectsValid: hosted,
  }),
  oauthAuthorize: get('/oauth/authorize', hosted, {
    does: 'Signs in an account, and redirects to the client with a code.',
    requiredQuery: ['client_id', 'redirect_uri'],
    query: {
      response_type: oneOf('code'),
      client_id: { type: 'string', examples: [knownClient] },
      redirect_uri: { type: 'string', examples: ['http://127.0.0.1:8000/callback'] },
      scope: text,
      state: name,
      code_challenge: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
      code_challenge_method: oneOf('S256'),
      resource: name,
      login_hint: text,
    },
    replies: { 302: 'empty', 400: oauthError },
    rejectsValid: hosted,
  }),
  oauthToken: post('/oauth/token', hosted, {
    does: 'Exchanges a code or a refresh token for tokens; the body is a form in URL encoding.',
    body: 'bytes',
    replies: { 200: oauthTokens, 401: oauthError, ...ofBody },
    rejectsValid: hosted,
  }),
} as const satisfies Endpoints

const webEndpoints = {
  webToken: post('/auth/token', hosted, {
    does: 'Issues a token for pages.',
    body: partial({ workspace_id: text }),
    bodyIsOptional: true,
    replies: { 200: webToken, 422: hostedError },
    rejectsValid: hosted,
  }),
  webSession: get('/auth/session', hosted, {
    does: 'Returns the session that a cookie names.',
    replies: { 200: webSession, 404: hostedError },
  }),
  beginSession: post('/auth/session', hosted, {
    does: 'Begins a session, whose cookie the reply sets.',
    body: anyObject,
    bodyIsOptional: true,
    replies: { 200: webSession },
  }),
  endSession: remove('/auth/session', hosted, {
    does: 'Ends the session that a cookie names.',
    replies: { 204: 'empty', 404: hostedError },
  }),
} as const satisfies Endpoints

export const endpoints = { ...oauthEndpoints, ...webEndpoints } as const satisfies Endpoints

const { code, access } = tokenLifetimes

export const rules = {
  ...observedIn('OAuth').hosted({
    'sign-in/register':
      'POST /oauth/register returns a client_id for the redirect_uris that its body names.',
    'sign-in/authorize':
      'GET /oauth/authorize redirects to the redirect_uri with a code and the state of the client.',
    'sign-in/token':
      'POST /oauth/token exchanges a code and its code_verifier for an access and a refresh token.',
    'sign-in/pkce':
      'A code_verifier whose SHA-256 is not the code_challenge returns 400 with invalid_grant.',
    'sign-in/bearer': 'Below /api an access token as a bearer token stands for its account.',
    'sign-in/refresh': 'A refresh token is exchanged for new tokens, once.',
    'sign-in/refresh-reuse':
      'A refresh token that is used again returns invalid_grant and ends all tokens of its sign-in.',
    'sign-in/errors': 'Errors of /oauth are JSON objects with error and error_description.',
  }),
  ...chosen.hosted({
    'sign-in/account':
      'A sign-in shows no page: it is that of the first account, or the one that login_hint names.',
    'sign-in/code': `A code is valid once, within ${code} seconds, for its client and redirect_uri.`,
    'sign-in/expiry': `An access token is valid for ${access} seconds, and returns 401 afterwards.`,
    'sign-in/loopback':
      'A redirect_uri is on the loopback interface, or one that the client has registered.',
    'sign-in/authorize-refusals':
      'The redirect_uri receives errors of authorize; a wrong client or address returns 400 instead.',
    'sign-in/register-refusals':
      'A registration without redirect_uris, or with others than HTTPS or loopback, returns 400.',
    'sign-in/web-token':
      'POST /auth/token issues an access token for pages, and returns 400 for another workspace.',
    'sign-in/session':
      'POST /auth/session sets a cookie, whose session GET returns and DELETE ends; others are a 404.',
    'sign-in/session-cookie': 'Below /api the cookie of a session stands for its account.',
    'sign-in/journal': 'The journal contains issued tokens as they are, so that it replays.',
  }),
} as const satisfies Rules
