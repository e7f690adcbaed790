// User data on any hosted server, below a folder of the case.

import { hostedUserFiles } from '../../../spec/server/userdata.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import type { Reply } from '../../judge/reply.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const textType = 'text/plain; charset=utf-8'

/** A refusal that is a text. */
const refusedAs = ({ status, text, headers }: Reply) =>
  headers['content-type'] === textType && /^\w.*\.$/.test(text) ? status : `${status} ${text}`

/** Writes a file of the case, whose content is its name in the case. */
const write = ({ request, unique }: Subject, file: string, query = '') =>
  request('POST', at(unique(file), query), file)

/** Lists a folder of the case. */
const list = ({ get, unique }: Subject, folder: string, query = '') =>
  get(`/userdata?dir=${encodeURIComponent(unique(folder))}${query}`)

proves('userdata/hosted-list', async (subject) => {
  await write(subject, 'list/b.json')
  await write(subject, 'list/a.txt')
  for (const query of ['', '&split=true', '&full_info=false', '&full_info=true&split=true']) {
    const reply = await list(subject, 'list', query)
    expect({ status: reply.status, violations: violations(hostedUserFiles, reply.json()) }).toEqual(
      { status: 200, violations: [] },
    )
    expect(reply.json()).toMatchObject([
      { path: 'a.txt', size: 10 },
      { path: 'b.json', size: 11 },
    ])
  }
})

proves('userdata/hosted-list-folder', async (subject) => {
  for (const file of ['all/top', 'all/in/a', 'all/in/deep/b', 'all/in/.c', 'all/.hidden/d'])
    await write(subject, file)
  const listed = async (folder: string, query = ''): Promise<string[]> =>
    (await list(subject, folder, query)).json().map(({ path }: { path: string }) => path)
  expect(await listed('all')).toEqual(['top'])
  expect(await listed('all', '&recurse=true')).toEqual(['in/a', 'in/deep/b', 'top'])
  expect(await listed('all/in/')).toEqual(['a'])
  expect(await listed('all/in', '&recurse=true')).toEqual(['a', 'deep/b'])
  expect(await listed('all/in/deep')).toEqual(['b'])
})

proves('userdata/hosted-times', async (subject) => {
  const { request, unique } = subject
  const { modified } = (await write(subject, 'timed')).json()
  // Seconds would be a thousand times less.
  expect(new Date(modified).getUTCFullYear()).toBeGreaterThan(2000)
  const again = (await write(subject, 'timed')).json().modified
  expect(again).toBeGreaterThanOrEqual(modified)
  const moved = (await request('POST', moving(unique('timed'), unique('moved')))).json()
  expect(moved.modified).toBe(again)
})

proves('userdata/hosted-no-overwrite', async (subject) => {
  const { request, get, unique } = subject
  const [a, b] = ['a', 'b'].map(unique) as [string, string]
  expect((await write(subject, 'a', '?overwrite=false')).status).toBe(200)
  expect(refusedAs(await request('POST', at(a, '?overwrite=false'), 'other'))).toBe(409)
  await write(subject, 'b')
  expect(refusedAs(await request('POST', moving(a, b, '?overwrite=false')))).toBe(409)
  expect([(await get(at(a))).text, (await get(at(b))).text]).toEqual(['a', 'b'])
  expect((await request('POST', moving(a, b))).status).toBe(200)
  expect((await get(at(b))).text).toBe('a')
})

proves('userdata/hosted-refusals', async (subject) => {
  const { get, request, unique } = subject
  await write(subject, 'deep/a')
  const [file, folder, nowhere] = ['deep/a', 'deep', 'nowhere'].map(unique) as [
    string,
    string,
    string,
  ]
  const ways: readonly (readonly [status: number, method: string, path: string])[] = [
    [400, 'GET', '/userdata?dir=../x'],
    [404, 'GET', `/userdata?dir=${encodeURIComponent(nowhere)}`],
    [403, 'GET', at('../x')],
    [403, 'POST', at('../x')],
    [403, 'POST', moving('../x', unique('y'))],
    [403, 'POST', moving(file, '../y')],
    [404, 'GET', at(nowhere)],
    [404, 'DELETE', at(nowhere)],
    [404, 'POST', moving(nowhere, unique('y'))],
    // A folder is not a file.
    [404, 'GET', at(folder)],
    [404, 'DELETE', at(folder)],
    [404, 'POST', moving(folder, unique('y'))],
    [400, 'POST', at(folder)],
    [400, 'POST', moving(file, folder)],
    [400, 'POST', at(unique('n'.repeat(256)))],
    [400, 'POST', moving(file, `${file}/b`)],
  ]
  for (const [status, method, path] of ways) {
    expect({ method, path, refused: refusedAs(await request(method, path)) }).toEqual({
      method,
      path,
      refused: status,
    })
  }
  expect((await get(at(file))).text).toBe('deep/a')
})
