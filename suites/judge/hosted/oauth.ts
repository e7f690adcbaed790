// A client of OAuth, as cases use it: it asks for codes and exchanges them, at a server that approves by itself.

import { createHash } from 'node:crypto'
import { oauthError, oauthTokens, knownClient } from '../../../spec/accounts/sign-in.ts'
import { expect } from '../expect.ts'
import { violations } from '../judge.ts'
import type { Reply } from '../reply.ts'
import type { Subject } from '../subject.ts'
import { fitting } from './jobs.ts'

export const redirect_uri = 'http://127.0.0.1:8000/callback'
export const verifier = 'v'.repeat(43)
const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

type Fields = Readonly<Record<string, string | undefined>>

/** The parameters that are given. */
const parameters = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  ).toString()

/** Requests to authorize, with these parameters instead of the usual ones. */
export const authorize = ({ raw }: Subject, changes: Fields = {}): Promise<Reply> =>
  raw(
    'GET',
    `/oauth/authorize?${parameters({
      response_type: 'code',
      client_id: knownClient,
      redirect_uri,
      scope: 'a b',
      state: 'the state',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      resource: 'http://127.0.0.1/api',
      ...changes,
    })}`,
  )

/** The parameters that the client receives. */
export const received = ({ headers }: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(headers['location'] ?? 'http://nowhere').searchParams)

/** A code of a sign-in. */
export const codeOf = async (subject: Subject, changes: Fields = {}): Promise<string> =>
  received(await authorize(subject, changes))['code'] ?? ''

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
export const postForm = ({ raw }: Subject, fields: Fields): Promise<Reply> =>
  raw('POST', '/oauth/token', parameters(fields), form)

/** Exchanges a code, with these parameters instead of the usual ones. */
export const exchangeCode = (subject: Subject, code: string, changes: Fields = {}) =>
  postForm(subject, {
    grant_type: 'authorization_code',
    code,
    client_id: knownClient,
    redirect_uri,
    code_verifier: verifier,
    ...changes,
  })

export const refresh = (subject: Subject, refresh_token: string, changes: Fields = {}) =>
  postForm(subject, {
    grant_type: 'refresh_token',
    refresh_token,
    client_id: knownClient,
    ...changes,
  })

/** Signs in, and returns the tokens. */
export const signIn = async (subject: Subject, changes: Fields = {}): Promise<any> =>
  fitting(oauthTokens, await exchangeCode(subject, await codeOf(subject, changes)))

/** The status of a request with this bearer token, and the user that it is answered for. */
export async function userOf({ raw }: Subject, token: string): Promise<readonly [number, unknown]> {
  const headers = { Authorization: `Bearer ${token}` }
  const { status, json } = await raw('GET', '/api/user', undefined, headers)
  return [status, status === 200 ? (json() as { id: unknown }).id : undefined]
}

/** Expects an error of OAuth. */
export function expectError(reply: Reply, status: number, error: string): void {
  expect([reply.status, reply.json().error]).toEqual([status, error])
  expect(violations(oauthError, reply.json())).toEqual([])
  expect(reply.headers['cache-control']).toBe('no-store')
}
