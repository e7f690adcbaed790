// Settings on hosted, and what an account can read about itself.

import { userStatus, userStorage } from '../../../spec/server/settings.ts'
import { codeOf, notFound } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'settings/hosted-merge',
  async ({ get, post }) => {
    expect((await get('/settings')).text).toBe('{}')
    const first = await post('/settings', { a: { x: 1 }, b: 1 })
    expect({ status: first.status, json: first.json() }).toEqual({
      status: 200,
      json: { a: { x: 1 }, b: 1 },
    })
    const second = await post('/settings', { c: null, a: { y: [] } })
    expect(second.json()).toEqual({ a: { y: [] }, b: 1, c: null })
    expect((await get('/settings')).json()).toEqual(second.json())
  },
  ownWorld,
)

proves('settings/hosted-unset', async ({ get, post }) => {
  await post('/settings', { a: null })
  expect((await get('/settings/a')).json()).toEqual({ value: null })
  for (const id of ['b', 'toString', '__proto__']) {
    expect({ id, isNotFound: notFound(await get(`/settings/${id}`)) }).toEqual({
      id,
      isNotFound: true,
    })
  }
})

proves(
  'settings/hosted-text',
  async ({ get, request }) => {
    const text = JSON.stringify(JSON.stringify({ a: [1] }))
    const reply = await request('POST', '/settings', text, { 'Content-Type': 'text/plain' })
    expect({ status: reply.status, json: reply.json() }).toEqual({ status: 200, json: { a: [1] } })
    expect((await get('/settings/a')).json()).toEqual({ value: [1] })
  },
  ownWorld,
)

proves(
  'settings/hosted-bad-body',
  async ({ get, post, request }) => {
    await post('/settings', { a: 1 })
    for (const body of ['', '{', '[]', '5', 'null', '"text"', '"[1]"', '{"a": 2} x']) {
      const code = codeOf(await request('POST', '/settings', body), 400)
      expect({ body, code }).toEqual({ body, code: 'BAD_REQUEST' })
    }
    expect((await get('/settings')).json()).toEqual({ a: 1 })
  },
  ownWorld,
)

proves(
  'settings/hosted-no-room',
  async ({ get, post, request }) => {
    // There is a folder where their file would be.
    await request('POST', '/userdata/comfy.settings.json%2Fa', 'a')
    for (const path of ['/settings', '/settings/a']) {
      expect(codeOf(await post(path, { a: 1 }), 400)).toBe('BAD_REQUEST')
    }
    expect((await get('/settings')).json()).toEqual({})
  },
  ownWorld,
)

proves('settings/hosted-user', async ({ as, get, post }) => {
  const reply = await get('/user')
  expect({ status: reply.status, json: reply.json() }).toEqual({
    status: 200,
    json: { status: 'active' },
  })
  expect(violations(userStatus, reply.json())).toEqual([])
  const { status, json } = await get('/users')
  expect({ status, json: json() }).toEqual({
    status: 200,
    json: { storage: 'server', migrated: true },
  })
  expect(violations(userStorage, json())).toEqual([])
  expect(codeOf(await post('/users', { username: 'me' }), 405)).toBe('METHOD_NOT_ALLOWED')
  expect((await as('').get('/user')).status).toBe(401)
  expect((await as('test-key-free').get('/user')).json()).toEqual({ status: 'active' })
})

const account = (user: string) => ({
  user,
  keys: [`key-${user}`],
  tier: 'pro' as const,
  balance: 1,
  subscription: 'active' as const,
  partnerKey: null,
  failsWith: null,
})

proves(
  'settings/hosted-own',
  async ({ as }) => {
    const [one, other] = [as('key-one'), as('key-other')]
    await one.post('/settings', { a: 1 })
    await one.request('POST', '/userdata/mine.txt', 'mine')
    expect((await other.get('/settings')).json()).toEqual({})
    expect((await other.get('/userdata')).json()).toEqual([])
    expect((await other.get('/userdata/mine.txt')).status).toBe(404)
    await other.request('POST', '/userdata/mine.txt', 'yours')
    expect((await one.get('/userdata/mine.txt')).text).toBe('mine')
    expect((await one.get('/settings')).json()).toEqual({ a: 1 })
  },
  { accounts: [account('one'), account('other')] },
)
