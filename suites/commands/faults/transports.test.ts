// Faults over TLS, on compressed sockets, and at a server that closes while they are at work.

import { once } from 'node:events'
import { get } from 'node:https'
import { WebSocket } from 'ws'
import { handshakeText, openPlain, openRaw } from '../../judge/broken.ts'
import { slow } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { startSubject } from '../../judge/subject.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'

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
