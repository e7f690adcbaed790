// User data: the two listings of stored files.

import { errors } from '../../../spec/index.ts'
import { hostedUserFiles, userEntries, userFiles } from '../../../spec/server/userdata.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { textType, together, write } from '../../judge/own-files.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const files = ['b.json', 'flows/a.json', 'flows/sub/Z.json', 'flows/sub/y', 'flows/.hidden', '.x/y']

const fill = async (subject: Subject) => {
  for (const file of files) await write(subject, file)
}
/** The path of a folder of the case, in a query, where it is already escaped. */
const folder = ({ unique }: Subject, path: string): string => unique(path).replaceAll('/', '%2F')
/**
 * The content of a listing of a folder of the case, sorted: the order of a file system is not specified. `dir` is
 * already escaped.
 */
const listed = async (subject: Subject, dir: string, query = ''): Promise<unknown[]> => {
  const reply = await subject.get(`/userdata?dir=${subject.unique(dir)}${query}`)
  return fitting(userFiles, reply)
    .map((item: unknown) => JSON.stringify(item))
    .toSorted()
    .map(JSON.parse)
}

/** Listings are refused like this. */
const refusedWith = (
  { status, body }: { readonly status: number; readonly body: { readonly text: string } },
  ...paths: readonly string[]
) => toEach(paths, 'GET', status, body.text, textType)

proves(
  'userdata/list',
  together('lists', async (subject) => {
    await fill(subject)
    expect(await listed(subject, 'flows')).toEqual(['a.json'])
    expect(await listed(subject, 'flows/')).toEqual(['a.json'])
    expect(await listed(subject, '.')).toEqual(['b.json'])
    expect(await listed(subject, 'flows%2Fsub')).toEqual(['Z.json', 'y'])
    expect(await listed(subject, 'flows%252Fsub/..%2Fsub')).toEqual(['Z.json', 'y'])
  }),
)

proves(
  'userdata/list-forms',
  together('lists', async (subject) => {
    await fill(subject)
    const all = ['a.json', 'sub/Z.json', 'sub/y']
    expect(await listed(subject, 'flows', '&recurse=true')).toEqual(all)
    expect(await listed(subject, 'flows', '&recurse=TRUE&split=false')).toEqual(all)
    expect(await listed(subject, 'flows', '&recurse=1')).toEqual(['a.json'])
    expect(await listed(subject, 'flows', '&recurse=true&split=True')).toEqual([
      ['a.json', 'a.json'],
      ['sub/Z.json', 'sub', 'Z.json'],
      ['sub/y', 'sub', 'y'],
    ])
    const full = await listed(subject, 'flows', '&recurse=true&split=true&full_info=True')
    expect(full).toMatchObject([
      { path: 'a.json', size: 12 },
      { path: 'sub/Z.json', size: 16 },
      { path: 'sub/y', size: 11 },
    ])
    expect(Object.keys(full[0] as object)).toEqual(['path', 'size', 'modified', 'created'])
  }),
)

proves(
  'userdata/list-hides-dots',
  together('lists', async (subject) => {
    await fill(subject)
    expect(await listed(subject, '.', '&recurse=true')).toHaveLength(4)
    expect(await listed(subject, '.x')).toEqual(['y'])
    expect(await listed(subject, 'b.json')).toEqual([])
  }),
)

proves(
  'userdata/list-refusals',
  together('lists', async (subject) => {
    await fill(subject)
    const { directoryMissing, directoryInvalid, directoryUnknown } = refusals
    const [missing, invalid] = [
      ['', '?dir=', '?recurse=true'],
      ['?dir=..', '?dir=/', '?dir=flows/../..', '?dir=%252e%252e'],
    ]
    const unknown = ['?dir=nowhere', `?dir=${folder(subject, 'flow')}`, '?dir=nul%00']
    const below = (queries: readonly string[] = []) => queries.map((query) => `/userdata${query}`)
    await exchanges(subject, [
      ...refusedWith(directoryMissing, ...below(missing)),
      ...refusedWith(directoryInvalid, ...below(invalid)),
      ...refusedWith(directoryUnknown, ...below(unknown)),
    ])
  }),
)

proves(
  'userdata/browse',
  together('lists', async (subject) => {
    const { unique } = subject
    await fill(subject)
    const flows = `/v2/userdata?path=${folder(subject, 'flows')}`
    const entries = fitting(userEntries, await subject.get(flows))
    const [first, , entry] = entries
    expect(entries.map(({ modified: _, ...rest }: typeof entry) => rest)).toEqual([
      { name: 'sub', path: unique('flows/sub'), type: 'directory' },
      { name: '.hidden', path: unique('flows/.hidden'), type: 'file', size: 13 },
      { name: 'a.json', path: unique('flows/a.json'), type: 'file', size: 12 },
      { name: 'y', path: unique('flows/sub/y'), type: 'file', size: 11 },
      { name: 'Z.json', path: unique('flows/sub/Z.json'), type: 'file', size: 16 },
    ])
    expect([typeof first.modified, typeof entry.modified]).toEqual(['undefined', 'number'])
    const all = (await subject.get(`/v2/userdata?path=${folder(subject, '')}`)).json()
    expect(all.map(({ name }: typeof entry) => name)).toEqual(
      '.x flows sub .hidden a.json b.json y y Z.json'.split(' '),
    )
    const deep = unique('flows/sub').replaceAll('/', '%25252F')
    expect((await subject.get(`/v2/userdata?path=${deep}`)).json()).toHaveLength(2)
    const root = (await subject.get('/v2/userdata')).json()
    const paths = root.map(({ path }: typeof entry) => path)
    expect(paths).toEqual(expect.arrayContaining([unique('flows/sub/y')]))
  }),
)

proves(
  'userdata/browse-refusals',
  together('lists', async (subject) => {
    await fill(subject)
    const { pathInvalid, pathUnknown, pathNoDirectory } = refusals
    const at = (path: string): string => `/v2/userdata?path=${path}`
    const invalid = ['..', '/', '%252e%252e/x', '%25252e%25252e'].map(at)
    await exchanges(subject, [
      ...refusedWith(pathInvalid, ...invalid),
      ...refusedWith(pathUnknown, at(folder(subject, 'nowhere'))),
      ...refusedWith(pathNoDirectory, at(folder(subject, 'b.json'))),
    ])
  }),
)

/** Lists a folder of the case on a hosted server. */
const list = ({ get, unique }: Subject, dir: string, query = '') =>
  get(`/userdata?dir=${encodeURIComponent(unique(dir))}${query}`)

proves('userdata/hosted-list', async (subject) => {
  await write(subject, 'list/b.json')
  await write(subject, 'list/a.txt')
  for (const query of ['', '&split=true', '&full_info=false', '&full_info=true&split=true']) {
    expect(fitting(hostedUserFiles, await list(subject, 'list', query))).toMatchObject([
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
