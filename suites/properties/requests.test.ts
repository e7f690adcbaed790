// What holds for every request and every message: it gets an answer of the spec, and the server continues.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { both } from '../../spec/language.ts'
import {
  someMessage,
  type RandomRequest,
  someRequestOn,
  statusesOn,
} from '../generate/random-requests.ts'
import { startSubject } from '../judge/subject.ts'
import { exchangeBytes } from '../judge/wire.ts'
import { runs } from '../support/effort.ts'

/** Statuses that any path may return: from the HTTP layer, the guards, and unknown paths. */
const general = [200, 400, 403, 404, 405, 413, 417, 500]
const allowed = new Set([...general, ...statusesOn('local')])

/** Sends a request on a separate connection, and returns the status of its answer and the rest of it. */
async function send(
  url: string,
  { method, target, headers, body }: RandomRequest,
): Promise<[status: number, rest: string]> {
  const all = { Host: new URL(url).host, Connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  const reply = await exchangeBytes(url, head, body)
  const rest = `${reply.lines.join('\n')}\n\n${reply.body}`
  // After `100 Continue` comes the answer itself.
  return [reply.status === 100 ? Number(reply.body.split(' ')[1]) : reply.status, rest]
}

test('requests/answered Every request gets a status of the spec, and the server continues.', async () => {
  const subject = await startSubject({ manager: true, clock: 'instant', maxUploadSize: 0.01 })
  const { url, get, emulator } = subject
  const seen = new Set<number>()
  try {
    const property = fc.asyncProperty(someRequestOn('local'), async (one) => {
      const [status] = await send(url, one)
      expect(allowed).toContain(status)
      seen.add(status)
    })
    await fc.assert(property, { seed: 20260107, numRuns: runs(500) })
    for (const status of [200, 400, 403, 404, 405, 500]) expect(seen).toContain(status)
    expect((await get('/prompt')).json().exec_info.queue_remaining).toBe(0)
    expect((await emulator?.journal())?.length).toBeGreaterThan(runs(250))
  } finally {
    await subject.close()
  }
})

test('requests/answered-on-hosted Hosted answers every request with a status of the spec, for all pages.', async () => {
  const options = { deployment: 'hosted', clock: 'instant', maxUploadSize: 0.01 } as const
  const subject = await startSubject(options)
  const known = new Set([...statusesOn('hosted'), 400, 404, 405])
  const seen = new Set<number>()
  try {
    const property = fc.asyncProperty(someRequestOn('hosted'), async (one) => {
      const [status, rest] = await send(subject.url, one)
      expect(known).toContain(status)
      expect(rest).toContain('Access-Control-Allow-Origin: *')
      expect(rest).not.toContain('got itself in trouble')
      seen.add(status)
    })
    await fc.assert(property, { seed: 20260109, numRuns: runs(500) })
    for (const status of [200, 400, 401, 403, 404, 405]) expect(seen).toContain(status)
    expect(seen).not.toContain(500)
    expect((await subject.get('/prompt')).json().exec_info.queue_remaining).toBe(0)
  } finally {
    await subject.close()
  }
})

/** A frame of a client, masked with zeros; its first byte holds opcode and FIN. */
const frameOf = (opcode: number, isLast: boolean, bytes: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from([
      (isLast ? 0x80 : 0) | opcode,
      0x80 | 126,
      bytes.length >> 8,
      bytes.length & 255,
      0,
      0,
      0,
      0,
    ]),
    bytes,
  ])

test.each(both)(
  'requests/messages on %s Whatever arrives on a socket, it closes with a code of the spec or stays open.',
  async (deployment) => {
    const subject = await startSubject({ deployment, clock: 'instant' })
    const { url, connect, get } = subject
    try {
      const witness = await connect('witness')
      const property = fc.asyncProperty(
        fc.array(fc.tuple(someMessage, fc.boolean()), { minLength: 1, maxLength: 5 }),
        async (messages) => {
          const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?clientId=me&token=test-key`)
          await once(socket, 'message')
          const raw = (socket as unknown as { _socket: Socket })._socket
          for (const [{ opcode, bytes }, isLast] of messages)
            raw.write(frameOf(opcode, isLast, bytes))
          // Our ping: when it is answered, everything before it has been read.
          raw.write(frameOf(8, true, Buffer.from([0x03, 0xe8])))
          const [code] = await once(socket, 'close')
          expect([1000, 1002, 1007, 1009]).toContain(code)
        },
      )
      await fc.assert(property, { seed: 20260108, numRuns: runs(100) })
      await witness.settled()
      expect(witness.messages()).toHaveLength(1)
      expect((await get('/prompt')).json().exec_info.queue_remaining).toBe(0)
    } finally {
      await subject.close()
    }
  },
)
