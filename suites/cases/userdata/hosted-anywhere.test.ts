// User data on any hosted server, below a folder of the case.

import { hostedUserFiles } from '../../../spec/server/userdata.ts'
import { exchanges } from '../../judge/rows.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

/** The text of a refusal. */
const aText = /^\w.*\.$/

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
  await exchanges(subject, [['POST', at(a, '?overwrite=false'), 'other', 409, aText]])
  await write(subject, 'b')
  await exchanges(subject, [['POST', moving(a, b, '?overwrite=false'), undefined, 409, aText]])
  expect([(await get(at(a))).text, (await get(at(b))).text]).toEqual(['a', 'b'])
  expect((await request('POST', moving(a, b))).status).toBe(200)
  expect((await get(at(b))).text).toBe('a')
})

proves('userdata/hosted-refusals', async (subject) => {
  const { get, unique } = subject
  await write(subject, 'deep/a')
  const file = unique('deep/a')
  const folder = unique('deep')
  const nowhere = unique('nowhere')
  const x = unique('x')
  await exchanges(subject, [
    ['GET', '/userdata?dir=../x', undefined, 400, aText],
    ['GET', `/userdata?dir=${encodeURIComponent(nowhere)}`, undefined, 404, aText],
    ['GET', at('../x'), undefined, 403, aText],
    ['POST', at('../x'), undefined, 403, aText],
    ['DELETE', at('/x'), undefined, 403, aText],
    ['POST', moving('../x', x), undefined, 403, aText],
    ['POST', moving(file, '../x'), undefined, 403, aText],
    ['GET', at(nowhere), undefined, 404, aText],
    ['DELETE', at(nowhere), undefined, 404, aText],
    ['POST', moving(nowhere, x), undefined, 404, aText],
    // A folder is not a file.
    ['GET', at(folder), undefined, 404, aText],
    ['DELETE', at(folder), undefined, 404, aText],
    ['POST', moving(folder, x), undefined, 404, aText],
    ['POST', at(folder), undefined, 400, aText],
    ['POST', moving(file, folder), undefined, 400, aText],
    ['POST', at(unique('n'.repeat(256))), undefined, 400, aText],
    ['POST', moving(file, `${file}/b`), undefined, 400, aText],
  ])
  expect((await get(at(file))).text).toBe('deep/a')
})
