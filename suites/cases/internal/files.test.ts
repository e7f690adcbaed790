// The paths below /internal/: folders and the files in them, and what these paths do not serve.

import { errors, endpoints } from '../../../spec/index.ts'
import { folderPaths } from '../../../spec/server/internal.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { put } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'

const { refusals } = errors
const bytes = new Uint8Array(1)
const namesIn = async ({ get }: Subject, type: string): Promise<string[]> =>
  (await get(`/internal/files/${type}`)).json()

/** Uploads a file and one that is hidden to the top of the inputs, and returns the name of the first. */
async function putTwo({ unique, upload }: Subject): Promise<string> {
  const name = `${unique('new').replaceAll('/', '-')}.png`
  await upload({ name, bytes })
  await upload({ name: `.${name}`, bytes })
  return name
}

proves('internal/files', async (subject) => {
  const { isOwn, upload } = subject
  const [folder = ''] = subject.unique('').split('/')
  const name = await putTwo(subject)
  await put(subject, { name: `below-${name}`, bytes }, { subfolder: 'sub' })
  const listed = await namesIn(subject, 'input')
  expect(listed).toContain(name)
  expect(listed).toContain(`.${name}`)
  expect(listed.filter((one) => one.includes(`below-${name}`) || one === folder)).toEqual([])
  const others = [await namesIn(subject, 'output'), await namesIn(subject, 'temp')]
  expect(others.flat()).not.toContain(name)
  if (!isOwn) return
  // The newest first.
  await subject.emulator?.advance(10)
  await upload({ name: 'old.txt', bytes })
  await subject.emulator?.advance(10)
  await upload({ name: 'late.png', bytes })
  await upload({ name: '.hidden', bytes })
  await upload({ name: 'out.png', bytes }, { type: 'output' })
  expect(await namesIn(subject, 'input')).toEqual(['.hidden', 'late.png', 'old.txt', ...listed])
  await subject.emulator?.advance(10)
  await upload({ name: 'old.txt', bytes }, { overwrite: 'true' })
  expect((await namesIn(subject, 'input'))[0]).toBe('old.txt')
  expect([await namesIn(subject, 'output'), await namesIn(subject, 'temp')]).toEqual([
    ['out.png'],
    [],
  ])
})

proves('internal/files-annotated', async (subject) => {
  const name = await putTwo(subject)
  const listed = await namesIn(subject, 'input')
  expect(listed).toContain(`${name} [input]`)
  expect(listed.filter((one) => !one.endsWith(' [input]') || one.startsWith('.'))).toEqual([])
  await subject.upload({ name, bytes }, { type: 'temp' })
  expect(await namesIn(subject, 'temp')).toContain(`${name} [temp]`)
  expect(await namesIn(subject, 'output')).not.toContain(`${name} [output]`)
})

proves('internal/files-type', (subject) => {
  const types = ['models', 'Input', '..%2finput', 'toString']
  const paths = types.map((type) => `/internal/files/${type}`)
  const header = { 'content-type': 'application/json; charset=utf-8' }
  return exchanges(subject, toEach(paths, 'GET', 400, refusals.directoryType.body.json, header))
})

proves('internal/folder-paths', async ({ get }) => {
  const paths = fitting(folderPaths, await get('/internal/folder_paths'))
  const folders: string[] = (await get('/models')).json()
  expect(Object.keys(paths)).toEqual(folders)
  for (const folder of folders) {
    expect(paths[folder].length).toBeGreaterThan(0)
    for (const path of paths[folder]) expect(path).toMatch(/^\/|^[A-Z]:\\/)
  }
})

proves('internal/no-alias', (subject) => {
  const below = Object.values(endpoints).filter(({ path }) => path.startsWith('/internal/'))
  expect(below.length).toBeGreaterThan(4)
  return exchanges(
    subject,
    toEach(
      below.map(({ path }) => `/api${path}`),
      'GET',
      404,
    ),
  )
})

proves('internal/unknown-path', async (subject) => {
  const below = ['', '/nowhere', '/logs/', '/', '/files/a/b'].map((path) => `/internal${path}`)
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
    await exchanges(
      subject,
      toEach(below, method, 404, refusals.notFoundText.body.text, {
        'content-type': 'text/plain; charset=utf-8',
      }),
    )
})

proves('internal/wrong-method', (subject) => {
  const { text } = refusals.methodNotAllowed.body
  return exchanges(subject, [
    ['GET', '/internal/logs/subscribe', undefined, 405, text, { allow: 'PATCH' }],
    ['POST', '/internal/logs', undefined, 405, text, { allow: 'GET,HEAD' }],
    ['DELETE', '/internal/files/input', undefined, 405, text, { allow: 'GET,HEAD' }],
  ])
})
