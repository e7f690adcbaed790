// User data: paths that lead outside, names that the server rejects, and files that are not there.

import { errors } from '../../../spec/index.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, noBody, type Row, toEach } from '../../judge/rows.ts'
import { aText, paths, together, write } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'userdata/unknown-file',
  together('data', async (subject) => {
    await write(subject, 'deep/a')
    const files = ['b', 'deep/b', 'deep/a/b', 'toString', 'n'.repeat(300)].map(subject.unique)
    const moves = files.map((file) => moving(file, subject.unique('c')))
    await exchanges(subject, [
      ...toEach(
        files.map((file) => at(file)),
        'GET',
        404,
        ...noBody,
      ),
      ...toEach(
        files.map((file) => at(file)),
        'DELETE',
        404,
        ...noBody,
      ),
      ...toEach(moves, 'POST', 404, ...noBody),
    ])
  }),
)

const outside = ['..', '../x', 'deep/../../x', '/x', '%2e%2e%2fx', '.%2e/x', '%2Fx']

/** Nothing outside can be read, written, deleted or moved. A file that would move outside is refused like this. */
async function staysInside(
  subject: Subject,
  files: readonly string[],
  ...moved: readonly [status: number, answer?: unknown]
): Promise<void> {
  await write(subject, 'deep/a')
  const segments = files.map((file) => encodeURIComponent(file).replaceAll('.', '%2e'))
  const addresses = segments.map((segment) => `/userdata/${segment}`)
  const moves = addresses.map((path) => `${path}/move/c`)
  const own = at(subject.unique('deep/a'))
  await exchanges(subject, [
    ...toEach(addresses, 'GET', 403, ...noBody),
    ...toEach(addresses, 'POST', 403, ...noBody),
    ...toEach(addresses, 'DELETE', 403, ...noBody),
    ...toEach(moves, 'POST', 403, ...noBody),
    ...toEach(
      segments.map((segment) => `${own}/move/${segment}`),
      'POST',
      ...moved,
    ),
  ])
  expect(await paths(subject)).toEqual(['deep', 'deep/a'])
}

proves('userdata/stays-inside', (subject) =>
  staysInside(subject, [...outside, '//x', 'deep%2f..%2F%2e%2E/x'], 500),
)

// Unlike the case before, this one needs no allowance.
proves('userdata/stays-inside', async ({ request, unique }) => {
  // A path that leads back inside is inside; a backslash is an ordinary character.
  const back = await request('POST', at(unique('x/../deep/./b')))
  expect(back.text).toBe(JSON.stringify(unique('deep/b')))
  expect((await request('POST', at(unique('..\\b')))).json()).toBe(unique('..\\b'))
})

proves('userdata/never-outside', (subject) => staysInside(subject, outside, 403, ''))

proves(
  'userdata/folder-is-no-file',
  together('data', async (subject) => {
    const { unique } = subject
    await write(subject, 'deep/a')
    await exchanges(subject, [
      ['GET', at(unique('deep')), undefined, 403],
      ['POST', at(unique('deep')), 'x', 400],
      ['DELETE', at(unique('deep')), undefined, 500],
      ['POST', at(unique('deep/..')), 'x', 400],
      ['GET', at(unique('deep/a')), undefined, 200, 'deep/a'],
    ])
  }),
)

proves(
  'userdata/folder-as-download',
  together('data', async (subject) => {
    await write(subject, 'deep/a')
    const guarded = { 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' }
    const path = at(subject.unique('deep'))
    await exchanges(subject, [['GET', path, undefined, 403, undefined, guarded]])
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
  const { unique } = subject
  await write(subject, 'file')
  const nul = unique('nul\0')
  await exchanges(subject, [
    ['POST', at(nul), undefined, 500],
    ['POST', moving(unique('file'), nul), undefined, 500],
    ['GET', at(nul), undefined, 404],
    ['DELETE', at(nul), undefined, 404],
    ['POST', moving(nul, unique('c')), undefined, 404],
  ])
  expect(await paths(subject)).toEqual(['file'])
})

proves('userdata/impossible-folder', async (subject) => {
  const { unique } = subject
  await write(subject, 'file')
  const crash = errors.refusals.internal.body.text
  const rows = ['file/further/below', `${'n'.repeat(256)}/x`].map(unique).flatMap((file): Row[] => [
    ['POST', at(file), undefined, 500, crash],
    ['GET', at(file), undefined, 500, crash],
    ['DELETE', at(file), undefined, 500, crash],
    ['POST', moving(file, unique('to')), undefined, 500, crash],
  ])
  await exchanges(subject, rows)
  expect(await paths(subject)).toEqual(['file'])
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
