// Servers with one fault each, as operators meet them: check names the rule that is broken, and one fault is few failures.

import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import { withCauses } from '../../check/reports/summary.ts'
import type { CheckEvent } from '../../check/events.ts'
import { expect } from '../../judge/expect.ts'
import {
  delayed,
  dropped,
  type Maker,
  onData,
  onEntry,
  onFrame,
  onReply,
  onSubmit,
  without,
} from '../../mutants/tamper.ts'
import { realName, realServer } from '../../real/server.ts'
import { startRelay } from '../../support/servers/relay.ts'
import { start } from '../../support/spawned.ts'

/** So many failures at most have one cause. */
const MAX_FAILS = 3

const renamedQueue = onReply(/^GET \/queue/, ({ body }) =>
  typeof body === 'string' ? { body: body.replace('queue_running', 'running') } : {},
)

/** Previews of the type 7. */
const unknownFrames = onFrame((content) => {
  if (content.frame !== 'recorded' || ![1, 4].includes(content.bytes[3]!)) return [content]
  return [{ ...content, bytes: Uint8Array.of(0, 0, 0, 7, ...content.bytes.subarray(4)) }]
})

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
  ['frames have an unknown type', /^frames\/type-code/, unknownFrames],
]

const sound: Maker = () => (effects) => effects

/** The failures that count, by the names of their rules. */
async function failuresOf(tamper: Maker): Promise<readonly string[]> {
  const own = realServer === '' ? await startEmulator({ port: 0, clock: 'real' }) : undefined
  const relay = await startRelay(own?.url ?? realServer, tamper('local'))
  try {
    const areas = ['workflows', 'messages', 'queue', 'history', 'frames', 'files']
    const only = areas.flatMap((area) => ['--only', area])
    const like = own === undefined ? ['--like', await realName()] : []
    const flags = ['--allow', 'global,destructive', '--json', '--max-seconds', '240']
    const { stdout } = await start('check', relay.url, ...like, ...flags, ...only).ends
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckEvent)
    const cases = events.flatMap((one) => (one.event === 'case' ? [one] : []))
    return withCauses(cases)
      .filter(({ verdict, follows }) => verdict === 'fail' && follows === undefined)
      .map(({ rules }) => rules.map(({ id }) => id).join(' + '))
  } finally {
    relay.close()
    await own?.close()
  }
}

test('a sound server breaks no rule', async () => {
  expect(await failuresOf(sound)).toEqual([])
})

test.each(faults)('%s: the rule is named, and few fail', async (_, named, tamper) => {
  expectFew(await failuresOf(tamper), named)
})

function expectFew(failures: readonly string[], named: RegExp): void {
  const ids = failures.flatMap((one) => one.split(' + '))
  expect(ids.filter((id) => named.test(id)).length, failures.join(', ')).toBeGreaterThan(0)
  expect(failures.length, failures.join(', ')).toBeLessThanOrEqual(MAX_FAILS)
}
