// The bearer token of any local server that has one: which requests need it, and where it counts.

import { errors } from '../../../spec/index.ts'
import { everyPath } from '../../generate/every-path.ts'
import { talking } from '../../generate/graphs.ts'
import { proves, testToken } from '../../judge/proves.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const bearer = { Authorization: `Bearer ${testToken}` }
const query = `token=${encodeURIComponent(testToken)}`
const ours = { token: testToken }
const withQuery = (path: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`
/** What only reads: it is answered the same however often it is asked. */
const gets = everyPath.filter(({ method }) => method === 'GET').map(({ path }) => path)

proves(
  'access/bearer-token',
  async ({ url, unique }) => {
    for (const path of gets) {
      // Paths without an alias below /api are requested twice.
      const alias = path.startsWith('/internal/') ? path : `/api${path}`
      const ways = [
        await exchange(url, 'GET', path, bearer),
        await exchange(url, 'GET', alias, { Authorization: `bearer  ${testToken}` }),
        await exchange(url, 'GET', withQuery(path)),
        await exchange(url, 'GET', withQuery(path), { Authorization: 'Bearer other' }),
      ]
      const [first, ...others] = ways.map(({ status }) => status)
      expect([path, first]).not.toEqual([path, 401])
      expect([path, ...others]).toEqual([path, first, first, first])
    }
    const body = JSON.stringify({ prompt: talking(unique('said')) })
    for (const [path, headers] of [
      ['/prompt', bearer],
      [withQuery('/prompt'), {}],
    ] as const)
      expect((await exchange(url, 'POST', path, headers, body)).status).toBe(200)
  },
  ours,
)

proves(
  'access/bearer-token',
  async ({ connect, unique, url }) => {
    const clientId = encodeURIComponent(unique('me'))
    for (const path of ['/ws', '/api/ws']) {
      const session = await connect(undefined, `${path}?clientId=${clientId}&${query}`)
      expect(session.messages()[0]?.data['sid']).toBe(unique('me'))
      await session.close()
      const status = (await exchange(url, 'GET', path, bearer)).status
      expect([path, status]).toEqual([path, 400])
    }
  },
  ours,
)

const handshake = {
  Connection: 'close, Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

const refused = [
  401,
  'Bearer',
  'text/plain; charset=utf-8',
  errors.refusals.bearerMissing.body.text,
]

proves(
  'access/bearer-refusal',
  async ({ url }) => {
    const ask = async (method: string, path: string, headers = {}, body = '') => {
      const { status, header, body: text } = await exchange(url, method, path, headers, body)
      return [status, header('www-authenticate'), header('content-type'), text]
    }
    // An operator who names no token may have a server without one.
    expect((await ask('GET', '/queue', bearer))[0]).toBe(200)
    const paths: [method: string, path: string][] = [
      ...gets.map((path): [string, string] => ['GET', path]),
      ['GET', '/nowhere'],
      ['GET', '/api/queue'],
      ['POST', '/prompt'],
      ['POST', '/queue'],
      ['POST', '/upload/image'],
      ['DELETE', '/queue'],
    ]
    for (const [method, path] of paths)
      expect([method, path, ...(await ask(method, path))]).toEqual([method, path, ...refused])
    const wrong = [
      `Bearer ${testToken}x`,
      `Bearer x${testToken}`,
      'Bearer ',
      `Basic ${testToken}`,
      testToken,
      `Bearer ${testToken}${testToken}`,
    ]
    for (const Authorization of wrong)
      expect([Authorization, ...(await ask('GET', '/queue', { Authorization }))]).toEqual([
        Authorization,
        ...refused,
      ])
    for (const path of ['/queue?token=', '/queue?token=x', `/queue?clientId=x&${query}x`])
      expect([path, ...(await ask('GET', path))]).toEqual([path, ...refused])
    for (const path of ['/ws?clientId=me', '/api/ws', '/ws?token=x'])
      expect([path, ...(await ask('GET', path, handshake))]).toEqual([path, ...refused])
  },
  ours,
)
