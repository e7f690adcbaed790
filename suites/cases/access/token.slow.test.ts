// The bearer token of a local server that has one: which requests need it, and where it counts.

import { once } from 'node:events'
import { errors } from '../../../spec/index.ts'
import { everyPath } from '../../generate/every-path.ts'
import { talking } from '../../generate/graphs.ts'
import { openSocket } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { proves, testToken } from '../../judge/proves.ts'
import { wireExchanges, type WireRow } from '../../judge/rows.ts'
import { exchange } from '../../judge/wire.ts'

const bearer = { Authorization: `Bearer ${testToken}` }
const query = `token=${encodeURIComponent(testToken)}`
const ours = { token: testToken }
const withQuery = (path: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`
/** What only reads: it is answered the same however often it is asked. */
const gets = everyPath.filter(({ method }) => method === 'GET')

proves(
  'access/bearer-token',
  async ({ url, unique, connect, isOwn }) => {
    // In a world of the suites the other requests are answered the same too.
    for (const { method, path, body, status } of isOwn ? everyPath : gets) {
      // Paths without an alias below /api are requested twice.
      const alias = path.startsWith('/internal/') ? path : `/api${path}`
      const ways = [
        await exchange(url, method, path, bearer, body),
        await exchange(url, method, alias, { Authorization: `bearer  ${testToken}` }, body),
        await exchange(url, method, withQuery(path), {}, body),
        await exchange(url, method, withQuery(path), { Authorization: 'Bearer other' }, body),
      ]
      const statuses = ways.map((reply) => reply.status)
      const [first] = statuses
      expect({ path, first }).not.toEqual({ path, first: 401 })
      const expected = isOwn ? status : first
      expect({ path, statuses }).toEqual({ path, statuses: ways.map(() => expected) })
    }
    const body = JSON.stringify({ prompt: talking(unique('said')) })
    await wireExchanges(url, [
      ['POST', '/prompt', { status: 200 }, bearer, body],
      ['POST', withQuery('/prompt'), { status: 200 }, {}, body],
      ['GET', '/ws', { status: 400 }, bearer],
      ['GET', '/api/ws', { status: 400 }, bearer],
    ])
    const clientId = encodeURIComponent(unique('me'))
    for (const path of ['/ws', '/api/ws']) {
      const session = await connect(undefined, `${path}?clientId=${clientId}&${query}`)
      expect(session.messages()[0]?.data['sid']).toBe(unique('me'))
      await session.close()
    }
    if (!isOwn) return
    const socket = openSocket(url, '/api/ws', { headers: bearer })
    expect((await once(socket, 'message')).length).toBe(2)
    socket.close()
  },
  ours,
)

const handshake = {
  Connection: 'close, Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

const refused = {
  status: 401,
  'www-authenticate': 'Bearer',
  'content-type': 'text/plain; charset=utf-8',
  body: errors.refusals.bearerMissing.body.text,
}

proves(
  'access/bearer-refusal',
  async ({ url, isOwn, request }) => {
    // An operator who names no token may have a server without one.
    await wireExchanges(url, [['GET', '/queue', { status: 200 }, bearer]])
    const wrong = [
      `Bearer ${testToken}x`,
      `Bearer ${testToken.slice(1)}`,
      `Bearer ${testToken.toUpperCase()}`,
      `Bearer x${testToken}`,
      'Bearer ',
      `Basic ${testToken}`,
      testToken,
      `Bearer ${testToken}${testToken}`,
    ]
    const queries = ['token=', 'token=x', `clientId=x&${query}x`, `clientId=${testToken}`]
    await wireExchanges(url, [
      ...gets.map(({ path }): WireRow => ['GET', path, refused]),
      ['GET', '/nowhere', refused],
      ['GET', '/api/queue', refused],
      ['POST', '/prompt', refused],
      ['POST', '/queue', refused],
      ['POST', '/upload/image', refused],
      ['DELETE', '/queue', refused],
      ...wrong.map((Authorization): WireRow => ['GET', '/queue', refused, { Authorization }]),
      ...queries.map((one): WireRow => ['GET', `/queue?${one}`, refused]),
      ['GET', '/ws?clientId=me', refused, handshake],
      ['GET', '/api/ws', refused, handshake],
      ['GET', '/ws?token=x', refused, handshake],
    ])
    if (!isOwn) return
    await wireExchanges(url, [
      ...everyPath.map(({ method, path }): WireRow => [
        method,
        path,
        refused,
        {},
        '{"prompt": {}}',
      ]),
      ['GET', '/../x', refused],
      ['CONNECT', 'example.com:80', refused],
      ['GET', `/token=${testToken}`, refused],
      ['GET', '/nowhere', refused, handshake],
      // Nobody without access makes the server store a large body.
      ['POST', '/prompt', refused, {}, ' '.repeat(8 * 2 ** 20)],
    ])
    const { queue_pending } = (await request('GET', '/queue', undefined, bearer)).json()
    expect(queue_pending).toEqual([])
  },
  ours,
)
