// Hosted settings on any server: only settings that this case makes are changed and looked at.

import { hostedSetting } from '../../../spec/server/settings.ts'
import { codeOf } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { proves, twoAccounts } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('settings/hosted-merge', async ({ get, post, unique }) => {
  const [a, b, c] = ['a', 'b', 'c'].map(unique) as [string, string, string]
  const first = await post('/settings', { [a]: { x: 1 }, [b]: 1 })
  expect(first.status).toBe(200)
  expect(first.json()).toMatchObject({ [a]: { x: 1 }, [b]: 1 })
  const second = (await post('/settings', { [c]: null, [a]: { y: [] } })).json()
  expect([second[a], second[b], second[c]]).toEqual([{ y: [] }, 1, null])
  expect((await get('/settings')).json()).toMatchObject({ [a]: { y: [] }, [b]: 1, [c]: null })
})

proves('settings/hosted-one', async ({ get, request, unique }) => {
  const values = ['1', '18446744073709551615', '1.0', 'null', '"grün"', '{"b": 1, "a": [{}]}', '[]']
  for (const [index, value] of values.entries()) {
    const path = `/settings/${encodeURIComponent(unique(`Comfy.Ü${index}/x`))}`
    for (const reply of [await request('POST', path, value), await get(path)]) {
      expect(reply).toMatchObject({ status: 200, text: `{"value": ${value}}` })
      expect(violations(hostedSetting, reply.json())).toEqual([])
    }
  }
  expect((await get('/settings')).json()).toHaveProperty([unique('Comfy.Ü0/x')])
  const bad = `/settings/${encodeURIComponent(unique('bad'))}`
  expect(codeOf(await request('POST', bad, '{'), 400)).toBe('BAD_REQUEST')
})

proves('settings/hosted-text', async ({ get, request, unique }) => {
  const name = unique('text')
  const text = JSON.stringify(JSON.stringify({ [name]: [1] }))
  const reply = await request('POST', '/settings', text, { 'Content-Type': 'text/plain' })
  expect(reply.status).toBe(200)
  expect(reply.json()).toMatchObject({ [name]: [1] })
  expect((await get(`/settings/${encodeURIComponent(name)}`)).json()).toEqual({ value: [1] })
})

proves(
  ['settings/hosted-bad-body', 'http/hosted-bad-body'],
  async ({ get, post, request, unique }) => {
    const name = unique('kept')
    await post('/settings', { [name]: 1 })
    const broken = ['', '{', '[]', '5', 'null', '"text"', '"[1]"', `{${JSON.stringify(name)}: 2} x`]
    for (const body of broken) {
      const code = codeOf(await request('POST', '/settings', body), 400)
      expect({ body, code }).toEqual({ body, code: 'BAD_REQUEST' })
    }
    expect((await get('/settings')).json()).toMatchObject({ [name]: 1 })
  },
)

proves(
  'settings/hosted-own',
  async ({ as, get, post, request, unique }) => {
    const other = as('other-key')
    const [name, file] = [unique('own'), `/userdata/${encodeURIComponent(unique('own.txt'))}`]
    await post('/settings', { [name]: 1 })
    await request('POST', file, 'mine')
    expect((await other.get('/settings')).json()).not.toHaveProperty([name])
    expect((await other.get(file)).status).toBe(404)
    await other.request('POST', file, 'yours')
    expect((await get(file)).text).toBe('mine')
    expect((await get('/settings')).json()).toMatchObject({ [name]: 1 })
  },
  twoAccounts,
)
