// The command `record --scenario`: sockets in front of a real server meet the faults that they meet in a world, and the recording
// has what the server said.

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { test } from 'vitest'
import { WebSocket } from 'ws'
import { learnCommand, type RecordedMessage } from '../../../dist/emulator/internal.js'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { newFiles } from '../../support/files.ts'
import { asked, faulty, quietWorld } from '../../support/recordings/faulty.ts'
import { replayOf } from '../../support/recordings/replayed.ts'
import { startEcho } from '../../support/servers/echo-server.ts'

/** What a client receives on its socket during a run, in few letters; and how the socket ends. */
async function seen(url: string, withMetadata: boolean): Promise<readonly string[]> {
  const got: string[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me`)
  const ended = new Promise<void>((resolve) => {
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      got.push(`closed ${code}`)
      resolve()
    })
    socket.on('message', (data: Buffer, isBinary) => {
      // Previews differ in their bytes from version to version of the encoder, not in their length here.
      got.push(isBinary ? `frame ${data.length}` : data.toString())
      if (!isBinary && /"execution_success"|"execution_error"/.test(data.toString())) resolve()
    })
  })
  await once(socket, 'open')
  if (withMetadata)
    socket.send('{"type": "feature_flags", "data": {"supports_preview_metadata": true}}')
  const body = JSON.stringify({ prompt: textToImage(1, 6), client_id: 'me', prompt_id: 'one' })
  await (await fetch(`${url}/prompt`, { method: 'POST', body })).text()
  await ended
  socket.terminate()
  // Whether the last messages came before the client had enough does not matter.
  const end = got.findIndex((one) => one.includes('"execution_success"'))
  return end < 0 ? got : got.slice(0, end + 1)
}

const messageFaults: Readonly<Record<string, readonly Fault[]>> = {
  skip: [{ when: { message: 'progress', nth: [1, 3] }, then: { skip: true } }],
  'skip by data': [{ when: { message: 'progress', data: { value: 2 } }, then: { skip: true } }],
  repeat: [{ when: { message: 'executed' }, then: { repeat: 2 } }],
  swap: [{ when: { message: 'progress', nth: 2 }, then: { swap: true } }],
  alter: [
    {
      when: { message: 'progress', node: '3' },
      then: { alter: { value: 1.5, max: null, a: [1] } },
    },
  ],
  insert: [
    {
      when: { message: 'progress', nth: 1 },
      then: { insert: { type: 'unknown', data: { a: 1 } } },
    },
  ],
  short: [{ when: { message: 'preview', data: { value: 3 } }, then: { short: 9 } }],
  'previews of a node': [{ when: { message: 'preview', node: '3' }, then: { skip: true } }],
  cut: [{ when: { message: 'progress', nth: 4 }, then: { cut: 7 } }],
  reset: [{ when: { message: 'executing', nth: 3 }, then: { reset: true } }],
  close: [{ when: { message: 'executing', nth: 2 }, then: { close: 1011 } }],
  'half of all': [{ when: { message: 'progress', probability: 0.5 }, then: { skip: true } }],
  'of another client': [{ when: { message: '*', clientId: 'other' }, then: { skip: true } }],
  'a handshake that closes': [{ when: { socket: 'open' }, then: { close: 1013 } }],
}

for (const [name, faults] of Object.entries(messageFaults))
  for (const withMetadata of name.includes('preview') || name === 'short' ? [false, true] : [false])
    test(`record/faults-messages ${name}: a client receives what it receives in a world${withMetadata ? ', with metadata' : ''}`, async () => {
      const expected = await seen((await quietWorld(faults)).url, withMetadata)
      const server = await quietWorld()
      let got: readonly string[] = []
      const session = async (url: string): Promise<void> =>
        void (got = await seen(url, withMetadata))
      await faulty(server.url, faults, session, '--seed', '7')
      expect(got).toEqual(expected)
    })

test('record/faults-delay Delayed messages keep their order, and others overtake them', async () => {
  const server = await startEcho()
  const faults: readonly Fault[] = [{ when: { message: 'status' }, then: { delayMs: 20 } }]
  const message = (type: string, at: number): string => JSON.stringify({ type, data: { at } })
  const got: string[] = []
  const result = await faulty(server.url, faults, async (url) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
    const all = new Promise<void>((resolve) =>
      socket.on('message', (data: Buffer) => {
        if (got.push(data.toString()) === 4) resolve()
      }),
    )
    await once(socket, 'open')
    for (const type of ['status', 'status', 'progress']) socket.send(message(type, got.length))
    socket.send('no message')
    await all
    socket.close()
    await once(socket, 'close')
  })
  const types = got.map((one) => (one.startsWith('{') ? JSON.parse(one).type : one))
  expect(types).toEqual(['progress', 'no message', 'status', 'status'])
  const { messages } = result.recording().sockets[0]!
  const marks = (from: RecordedMessage['from']) =>
    messages.filter((one) => one.from === from).map(({ fault }) => fault?.ids)
  expect(marks('server')).toEqual([['fault 1'], ['fault 1'], undefined, undefined])
  expect(marks('client')).toEqual([undefined, undefined, undefined, undefined])
})

test('record/faults-silence A silent socket stays connected, and the server sees its client leave', async () => {
  let leave: (code: number) => void = () => undefined
  const left = new Promise<number>((resolve) => (leave = resolve))
  const server = await startEcho({ connect: (socket) => socket.on('close', leave) })
  const faults: readonly Fault[] = [{ when: { message: 'progress' }, then: { silence: true } }]
  const result = await faulty(server.url, faults, async (url) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
    const got: string[] = []
    socket.on('message', (data: Buffer) => got.push(data.toString()))
    await once(socket, 'open')
    socket.send('{"type": "status", "data": {}}')
    await once(socket, 'message')
    socket.send('{"type": "progress", "data": {}}')
    expect(await left).toBe(1006)
    expect([got.length, socket.readyState]).toEqual([1, WebSocket.OPEN])
    socket.terminate()
  })
  expect(result.recording().sockets[0]?.close).toMatchObject({ by: 'client', fault: 'silence' })
})

test('record/faults-handshake A refused or reset handshake does not reach the server', async () => {
  let opened = 0
  const server = await startEcho({ connect: () => opened++ })
  const faults: readonly Fault[] = [
    { when: { socket: 'open', nth: 1 }, then: { refuse: 503, retryAfter: 2 } },
    { when: { socket: 'open', nth: 2 }, then: { reset: true } },
    { when: { socket: 'open', nth: 3 }, then: { delayMs: 1 } },
  ]
  const result = await faulty(server.url, faults, async (url) => {
    const open = (): WebSocket => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
      socket.on('error', () => undefined)
      return socket
    }
    const refused = open()
    const [, response] = (await once(refused, 'unexpected-response')) as [never, IncomingMessage]
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '2'])
    response.resume()
    expect(await new Promise((closed) => open().on('close', closed))).toBe(1006)
    const late = open()
    await once(late, 'open')
    late.terminate()
  })
  expect(opened).toBe(1)
  const { exchanges, sockets } = result.recording()
  const shown = exchanges.map(({ response, fault }) => [response?.status, fault?.answers])
  expect(shown).toEqual([
    [503, true],
    [undefined, true],
  ])
  expect(sockets.length).toBe(1)
})

test('record/faults-of-no-server Neither replay, learn nor check --trace takes a fault for the behaviour of the server', async () => {
  const faults: readonly Fault[] = [
    { when: { path: '/queue', nth: 1 }, then: { status: 418 } },
    { when: { message: 'progress', nth: 1 }, then: { alter: { value: 'wrong' } } },
    { when: { message: 'execution_success' }, then: { repeat: 3 } },
  ]
  const server = await quietWorld()
  const result = await faulty(server.url, faults, async (url) => {
    expect(await asked(`${url}/queue`)).toMatch(/^418/)
    expect(await asked(`${url}/queue`)).toMatch(/^200/)
    expect((await seen(url, false)).join('\n')).toContain('"value": "wrong"')
  })
  expect(result.text()).not.toContain('"wrong')
  const replay = await replayOf(result.recording())
  expect((await fetch(`${replay.url}/queue`)).status).toBe(200)
  const files = newFiles({ 'a.har': result.text() })
  await files.run(learnCommand, 'a.har', '--out', 'learned.yaml')
  expect(files.read('learned.yaml')).not.toMatch(/faults:|418/)
  const { code, stdout, stderr } = await files.check('--trace', 'a.har')
  expect({ code, stdout: stdout + stderr }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'a.har has 3 played faults: 1 answer of faults not judged, everything else as the server sent it.',
    ),
  })
})
