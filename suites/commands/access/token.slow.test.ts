// The bearer token of a local server: its answers to OPTIONS, and that it never appears in any output.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Entry, replay } from 'flowdouble'
import { banner } from '../../../dist/emulator/internal.js'
import { solid } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { proves, test, testToken as token } from '../../judge/proves.ts'
import { wireExchanges } from '../../judge/rows.ts'
import { startSubject } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'
import { newIo } from '../../support/in-process.ts'
import { watchOn } from '../../support/watch.ts'
import { folder } from '../../support/folder.ts'

const bearer = { Authorization: `Bearer ${token}` }
const query = `token=${encodeURIComponent(token)}`

proves(
  'access/bearer-options',
  ({ url }) => {
    const answer = (status: number) => ({ status, 'access-control-allow-origin': '*' })
    const foreign = { Origin: 'http://a.example' }
    return wireExchanges(url, [
      ['OPTIONS', '/prompt', answer(200), foreign],
      ['OPTIONS', '/nowhere', answer(200), foreign],
      ['OPTIONS', '/_flowdouble/journal', answer(200), foreign],
      ['GET', '/queue', answer(401), foreign],
    ])
  },
  { token, cors: '*' },
)

proves('access/bearer-hidden', async () => {
  const { io, output } = newIo({ terminal: 80 })
  const watch = await watchOn(io)
  const journal = join(folder(), 'journal.ndjson')
  const onEntry = (entry: Entry) => watch.show(entry)
  const { url, connect, idle, emulator, close } = await startSubject({ token, journal, onEntry })
  const session = await connect(undefined, `/ws?clientId=me&t%6fken=${encodeURIComponent(token)}`)
  const body = JSON.stringify({ prompt: solid(), client_id: 'me' })
  const replies = [
    await exchange(url, 'GET', '/', bearer),
    await exchange(url, 'POST', '/prompt', bearer, body),
    await exchange(url, 'GET', `/queue?a=1&${query}&b=%20`),
    await exchange(url, 'GET', `/queue?%74oken=${encodeURIComponent(token)}`),
    await exchange(url, 'GET', '/queue', { Authorization: `Basic ${token}` }),
    await exchange(url, 'GET', '/queue?token=another-one'),
    await exchange(url, 'GET', '/_flowdouble/journal', bearer),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 401, 401, 200])
  await idle()
  io.stdout.write(banner([emulator!], io))
  await session.close()
  await close()
  const file = await readFile(journal, 'utf8')
  const seen = [
    file,
    output.stdout,
    output.stderr,
    ...session.texts,
    ...replies.map((reply) => JSON.stringify(reply)),
  ]
  for (const text of seen) {
    for (const secret of [token, encodeURIComponent(token), 'another-one'])
      expect(text).not.toContain(secret)
  }
  expect(output.stdout).toContain('bearer token required')
  expect(file).toMatch(/"Bearer <[0-9a-f]{16}>"/)
  const entries = file.trimEnd().split('\n').length - 1
  const objectInfo = nodeTypesText()
  expect(replay(file, objectInfo)).toEqual({ entries, differs: null })
  const other = file.replace(/"token":"<.{16}>"/, '"token":"<0000000000000000>"')
  expect(replay(other, objectInfo).differs).toBe(0)
})

test('access/token-option A token that cannot stand in a header is rejected, and not repeated', async () => {
  for (const wrong of ['', 'two words', 'grün']) {
    await expect(startSubject({ token: wrong })).rejects.toThrow(
      /token cannot be that: bearer token/,
    )
  }
})
