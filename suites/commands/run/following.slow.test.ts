// The client follows a run and judges its end, whatever the server does meanwhile.

import { test } from 'vitest'
import { end, entryOf, message, picture, promptId, succeeded } from './misbehaving-server.ts'
import { runOn, serve, testClock } from './harness.ts'
import { expect } from '../../judge/expect.ts'

const other = (type: string, data: object = {}) => ({ type, data: { ...data, prompt_id: 'other' } })
const running = (node: string) => message('executing', { node })
const executed = (filename: string) =>
  message('executed', { node: '9', output: { images: [{ ...picture, filename }] } })
const failing = message('execution_error', {
  node_id: '3',
  node_type: 'KSampler',
  exception_type: 'ValueError',
  exception_message: 'bad value\n',
  traceback: ['line 1\n'],
})
const textFrame = Uint8Array.from([0, 0, 0, 3, 0, 0, 0, 1, 0x33, 0x68])

test('run/error-before-completed An entry with status error and completed true is a failed run.', async () => {
  const status = { status_str: 'error', completed: true, messages: [] }
  const server = await serve({ steps: [end], entry: { outputs: {}, status } })
  const { result } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'failed', error: { type: 'failed' } })
})

test('run/failure-details A failed run reports node, type, exception and trace, and keeps its earlier outputs.', async () => {
  const { data } = failing as { data: object }
  const status = { status_str: 'error', completed: false, messages: [['execution_error', data]] }
  const outputs = { '9': { images: [picture] } }
  const { result } = await runOn(await serve({ steps: [end], entry: { outputs, status } }))
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
  const { result, events } = await runOn(await serve({ steps, entry: null }))
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'ours.png' }] })
  const nodes = events.flatMap((event) => (event.kind === 'node' ? [event.node] : []))
  expect(new Set(nodes)).toEqual(new Set(['3', '9']))
})

test('run/ends-on-executing-null Executing with node null ends the run if there is no message of success.', async () => {
  const entry = { outputs: {}, status: null }
  const { result } = await runOn(await serve({ steps: [running('3'), end], entry }))
  expect(result).toMatchObject({ outcome: 'success', prompt_id: promptId })
})

test('run/fully-cached A run of cached nodes alone, which executes none, has its outputs.', async () => {
  const cached = message('execution_cached', { nodes: ['3', '9'] })
  const steps = [message('execution_start'), cached, executed('a.png'), ...succeeded]
  const { result, events } = await runOn(await serve({ steps }))
  expect(result).toMatchObject({ outcome: 'success', files: [{ node: '9' }] })
  expect(events).toContainEqual({ kind: 'cached', nodes: ['3', '9'] })
})

test('run/reconnects A dropped socket is opened again with the same id, and the client continues to follow the run.', async () => {
  const again = [running('8'), ...succeeded]
  const server = await serve({ steps: [running('3'), 'drop'], again, queueReads: 1_000 })
  const { result, events } = await runOn(server, { clientId: 'me' })
  expect(result.outcome).toBe('success')
  expect(events).toContainEqual(expect.objectContaining({ kind: 'node', node: '8' }))
  const sockets = server.requests.filter(({ path }) => path === '/ws')
  expect(sockets.map(({ query }) => query.get('clientId'))).toEqual(['me', 'me'])
})

test('run/polls-without-socket A run whose socket never comes back is found in queue and history.', async () => {
  const server = await serve({ steps: [running('3'), 'drop'], sockets: 1, queueReads: 3 })
  const { result } = await runOn(server)
  expect(result.outcome).toBe('success')
  expect(server.reads.queue).toBe(4)
})

test('run/missed-end The end of a run is found after a silence if no message reports it.', async () => {
  const clock = testClock()
  const server = await serve({ steps: [running('3')] })
  const onEvent = ({ kind }: { kind: string }) =>
    kind === 'node' && setImmediate(clock.pass, 10_000)
  expect((await runOn(server, { clock, onEvent })).result.outcome).toBe('success')
})

test('run/hint-on-silence A run that is silent for 120 s prints a hint and continues.', async () => {
  const clock = testClock()
  const server = await serve({ steps: [running('3')], queueReads: 1 })
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

test('run/late-history The client waits for a history entry that is late.', async () => {
  const server = await serve({ entryAtRead: 6 })
  const { result } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'a.png' }] })
  expect(server.reads.history).toBe(6)
})

test('run/no-history Without a history entry the messages decide, with a warning, after 20 reads.', async () => {
  const server = await serve({ entry: null, steps: [executed('b.png'), ...succeeded] })
  const { result, events } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'b.png' }] })
  expect(events.filter(({ kind }) => kind === 'warning')).toHaveLength(1)
  expect(server.reads.history).toBe(20)
})

test('run/no-verdict An end whose outcome neither history nor messages report is not a success.', async () => {
  const { result } = await runOn(await serve({ entry: null, steps: [end] }))
  expect(result.outcome).toBe('protocol')
})

test('run/tolerates-unknown Unknown types, odd frames and broken messages are ignored.', async () => {
  const odd = [
    '',
    'no json',
    '[]',
    'null',
    '7',
    '{"type": 3}',
    '{"type": "executing", "data": null}',
  ]
  const typed = [
    { type: 'hello' },
    message('notification', { value: 'x' }),
    message('progress_state'),
  ]
  const states = message('progress_state', { nodes: { '3': null, '4': { state: 9 } } })
  const frames = [textFrame, Uint8Array.of(), Uint8Array.of(0, 0, 0, 99, 1), Uint8Array.of(1)]
  const disguised = Buffer.from(JSON.stringify(end))
  const broken = message('executed', { node: 5 })
  const later = message('progress_state', { nodes: { '8': { state: 'running' } } })
  const steps = [...odd, ...typed, states, ...frames, disguised, broken, later, ...succeeded]
  const { result, events } = await runOn(await serve({ steps }))
  expect(result.outcome).toBe('success')
  expect(events).toContainEqual(expect.objectContaining({ kind: 'node', node: '8' }))
})

test('run/bare-nan A message with a bare NaN, as Python writes it, is still read.', async () => {
  const text = JSON.stringify(failing).replace('"3"', '"3", "current_inputs": {"cfg": [NaN]}')
  const { result } = await runOn(await serve({ steps: [text, end], entry: null }))
  expect(result).toMatchObject({ outcome: 'failed', error: { type: 'ValueError', node: '3' } })
})

test('run/early-messages Messages that arrive before the answer to the submit count.', async () => {
  const early = [running('3'), executed('early.png'), ...succeeded]
  const server = await serve({ early, steps: [], entry: null })
  const { result } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'success', files: [{ filename: 'early.png' }] })
})

test('run/socket-first The socket is open under the submitted client id when the submit comes.', async () => {
  const server = await serve()
  await runOn(server, { clientId: 'me' })
  expect(server.listeners).toEqual(['me'])
  expect(JSON.parse(server.submits[0] ?? '')).toMatchObject({ client_id: 'me' })
})

test('run/interrupted An interrupted run, which the history lists as an error, is interrupted.', async () => {
  const interrupted = message('execution_interrupted', { node_id: '3', node_type: 'KSampler' })
  const status = { status_str: 'error', completed: false, messages: [] }
  const server = await serve({ steps: [interrupted, end], entry: { outputs: {}, status } })
  const { result } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'interrupted', error: { node: '3' } })
})

test('run/blocked-goes-on An error by a blocked output ends nothing.', async () => {
  const blocked = message('execution_error', { exception_type: 'ExecutionBlocked' })
  const steps = [blocked, running('8'), ...succeeded]
  const { result, events } = await runOn(await serve({ steps, entry: entryOf({}) }))
  expect(result.outcome).toBe('success')
  expect(events).toContainEqual(expect.objectContaining({ kind: 'node', node: '8' }))
})

test('run/error-in-good-entry An error among the messages of a successful entry is a failed run.', async () => {
  const { data } = failing as { data: object }
  const messages = [
    ['execution_start', {}],
    ['execution_error', data],
  ]
  const status = { status_str: 'success', completed: true, messages }
  const { result } = await runOn(await serve({ steps: [end], entry: { outputs: {}, status } }))
  expect(result.outcome).toBe('failed')
})

test('run/forgotten A run that is repeatedly in neither queue nor history is lost.', async () => {
  const server = await serve({ steps: ['drop'], entry: null })
  const { result } = await runOn(server)
  expect(result).toMatchObject({ outcome: 'protocol', error: { type: 'run_lost' } })
  expect(server.reads.history).toBe(5)
})
