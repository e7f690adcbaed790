// The bearer token of a local server: which requests need it, and that it never appears in any output.

import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Entry, replay } from 'flowdouble'
import { WebSocket } from 'ws'
import { banner } from '../../../dist/emulator/internal.js'
import { errors } from '../../../spec/index.ts'
import { everyPath } from '../../generate/every-path.ts'
import { solid } from '../../generate/graphs.ts'
import { nodeTypesText } from '../../generate/node-types.ts'
import { proves, test } from '../../judge/proves.ts'
import { startSubject } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'
import { watchOn } from '../../support/watch.ts'
import { folder } from '../../support/folder.ts'

const token = 'tok+n/of=mine&only'
const bearer = { Authorization: `Bearer ${token}` }
const query = `token=${encodeURIComponent(token)}`
const ours = { token }
const withQuery = (path: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

proves(
  'access/bearer-token',
  async ({ url, connect }) => {
    for (const { method, path, body, status } of everyPath) {
      // Paths without an alias below /api are requested twice.
      const alias = path.startsWith('/internal/') ? path : `/api${path}`
      const ways = [
        await exchange(url, method, path, bearer, body),
        await exchange(url, method, alias, { Authorization: `bearer  ${token}` }, body),
        await exchange(url, method, withQuery(path), {}, body),
        await exchange(url, method, withQuery(path), { Authorization: 'Bearer other' }, body),
      ]
      expect([path, ...ways.map((reply) => reply.status)]).toEqual([
        path,
        ...ways.map(() => status),
      ])
    }
    const session = await connect(undefined, `/ws?clientId=me&${query}`)
    expect(session.messages()[0]?.data['sid']).toBe('me')
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, { headers: bearer })
    expect((await once(socket, 'message')).length).toBe(2)
    socket.close()
  },
  ours,
)

const refused = [
  401,
  'Bearer',
  'text/plain; charset=utf-8',
  errors.refusals.bearerMissing.body.text,
]

proves(
  'access/bearer-refusal',
  async ({ url, request }) => {
    const ask = async (method: string, path: string, headers = {}, body = '{"prompt": {}}') => {
      const { status, header, body: text } = await exchange(url, method, path, headers, body)
      return [status, header('www-authenticate'), header('content-type'), text]
    }
    const paths: [method: string, path: string][] = [
      ...everyPath.map(({ method, path }): [string, string] => [method, path]),
      ['GET', '/nowhere'],
      ['GET', '/../x'],
      ['DELETE', '/queue'],
      ['CONNECT', 'example.com:80'],
    ]
    for (const [method, path] of paths) {
      expect([path, ...(await ask(method, path))]).toEqual([path, ...refused])
    }
    const wrong = [
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer x${token}`,
      'Bearer ',
      `Basic ${token}`,
      token,
      `Bearer ${token}${token}`,
    ]
    for (const Authorization of wrong)
      expect([Authorization, ...(await ask('GET', '/queue', { Authorization }))]).toEqual([
        Authorization,
        ...refused,
      ])
    for (const path of [
      '/queue?token=',
      '/queue?token=x',
      `/queue?clientId=${token}`,
      `/token=${token}`,
    ])
      expect([path, ...(await ask('GET', path))]).toEqual([path, ...refused])
    // Nobody without access makes the server store a large body.
    expect(await ask('POST', '/prompt', {}, ' '.repeat(8 * 2 ** 20))).toEqual(refused)
    const head = {
      Connection: 'close, Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
    }
    const handshake = { ...head, 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    for (const path of ['/ws?clientId=me', '/api/ws', '/ws?token=x', '/nowhere'])
      expect(await ask('GET', path, handshake, '')).toEqual(refused)
    const { queue_pending } = (await request('GET', '/queue', undefined, bearer)).json()
    expect(queue_pending).toEqual([])
  },
  ours,
)

proves(
  'access/bearer-options',
  async ({ url }) => {
    for (const path of ['/prompt', '/nowhere', '/_flowdouble/journal']) {
      const { status, header } = await exchange(url, 'OPTIONS', path, {
        Origin: 'http://a.example',
      })
      expect({
        path,
        status,
        accessControlAllowOrigin: header('access-control-allow-origin'),
      }).toEqual({ path, status: 200, accessControlAllowOrigin: '*' })
    }
    const refusal = await exchange(url, 'GET', '/queue', { Origin: 'http://a.example' })
    expect({
      status: refusal.status,
      accessControlAllowOrigin: refusal.header('access-control-allow-origin'),
    }).toEqual({ status: 401, accessControlAllowOrigin: '*' })
  },
  { ...ours, cors: '*' },
)

const terminal = () => {
  const written = { text: '' }
  const write = (text: string) => (written.text += text)
  const stream = { isTTY: true, write }
  return { written, io: { stdout: stream, stderr: stream, env: {}, cwd: '/' } }
}

proves('access/bearer-hidden', async () => {
  const { written, io } = terminal()
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
  written.text += banner([emulator!], io)
  await session.close()
  await close()
  const file = await readFile(journal, 'utf8')
  const seen = [
    file,
    written.text,
    ...session.texts,
    ...replies.map((reply) => JSON.stringify(reply)),
  ]
  for (const text of seen) {
    for (const secret of [token, encodeURIComponent(token), 'another-one'])
      expect(text).not.toContain(secret)
  }
  expect(written.text).toContain('bearer token required')
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
