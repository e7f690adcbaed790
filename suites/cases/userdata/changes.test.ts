// User data: deleting, moving and overwriting files.

import { errors } from '../../../spec/index.ts'
import { hostedUserFile } from '../../../spec/server/userdata.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { aText, paths, textType, together, write } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

const json = { 'content-type': 'application/json; charset=utf-8' }

/** Files `a` and `b`, neither of which replaces the other or is replaced. `answer` is that of a refusal. */
async function neitherReplaced(subject: Subject, answer: string | RegExp): Promise<void> {
  const [a, b] = [subject.unique('a'), subject.unique('b')]
  expect((await write(subject, 'a', '?overwrite=false')).status).toBe(200)
  await write(subject, 'b')
  await exchanges(subject, [
    ['POST', at(a, '?overwrite=false'), 'other', 409, answer, textType],
    ['POST', moving(a, b, '?overwrite=false'), undefined, 409, answer, textType],
    ['GET', at(a), undefined, 200, 'a'],
    ['GET', at(b), undefined, 200, 'b'],
  ])
}

proves(
  'userdata/no-overwrite',
  together('data', async (subject) => {
    const [a, c] = [subject.unique('a'), subject.unique('c')]
    await neitherReplaced(subject, errors.refusals.fileExists.body.text)
    await exchanges(subject, [
      ['POST', moving(a, c, '?overwrite=false'), undefined, 200],
      // Only the word false protects an existing file.
      ['POST', at(c, '?overwrite=False'), 'other', 200],
      ['GET', at(c), undefined, 200, 'other'],
    ])
  }),
)

proves('userdata/hosted-no-overwrite', async (subject) => {
  const [a, b] = [subject.unique('a'), subject.unique('b')]
  await neitherReplaced(subject, aText)
  await exchanges(subject, [
    ['POST', moving(a, b), undefined, 200],
    ['GET', at(b), undefined, 200, 'a'],
  ])
})

proves('userdata/delete', async (subject) => {
  const { unique } = subject
  await write(subject, 'deep/a')
  await write(subject, 'deep/b')
  const bodyless = ['content-type', 'content-length', 'transfer-encoding']
  const none = Object.fromEntries(bodyless.map((name) => [name, undefined]))
  await exchanges(subject, [
    ['DELETE', at(unique('deep/a')), undefined, 204, '', none],
    ['GET', at(unique('deep/a')), undefined, 404],
    ['DELETE', at(unique('deep/b')), undefined, 204],
  ])
  expect(await paths(subject)).toEqual(['deep'])
})

proves('userdata/hosted-delete', async (subject) => {
  await write(subject, 'deep/a')
  const path = at(subject.unique('deep/a'))
  await exchanges(subject, [
    ['DELETE', path, undefined, 204, '', { 'content-type': undefined }],
    ['GET', path, undefined, 404, aText, textType],
  ])
})

proves('userdata/move', async (subject) => {
  const { unique } = subject
  const [a, b, old] = [unique('a'), unique('new/b'), unique('old')]
  for (const file of ['a', 'c', 'd']) await write(subject, file)
  await exchanges(subject, [
    ['POST', moving(a, b), undefined, 200, JSON.stringify(b), json],
    ['GET', at(a), undefined, 404],
    ['GET', at(b), undefined, 200, 'a'],
    ['POST', moving(unique('c'), b), undefined, 200],
    ['GET', at(b), undefined, 200, 'c'],
    ['POST', moving(b, b), undefined, 200],
    // A folder moves with everything in it, and as the target it receives the file.
    ['POST', moving(unique('new'), old), undefined, 200],
    ['POST', moving(unique('d'), old), undefined, 200, JSON.stringify(old)],
    ['GET', at(unique('old/b')), undefined, 200, 'c'],
  ])
  expect(await paths(subject)).toEqual(['old', 'old/b', 'old/d'])
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
  const moves = impossible.map(([file, dest]) => moving(unique(file), unique(dest)))
  await exchanges(subject, toEach(moves, 'POST', 500))
  expect(await paths(subject)).toEqual(before)
})

proves('userdata/hosted-move', async (subject) => {
  const [a, b] = [subject.unique('a'), subject.unique('new/b')]
  await write(subject, 'a')
  const moved = await subject.request('POST', moving(a, b, '?full_info=true'))
  expect(fitting(hostedUserFile, moved)).toMatchObject({ path: b, size: 1 })
  await exchanges(subject, [
    ['GET', at(a), undefined, 404],
    ['GET', at(b), undefined, 200, 'a'],
  ])
})
