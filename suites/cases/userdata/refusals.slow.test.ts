// User data: operations that fail, file names that they reject, and limits.

import { errors, limits } from '../../../spec/index.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { paths, together, write } from '../../judge/own-files.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'userdata/unknown-file',
  together('data', async (subject) => {
    const { unique } = subject
    await write(subject, 'deep/a')
    const unknown = { status: 404, type: undefined, length: '0', body: '' }
    for (const file of ['b', 'deep/b', 'deep/a/b', 'toString', 'n'.repeat(300)]) {
      const ways = [
        ['GET', at(unique(file))],
        ['DELETE', at(unique(file))],
        ['POST', moving(unique(file), unique('c'))],
      ] as const
      for (const [method, path] of ways) {
        expect([path, summaryOf(await exchange(subject.url, method, path))]).toEqual([
          path,
          unknown,
        ])
      }
    }
  }),
)

proves('userdata/stays-inside', async (subject) => {
  const { request, unique } = subject
  await write(subject, 'deep/a')
  const outside = [
    '..',
    '../x',
    'deep/../../x',
    '/x',
    '//x',
    '%2e%2e%2fx',
    '.%2e/x',
    '%2Fx',
    'deep%2f..%2F%2e%2E/x',
  ]
  for (const file of outside) {
    const segment = encodeURIComponent(file).replaceAll('.', '%2e')
    const path = `/userdata/${segment}`
    const ways = [
      ['GET', path],
      ['POST', path],
      ['DELETE', path],
      ['POST', `${path}/move/c`],
    ] as const
    for (const [method, path] of ways) {
      const refused = summaryOf(await exchange(subject.url, method, path))
      expect({ method, path, refused }).toEqual({
        method,
        path,
        refused: { status: 403, type: undefined, length: '0', body: '' },
      })
    }
    expect((await request('POST', `${at(unique('deep/a'))}/move/${segment}`)).status).toBe(500)
  }
  expect(await paths(subject)).toEqual(['deep', 'deep/a'])
})

proves(
  'userdata/stays-inside',
  together('data', async ({ request, unique }) => {
    // A path that leads back inside is inside; a backslash is an ordinary character.
    const back = await request('POST', at(unique('x/../deep/./b')))
    expect(back.text).toBe(JSON.stringify(unique('deep/b')))
    const slash = await request('POST', at(unique('..\\b')))
    expect(slash.json()).toBe(unique('..\\b'))
  }),
)

proves(
  'userdata/folder-is-no-file',
  together('data', async (subject) => {
    const { get, request, unique } = subject
    await write(subject, 'deep/a')
    expect((await get(at(unique('deep')))).status).toBe(403)
    expect((await request('POST', at(unique('deep')), 'x')).status).toBe(400)
    expect((await request('DELETE', at(unique('deep')))).status).toBe(500)
    expect((await request('POST', at(unique('deep/..')), 'x')).status).toBe(400)
    expect((await get(at(unique('deep/a')))).text).toBe('deep/a')
  }),
)

proves('userdata/impossible-name', async (subject) => {
  const { unique } = subject
  await write(subject, 'file')
  const impossible = ['n'.repeat(256), 'ü'.repeat(128), 'file/below']
  for (const file of impossible) {
    const reply = await exchange(subject.url, 'POST', at(unique(file)), {}, 'x')
    expect(summaryOf(reply)).toEqual({ status: 400, type: undefined, length: '0', body: '' })
    expect(reply.reason).toBe('Invalid filename. Please avoid special characters like :\\/*?"<>|')
  }
  expect(await paths(subject)).toEqual(['file'])
  for (const file of ['n'.repeat(255), 'ü'.repeat(127), ':*?"<>|', 'a'.repeat(250)]) {
    expect((await write(subject, file)).json()).toBe(unique(file))
  }
})

proves('userdata/nul', async (subject) => {
  const { request, unique } = subject
  await write(subject, 'file')
  const nul = unique('nul\0')
  const ways: readonly (readonly [status: number, method: string, path: string])[] = [
    [500, 'POST', at(nul)],
    [500, 'POST', moving(unique('file'), nul)],
    [404, 'GET', at(nul)],
    [404, 'DELETE', at(nul)],
    [404, 'POST', moving(nul, unique('c'))],
  ]
  for (const [status, method, path] of ways)
    expect({ method, path, status: (await request(method, path)).status }).toEqual({
      method,
      path,
      status,
    })
  expect(await paths(subject)).toEqual(['file'])
})

proves('userdata/impossible-folder', async (subject) => {
  const { request, unique } = subject
  await write(subject, 'file')
  const deep = ['file/further/below', `${'n'.repeat(256)}/x`]
  for (const file of deep) {
    const path = at(unique(file))
    const ways = [
      ['POST', path],
      ['GET', path],
      ['DELETE', path],
      ['POST', moving(unique(file), unique('to'))],
    ] as const
    for (const [method, way] of ways) {
      const { status, text } = await request(method, way)
      expect({ file, method, status, text }).toEqual({
        file,
        method,
        status: 500,
        text: errors.refusals.internal.body.text,
      })
    }
  }
  expect(await paths(subject)).toEqual(['file'])
})

proves(
  'userdata/bounds',
  async (subject) => {
    const { request, get } = subject
    const quarter = Buffer.alloc(limits.userdata.value / 4)
    for (const file of ['a', 'b', 'c', 'd']) {
      expect((await request('POST', at(file), quarter)).status).toBe(200)
    }
    expect((await request('POST', at('e'), 'x')).status).toBe(400)
    expect((await request('POST', '/settings', '{"a": 1}')).status).toBe(500)
    expect((await get('/settings')).text).toBe('{}')
    expect((await request('POST', at('d'), quarter.subarray(1))).status).toBe(200)
    expect((await request('POST', at('e'), 'x')).status).toBe(200)
    expect((await request('POST', at('e'), 'xy')).status).toBe(400)
    expect((await get(at('e'))).text).toBe('x')
    await request('DELETE', at('a'))
    expect((await request('POST', at('e'), quarter)).status).toBe(200)
  },
  ownWorld,
)

proves(
  'userdata/bounds',
  async (subject) => {
    const { request } = subject
    // The user folder itself is the first of all entries, and these add a fifth of them each.
    const fifth = limits.userdataEntries.value / 5
    const deep = (name: string, length: number) => `${name}/`.repeat(length - 1) + name
    for (const name of ['a', 'b', 'c', 'd']) {
      expect((await request('POST', at(deep(name, fifth)))).status).toBe(200)
    }
    expect((await request('POST', at(deep('e', fifth)))).status).toBe(400)
    expect((await request('POST', at(deep('e', fifth - 1)))).status).toBe(200)
    expect((await request('POST', at('f'))).status).toBe(400)
    expect((await request('POST', at(deep('e', fifth - 1)), 'again')).status).toBe(200)
    expect((await request('POST', moving(deep('a', fifth), 'f'))).status).toBe(200)
    expect(await paths(subject)).toHaveLength(limits.userdataEntries.value - 1)
  },
  ownWorld,
)
