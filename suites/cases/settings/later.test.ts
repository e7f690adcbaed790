// New users of servers of 2026.

import { errors } from '../../../spec/index.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors

proves('settings/user-names', async ({ post, unique }) => {
  const add = async (username: string) => {
    const reply = await post('/users', { username })
    return { status: reply.status, json: reply.json() as unknown }
  }
  expect((await add(unique('me'))).status).toBe(200)
  const refused = { taken: refusals.duplicateUser, blank: refusals.userNameMissing }
  expect(await add(unique('me'))).toEqual({ status: 400, json: refused.taken.body.json })
  for (const blank of ['', ' ', ' \t\n'])
    expect(await add(blank)).toEqual({ status: 400, json: refused.blank.body.json })
  for (const name of ['__x', '__system', '  __x'])
    expect(await add(name)).toEqual({ status: 400, json: refusals.userNameReserved.body.json })
  expect((await add(unique('x__'))).status).toBe(200)
})
