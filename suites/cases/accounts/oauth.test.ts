// OAuth of a hosted server, as a command line signs in with it. A server elsewhere asks somebody for approval.

import { replay } from 'flowdouble'
import { oauthClient, tokenLifetimes } from '../../../spec/accounts/sign-in.ts'
import { expect } from '../../judge/expect.ts'
import { account, fitting } from '../../judge/hosted/jobs.ts'
import {
  authorize,
  codeOf,
  exchangeCode,
  expectError,
  postForm,
  received,
  redirect_uri,
  refresh,
  signIn,
  userOf,
  verifier,
} from '../../judge/hosted/oauth.ts'
import { casesWith, ownWorld } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

const proves = casesWith(ownWorld)
const first = 'test-user'
const challenge = { code_challenge: undefined, code_challenge_method: undefined }

const register = ({ raw }: Subject, value: unknown) =>
  raw('POST', '/oauth/register', JSON.stringify(value), { 'Content-Type': 'application/json' })

proves('sign-in/register', async (subject) => {
  const redirect_uris = ['http://127.0.0.1:0/callback', 'https://client.example/back']
  const body = { redirect_uris, application_type: 'native', client_name: 'A client' }
  const made = fitting(oauthClient, await register(subject, body), 201)
  expect(made).toMatchObject({ redirect_uris, client_name: 'A client' })
  const { client_id } = made
  for (const uri of [...redirect_uris, redirect_uri])
    expect(await codeOf(subject, { client_id, redirect_uri: uri })).not.toBe('')
  const other = await register(subject, { redirect_uris })
  expect(fitting(oauthClient, other, 201).client_id).not.toBe(client_id)
})

proves('sign-in/register-refusals', async (subject) => {
  const bad = [
    {},
    { redirect_uris: [] },
    { redirect_uris: 'http://127.0.0.1/a' },
    { redirect_uris: ['http://client.example/back'] },
    { redirect_uris: [redirect_uri, 7] },
  ]
  for (const body of bad) expectError(await register(subject, body), 400, 'invalid_redirect_uri')
  expectError(await register(subject, []), 400, 'invalid_client_metadata')
})

proves('sign-in/authorize', async (subject) => {
  const reply = await authorize(subject, { redirect_uri: `${redirect_uri}?a=1` })
  expect([reply.status, reply.text]).toEqual([302, ''])
  const location = reply.headers['location'] ?? ''
  expect(location.startsWith(`${redirect_uri}?a=1&`)).toBe(true)
  expect(received(reply)).toEqual({ a: '1', code: expect.any(String), state: 'the state' })
  expect(await codeOf(subject)).not.toBe(received(reply)['code'])
})

proves('sign-in/authorize-refusals', async (subject) => {
  const bad = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'unsupported_response_type'],
    [challenge, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ resource: undefined }, 'invalid_target'],
    [{ login_hint: 'nobody' }, 'access_denied'],
  ] as const
  for (const [changes, error] of bad) {
    const reply = await authorize(subject, changes)
    expect([reply.status, received(reply)]).toEqual([302, { error, state: 'the state' }])
  }
  expect(received(await authorize(subject, { state: undefined }))).toEqual({
    error: 'invalid_request',
  })
  expectError(await authorize(subject, { client_id: 'nobody' }), 400, 'invalid_client')
  expectError(await authorize(subject, { client_id: undefined }), 400, 'invalid_client')
})

proves('sign-in/loopback', async (subject) => {
  for (const uri of ['http://127.0.0.1:1/x', 'http://localhost/', 'http://[::1]:65000/callback'])
    expect(await codeOf(subject, { redirect_uri: uri })).not.toBe('')
  for (const uri of [
    'https://client.example/',
    'http://127.0.0.1.example/',
    'javascript:1',
    undefined,
  ])
    expectError(await authorize(subject, { redirect_uri: uri }), 400, 'invalid_request')
})

proves(['sign-in/token', 'sign-in/bearer'], async (subject) => {
  const tokens = await signIn(subject)
  expect(tokens).toMatchObject({ expires_in: tokenLifetimes.access, scope: 'a b' })
  expect(await userOf(subject, tokens.access_token)).toEqual([200, first])
  const bearer = { Authorization: `Bearer ${tokens.access_token}` }
  const { auth_method } = (
    await subject.raw('GET', '/api/workspaces/current', undefined, bearer)
  ).json()
  expect(auth_method).toBe('oauth')
  expect((await subject.get('/workspaces/current')).json().auth_method).toBe('api_key')
  // A token of the wrong kind stands for nobody, and an unknown key is not made good by a token.
  expect(await userOf(subject, tokens.refresh_token)).toEqual([401, undefined])
  const both = { ...bearer, 'X-API-Key': 'unknown' }
  expect((await subject.raw('GET', '/api/user', undefined, both)).status).toBe(401)
  const job = await subject.raw('GET', '/api/v2/jobs', undefined, bearer)
  expect(job.status).toBe(200)
  const session = await subject.as(tokens.access_token).connect()
  expect((await session.next(({ type }) => type === 'status')).type).toBe('status')
})

proves('sign-in/pkce', async (subject) => {
  for (const code_verifier of ['w'.repeat(43), `${verifier}v`]) {
    const reply = await exchangeCode(subject, await codeOf(subject), { code_verifier })
    expectError(reply, 400, 'invalid_grant')
  }
})

proves('sign-in/code', async (subject) => {
  const code = await codeOf(subject)
  expect((await exchangeCode(subject, code)).status).toBe(200)
  expectError(await exchangeCode(subject, code), 400, 'invalid_grant')
  const redirect = { redirect_uri: 'http://127.0.0.1:9/other' }
  expectError(await exchangeCode(subject, await codeOf(subject), redirect), 400, 'invalid_grant')
  const { client_id } = (await register(subject, { redirect_uris: [redirect_uri] })).json()
  expectError(
    await exchangeCode(subject, await codeOf(subject), { client_id }),
    400,
    'invalid_grant',
  )
  const { code: seconds } = tokenLifetimes
  const [early, late] = [await codeOf(subject), await codeOf(subject)]
  await subject.emulator?.advance(seconds * 1000 - 1)
  expect((await exchangeCode(subject, early)).status).toBe(200)
  await subject.emulator?.advance(1)
  expectError(await exchangeCode(subject, late), 400, 'invalid_grant')
})

proves('sign-in/expiry', async (subject) => {
  const { access_token, refresh_token } = await signIn(subject)
  await subject.emulator?.advance(tokenLifetimes.access * 1000 - 1)
  expect(await userOf(subject, access_token)).toEqual([200, first])
  await subject.emulator?.advance(1)
  expect(await userOf(subject, access_token)).toEqual([401, undefined])
  expect((await refresh(subject, refresh_token)).status).toBe(200)
})

proves('sign-in/refresh', async (subject) => {
  const before = await signIn(subject)
  const after = (await refresh(subject, before.refresh_token)).json()
  expect(after).toMatchObject({ scope: 'a b', token_type: 'Bearer' })
  expect([after.access_token, after.refresh_token]).not.toEqual(
    expect.arrayContaining([before.access_token, before.refresh_token]),
  )
  for (const { access_token } of [before, after])
    expect(await userOf(subject, access_token)).toEqual([200, first])
  expect((await refresh(subject, after.refresh_token)).status).toBe(200)
})

proves('sign-in/refresh-reuse', async (subject) => {
  const others = await signIn(subject)
  const before = await signIn(subject)
  const after = (await refresh(subject, before.refresh_token)).json()
  const reply = await refresh(subject, before.refresh_token)
  expectError(reply, 400, 'invalid_grant')
  expect(reply.json().error_description).toMatch(/reuse/)
  for (const { access_token } of [before, after])
    expect(await userOf(subject, access_token)).toEqual([401, undefined])
  expectError(await refresh(subject, after.refresh_token), 400, 'invalid_grant')
  expect(await userOf(subject, others.access_token)).toEqual([200, first])
})

proves('sign-in/errors', async (subject) => {
  const { refresh_token, access_token } = await signIn(subject)
  const code = await codeOf(subject)
  const missing = { code: undefined }
  expectError(await exchangeCode(subject, code, missing), 400, 'invalid_request')
  for (const name of ['grant_type', 'client_id', 'redirect_uri', 'code_verifier'])
    expectError(await exchangeCode(subject, code, { [name]: undefined }), 400, 'invalid_request')
  expectError(await postForm(subject, {}), 400, 'invalid_request')
  const password = { grant_type: 'password' }
  expectError(await exchangeCode(subject, code, password), 400, 'unsupported_grant_type')
  expectError(await refresh(subject, refresh_token, { client_id: 'nobody' }), 401, 'invalid_client')
  for (const token of ['nonsense', access_token])
    expectError(await refresh(subject, token), 400, 'invalid_grant')
  const { client_id } = (await register(subject, { redirect_uris: [redirect_uri] })).json()
  expectError(await refresh(subject, refresh_token, { client_id }), 400, 'invalid_grant')
  expectError(await subject.raw('GET', '/oauth/nowhere'), 404, 'not_found')
  expectError(await subject.raw('GET', '/oauth/token'), 405, 'method_not_allowed')
  expect(
    (await subject.raw('GET', '/api/oauth/token', undefined, { 'X-API-Key': subject.key })).status,
  ).toBe(404)
  // None of them has used up anything.
  expect((await exchangeCode(subject, code)).status).toBe(200)
  expect((await refresh(subject, refresh_token)).status).toBe(200)
})

proves(
  'sign-in/errors',
  async (subject) => {
    const long = { grant_type: 'x'.repeat(2000) }
    expectError(await postForm(subject, long), 413, 'invalid_request')
  },
  { maxUploadSize: 0.001 },
)

proves(
  'sign-in/account',
  async (subject) => {
    const users = ['user-of-test-key', 'user-of-other-key']
    const [one, other] = users
    expect(await userOf(subject, (await signIn(subject)).access_token)).toEqual([200, one])
    for (const login_hint of users) {
      const tokens = await signIn(subject, { login_hint })
      expect(await userOf(subject, tokens.access_token)).toEqual([200, login_hint])
      const next = (await refresh(subject, tokens.refresh_token)).json()
      expect(await userOf(subject, next.access_token)).toEqual([200, login_hint])
    }
    expect(other).not.toBe(one)
  },
  { accounts: [account('test-key'), account('other-key')] },
)

proves('sign-in/journal', async (subject) => {
  const { access_token, refresh_token } = await signIn(subject)
  await userOf(subject, access_token)
  await refresh(subject, refresh_token)
  const journal = (await subject.emulator?.journal()) ?? []
  expect(journal.join()).toContain(`Bearer ${access_token}`)
  expect(replay(journal).differs).toBe(null)
})
