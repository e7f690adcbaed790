// What a client may send on a socket, and which handshakes open none.

import { once } from 'node:events'
import { limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { openSocket } from '../../judge/edges.ts'
import { expect } from '../../judge/expect.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'
import { isOf, submitOne } from '../../judge/hosted/jobs.ts'
import { me, occupy } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { dial, exchange, exchangeAll } from '../../judge/wire.ts'
import { typesOf } from '../../support/transcript.ts'
import { listedIds } from '../../judge/responses.ts'

const local = { deployment: 'local' } as const
const hosted = { deployment: 'hosted' } as const
const isFlags = ({ type }: { readonly type: string }): boolean => type === 'feature_flags'

const flags = JSON.stringify({
  type: 'feature_flags',
  data: { supports_preview_metadata: true, of_ours: 1 },
})

proves(
  'messages/feature-flags',
  async ({ connect, get, unique, isOwn }) => {
    const served = (await get('/features')).json()
    expect(served).toMatchObject({
      supports_preview_metadata: isOwn ? true : expect.any(Boolean),
      max_upload_size: isOwn ? limits.body.value : expect.any(Number),
    })
    const [session, other] = [await connect(unique('me')), await connect(unique('other'))]
    session.send(flags)
    expect((await session.next(isFlags)).data).toEqual(served)
    for (const text of ['no JSON', '["feature_flags"]', '7', 'null']) other.send(text)
    other.send(new Uint8Array([1, 2, 3]))
    other.send('{"type": "feature_flags"}')
    await other.next(isFlags)
    const own = other.received.filter((one) => !('type' in one) || one.type !== 'status')
    expect(own).toEqual([{ type: 'feature_flags', data: served }])
  },
  local,
)

proves(
  'messages/client-messages',
  async (subject) => {
    const session = await me(subject)
    // The first message counts, and only the first.
    session.send(flags)
    await session.next(isFlags)
    const silent = await subject.connect(subject.unique('silent'))
    const held = await occupy(subject, session)
    await session.settled()
    const before = session.received.length
    const sent = ['{"type": "interrupt"}', '{"type": "status", "data": {}}', flags, flags, '{}', '']
    for (const text of sent) session.send(text)
    session.send(new Uint8Array(100))
    silent.send('{"type": "hello"}')
    for (const _ of [1, 2]) silent.send(flags)
    await Promise.all([session.settled(), silent.settled()])
    if (subject.isOwn) expect(session.received).toHaveLength(before)
    expect(typesOf(silent.messages())).not.toContain('feature_flags')
    expect((await listedIds(subject)).running).toContain(held.prompt_id)
    const types = typesOf(session.messages().slice(before))
    for (const type of ['feature_flags', 'execution_interrupted', 'execution_error'])
      expect(types).not.toContain(type)
    await held.stop()
    const { entry } = await subject.run(session, talking(subject.unique('after')))
    expect(entry.status.status_str).toBe('success')
  },
  local,
)

proves(
  ['messages/feature-flags', 'messages/client-messages'],
  async (subject) => {
    const session = await subject.connect()
    session.send(flags)
    const answer = await session.next(isFlags)
    expect(answer.data).toMatchObject({ supports_preview_metadata: true })
    const prompt_id = await submitOne(subject, await subject.workloads.slow())
    await subject.reach(session, isAtWork(prompt_id))
    await session.settled()
    const before = session.received.length
    for (const text of [flags, '{"type": "interrupt"}', 'no JSON', '7', '']) session.send(text)
    session.send(new Uint8Array(100))
    await session.settled()
    if (subject.isOwn) expect(session.received).toHaveLength(before)
    expect(session.messages().filter(isFlags)).toEqual([answer])
    await subject.reach(session, isOf('execution_success', prompt_id))
  },
  hosted,
)

proves('messages/pings-and-closes', async (subject) => {
  const { url, submit, idle, isOwn } = subject
  for (const code of [1000, 1001, 3000, 4999, undefined]) {
    const socket = openSocket(url, isOwn ? '/ws?clientId=me' : '/ws')
    const pings: string[] = []
    socket.on('ping', (data: Buffer) => pings.push(data.toString()))
    await once(socket, 'message')
    socket.ping('are you there')
    const [pong] = await once(socket, 'pong')
    expect((pong as Buffer).toString()).toBe('are you there')
    if (isOwn) {
      await submit(talking(), { client_id: 'me' })
      await idle()
      await subject.emulator?.advance(3_600_000)
    }
    if (code === undefined) socket.close()
    else socket.close(code, 'bye')
    const [answered] = await once(socket, 'close')
    expect({ code, answered }).toEqual({ code, answered: 1000 })
    if (isOwn) expect(pings).toEqual([])
  }
})

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
  local,
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
  local,
)

proves(
  'messages/no-handshake',
  async ({ url, raw }) => {
    const plain = await raw('GET', '/ws?token=test-key')
    expect({ status: plain.status, code: plain.json().code }).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    })
    for (const headers of [
      { 'Sec-WebSocket-Version': '12', 'Sec-WebSocket-Key': key },
      { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'abc' },
    ]) {
      const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', ...headers }
      const { status, body } = await exchange(url, 'GET', '/ws?token=test-key', upgrade)
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
    }
  },
  hosted,
)
