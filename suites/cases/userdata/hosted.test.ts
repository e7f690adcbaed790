// User data on hosted: the same files as on local, with other listings and refusals.

import { hostedUserFile } from '../../../spec/server/userdata.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { write } from '../../judge/own-files.ts'
import type { Reply } from '../../judge/reply.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

const shown = ({ status, text, headers }: Reply) => [status, text, headers['content-type']]
const textType = 'text/plain; charset=utf-8'
const inTime = { epoch: 1_000_000 } as const

/** A refusal that is a text. */
const refusedAs = ({ status, text, headers }: Reply) =>
  headers['content-type'] === textType && /^\w.*\.$/.test(text) ? status : `${status} ${text}`

proves('userdata/hosted-write', async (subject) => {
  const bytes = Buffer.from([0, 255, 10, 13, 128])
  const reply = await subject.request('POST', at('deep/mine.bin'), bytes)
  expect({ status: reply.status, violations: violations(hostedUserFile, reply.json()) }).toEqual({
    status: 200,
    violations: [],
  })
  expect(reply.json()).toMatchObject({ path: 'deep/mine.bin', size: 5 })
  expect((await subject.get(at('deep/mine.bin'))).bytes).toEqual(bytes)
  // The query requests no other form.
  const full = await write(subject, 'a', '?full_info=true')
  expect(Object.keys(full.json())).toEqual(Object.keys(reply.json()))
  expect((await write(subject, 'a', '?overwrite=true')).status).toBe(200)
})

proves('userdata/hosted-read', async (subject) => {
  for (const file of ['a.json', 'a.PNG', 'plain', 'deep/a.html']) {
    await write(subject, file)
    const reply = await subject.get(at(subject.unique(file)))
    expect(shown(reply)).toEqual([200, file, 'application/octet-stream'])
  }
})

proves(
  'userdata/hosted-times',
  async (subject) => {
    const { emulator, get, request } = subject
    const modified = 1_000_000
    expect((await write(subject, 'a')).text).toContain(`"modified":${modified}}`)
    await emulator?.advance(500)
    expect((await write(subject, 'a')).json()).toEqual({ path: 'a', size: 1, modified: 1_000_500 })
    await emulator?.advance(250)
    const moved = (await request('POST', moving('a', 'b'))).json()
    expect(moved).toEqual({ path: 'b', size: 1, modified: 1_000_500 })
    expect((await get('/userdata')).json()).toEqual([moved])
  },
  inTime,
)

proves('userdata/hosted-delete', async (subject) => {
  await write(subject, 'deep/a')
  const path = at(subject.unique('deep/a'))
  expect(shown(await subject.request('DELETE', path))).toEqual([204, '', undefined])
  expect(refusedAs(await subject.get(path))).toBe(404)
})

proves('userdata/hosted-move', async (subject) => {
  await write(subject, 'a')
  const { request, get, unique } = subject
  const [a, b] = [unique('a'), unique('new/b')]
  const reply = await request('POST', moving(a, b, '?full_info=true'))
  expect({ status: reply.status, violations: violations(hostedUserFile, reply.json()) }).toEqual({
    status: 200,
    violations: [],
  })
  expect(reply.json()).toMatchObject({ path: b, size: 1 })
  expect((await get(at(a))).status).toBe(404)
  expect((await get(at(b))).text).toBe('a')
})
