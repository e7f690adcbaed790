// User data: the two listings of stored files.

import { errors } from '../../../spec/index.ts'
import { userEntries, userFiles } from '../../../spec/server/userdata.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { together, write } from '../../judge/own-files.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const textType = 'text/plain; charset=utf-8'
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
  const items = (await subject.get(`/userdata?dir=${subject.unique(dir)}${query}`)).json()
  expect(violations(userFiles, items)).toEqual([])
  return items
    .map((item: unknown) => JSON.stringify(item))
    .toSorted()
    .map(JSON.parse)
}

/** A listing is refused like this. */
async function refusedWith(
  { get }: Subject,
  path: string,
  { status, body }: { readonly status: number; readonly body: { readonly text: string } },
): Promise<void> {
  const reply = await get(path)
  const actual = [path, reply.status, reply.text, reply.headers['content-type']]
  expect(actual).toEqual([path, status, body.text, textType])
}

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
    const cases = [
      ['', directoryMissing],
      ['?dir=', directoryMissing],
      ['?recurse=true', directoryMissing],
      ['?dir=..', directoryInvalid],
      ['?dir=/', directoryInvalid],
      ['?dir=flows/../..', directoryInvalid],
      ['?dir=%252e%252e', directoryInvalid],
      ['?dir=nowhere', directoryUnknown],
      [`?dir=${folder(subject, 'flow')}`, directoryUnknown],
      ['?dir=nul%00', directoryUnknown],
    ] as const
    for (const [query, refusal] of cases) await refusedWith(subject, `/userdata${query}`, refusal)
  }),
)

proves(
  'userdata/browse',
  together('lists', async (subject) => {
    const { unique } = subject
    await fill(subject)
    const reply = await subject.get(`/v2/userdata?path=${folder(subject, 'flows')}`)
    expect(violations(userEntries, reply.json())).toEqual([])
    const entry = reply.json()[2]
    expect(reply.json().map(({ modified: _, ...rest }: typeof entry) => rest)).toEqual([
      { name: 'sub', path: unique('flows/sub'), type: 'directory' },
      { name: '.hidden', path: unique('flows/.hidden'), type: 'file', size: 13 },
      { name: 'a.json', path: unique('flows/a.json'), type: 'file', size: 12 },
      { name: 'y', path: unique('flows/sub/y'), type: 'file', size: 11 },
      { name: 'Z.json', path: unique('flows/sub/Z.json'), type: 'file', size: 16 },
    ])
    expect([typeof reply.json()[0].modified, typeof entry.modified]).toEqual([
      'undefined',
      'number',
    ])
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
    const cases = [
      ['..', pathInvalid],
      ['/', pathInvalid],
      ['%252e%252e/x', pathInvalid],
      ['%25252e%25252e', pathInvalid],
      [folder(subject, 'nowhere'), pathUnknown],
      [folder(subject, 'b.json'), pathNoDirectory],
    ] as const
    for (const [path, refusal] of cases)
      await refusedWith(subject, `/v2/userdata?path=${path}`, refusal)
  }),
)
