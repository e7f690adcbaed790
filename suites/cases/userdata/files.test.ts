// User data: writing and reading files, their names in paths, and what a reply says of them.

import { hostedUserFile, userFile } from '../../../spec/server/userdata.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { exchanges } from '../../judge/rows.ts'
import { paths, together, write } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

const json = { 'content-type': 'application/json; charset=utf-8' }
const bytes = Buffer.from([0, 255, 10, 13, 128])
const unknownType = 'application/octet-stream'

/** Writes files of the case, and reads each with its media type and these headers. */
async function readsAs(
  subject: Subject,
  types: Readonly<Record<string, string>>,
  headers: object = {},
): Promise<void> {
  for (const [file, type] of Object.entries(types)) {
    await write(subject, file)
    const path = at(subject.unique(file))
    const found = { 'content-type': type, ...headers }
    await exchanges(subject, [['GET', path, undefined, 200, file, found]])
  }
}

proves(
  'userdata/write',
  together('data', async (subject) => {
    const { get, unique } = subject
    const [mine, empty] = [unique('mine.bin'), unique('empty.txt')]
    await exchanges(subject, [['POST', at(mine), bytes, 200, JSON.stringify(mine), json]])
    expect((await get(at(mine))).bytes).toEqual(bytes)
    await exchanges(subject, [
      ['POST', at(mine), '{"any": "body"}', 200],
      ['GET', `/api${at(mine)}`, undefined, 200, '{"any": "body"}'],
      ['POST', at(empty), undefined, 200, JSON.stringify(empty)],
      ['GET', at(empty), undefined, 200, '', { 'content-type': 'text/plain' }],
    ])
  }),
)

proves('userdata/hosted-write', async (subject) => {
  const { get, request, unique } = subject
  const file = unique('deep/mine.bin')
  const reply = fitting(hostedUserFile, await request('POST', at(file), bytes))
  expect(reply).toMatchObject({ path: file, size: 5 })
  expect((await get(at(file))).bytes).toEqual(bytes)
  // The query requests no other form.
  const full = await write(subject, 'a', '?full_info=true')
  expect(Object.keys(full.json())).toEqual(Object.keys(reply))
  expect((await write(subject, 'a', '?overwrite=true')).status).toBe(200)
})

proves(
  'userdata/read',
  together('data', (subject) =>
    readsAs(subject, {
      'a.json': 'application/json',
      'a.PNG': 'image/png',
      'a.html': 'text/html',
      'a.css': 'text/css',
      plain: unknownType,
      'a.b/c': unknownType,
    }),
  ),
)

proves('userdata/hosted-read', (subject) =>
  readsAs(subject, {
    'a.json': unknownType,
    'a.PNG': unknownType,
    plain: unknownType,
    'deep/a.html': unknownType,
  }),
)

const guarded = { 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' }

proves(
  'userdata/download',
  together('data', async (subject) => {
    const types = { 'a.json': 'application/json', 'a.PNG': 'image/png', 'a.txt': 'text/plain' }
    await readsAs(subject, types, guarded)
    for (const file of ['plain', 'a.html', 'a.HTM', 'a.js', 'a.mjs', 'a.css', 'a.svg', 'a.xml'])
      await readsAs(subject, { [file]: unknownType }, guarded)
  }),
)

proves(
  'userdata/user-style',
  async (subject) => {
    const inline = { ...guarded, 'content-disposition': 'inline' }
    await readsAs(subject, { 'user.css': 'text/css' }, inline)
    await readsAs(subject, { 'deep/user.css': unknownType, 'other.css': unknownType }, guarded)
  },
  ownWorld,
)

proves('userdata/one-segment', async (subject) => {
  const { unique } = subject
  const file = unique('workflows/deep/a.json')
  expect((await write(subject, 'workflows/deep/a.json')).text).toBe(JSON.stringify(file))
  expect(await paths(subject)).toEqual(['workflows/deep', 'workflows', 'workflows/deep/a.json'])
  const folder = encodeURIComponent(unique('workflows'))
  const [text, allow] = ['workflows/deep/a.json', { allow: 'DELETE,GET,HEAD,POST' }]
  await exchanges(subject, [
    ['POST', `/userdata/${unique('plain/a.json')}`, '{}', 405],
    ['DELETE', `/userdata/${file}`, undefined, 405],
    ['GET', `/userdata/${file}`, undefined, 404],
    ['GET', `/userdata/${folder}%2fdeep%2F.%2Fa.json`, undefined, 200, text],
    ['PUT', '/userdata/a.json', undefined, 405, undefined, allow],
  ])
})

proves(
  'userdata/decoded-twice',
  together('data', async (subject) => {
    const names = {
      'deep%252Fb.json': 'deep/b.json',
      '100%25': '100%',
      '%25zz%2541': '%zzA',
      'gr%25C3%25BCn': 'grün',
      '%25ff': '\uFFFD',
      '%252541': '%41',
    }
    for (const [segment, name] of Object.entries(names)) {
      const path = `/userdata/${encodeURIComponent(subject.unique('-')).slice(0, -1)}${segment}`
      expect((await subject.request('POST', path, name)).json()).toBe(subject.unique(name))
      expect((await subject.get(path)).text).toBe(name)
    }
  }),
)

proves(
  'userdata/full-info',
  together('data', async (subject) => {
    const { request, unique } = subject
    const wrote = fitting(userFile, await write(subject, 'deep/a.json', '?full_info=TRUE'))
    expect(Object.keys(wrote)).toEqual(['path', 'size', 'modified', 'created'])
    expect(wrote).toMatchObject({ path: unique('deep/a.json'), size: 11 })
    const path = moving(unique('deep/a.json'), unique('b.json'), '?full_info=true')
    const moved = fitting(userFile, await request('POST', path))
    expect(moved).toMatchObject({ path: unique('b.json'), size: 11 })
    const again = await write(subject, 'b.json', '?full_info=1')
    expect(again.text).toBe(JSON.stringify(unique('b.json')))
  }),
)

proves(
  'userdata/times',
  async (subject) => {
    const { emulator, request } = subject
    const first = await write(subject, 'a', '?full_info=true')
    expect(first.text).toContain('"modified": 1000.0')
    await emulator?.advance(500)
    const second = await write(subject, 'a', '?full_info=true')
    expect(second.json()).toMatchObject({ modified: 1000.5, created: 1000.5 })
    await emulator?.advance(250)
    const moved = await request('POST', moving('a', 'b', '?full_info=true'))
    expect(moved.json()).toMatchObject({ modified: 1000.5, created: 1000.75 })
  },
  { epoch: 1_000_000 },
)

/** Milliseconds: seconds would be a thousand times less. */
const milliseconds = expect.toSatisfy(
  (time) => Number.isInteger(time) && new Date(time).getUTCFullYear() > 2000,
)

proves(
  'userdata/whole-times',
  together('data', async (subject) => {
    const { get, isOwn, request, unique } = subject
    const reply = await write(subject, 'deep/a', '?full_info=true')
    const wrote = fitting(userFile, reply)
    expect(wrote).toMatchObject({ modified: milliseconds, created: milliseconds })
    const folder = encodeURIComponent(unique('deep'))
    const [listed] = (await get(`/userdata?dir=${folder}&full_info=true`)).json()
    expect(listed).toMatchObject({ modified: wrote.modified, created: wrote.created })
    const browsed = await get(`/v2/userdata?path=${folder}`)
    const [{ modified }] = browsed.json()
    expect(modified * 1000).toBeCloseTo(wrote.modified, -1)
    expect(browsed.text).toMatch(/"modified": ?\d+\.\d+/)
    if (!isOwn) return
    expect(reply.text).toContain(`"modified": ${wrote.modified},`)
    await subject.emulator?.advance(500)
    const moved = await request('POST', moving('deep/a', 'b', '?full_info=true'))
    const created: number = wrote.modified + 500
    expect(moved.json()).toMatchObject({ modified: wrote.modified, created })
  }),
)

proves('userdata/hosted-times', async (subject) => {
  const { get, isOwn, request, unique } = subject
  const first = await write(subject, 'timed')
  const { modified } = first.json()
  expect(modified).toEqual(milliseconds)
  if (isOwn) await subject.emulator?.advance(500)
  const again = (await write(subject, 'timed')).json()
  expect(again.modified).toBeGreaterThanOrEqual(modified)
  if (isOwn) await subject.emulator?.advance(250)
  const moved = (await request('POST', moving(unique('timed'), unique('moved')))).json()
  expect(moved.modified).toBe(again.modified)
  if (!isOwn) return
  expect(first.text).toContain(`"modified":${modified}}`)
  expect(again).toEqual({ path: 'timed', size: 5, modified: modified + 500 })
  expect(moved).toEqual({ ...again, path: 'moved' })
  expect((await get('/userdata')).json()).toEqual([moved])
})
