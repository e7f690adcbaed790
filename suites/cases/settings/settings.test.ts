// Settings of the front end.

import { errors } from '../../../spec/index.ts'
import { hostedSetting } from '../../../spec/server/settings.ts'
import { refused } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { containing, exchanges, noBody, toEach, withEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const FILE = '/userdata/comfy.settings.json'
const values = ['1', '18446744073709551615', '1.0', 'null', '"grün"', '{"b": 1, "a": [{}]}', '[]']
const pathOf = (id: string): string => `/settings/${encodeURIComponent(id)}`

proves('settings/merge', async (subject) => {
  const { get, post, unique } = subject
  const [a, b, c] = ['a', 'b', 'c'].map(unique) as [string, string, string]
  const body = `{${JSON.stringify(a)}: {"x": 1}, ${JSON.stringify(b)}: 1.0}`
  await exchanges(subject, [['POST', '/settings', body, 200, ...noBody]])
  const { text: before } = await get('/settings')
  await post('/settings', { [c]: null, [a]: { y: [] } })
  const settings = (await get('/settings')).json()
  expect(settings).toEqual({ ...JSON.parse(before), [a]: { y: [] }, [b]: 1, [c]: null })
  expect(Object.keys(settings).slice(-3)).toEqual([a, b, c])
})

proves('settings/hosted-merge', async (subject) => {
  const { unique } = subject
  const [a, b, c] = ['a', 'b', 'c'].map(unique) as [string, string, string]
  const first = containing(subject, { [a]: { x: 1 }, [b]: 1 })
  const second = containing(subject, { [a]: { y: [] }, [b]: 1, [c]: null })
  await exchanges(subject, [
    ['GET', '/settings', undefined, 200, containing(subject, {})],
    ['POST', '/settings', { [a]: { x: 1 }, [b]: 1 }, 200, first],
    ['POST', '/settings', { [c]: null, [a]: { y: [] } }, 200, second],
    ['GET', '/settings', undefined, 200, second],
  ])
})

proves('settings/one', async (subject) => {
  const { get, unique } = subject
  const ids = values.map((_, index) => unique(`Comfy.Ü${index}/x`))
  for (const [index, value] of values.entries()) {
    await exchanges(subject, [['POST', pathOf(ids[index]!), value, 200, ...noBody]])
    // The digits of numbers stay; how a text is escaped is left to the server.
    const { text } = await get(pathOf(ids[index]!))
    if (/^\d/.test(value)) expect(text).toBe(value)
    else expect(JSON.parse(text)).toEqual(JSON.parse(value))
  }
  const settings = (await get('/settings')).json()
  expect(Object.keys(settings).slice(-ids.length)).toEqual(ids)
  await exchanges(subject, [
    ['POST', pathOf(unique('a')), '{', 500],
    ['GET', pathOf(unique('a')), undefined, 200, 'null'],
  ])
})

proves('settings/hosted-one', async (subject) => {
  const { get, request, unique } = subject
  for (const [index, value] of values.entries()) {
    const path = pathOf(unique(`Comfy.Ü${index}/x`))
    for (const reply of [await request('POST', path, value), await get(path)]) {
      expect(reply).toMatchObject({ status: 200, text: `{"value": ${value}}` })
      expect(violations(hostedSetting, reply.json())).toEqual([])
    }
  }
  expect((await get('/settings')).json()).toHaveProperty([unique('Comfy.Ü0/x')])
  const bad = pathOf(unique('bad'))
  await exchanges(subject, [['POST', bad, '{', 400, ...refused('BAD_REQUEST')]])
})

proves('settings/unset', async (subject) => {
  const ids = [subject.unique('b'), 'toString', '__proto__']
  await exchanges(subject, toEach(ids.map(pathOf), 'GET', 200, 'null'))
})

proves('settings/hosted-unset', async (subject) => {
  const { unique } = subject
  const unset = [unique('b'), 'toString', '__proto__']
  await exchanges(subject, [
    ['POST', '/settings', { [unique('a')]: null }, 200],
    ['GET', pathOf(unique('a')), undefined, 200, { value: null }],
    ...toEach(unset.map(pathOf), 'GET', 404, ...refused('NOT_FOUND')),
  ])
})

proves('settings/hosted-text', async (subject) => {
  const name = subject.unique('text')
  const text = JSON.stringify(JSON.stringify({ [name]: [1] }))
  const reply = await subject.request('POST', '/settings', text, { 'Content-Type': 'text/plain' })
  expect({ status: reply.status, json: reply.json() }).toEqual({
    status: 200,
    json: containing(subject, { [name]: [1] }),
  })
  expect((await subject.get(pathOf(name))).json()).toEqual({ value: [1] })
})

proves('settings/no-object', async (subject) => {
  const name = subject.unique('a')
  await subject.post('/settings', { [name]: 1 })
  const before = (await subject.get('/settings')).text
  const bodies = ['', '{', '[]', '5', 'null', '"text"', '{"a": 2} x']
  await exchanges(subject, [
    ...withEach(bodies, 'POST', '/settings', 500, refusals.internal.body.text),
    ['GET', '/settings', undefined, 200, before],
  ])
  expect(JSON.parse(before)).toMatchObject({ [name]: 1 })
})

proves(['settings/hosted-bad-body', 'http/hosted-bad-body'], async (subject) => {
  const name = subject.unique('kept')
  const broken = ['', '{', '[]', '5', 'null', '"text"', '"[1]"', `{${JSON.stringify(name)}: 2} x`]
  await exchanges(subject, [
    ['POST', '/settings', { [name]: 1 }, 200],
    ...withEach(broken, 'POST', '/settings', 400, ...refused('BAD_REQUEST')),
    ['GET', '/settings', undefined, 200, containing(subject, { [name]: 1 })],
  ])
})

proves(
  'settings/hosted-no-room',
  (subject) =>
    exchanges(subject, [
      // There is a folder where their file would be.
      ['POST', '/userdata/comfy.settings.json%2Fa', 'a', 200],
      ['POST', '/settings', { a: 1 }, 400, ...refused('BAD_REQUEST')],
      ['POST', '/settings/a', { a: 1 }, 400, ...refused('BAD_REQUEST')],
      ['GET', '/settings', undefined, 200, {}],
    ]),
  ownWorld,
)

proves('settings/file', async (subject) => {
  const { get, post, request } = subject
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
  await exchanges(subject, [
    ['POST', FILE, '{"d": 7}', 200],
    ['GET', '/settings/d', undefined, 200, 7],
    ['DELETE', FILE, undefined, 204],
    ['GET', '/settings', undefined, 200, '{}'],
  ])
})

proves('settings/broken-file', async (subject) => {
  for (const broken of ['', '{"a": 1', Buffer.from([0x22, 0xff, 0x22])])
    await exchanges(subject, [
      ['POST', FILE, broken, 200],
      ['GET', '/settings', undefined, 200, '{}'],
      ['GET', '/settings/a', undefined, 200, 'null'],
    ])
  await exchanges(subject, [
    ['POST', '/settings', { b: 1 }, 200],
    ['GET', '/settings', undefined, 200, { b: 1 }],
  ])
})

proves('settings/other-json', async (subject) => {
  subject.breaks('settings/merge')
  for (const other of ['[1]', '5', '"text"', 'null'])
    await exchanges(subject, [
      ['POST', FILE, other, 200],
      ['GET', '/settings', undefined, 200, other],
      // Only a list and a text are searched for the name.
      ['GET', '/settings/a', undefined, /^["[]/.test(other) ? 200 : 500],
      ['POST', '/settings', { b: 1 }, 500],
      ['POST', '/settings/b', '1', 500],
      ['GET', FILE, undefined, 200, other],
    ])
})
