// What faults do to whole sockets: they close, are reset, fall silent, or break inside a frame.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { resetConnection } from '../../../dist/emulator/internal.js'
import { handshakeText, openPlain, openRaw } from '../../judge/broken.ts'
import { slow, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { listening } from '../../support/for-test.ts'
import { withFaults } from '../../support/faults.ts'

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
