// Each kind of fault as clients see it that are not ours: Python's requests and websocket-client, on a real clock.

import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmulator } from 'flowdouble'
import { test } from 'vitest'
import type { Fault } from '../../../spec/scenario/faults.ts'
import { textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { withFaults } from '../../support/faults.ts'

const python = process.env['PYTHON'] ?? 'python3'

/** Why the client cannot run here; empty if it can. */
function missing(): string {
  const { status, stderr, error } = spawnSync(python, ['-c', 'import requests, websocket'], {
    encoding: 'utf8',
  })
  if (error !== undefined) return `${python} does not start`
  return status === 0 ? '' : (stderr.trim().split('\n').at(-1) ?? 'Python fails')
}

const TEXT = 'The whole text of a response.'
const MINUTE = 60_000

/** A fault that answers the path of its name with the text. */
const answer = (name: string, then: Fault['then']): Fault => ({
  when: { path: `/fault/${name}` },
  then: { status: 418, body: TEXT, ...then },
})

/** A fault of the messages to the client of its name. */
const onMessage = (clientId: string, when: Fault['when'], then: Fault['then']): Fault => ({
  when: { clientId, ...when },
  then,
})

const third = { message: 'progress', data: { value: 3 } }

const faults: readonly Fault[] = [
  answer('status', { retryAfter: 7 }),
  answer('reset', { reset: true }),
  answer('reset-in-body', { reset: { afterBytes: 9 } }),
  answer('truncate', { truncate: 9 }),
  { when: { path: '/fault/lost' }, then: { reset: true } },
  answer('delayed', { delayMs: MINUTE }),
  answer('stalled', { slow: { parts: 2, everyMs: MINUTE } }),
  answer('slow', { slow: { parts: 5, everyMs: 20 } }),
  onMessage('refuse', { socket: 'open' }, { refuse: 503 }),
  onMessage('reset-handshake', { socket: 'open' }, { reset: true }),
  onMessage('skip', third, { skip: true }),
  onMessage('repeat', third, { repeat: 2 }),
  onMessage('late', third, { delayMs: MINUTE }),
  onMessage('alter', third, { alter: { value: 'three' } }),
  onMessage('insert', third, { insert: { type: 'new', data: {} } }),
  onMessage('swap', { message: 'execution_start' }, { swap: true }),
  onMessage('short', { message: 'preview', nth: 2 }, { short: 12 }),
  onMessage('cut', third, { cut: 20 }),
  onMessage('close', third, { close: 1011 }),
  onMessage('drop', third, { reset: true }),
  onMessage('silence', { message: 'status', nth: 2 }, { silence: true }),
  onMessage('restart', third, { restart: true }),
]

test('each kind of fault is seen by clients in Python', async (context) => {
  const why = missing()
  if (why !== '') context.skip(`Python's requests and websocket-client are needed: ${why}`)
  const server = await startEmulator({ pace: 10, preview: 'jpeg', ...withFaults(...faults) })
  const script = join(import.meta.dirname, 'client.py')
  const { stdout } = await promisify(execFile)(python, [
    script,
    server.url,
    JSON.stringify(textToImage(1, 5)),
  ])
  await server.close()
  const seen = JSON.parse(stdout)
  expect(seen).toMatchObject({
    status: { status: 418, after: '7', text: TEXT },
    reset: { error: 'ConnectionError', reset: true },
    'reset-in-body': { reset: true },
    truncate: { error: 'ChunkedEncodingError', reset: false },
    lost: { error: 'ConnectionError', reset: true },
    delayed: { text: '', error: 'ReadTimeout' },
    stalled: { text: TEXT.slice(0, 14), error: 'ConnectionError' },
    slow: { text: TEXT, error: null },
    refuse: { error: 'WebSocketBadStatusException', status: 503 },
    plain: { values: [1, 2, 3, 4, 5], end: null },
    skip: { values: [1, 2, 4, 5], end: null },
    repeat: { values: [1, 2, 3, 3, 3, 4, 5], end: null },
    late: { values: [1, 2, 4, 5], end: null },
    alter: { values: [1, 2, 'three', 4, 5], end: null },
    close: { values: [1, 2], end: 1011 },
    drop: { values: [1, 2] },
    cut: { values: [1, 2] },
    restart: { values: [1, 2], queue: { queue_running: [], queue_pending: [] }, history: {} },
    silence: { types: ['status'], error: 'WebSocketTimeoutException' },
  })
  for (const name of ['reset-handshake', 'drop', 'cut', 'restart'])
    expect([name, seen[name].error ?? seen[name].end]).toEqual([
      name,
      expect.stringMatching(/ConnectionReset|ConnectionClosed/),
    ])
  expect(seen.insert.types).toContain('new')
  const { types } = seen.swap
  expect(types.indexOf('execution_start')).toBe(types.indexOf('execution_cached') + 1)
  const lengths: readonly number[] = seen.short.previews
  expect(lengths.map((length) => length === 12)).toEqual([false, true, false, false, false])
})
