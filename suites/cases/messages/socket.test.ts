// The socket itself: its handshake, its id, and what a client may send on it.

import { once } from 'node:events'
import { limits } from '../../../spec/index.ts'
import { slow, talking } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { dial, exchange, exchangeAll } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const flags = JSON.stringify({
  type: 'feature_flags',
  data: { supports_preview_metadata: true, of_ours: 1 },
})

proves(
  'messages/feature-flags',
  async ({ connect, get }) => {
    const served = (await get('/features')).json()
    expect(served).toMatchObject({
      supports_preview_metadata: true,
      max_upload_size: limits.body.value,
    })
    const [session, other] = [await connect('me'), await connect('other')]
    session.send(flags)
    const answer = await session.next(({ type }) => type === 'feature_flags')
    expect(answer.data).toEqual(served)
    for (const text of ['no JSON', '["feature_flags"]', '7', 'null']) other.send(text)
    other.send(new Uint8Array([1, 2, 3]))
    other.send('{"type": "feature_flags"}')
    await other.settled()
    expect(other.received.slice(1)).toEqual([{ type: 'feature_flags', data: served }])
  },
  ownWorld,
)

proves(
  'messages/client-messages',
  async ({ connect, run, submit, reach, get }) => {
    const session = await connect('me')
    await submit(slow(), { client_id: 'me' })
    await reach(session, ({ type }) => type === 'progress')
    const before = session.received.length
    const queue = (await get('/queue')).text
    const said = ['{"type": "interrupt"}', '{"type": "status", "data": {}}', flags, flags, '{}', '']
    for (const text of said) session.send(text)
    session.send(new Uint8Array(100))
    await session.settled()
    expect(session.received).toHaveLength(before)
    expect((await get('/queue')).text).toBe(queue)
    const { entry } = await run(session, talking())
    expect(entry.status.status_str).toBe('success')
    expect(session.messages().some(({ type }) => type === 'execution_interrupted')).toBe(false)
  },
  ownWorld,
)

const key = 'AAAAAAAAAAAAAAAAAAAAAA=='
const whole = { Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': key }

proves('messages/handshake-connection', async ({ url }) => {
  const kept = await exchange(url, 'GET', '/ws', { ...whole, Connection: 'close' })
  expect(kept).toMatchObject({ status: 400, body: 'No CONNECTION upgrade hdr: close' })
})

proves(
  'messages/refused-handshake',
  async ({ url }) => {
    const version = 'Sec-WebSocket-Version: 12\r\n'
    const handshake = `GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${version}\r\n`
    const last = 'GET /prompt HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'
    const answers = await exchangeAll(url, handshake + handshake + last)
    expect(answers.map(({ status, header }) => [status, header('connection')])).toEqual([
      [400, undefined],
      [400, undefined],
      [200, 'close'],
    ])
    const closing = handshake.replace('Upgrade\r\n', 'Upgrade, close\r\n')
    expect(await exchangeAll(url, closing)).toHaveLength(1)
  },
  { deployment: 'local' },
)

proves(
  'messages/no-handshake',
  async ({ url, get }) => {
    for (const path of ['/ws', '/api/ws', '/ws?clientId=me']) {
      const reply = await get(path)
      expect(reply).toMatchObject({
        status: 400,
        text: 'No WebSocket UPGRADE hdr: None\n Can "Upgrade" only to "WebSocket".',
      })
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
    }
    const refusals = [
      [{ 'Sec-WebSocket-Version': '12', 'Sec-WebSocket-Key': key }, 'Unsupported version: 12'],
      [{ 'Sec-WebSocket-Key': key }, 'Unsupported version: '],
      [{ 'Sec-WebSocket-Version': '13' }, 'Handshake error: None'],
      [{ 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'abc' }, "Handshake error: 'abc'"],
    ] as const
    for (const [headers, text] of refusals) {
      const upgrade = { Connection: 'Upgrade, close', Upgrade: 'websocket', ...headers }
      const { status, body } = await exchange(url, 'GET', '/ws', upgrade)
      expect({ status, body }).toEqual({ status: 400, body: text })
    }
    for (const version of ['13', '8', '7']) {
      const headers = { ...whole, 'Sec-WebSocket-Version': version, Connection: 'Upgrade' }
      const socket = dial(url)
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`GET /ws HTTP/1.1\r\nHost: here\r\n${lines.join('')}\r\n`)
      const [first] = await once(socket, 'data')
      expect(String(first).slice(0, 12)).toBe('HTTP/1.1 101')
      socket.destroy()
    }
  },
  { deployment: 'local' },
)
