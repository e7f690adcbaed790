// User data of servers of 2026: times, downloads, moves outside.

import { userFile } from '../../../spec/server/userdata.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { paths, together, write } from '../../judge/own-files.ts'
import { at, moving } from '../../generate/userdata-paths.ts'
import { expect } from '../../judge/expect.ts'

proves(
  'userdata/whole-times',
  together('data', async (subject) => {
    const { get, unique } = subject
    const wrote = (await write(subject, 'deep/a', '?full_info=true')).json()
    expect(violations(userFile, wrote)).toEqual([])
    // Seconds would be a thousand times less.
    for (const time of [wrote.modified, wrote.created]) {
      expect(Number.isInteger(time)).toBe(true)
      expect(new Date(time).getUTCFullYear()).toBeGreaterThan(2000)
    }
    const folder = encodeURIComponent(unique('deep'))
    const [listed] = (await get(`/userdata?dir=${folder}&full_info=true`)).json()
    expect(listed).toMatchObject({ modified: wrote.modified, created: wrote.created })
    const browsed = await get(`/v2/userdata?path=${folder}`)
    const [{ modified }] = browsed.json()
    expect(modified * 1000).toBeCloseTo(wrote.modified, -1)
    expect(browsed.text).toMatch(/"modified": ?\d+\.\d+/)
  }),
)

proves(
  'userdata/whole-times',
  async (subject) => {
    const { emulator, request } = subject
    const first = await write(subject, 'a', '?full_info=true')
    expect(first.text).toMatch(/"modified": ?1000000,/)
    await emulator?.advance(500)
    const moved = await request('POST', moving('a', 'b', '?full_info=true'))
    expect(moved.json()).toMatchObject({ modified: 1_000_000, created: 1_000_500 })
  },
  { epoch: 1_000_000 },
)

const guarded = { 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' }

proves(
  'userdata/download',
  together('data', async (subject) => {
    const types = {
      'a.json': 'application/json',
      'a.PNG': 'image/png',
      'a.txt': 'text/plain',
      plain: 'application/octet-stream',
      'a.html': 'application/octet-stream',
      'a.HTM': 'application/octet-stream',
      'a.js': 'application/octet-stream',
      'a.mjs': 'application/octet-stream',
      'a.css': 'application/octet-stream',
      'a.svg': 'application/octet-stream',
      'a.xml': 'application/octet-stream',
    }
    for (const [file, type] of Object.entries(types)) {
      await write(subject, file)
      const reply = await subject.get(at(subject.unique(file)))
      expect({ file, text: reply.text, headers: reply.headers }).toMatchObject({
        file,
        text: file,
        headers: { 'content-type': type, ...guarded },
      })
    }
  }),
)

proves(
  'userdata/user-style',
  async (subject) => {
    for (const file of ['user.css', 'deep/user.css', 'other.css']) await write(subject, file)
    const headersOf = async (file: string) => (await subject.get(at(file))).headers
    expect(await headersOf('user.css')).toMatchObject({
      'content-type': 'text/css',
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
    })
    for (const file of ['deep/user.css', 'other.css'])
      expect(await headersOf(file)).toMatchObject({
        'content-type': 'application/octet-stream',
        ...guarded,
      })
  },
  ownWorld,
)

proves('userdata/never-outside', async (subject) => {
  const { request, unique } = subject
  await write(subject, 'deep/a')
  for (const file of ['..', '../x', 'deep/../../x', '/x', '%2e%2e%2fx', '.%2e/x', '%2Fx']) {
    const segment = encodeURIComponent(file).replaceAll('.', '%2e')
    const ways = [
      ['GET', `/userdata/${segment}`],
      ['POST', `/userdata/${segment}`],
      ['DELETE', `/userdata/${segment}`],
      ['POST', `/userdata/${segment}/move/c`],
      ['POST', `${at(unique('deep/a'))}/move/${segment}`],
    ] as const
    for (const [method, path] of ways) {
      const { status, text } = await request(method, path)
      expect({ file, method, path, status, text }).toEqual({
        file,
        method,
        path,
        status: 403,
        text: '',
      })
    }
  }
  expect(await paths(subject)).toEqual(['deep', 'deep/a'])
})

proves(
  'userdata/folder-as-download',
  together('data', async (subject) => {
    await write(subject, 'deep/a')
    const { status, headers } = await subject.get(at(subject.unique('deep')))
    expect({
      status,
      type: headers['x-content-type-options'],
      disposition: headers['content-disposition'],
    }).toEqual({ status: 403, type: 'nosniff', disposition: 'attachment' })
  }),
)
