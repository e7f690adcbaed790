// User data: writing, reading, deleting and moving files.

import { errors } from '../../../spec/index.ts'
import { userFile } from '../../../spec/server/userdata.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { paths, together, write } from '../../judge/own-files.ts'
import { exchange } from '../../judge/wire.ts'
import type { Reply } from '../../judge/reply.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const shown = ({ status, text, headers }: Reply) => [status, text, headers['content-type']]
const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

proves(
  'userdata/write',
  together('data', async ({ request, get, unique }) => {
    const bytes = Buffer.from([0, 255, 10, 13, 128])
    const [mine, empty] = [unique('mine.bin'), unique('empty.txt')]
    const reply = await request('POST', at(mine), bytes)
    expect(shown(reply)).toEqual([200, JSON.stringify(mine), jsonType])
    expect((await get(at(mine))).bytes).toEqual(bytes)
    expect((await request('POST', at(mine), '{"any": "body"}')).status).toBe(200)
    expect((await get(`/api${at(mine)}`)).text).toBe('{"any": "body"}')
    expect((await request('POST', at(empty))).text).toBe(JSON.stringify(empty))
    expect(shown(await get(at(empty)))).toEqual([200, '', 'text/plain'])
  }),
)

proves(
  'userdata/read',
  together('data', async (subject) => {
    const types = {
      'a.json': 'application/json',
      'a.PNG': 'image/png',
      'a.html': 'text/html',
      'a.css': 'text/css',
      plain: 'application/octet-stream',
      'a.b/c': 'application/octet-stream',
    }
    for (const [file, type] of Object.entries(types)) {
      await write(subject, file)
      expect(shown(await subject.get(at(subject.unique(file))))).toEqual([200, file, type])
    }
  }),
)

proves('userdata/one-segment', async (subject) => {
  const { get, request, unique } = subject
  const file = unique('workflows/deep/a.json')
  expect((await write(subject, 'workflows/deep/a.json')).text).toBe(JSON.stringify(file))
  expect(await paths(subject)).toEqual(['workflows/deep', 'workflows', 'workflows/deep/a.json'])
  expect((await request('POST', `/userdata/${unique('plain/a.json')}`, '{}')).status).toBe(405)
  expect((await request('DELETE', `/userdata/${file}`)).status).toBe(405)
  expect((await get(`/userdata/${file}`)).status).toBe(404)
  const folder = encodeURIComponent(unique('workflows'))
  expect((await get(`/userdata/${folder}%2fdeep%2F.%2Fa.json`)).text).toBe('workflows/deep/a.json')
  expect((await request('PUT', '/userdata/a.json')).headers['allow']).toBe('DELETE,GET,HEAD,POST')
})

proves(
  'userdata/decoded-twice',
  together('data', async ({ request, get, unique }) => {
    const names = {
      'deep%252Fb.json': 'deep/b.json',
      '100%25': '100%',
      '%25zz%2541': '%zzA',
      'gr%25C3%25BCn': 'grün',
      '%25ff': '\uFFFD',
      '%252541': '%41',
    }
    for (const [segment, name] of Object.entries(names)) {
      const path = `/userdata/${encodeURIComponent(unique('-')).slice(0, -1)}${segment}`
      expect((await request('POST', path, name)).json()).toBe(unique(name))
      expect((await get(path)).text).toBe(name)
    }
  }),
)

proves(
  'userdata/full-info',
  together('data', async (subject) => {
    const { request, unique } = subject
    const wrote = await write(subject, 'deep/a.json', '?full_info=TRUE')
    expect(violations(userFile, wrote.json())).toEqual([])
    expect(Object.keys(wrote.json())).toEqual(['path', 'size', 'modified', 'created'])
    expect(wrote.json()).toMatchObject({ path: unique('deep/a.json'), size: 11 })
    const path = moving(unique('deep/a.json'), unique('b.json'), '?full_info=true')
    const moved = await request('POST', path)
    expect(violations(userFile, moved.json())).toEqual([])
    expect(moved.json()).toMatchObject({ path: unique('b.json'), size: 11 })
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

proves(
  'userdata/no-overwrite',
  together('data', async (subject) => {
    const { request, get, unique } = subject
    const taken = [409, refusals.fileExists.body.text, textType]
    expect((await write(subject, 'a', '?overwrite=false')).status).toBe(200)
    expect(shown(await request('POST', at(unique('a'), '?overwrite=false'), 'other'))).toEqual(
      taken,
    )
    expect((await get(at(unique('a')))).text).toBe('a')
    await write(subject, 'b')
    expect(
      shown(await request('POST', moving(unique('a'), unique('b'), '?overwrite=false'))),
    ).toEqual(taken)
    expect([(await get(at(unique('a')))).text, (await get(at(unique('b')))).text]).toEqual([
      'a',
      'b',
    ])
    expect(
      (await request('POST', moving(unique('a'), unique('c'), '?overwrite=false'))).status,
    ).toBe(200)
    // Only the word false protects an existing file.
    expect((await request('POST', at(unique('b'), '?overwrite=False'), 'other')).status).toBe(200)
    expect((await get(at(unique('b')))).text).toBe('other')
  }),
)

proves('userdata/delete', async (subject) => {
  const { unique } = subject
  await write(subject, 'deep/a')
  await write(subject, 'deep/b')
  const { status, body, header } = await exchange(subject.url, 'DELETE', at(unique('deep/a')))
  const has = ['content-type', 'content-length', 'transfer-encoding'].map(header)
  expect({ status, body, has }).toEqual({
    status: 204,
    body: '',
    has: [undefined, undefined, undefined],
  })
  expect((await subject.get(at(unique('deep/a')))).status).toBe(404)
  await subject.request('DELETE', at(unique('deep/b')))
  expect(await paths(subject)).toEqual(['deep'])
})

proves('userdata/move', async (subject) => {
  const { request, get, unique } = subject
  await write(subject, 'a')
  const reply = await request('POST', moving(unique('a'), unique('new/b')))
  expect(shown(reply)).toEqual([200, JSON.stringify(unique('new/b')), jsonType])
  expect({
    status: (await get(at(unique('a')))).status,
    text: (await get(at(unique('new/b')))).text,
  }).toEqual({
    status: 404,
    text: 'a',
  })
  await write(subject, 'c')
  expect((await request('POST', moving(unique('c'), unique('new/b')))).status).toBe(200)
  expect((await get(at(unique('new/b')))).text).toBe('c')
  expect((await request('POST', moving(unique('new/b'), unique('new/b')))).status).toBe(200)
  // A folder moves with everything in it, and as the target it receives the file.
  expect((await request('POST', moving(unique('new'), unique('old')))).status).toBe(200)
  await write(subject, 'd')
  expect((await request('POST', moving(unique('d'), unique('old')))).text).toBe(
    JSON.stringify(unique('old')),
  )
  expect(await paths(subject)).toEqual(['old', 'old/b', 'old/d'])
  expect((await get(at(unique('old/b')))).text).toBe('c')
})

proves('userdata/move', async (subject) => {
  const { request, unique } = subject
  for (const file of ['a', 'deep/a', 'deep/sub/b']) await write(subject, file)
  const before = await paths(subject)
  const impossible = [
    ['a', 'deep'],
    ['deep', 'deep/sub'],
    ['deep', 'deep/sub/new'],
    ['deep', 'a'],
    ['deep', 'a/b'],
    ['deep/a', 'a/b'],
    ['.', 'new'],
    ['a', 'n'.repeat(256)],
  ] as const
  for (const [file, dest] of impossible) {
    const { status } = await request('POST', moving(unique(file), unique(dest)))
    expect({ file, dest, status }).toEqual({ file, dest, status: 500 })
  }
  expect(await paths(subject)).toEqual(before)
})
