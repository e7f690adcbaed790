// Faults that can have no effect are rejected, with a sentence that says what to do; and what the log says of faults.

import { createRecordReader } from '../../../dist/emulator/internal.js'
import { type Entry, startEmulator } from 'flowdouble'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { startSubject } from '../../judge/subject.ts'
import { withFaults } from '../../support/faults.ts'
import { sourceOn } from '../../support/watch.ts'

/** Faults as somebody writes them, and what the error says of them. */
const wrong: readonly (readonly [Fault['when'], Fault['then'], says: RegExp])[] = [
  [{ path: '/queue' }, { cut: 5 }, /\.then\.cut needs message in when: .* watches requests/],
  [{}, { close: 1011 }, /\.then\.close needs socket: open or atMs or message in when/],
  [{ message: 'progress' }, { truncate: 5 }, /\.then\.truncate needs path or method in when/],
  [{ message: 'status' }, { refuse: 503 }, /needs socket: open in when: .* watches messages/],
  [{ socket: 'open' }, { status: 503 }, /needs path or method in when: .* watches handshakes/],
  [{ atMs: 5 }, { skip: true }, /needs message in when: .* watches the time/],
  [{ message: 'status', path: '/x' }, { skip: true }, /has message and path: use a separate fault/],
  [{ socket: 'open', atMs: 5 }, { reset: true }, /has socket and atMs: use a separate fault/],
  [{ node: '3' }, { skip: true }, /\.when needs message beside data and node/],
  [{ clientId: 'me' }, { status: 500 }, /\.when\.clientId belongs to sockets: add message, socket/],
  [{ atMs: 5, nth: 2 }, { restart: true }, /\.when\.nth must be removed: .* applies once/],
  [{}, {}, /\.then is empty: add one of status, headers/],
  [{}, { reset: true, slow: { parts: 2, everyMs: 1 } }, /has reset and slow: use only one/],
  [{}, { headers: { a: 'b' } }, /\.then\.headers needs status beside it/],
  [{}, { status: 500, exit: 1 }, /\.then\.status cannot stand beside exit/],
  [
    { atMs: 5 },
    { exit: 1, restart: true },
    /has exit and restart: use only one|has restart and exit: use only one/,
  ],
  [{}, { exit: 256 }, /\.then\.exit must be a whole number from 0 to 255/],
  [{}, { restart: { downMs: -1 } }, /\.then\.restart\.downMs must be a number from 0/],
  [{}, { status: 500, restart: true }, /\.then\.status cannot stand beside restart/],
  [{}, { status: 500, headers: { Date: 'x' } }, /\.headers\.Date is set by the server/],
  [{}, { status: 500, headers: { a: 'b\n' } }, /\.headers\.a must be the name of a header/],
  [
    {},
    { status: 200 },
    /\.then\.status must be one of 301, .* 308 or a whole number from 400 to 599/,
  ],
  [{}, { status: 503, location: '/x' }, /\.then\.location needs a redirect beside it: status 301/],
  [{}, { location: '/x' }, /\.then\.location needs a redirect beside it/],
  [{}, { status: 302, location: '/a b' }, /\.then\.location must be a path or a URL/],
  [{}, { status: 302, location: '' }, /\.then\.location must be a path or a URL/],
  [{ path: 'queue' }, { status: 500 }, /\.when\.path /],
  [{ socket: 'open' }, { close: 1006 }, /\.then\.close must be .*; reset shows clients 1006/],
  [{ socket: 'open' }, { reset: { afterBytes: 1 } }, /afterBytes needs path or method/],
  [{ message: '*' }, { reset: { afterBytes: 1 } }, /afterBytes needs .*use reset: true, or cut/],
  [{ message: '*' }, { skip: true, alter: {} }, /has skip and alter: no message is left to change/],
  [{ message: '*' }, { swap: true, delayMs: 1 }, /\.then\.swap cannot stand beside delayMs/],
  [{ message: 'progress' }, { short: 1 }, /\.then\.short needs message: preview in when/],
  [{ message: 'progres' }, { skip: true }, /\.when\.message is not a type .* mean progress\?/],
  [{ message: 'x' }, { skip: true }, /\.when\.message is not a type .* types are status, /],
  [{ message: 'preview' }, { malformed: true }, /\.then\.malformed cannot break a preview/],
  [{ message: '*' }, { skip: true, malformed: true }, /has skip and malformed: no message is left/],
  [
    { socket: 'open' },
    { silence: { forMs: 5 } },
    /\.silence\.forMs needs message or atMs .*delayMs/,
  ],
  [{ message: 'preview' }, { alter: {} }, /\.then\.alter cannot change a preview/],
]

test('each combination of when and then without an effect is rejected with what to do', async () => {
  for (const [when, then, says] of wrong) {
    const options = withFaults({ when, then })
    const label = JSON.stringify({ when, then })
    await expect(startEmulator(options), label).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(says),
    })
  }
})

test('a fault that is added to a running server is checked in the same way', async () => {
  const { emulator, close } = await startSubject()
  expect(() => emulator!.fault({ when: {}, then: { cut: 5 } })).toThrow(
    /^In the fault, then\.cut needs message in when/,
  )
  expect(() => emulator!.fault({ when: {}, then: { staus: 5 } } as never)).toThrow(
    /did you mean status\?/,
  )
  await close()
})

test('the log names faults that apply, and reports a delayed response when it is sent', async () => {
  const records: ReturnType<ReturnType<typeof createRecordReader>>[number][] = []
  const read = createRecordReader(sourceOn(undefined))
  const onEntry = (entry: Entry): void => void records.push(...read(entry))
  const { get, submit, close } = await startSubject({
    clock: 'instant',
    onEntry,
    ...withFaults(
      { id: 'late', when: { path: '/queue' }, then: { delayMs: 50 } },
      { id: 'odd', when: { path: '/prompt' }, then: { status: 400, body: '{no JSON' } },
    ),
  })
  await get('/queue')
  await submit({})
  await close()
  expect(records).toMatchObject([
    { event: 'warning', text: 'the fault "late" applies', atMs: 0 },
    { event: 'request', target: '/queue', status: 200, atMs: 50 },
    { event: 'warning', text: 'the fault "odd" applies' },
    { event: 'request', target: '/prompt', status: 400 },
  ])
})
