// The client follows a run and judges its end, whatever the server does meanwhile.

import { test } from 'vitest'
import {
  end,
  entryOf,
  failedWith,
  message,
  picture,
  promptId,
  succeeded,
  startMisbehaving,
} from './misbehaving-server.ts'
import { including, runOn, runs, testClock } from './harness.ts'
import { expect } from '../../judge/expect.ts'

const other = (type: string, data: object = {}) => ({ type, data: { ...data, prompt_id: 'other' } })
const running = (node: string) => message('executing', { node })
const executed = (filename: string) =>
  message('executed', { node: '9', output: { images: [{ ...picture, filename }] } })
const error = {
  node_id: '3',
  node_type: 'KSampler',
  exception_type: 'ValueError',
  exception_message: 'bad value\n',
  traceback: ['line 1\n'],
}
/** A message with a bare NaN, as Python writes it. */
const bareNan = JSON.stringify(message('execution_error', error)).replace(
  '"3"',
  '"3", "current_inputs": {"cfg": [NaN]}',
)
const blocked = message('execution_error', { exception_type: 'ExecutionBlocked' })
const interrupted = message('execution_interrupted', { node_id: '3', node_type: 'KSampler' })
const cached = message('execution_cached', { nodes: ['3', '9'] })
const noMessages = ['', 'no json', '[]', 'null', '7', '{"type": 3}']
/** What a client has to ignore: broken messages, unknown types, odd frames. */
const odd = [
  ...noMessages,
  '{"type": "executing", "data": null}',
  { type: 'hello' },
  message('notification', { value: 'x' }),
  message('progress_state'),
  message('progress_state', { nodes: { '3': null, '4': { state: 9 } } }),
  Uint8Array.from([0, 0, 0, 3, 0, 0, 0, 1, 0x33, 0x68]),
  Uint8Array.of(),
  Uint8Array.of(0, 0, 0, 99, 1),
  Uint8Array.of(1),
  // The end of the run, but as a frame.
  Buffer.from(JSON.stringify(end)),
  message('executed', { node: 5 }),
]
const later = message('progress_state', { nodes: { '8': { state: 'running' } } })

runs({
  'run/error-before-completed An entry with status error and completed true is a failed run.': [
    { steps: [end], entry: entryOf({}, { ...failedWith(), completed: true }) },
    { outcome: 'failed', error: { type: 'failed' } },
  ],
  'run/error-in-good-entry An error among the messages of a successful entry is a failed run.': [
    {
      steps: [end],
      entry: entryOf(
        {},
        {
          messages: [
            ['execution_start', {}],
            ['execution_error', error],
          ],
        },
      ),
    },
    { outcome: 'failed' },
  ],
  'run/ends-on-executing-null Executing with node null ends the run if there is no message of success.':
    [
      { steps: [running('3'), end], entry: { outputs: {}, status: null } },
      { outcome: 'success', prompt_id: promptId },
    ],
  'run/fully-cached A run of cached nodes alone, which executes none, has its outputs.': [
    { steps: [message('execution_start'), cached, executed('a.png'), ...succeeded] },
    {
      outcome: 'success',
      files: [{ node: '9' }],
      events: expect.arrayContaining([{ kind: 'cached', nodes: ['3', '9'] }]),
    },
  ],
  'run/polls-without-socket A run whose socket never comes back is found in queue and history.': [
    { steps: [running('3'), 'drop'], sockets: 1, queueReads: 3 },
    { outcome: 'success', reads: { queue: 4 } },
  ],
  'run/late-history The client waits for a history entry that is late.': [
    { entryAtRead: 6 },
    { outcome: 'success', files: [{ filename: 'a.png' }], reads: { history: 6 } },
  ],
  'run/no-verdict An end whose outcome neither history nor messages report is not a success.': [
    { entry: null, steps: [end] },
    { outcome: 'protocol' },
  ],
  'run/tolerates-unknown Unknown types, odd frames and broken messages are ignored.': [
    { steps: [...odd, later, ...succeeded] },
    { outcome: 'success', events: including({ kind: 'node', node: '8' }) },
  ],
  'run/bare-nan A message with a bare NaN, as Python writes it, is still read.': [
    { steps: [bareNan, end], entry: null },
    { outcome: 'failed', error: { type: 'ValueError', node: '3' } },
  ],
  'run/early-messages Messages that arrive before the answer to the submit count.': [
    { early: [running('3'), executed('early.png'), ...succeeded], steps: [], entry: null },
    { outcome: 'success', files: [{ filename: 'early.png' }] },
  ],
  'run/socket-first The socket is open under the submitted client id when the submit comes.': [
    {},
    { listeners: ['me'], submits: [expect.stringContaining('"client_id": "me"')] },
    { clientId: 'me' },
  ],
  'run/interrupted An interrupted run, which the history lists as an error, is interrupted.': [
    { steps: [interrupted, end], entry: entryOf({}, failedWith()) },
    { outcome: 'interrupted', error: { node: '3' } },
  ],
  'run/blocked-goes-on An error by a blocked output ends nothing.': [
    { steps: [blocked, running('8'), ...succeeded], entry: entryOf({}) },
    { outcome: 'success', events: including({ kind: 'node', node: '8' }) },
  ],
  'run/forgotten A run that is repeatedly in neither queue nor history is lost.': [
    { steps: ['drop'], entry: null },
    { outcome: 'protocol', error: { type: 'run_lost' }, reads: { history: 5 } },
  ],
})

test('run/failure-details A failed run reports node, type, exception and trace, and keeps its earlier outputs.', async () => {
  const entry = entryOf({ '9': { images: [picture] } }, failedWith(error))
  const { result } = await runOn(await startMisbehaving({ steps: [end], entry }))
  expect(result.error).toEqual({
    type: 'ValueError',
    message: 'bad value',
    node: '3',
    class_type: 'KSampler',
    traceback: ['line 1\n'],
  })
  expect(result.files.map(({ filename }) => filename)).toEqual(['a.png'])
})

test('run/own-messages-only Messages of another run on the same socket are neither shown nor end this one.', async () => {
  const foreign = [
    other('executing', { node: '77' }),
    other('execution_error', { exception_type: 'OOMError' }),
    other('execution_success'),
    other('executing', { node: null }),
    { type: 'executing', data: { node: null } },
    other('executed', { node: '77', output: { images: [{ ...picture, filename: 'theirs.png' }] } }),
  ]
  const steps = [...foreign, running('3'), executed('ours.png'), ...foreign, ...succeeded]
  const { result, events } = await runOn(await startMisbehaving({ steps, entry: null }))
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'ours.png' }] })
  const nodes = events.flatMap((event) => (event.kind === 'node' ? [event.node] : []))
  expect(new Set(nodes)).toEqual(new Set(['3', '9']))
})

test('run/reconnects A dropped socket is opened again with the same id, and the client continues to follow the run.', async () => {
  const again = [running('8'), ...succeeded]
  const server = await startMisbehaving({ steps: [running('3'), 'drop'], again, queueReads: 1_000 })
  const { result, events } = await runOn(server, { clientId: 'me' })
  expect(result.outcome).toBe('success')
  expect(events).toEqual(including({ kind: 'node', node: '8' }))
  const sockets = server.requests.filter(({ path }) => path === '/ws')
  expect(sockets.map(({ query }) => query.get('clientId'))).toEqual(['me', 'me'])
})

test('run/missed-end The end of a run is found after a silence if no message reports it.', async () => {
  const clock = testClock()
  const server = await startMisbehaving({ steps: [running('3')] })
  const onEvent = ({ kind }: { kind: string }) =>
    kind === 'node' && setImmediate(clock.pass, 10_000)
  expect((await runOn(server, { clock, onEvent })).result.outcome).toBe('success')
})

test('run/hint-on-silence A run that is silent for 120 s prints a hint and continues.', async () => {
  const clock = testClock()
  const server = await startMisbehaving({ steps: [running('3')], queueReads: 1 })
  const onEvent = ({ kind }: { kind: string }) => {
    if (kind === 'node') setImmediate(clock.pass, 120_000)
    if (kind === 'hint') setImmediate(clock.pass, 10_000)
  }
  const { result, events } = await runOn(server, { clock, onEvent })
  expect(events.filter(({ kind }) => kind === 'hint')).toEqual([
    { kind: 'hint', text: 'No progress for 120 s; still waiting.' },
  ])
  expect(result.outcome).toBe('success')
})

test('run/no-history Without a history entry the messages decide, with a warning, after 20 reads.', async () => {
  const server = await startMisbehaving({ entry: null, steps: [executed('b.png'), ...succeeded] })
  const { result, events } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'b.png' }] })
  expect(events.filter(({ kind }) => kind === 'warning')).toHaveLength(1)
  expect(server.reads.history).toBe(20)
})
