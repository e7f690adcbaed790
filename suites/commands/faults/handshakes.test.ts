// What faults do to the handshakes of sockets.

import { WebSocket } from 'ws'
import { handshakeText, openPlain, openRaw, socketPath } from '../../judge/broken.ts'
import { solid } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { watchInputs, withFaults } from '../../support/faults.ts'

/** The status with which a handshake is rejected, and its header Retry-After. */
function refusal(subject: Subject): Promise<{ status: number; after: string | undefined }> {
  const socket = new WebSocket(subject.url.replace(/^http/, 'ws') + socketPath(subject, 'me'))
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_, response) => {
      resolve({ status: response.statusCode ?? 0, after: response.headers['retry-after'] })
      response.destroy()
    })
    socket.on('open', () => reject(new Error('The handshake succeeded.')))
    socket.on('error', reject)
  })
}

const opens = { socket: 'open' } as const

proves(
  'faults/refuse',
  async (subject) => {
    expect(await refusal(subject)).toEqual({ status: 503, after: '5' })
    expect(await (await openPlain(subject)).close()).toBe(1000)
  },
  withFaults({ when: opens, then: { refuse: 503, retryAfter: 5 }, times: 1 }),
)

proves(
  'faults/handshake-close',
  async (subject) => {
    const socket = await openPlain(subject)
    expect(await socket.closed).toBe(1013)
    expect(socket.messages).toEqual([])
    const { messages, close } = await openPlain(subject, 'other')
    await close()
    expect(messages.map(({ type }) => type)).toEqual(['status'])
  },
  withFaults({ when: { ...opens, clientId: 'me' }, then: { close: 1013 } }),
)

proves(
  'faults/handshake-reset',
  async (subject) => {
    const raw = openRaw(subject.url, handshakeText(subject, 'me'))
    expect({ ended: await raw.ended, received: raw.received() }).toEqual({
      ended: 'reset',
      received: '',
    })
    await (await openPlain(subject)).close()
  },
  withFaults({ when: { ...opens, nth: 1 }, then: { reset: true } }),
)

const inputs = watchInputs()

proves(
  'faults/handshake-delay',
  async (subject) => {
    const { emulator, submit, idle } = subject
    const arrives = inputs.next('open')
    const opening = openPlain(subject)
    await arrives
    await submit(solid(), { client_id: 'me' })
    await idle()
    const { messages, settled, close } = await opening
    await settled()
    await close()
    // The run was over before: its messages had no socket.
    expect(messages.map(({ type }) => type)).toEqual(['status'])
    expect((await subject.get('/queue')).headers['date']).toBe(
      new Date((emulator!.options.epoch as number) + 60_000).toUTCString(),
    )
  },
  { onEntry: inputs.onEntry, ...withFaults({ when: opens, then: { delayMs: 60_000 } }) },
)

proves(
  'faults/silence',
  async (subject) => {
    const raw = openRaw(subject.url, handshakeText(subject, 'me'))
    await raw.until((received) => received.endsWith('\r\n\r\n'))
    await subject.submit(solid(), { client_id: 'me' })
    await subject.idle()
    raw.end()
    expect(await raw.ended).toBe('ended')
    expect(raw.received()).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\n$/s)
  },
  withFaults({ when: opens, then: { silence: true } }),
)
