// User data: the two listings of stored files.

import { errors } from '../../../spec/index.ts'
import { userEntries, userFiles } from '../../../spec/server/userdata.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const textType = 'text/plain; charset=utf-8'
const files = ['b.json', 'flows/a.json', 'flows/sub/Z.json', 'flows/sub/y', 'flows/.hidden', '.x/y']

const fill = async ({ request }: Subject) => {
  for (const file of files) await request('POST', `/userdata/${encodeURIComponent(file)}`, file)
}
/** The content of a listing, sorted: the order of a file system is not specified. */
const listed = async ({ get }: Subject, query: string): Promise<unknown[]> => {
  const items = (await get(`/userdata?${query}`)).json()
  expect(violations(userFiles, items)).toEqual([])
  return items
    .map((item: unknown) => JSON.stringify(item))
    .toSorted()
    .map(JSON.parse)
}

proves('userdata/list', async (subject) => {
  await fill(subject)
  expect(await listed(subject, 'dir=flows')).toEqual(['a.json'])
  expect(await listed(subject, 'dir=flows/')).toEqual(['a.json'])
  expect(await listed(subject, 'dir=.')).toEqual(['b.json'])
  expect(await listed(subject, 'dir=flows%2Fsub')).toEqual(['Z.json', 'y'])
  expect(await listed(subject, 'dir=flows%252Fsub/..%2Fsub')).toEqual(['Z.json', 'y'])
})

proves('userdata/list-forms', async (subject) => {
  await fill(subject)
  const all = ['a.json', 'sub/Z.json', 'sub/y']
  expect(await listed(subject, 'dir=flows&recurse=true')).toEqual(all)
  expect(await listed(subject, 'dir=flows&recurse=TRUE&split=false')).toEqual(all)
  expect(await listed(subject, 'dir=flows&recurse=1')).toEqual(['a.json'])
  expect(await listed(subject, 'dir=flows&recurse=true&split=True')).toEqual([
    ['a.json', 'a.json'],
    ['sub/Z.json', 'sub', 'Z.json'],
    ['sub/y', 'sub', 'y'],
  ])
  const full = await listed(subject, 'dir=flows&recurse=true&split=true&full_info=True')
  expect(full).toMatchObject([
    { path: 'a.json', size: 12 },
    { path: 'sub/Z.json', size: 16 },
    { path: 'sub/y', size: 11 },
  ])
  expect(Object.keys(full[0] as object)).toEqual(['path', 'size', 'modified', 'created'])
})

proves('userdata/list-hides-dots', async (subject) => {
  await fill(subject)
  expect(await listed(subject, 'dir=.&recurse=true')).toHaveLength(4)
  expect(await listed(subject, 'dir=.x')).toEqual(['y'])
  expect(await listed(subject, 'dir=b.json')).toEqual([])
})

proves('userdata/list-refusals', async (subject) => {
  await fill(subject)
  const { directoryMissing, directoryInvalid, directoryUnknown } = refusals
  const cases = [
    ['', directoryMissing],
    ['?dir=', directoryMissing],
    ['?recurse=true', directoryMissing],
    ['?dir=..', directoryInvalid],
    ['?dir=/', directoryInvalid],
    ['?dir=flows/../..', directoryInvalid],
    ['?dir=%252e%252e', directoryInvalid],
    ['?dir=nowhere', directoryUnknown],
    ['?dir=flow', directoryUnknown],
    ['?dir=nul%00', directoryUnknown],
  ] as const
  for (const [query, { status, body }] of cases) {
    const reply = await subject.get(`/userdata${query}`)
    const actual = [query, reply.status, reply.text, reply.headers['content-type']]
    expect(actual).toEqual([query, status, body.text, textType])
  }
})

proves('userdata/browse', async (subject) => {
  const empty = await subject.get('/v2/userdata')
  expect(empty).toMatchObject({ status: 200, text: '[]' })
  await fill(subject)
  const reply = await subject.get('/v2/userdata?path=flows')
  expect(violations(userEntries, reply.json())).toEqual([])
  const entry = reply.json()[2]
  expect(reply.json().map(({ modified: _, ...rest }: typeof entry) => rest)).toEqual([
    { name: 'sub', path: 'flows/sub', type: 'directory' },
    { name: '.hidden', path: 'flows/.hidden', type: 'file', size: 13 },
    { name: 'a.json', path: 'flows/a.json', type: 'file', size: 12 },
    { name: 'y', path: 'flows/sub/y', type: 'file', size: 11 },
    { name: 'Z.json', path: 'flows/sub/Z.json', type: 'file', size: 16 },
  ])
  expect([typeof reply.json()[0].modified, typeof entry.modified]).toEqual(['undefined', 'number'])
  const all = (await subject.get('/v2/userdata?path=')).json()
  expect(all.map(({ name }: typeof entry) => name)).toEqual(
    '.x flows sub .hidden a.json b.json y y Z.json'.split(' '),
  )
  const deep = await subject.get('/v2/userdata?path=flows%25252Fsub')
  expect(deep.json()).toHaveLength(2)
})

proves('userdata/browse-refusals', async (subject) => {
  await fill(subject)
  const { pathInvalid, pathUnknown, pathNoDirectory } = refusals
  const cases = [
    ['..', pathInvalid],
    ['/', pathInvalid],
    ['%252e%252e/x', pathInvalid],
    ['%25252e%25252e', pathInvalid],
    ['nowhere', pathUnknown],
    ['b.json', pathNoDirectory],
  ] as const
  for (const [path, { status, body }] of cases) {
    const reply = await subject.get(`/v2/userdata?path=${path}`)
    const actual = [path, reply.status, reply.text, reply.headers['content-type']]
    expect(actual).toEqual([path, status, body.text, textType])
  }
})
