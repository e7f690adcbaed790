// Tokens and sessions that a hosted account has for browsers.

import { sessionCookie, webSession, webToken } from '../../../spec/accounts/sign-in.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { userOf } from '../../judge/hosted/oauth.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { casesWith, ownWorld } from '../../judge/proves.ts'
import { exchanges } from '../../judge/rows.ts'

const proves = casesWith(ownWorld)
const path = '/api/auth/session'

proves('sign-in/web-token', async (subject) => {
  const { id } = (await subject.get('/workspaces/current')).json()
  for (const body of [undefined, '{}', JSON.stringify({ workspace_id: id })]) {
    const made = fitting(webToken, await subject.request('POST', '/auth/token', body))
    expect(await userOf(subject, made.token)).toEqual([200, 'test-user'])
  }
  await exchanges(subject, [
    ['POST', '/auth/token', { workspace_id: 'x' }, 400, ...refused('workspace_id_invalid')],
    ['POST', '/auth/token', { workspace_id: 7 }, 422, ...refused('UNPROCESSABLE_ENTITY')],
  ])
})

proves(['sign-in/session', 'sign-in/session-cookie'], async (subject) => {
  const { raw, request } = subject
  const begun = await request('POST', '/auth/session')
  const session = fitting(webSession, begun)
  expect(session).toMatchObject({ user: { id: 'test-user' }, has_personal_workspace: true })
  const [pair = '', ...attributes] = (begun.headers['set-cookie'] ?? '').split('; ')
  expect(pair.startsWith(`${sessionCookie}=`)).toBe(true)
  expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Path=/']))
  const cookie = { Cookie: `other=1; ${pair}` }
  expect(fitting(webSession, await raw('GET', path, undefined, cookie))).toEqual(session)
  const current = await raw('GET', '/api/workspaces/current', undefined, cookie)
  expect(current.json().auth_method).toBe('session')
  await exchanges(subject, [
    ['GET', '/auth/session', undefined, 404, ...refused('NOT_FOUND')],
    ['DELETE', '/auth/session', undefined, 404, ...refused('NOT_FOUND')],
  ])
  const other = { Cookie: `${pair.slice(0, -1)}x` }
  expect((await raw('GET', '/api/user', undefined, other)).status).toBe(401)
  expect((await raw('DELETE', path, undefined, cookie)).status).toBe(204)
  for (const one of [path, '/api/user'])
    expect((await raw('GET', one, undefined, cookie)).status).toBe(401)
})
