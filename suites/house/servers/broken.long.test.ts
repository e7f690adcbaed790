// Servers with one fault each, as operators meet them: check names the rule that is broken, and one fault is few failures.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { withCauses } from '../../check/reports/causes.ts'
import type { CheckEvent } from '../../check/events.ts'
import { expect } from '../../judge/expect.ts'
import {
  delayed,
  dropped,
  type Maker,
  onData,
  onEntry,
  onReply,
  onSubmit,
  without,
} from '../../mutants/tamper.ts'
import { start } from '../../support/spawned.ts'

/** So many failures at most have one cause. */
const MAX_FAILS = 3

const renamedQueue = onReply(/^GET \/queue/, ({ body }) =>
  typeof body === 'string' ? { body: body.replace('queue_running', 'running') } : {},
)

/** Each fault, with the rules of which one names it. */
const faults: readonly (readonly [fault: string, named: RegExp, tamper: Maker])[] = [
  [
    'refusals have another status',
    /^workflows\/invalid-is-400/,
    onReply(/^POST \/prompt/, ({ status }) => (status === 400 ? { status: 422 } : {})),
  ],
  ['submits lack number', /^workflows\/submit-queues/, onSubmit((one) => without(one, 'number'))],
  [
    'success comes late',
    /^messages\/(order|executing-null-last)/,
    delayed('execution_success', 'executing'),
  ],
  ['nodes are announced late', /^messages\/order/, delayed('executing', 'progress_state')],
  ['executed is missing', /^messages\/(executed|order)/, dropped('executed')],
  [
    'the queue counts one too many',
    /^messages\/status/,
    onData('status', ({ sid, status: { exec_info } }) => ({
      status: { exec_info: { queue_remaining: exec_info.queue_remaining + 1 } },
      ...(sid !== undefined && { sid }),
    })),
  ],
  ['the history lacks status', /^history\/status-words/, onEntry((one) => without(one, 'status'))],
  [
    'pictures have no type',
    /^files\/view-headers/,
    onReply(/^GET \/view/, ({ status, headers }) =>
      status === 200 ? { headers: { ...headers, 'Content-Type': 'application/octet-stream' } } : {},
    ),
  ],
  ['a member of the queue is renamed', /^queue\/listing/, renamedQueue],
]

const sound: Maker = () => (effects) => effects

/** The head of a preview on the wire: a final binary frame, its length, and the type 1 or 4. */
const previewHead = /(\x82(?:[\0-\x7d]|\x7e[^]{2}|\x7f[^]{8})\0\0\0)[\x01\x04]/g

/** A relay before a server that changes the type of previews to 7. */
async function relayTo(
  target: string,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const relay = createServer((socket) => {
    const other = connect(Number(new URL(target).port), '127.0.0.1')
    other.on('data', (bytes) =>
      socket.write(Buffer.from(bytes.toString('latin1').replace(previewHead, '$1\x07'), 'latin1')),
    )
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const)
      one.on('error', () => two.destroy()).on('end', () => two.end())
    socket.on('data', (bytes) => other.write(bytes))
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const { port } = relay.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => relay.close() }
}

/** The failures that count, by the names of their rules. */
async function failuresOf(tamper: Maker, isRelayed = false): Promise<readonly string[]> {
  const own = await startEmulator({ port: 0, clock: 'real', tamper: tamper('local') })
  const { url, close } = isRelayed ? await relayTo(own.url) : { url: own.url, close: () => {} }
  try {
    const areas = ['workflows', 'messages', 'queue', 'history', 'frames', 'files']
    const only = areas.flatMap((area) => ['--only', area])
    const flags = ['--allow', 'global,destructive', '--json', '--max-seconds', '240']
    const { stdout } = await start('check', url, ...flags, ...only).ends
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckEvent)
    const cases = events.flatMap((one) => (one.event === 'case' ? [one] : []))
    return withCauses(cases)
      .filter(({ verdict, follows }) => verdict === 'fail' && follows === undefined)
      .map(({ rules }) => rules.map(({ id }) => id).join(' + '))
  } finally {
    close()
    await own.close()
  }
}

test('a sound server breaks no rule', async () => {
  expect(await failuresOf(sound)).toEqual([])
})

test.each(faults)('%s: the rule is named, and few fail', async (_, named, tamper) => {
  expectFew(await failuresOf(tamper), named)
})

test('frames have an unknown type: the rule is named, and few fail', async () => {
  expectFew(await failuresOf(sound, true), /^frames\/type-code/)
})

function expectFew(failures: readonly string[], named: RegExp): void {
  const ids = failures.flatMap((one) => one.split(' + '))
  expect(ids.filter((id) => named.test(id)).length, failures.join(', ')).toBeGreaterThan(0)
  expect(failures.length, failures.join(', ')).toBeLessThanOrEqual(MAX_FAILS)
}
