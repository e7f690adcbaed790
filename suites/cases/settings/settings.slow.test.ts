// Settings of the front end, and the existing users.

import { errors, limits } from '../../../spec/index.ts'
import { userStorage } from '../../../spec/server/settings.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const empty = { status: 200, type: undefined, length: '0', body: '' }
const FILE = '/userdata/comfy.settings.json'

proves('settings/merge', async ({ url, get, post, unique }) => {
  const [a, b, c] = ['a', 'b', 'c'].map(unique) as [string, string, string]
  const body = `{${JSON.stringify(a)}: {"x": 1}, ${JSON.stringify(b)}: 1.0}`
  expect(summaryOf(await exchange(url, 'POST', '/settings', {}, body))).toEqual(empty)
  const { text: before } = await get('/settings')
  await post('/settings', { [c]: null, [a]: { y: [] } })
  const settings = (await get('/settings')).json()
  expect(settings).toEqual({ ...JSON.parse(before), [a]: { y: [] }, [b]: 1, [c]: null })
  expect(Object.keys(settings).slice(-3)).toEqual([a, b, c])
})

proves('settings/one', async ({ url, get, unique }) => {
  const values = ['1', '18446744073709551615', '1.0', 'null', '"grün"', '{"b": 1, "a": [{}]}', '[]']
  const ids = values.map((_, index) => unique(`Comfy.Ü${index}/x`))
  for (const [index, value] of values.entries()) {
    const path = `/settings/${encodeURIComponent(ids[index]!)}`
    expect(summaryOf(await exchange(url, 'POST', path, {}, value))).toEqual(empty)
    // The digits of numbers stay; how a text is escaped is left to the server.
    const { text } = await get(path)
    if (/^\d/.test(value)) expect(text).toBe(value)
    else expect(JSON.parse(text)).toEqual(JSON.parse(value))
  }
  const settings = (await get('/settings')).json()
  expect(Object.keys(settings).slice(-ids.length)).toEqual(ids)
  const other = `/settings/${encodeURIComponent(unique('a'))}`
  expect((await exchange(url, 'POST', other, {}, '{')).status).toBe(500)
  expect((await get(other)).text).toBe('null')
})

proves('settings/unset', async ({ get, unique }) => {
  for (const id of [unique('b'), 'toString', '__proto__']) {
    const { status, text } = await get(`/settings/${encodeURIComponent(id)}`)
    expect({ id, status, text }).toEqual({ id, status: 200, text: 'null' })
  }
})

proves('settings/no-object', async ({ url, get, post, unique }) => {
  await post('/settings', { [unique('a')]: 1 })
  const before = (await get('/settings')).text
  for (const body of ['', '{', '[]', '5', 'null', '"text"', '{"a": 2} x']) {
    const { status, body: text } = await exchange(url, 'POST', '/settings', {}, body)
    expect({ body, status, text }).toEqual({ body, status: 500, text: refusals.internal.body.text })
  }
  expect((await get('/settings')).text).toBe(before)
  expect(JSON.parse(before)).toMatchObject({ [unique('a')]: 1 })
})

proves('settings/file', async ({ get, post, request }) => {
  // The file is put back behind the case, on a server elsewhere.
  await request('DELETE', FILE)
  expect((await get(FILE)).status).toBe(404)
  await post('/settings', { a: [1, { b: {} }], c: [] })
  expect((await get(FILE)).text).toBe(`{
    "a": [
        1,
        {
            "b": {}
        }
    ],
    "c": []
}`)
  const names = (await get('/v2/userdata')).json().map(({ path }: { path: string }) => path)
  expect(names).toContain('comfy.settings.json')
  await request('POST', FILE, '{"d": 7}')
  expect((await get('/settings/d')).json()).toBe(7)
  await request('DELETE', FILE)
  expect((await get('/settings')).text).toBe('{}')
})

proves('settings/broken-file', async ({ get, post, request }) => {
  for (const broken of ['', '{"a": 1', Buffer.from([0x22, 0xff, 0x22])]) {
    await request('POST', FILE, broken)
    expect((await get('/settings')).text).toBe('{}')
    expect((await get('/settings/a')).text).toBe('null')
  }
  await post('/settings', { b: 1 })
  expect((await get('/settings')).json()).toEqual({ b: 1 })
})

proves('settings/other-json', async ({ breaks, get, post, request }) => {
  breaks('settings/merge')
  for (const other of ['[1]', '5', '"text"', 'null']) {
    await request('POST', FILE, other)
    const all = await get('/settings')
    expect({ other, status: all.status, text: all.text }).toEqual({
      other,
      status: 200,
      text: other,
    })
    const isSearched = /^["[]/.test(other)
    expect({ other, status: (await get('/settings/a')).status }).toEqual({
      other,
      status: isSearched ? 200 : 500,
    })
    expect((await post('/settings', { b: 1 })).status).toBe(500)
    expect((await post('/settings/b', 1)).status).toBe(500)
    expect((await get(FILE)).text).toBe(other)
  }
})

proves('settings/users', async ({ get, post, unique }) => {
  const reply = await get('/users')
  expect(violations(userStorage, reply.json())).toEqual([])
  expect(reply.json().storage).toBe('server')
  // Other users change nothing.
  await post('/users', { username: unique('me') })
  expect((await get('/users')).json()).toEqual(reply.json())
})

proves('settings/new-user', async ({ post, unique }) => {
  const uuid = /_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  const names = { me: 'me', ' Zoë & co. ': 'Zo-co-', 'a_b-C9': 'a_b-C9', '../x': '-x' }
  const folder = unique('').replaceAll('/', '-')
  for (const [name, plain] of Object.entries(names)) {
    const reply = await post('/users', {
      username: name.replace(/^ ?/, (blank) => blank + unique('')),
    })
    expect({ status: reply.status, contentType: reply.headers['content-type'] }).toEqual({
      status: 200,
      contentType: 'application/json; charset=utf-8',
    })
    expect(reply.json()).toMatch(uuid)
    expect(reply.json().replace(uuid, '')).toBe(folder + plain)
  }
})

proves('settings/user-refusals', async ({ post, unique }) => {
  await post('/users', { username: unique('me') })
  const taken = await post('/users', { username: unique('me') })
  expect({ status: taken.status, json: taken.json() }).toEqual({
    status: 400,
    json: refusals.duplicateUser.body.json,
  })
  expect(taken.headers['content-type']).toBe('application/json; charset=utf-8')
  for (const body of [{}, [], null, 'me', { username: '' }, { username: ' \t' }, { username: 7 }]) {
    expect((await post('/users', body)).status).toBe(500)
  }
})

proves(
  'settings/user-bounds',
  async ({ post }) => {
    expect((await post('/users', { username: 'n'.repeat(limits.userName.value + 1) })).status).toBe(
      500,
    )
    expect((await post('/users', { username: 'n'.repeat(limits.userName.value) })).status).toBe(200)
    for (let count = 1; count < limits.users.value; count++)
      await post('/users', { username: `${count}` })
    expect((await post('/users', { username: 'one more' })).status).toBe(500)
    expect((await post('/users', { username: '999' })).status).toBe(400)
  },
  ownWorld,
)
