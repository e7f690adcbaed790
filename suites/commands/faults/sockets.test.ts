// What faults do to whole sockets, over TLS and compressed, too: they close, are reset, fall silent, or break inside a frame.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { resetConnection } from '../../../dist/emulator/internal.js'
import { handshakeText, openPlain, openRaw } from '../../judge/broken.ts'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { listening } from '../../support/for-test.ts'
import { withFaults, watchInputs } from '../../support/faults.ts'
import { get } from 'node:https'
import { WebSocket } from 'ws'
import { startSubject } from '../../judge/subject.ts'

const inMidRun = { message: 'progress', data: { value: 3 } } as const

for (const [rule, then, code] of [
  ['faults/close', { close: 1011 }, 1011],
  ['faults/reset-socket', { reset: true }, 1006],
] as const) {
  proves(
    rule,
    async (subject) => {
      const socket = await openPlain(subject)
      await subject.submit(slow(1, 5), { client_id: 'me' })
      await subject.idle()
      expect(await socket.closed).toBe(code)
      expect(socket.of('progress').map(({ data }) => data['value'])).toEqual([1, 2])
      expect(await subject.history()).toHaveLength(1)
      const again = await openPlain(subject)
      await again.settled()
      expect(again.of('status')).toHaveLength(1)
      await again.close()
    },
    withFaults({ when: inMidRun, then }),
  )
}

/** A masked ping without a payload. */
const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0])

proves(
  'faults/silence',
  async (subject) => {
    const raw = openRaw(subject.url, handshakeText(subject, 'me'))
    await raw.until((received) => received.includes('"sid"'))
    raw.write(ping)
    await raw.until((received) => received.endsWith('\x8a\0'))
    await subject.submit(slow(1, 5), { client_id: 'me' })
    await subject.emulator!.untilMessage('progress', { value: 2 })
    await raw.until((received) => received.includes('"value": 2'))
    await subject.idle()
    raw.write(ping)
    raw.end()
    expect(await raw.ended).toBe('ended')
    const received = raw.received()
    expect(received).toContain('"value": 2, "max": 5, "prompt_id"')
    expect(received).not.toContain('"value": 3, "max": 5, "prompt_id"')
    expect(received).not.toContain('execution_success')
    expect(received.split('\x8a\0')).toHaveLength(2)
    expect(await subject.history()).toHaveLength(1)
  },
  withFaults({ when: inMidRun, then: { silence: true } }),
)

proves(
  'faults/cut',
  async (subject) => {
    const raw = openRaw(subject.url, handshakeText(subject, 'me'))
    await raw.until((received) => received.includes('"sid"'))
    await subject.submit(slow(1, 5), { client_id: 'me' })
    await subject.idle()
    expect(await raw.ended).toBe('reset')
    // Two bytes of the head of a text frame, and eight of its text.
    expect(raw.received().slice(-10)).toMatch(/^\x81.\{"type":$/s)
  },
  withFaults({ when: inMidRun, then: { cut: 10 } }),
)

proves(
  'faults/cut',
  async (subject) => {
    const socket = await openPlain(subject)
    await subject.submit(textToImage(1, 4), { client_id: 'me' })
    await subject.idle()
    expect(await socket.closed).toBe(1006)
    expect(socket.frames).toHaveLength(1)
  },
  { preview: 'png', ...withFaults({ when: { message: 'preview', nth: 2 }, then: { cut: 1e9 } }) },
)

proves(
  'faults/at-time',
  async (subject) => {
    const [one, other] = [await openPlain(subject, 'one'), await openPlain(subject, 'other')]
    await subject.emulator!.advance(499)
    await one.settled()
    await subject.emulator!.advance(1)
    expect(await one.closed).toBe(1001)
    await other.settled()
    await subject.emulator!.advance(500)
    expect(await other.closed).toBe(1006)
    const late = await openPlain(subject, 'one')
    await subject.emulator!.advance(10_000)
    await late.settled()
    expect(await late.close()).toBe(1000)
  },
  withFaults(
    { when: { atMs: 500, clientId: 'one' }, then: { close: 1001 } },
    { when: { atMs: 1000 }, then: { reset: true } },
  ),
)

test('faults/reset-socket A connection that begins to end while a reset waits is closed without one', async () => {
  const server = createServer({ allowHalfOpen: true })
  const { port } = await listening(server)
  connect(port, '127.0.0.1')
  const [raw] = (await once(server, 'connection')) as [Socket]
  const errors: Error[] = []
  raw.on('error', (error) => errors.push(error))
  const closed = resetConnection(raw)
  raw.end()
  await closed
  expect(errors).toEqual([])
})

test('a reset over TLS ends the connection below it', async () => {
  const { emulator, url, close } = await startSubject({
    tls: 'auto',
    ...withFaults(
      { when: { path: '/queue' }, then: { reset: true } },
      { when: { path: '/prompt' }, then: { reset: { afterBytes: 3 } } },
      { when: { socket: 'open' }, then: { reset: true } },
    ),
  })
  const ca = emulator!.ca ?? ''
  await expect(once(get(`${url}/queue`, { ca }), 'response')).rejects.toMatchObject({
    code: 'ECONNRESET',
  })
  // Since Node 24 the request reports the end of the connection as well, also after its response.
  const request = get(`${url}/prompt`, { ca })
  const [response] = await once(request, 'response')
  request.on('error', () => undefined)
  response.on('data', () => undefined)
  await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { ca })
  await expect(once(socket, 'open')).rejects.toMatchObject({ code: 'ECONNRESET' })
  await close()
})

const third = { message: 'progress', data: { value: 3 } } as const

for (const [name, then, code] of [
  ['closes', { close: 1011 }, 1011],
  ['is reset', { reset: true }, 1006],
  ['breaks inside a frame', { cut: 5 }, 1006],
] as const) {
  test(`a compressed socket ${name} after the messages before`, async () => {
    const subject = await startSubject({ wsCompress: true, ...withFaults({ when: third, then }) })
    const socket = await openPlain(subject)
    await subject.submit(slow(1, 5), { client_id: 'me' })
    await subject.idle()
    expect(await socket.closed).toBe(code)
    expect(socket.of('progress').map(({ data }) => data['value'])).toEqual([1, 2])
    await subject.close()
  })
}

test('a server closes while responses, handshakes and silent sockets wait', async () => {
  const inputs = watchInputs()
  const subject = await startSubject({
    onEntry: inputs.onEntry,
    ...withFaults(
      { when: { path: '/queue' }, then: { delayMs: 1000 } },
      { when: { path: '/prompt' }, then: { slow: { parts: 2, everyMs: 1000 } } },
      { when: { socket: 'open', clientId: 'late' }, then: { delayMs: 1000 } },
      { when: { socket: 'open', clientId: 'silent' }, then: { silence: true } },
    ),
  })
  const queueArrives = inputs.next('request')
  const waiting = subject.get('/queue')
  await queueArrives
  const promptArrives = inputs.next('request')
  const lost = expect(subject.get('/prompt')).rejects.toMatchObject({ code: 'ECONNRESET' })
  await promptArrives
  const arrives = inputs.next('open')
  const late = openRaw(subject.url, handshakeText(subject, 'late'))
  await arrives
  const silent = openRaw(subject.url, handshakeText(subject, 'silent'))
  await silent.until((received) => received.endsWith('\r\n\r\n'))
  await subject.emulator!.close()
  // What waits gets an answer; a response under way is cut off.
  expect((await waiting).status).toBe(503)
  await Promise.all([lost, late.ended, silent.ended])
})
