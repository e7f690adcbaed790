// The paths below /internal/ about folders and the files in them.

import { errors } from '../../../spec/index.ts'
import { folderPaths } from '../../../spec/server/internal.ts'
import { violations } from '../../judge/judge.ts'
import { put } from '../../judge/own-files.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors

proves('internal/files', async (subject) => {
  const bytes = new Uint8Array(1)
  const [folder = ''] = subject.unique('').split('/')
  const names = async (type: string): Promise<string[]> =>
    (await subject.get(`/internal/files/${type}`)).json()
  const name = `${subject.unique('new').replaceAll('/', '-')}.png`
  await subject.upload({ name, bytes })
  await subject.upload({ name: `.${name}`, bytes })
  await put(subject, { name: `below-${name}`, bytes }, { subfolder: 'sub' })
  const listed = await names('input')
  expect(listed).toContain(name)
  expect(listed).toContain(`.${name}`)
  expect(listed.filter((one) => one.includes(`below-${name}`) || one === folder)).toEqual([])
  expect([await names('output'), await names('temp')].flat()).not.toContain(name)
})

proves('internal/folder-paths', async ({ get }) => {
  const paths = (await get('/internal/folder_paths')).json()
  expect(violations(folderPaths, paths)).toEqual([])
  const folders: string[] = (await get('/models')).json()
  expect(Object.keys(paths)).toEqual(folders)
  for (const folder of folders) {
    expect(paths[folder].length).toBeGreaterThan(0)
    for (const path of paths[folder]) expect(path).toMatch(/^\/|^[A-Z]:\\/)
  }
})

proves(
  'internal/files',
  async ({ get, upload, emulator }) => {
    const bytes = new Uint8Array(1)
    const names = async (type: string) => (await get(`/internal/files/${type}`)).json()
    const before: string[] = await names('input')
    await emulator?.advance(10)
    await upload({ name: 'old.txt', bytes })
    await emulator?.advance(10)
    await upload({ name: 'new.png', bytes })
    await upload({ name: 'below.png', bytes }, { subfolder: 'sub' })
    await upload({ name: '.hidden', bytes })
    await upload({ name: 'out.png', bytes }, { type: 'output' })
    expect(await names('input')).toEqual(['.hidden', 'new.png', 'old.txt', ...before])
    await emulator?.advance(10)
    await upload({ name: 'old.txt', bytes }, { overwrite: 'true' })
    expect((await names('input'))[0]).toBe('old.txt')
    expect([await names('output'), await names('temp')]).toEqual([['out.png'], []])
  },
  ownWorld,
)

proves('internal/files-type', async ({ get }) => {
  for (const type of ['models', 'Input', '..%2finput', 'toString']) {
    const { status, headers, json } = await get(`/internal/files/${type}`)
    expect({ type, status, json: json() }).toEqual({
      type,
      status: 400,
      json: refusals.directoryType.body.json,
    })
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  }
})
