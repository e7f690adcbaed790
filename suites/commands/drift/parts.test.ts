// The parts of a comparison: states of runs, files, credentials, caches, and what cannot be sent.

import { describe, test } from 'vitest'
import {
  encodeJpeg,
  encodePng,
  encodeWebp,
  fill,
  readHar,
} from '../../../dist/emulator/internal.js'
import { traceOf } from '../../../dist/emulator/session/index.js'
import { withSameCache } from '../../check/trace/drift/compare.ts'
import { credentialsOf } from '../../check/trace/drift/credentials.ts'
import { fileDifferences, sizeOfPicture } from '../../check/trace/drift/files.ts'
import { expect } from '../../judge/expect.ts'
import { obstacleTo } from '../../check/trace/drift/obstacles.ts'
import {
  comparable,
  comparedStates,
  isAhead,
  isBack,
  isBehind,
} from '../../check/trace/drift/states.ts'

type Asked = {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly status?: number
  readonly reply?: unknown
  readonly type?: string
  readonly key?: string
}

const texts = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '')

/** A recording of these exchanges, one each second. */
function recordingOf(asked: readonly Asked[]) {
  const entries = asked.map(
    ({ method = 'GET', path, body, status = 200, reply, type, key }, at) => ({
      startedDateTime: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
      time: 1,
      request: {
        method,
        url: `http://server${path}`,
        headers: key === undefined ? [] : [{ name: 'X-API-Key', value: key }],
        ...(body !== undefined && {
          postData: { mimeType: 'application/json', text: texts(body) },
        }),
      },
      response: {
        status,
        headers: [{ name: 'Content-Type', value: type ?? 'application/json' }],
        content: { text: texts(reply) },
      },
    }),
  )
  return readHar(JSON.stringify({ log: { version: '1.2', entries } }), 'a.har')
}

function tracedOf(asked: readonly Asked[], place: 'local' | 'hosted' = 'local') {
  const trace = traceOf(recordingOf(asked), 'a.har', place)
  if (trace === undefined) throw new Error('The spec knows none of it.')
  return trace
}

const submit = (prompt_id: string): Asked => ({
  method: 'POST',
  path: '/prompt',
  body: { prompt: {} },
  reply: { prompt_id, number: 0, node_errors: {} },
})
const item = (id: string) => [0, id, {}, {}, []]
const queue = (running: readonly string[], pending: readonly string[]) => ({
  queue_running: running.map(item),
  queue_pending: pending.map(item),
})
const same = { idNow: (run: { readonly prompt_id: string }) => `${run.prompt_id}-now` }

describe('states', () => {
  const cases = [
    ['behind', queue(['run-a'], []), queue([], ['run-a-now'])],
    ['ahead', queue([], ['run-a']), queue(['run-a-now'], [])],
    ['ahead', queue(['run-a'], []), queue([], [])],
    ['behind', queue([], []), queue(['run-a-now'], [])],
    ['same', queue(['run-a'], []), queue(['run-a-now'], [])],
  ] as const
  test.each(cases)('drift/queue-state %s', (what, then, now) => {
    const trace = tracedOf([submit('run-a'), { path: '/queue', reply: then }])
    const poll = trace.exchanges[1]!
    const states = comparedStates(poll, now, trace, same)
    expect(
      states.map((one) => (isBehind(one) ? 'behind' : isAhead(one) ? 'ahead' : 'same')),
    ).toEqual([what])
    const { then: a, now: b } = comparable(poll, now, trace, states)
    expect([a, b]).toEqual(what === 'ahead' ? [queue([], []), queue([], [])] : [then, now])
  })

  test('drift/history-state A run that is over is waited for; one that was removed must not come back.', () => {
    const entry = { 'run-a': { status: {} } }
    const trace = tracedOf([
      submit('run-a'),
      { path: '/history/run-a', reply: entry },
      { method: 'POST', path: '/history', body: { clear: true }, reply: '' },
      { path: '/history', reply: {} },
    ])
    const [, first, , last] = trace.exchanges
    expect(comparedStates(first!, {}, trace, same).every(isBehind)).toBe(true)
    const back = { 'run-a-now': { status: {} } }
    expect(comparedStates(last!, back, trace, same).every(isBack)).toBe(true)
    expect(comparedStates(last!, {}, trace, same).some(isBack)).toBe(false)
  })

  test('drift/others Runs of others are left out of a list, and it is said.', () => {
    const trace = tracedOf([submit('run-a'), { path: '/queue', reply: queue(['run-a'], []) }])
    const poll = trace.exchanges[1]!
    const now = queue(['run-a-now'], ['of-others'])
    const found = comparable(poll, now, trace, comparedStates(poll, now, trace, same))
    expect(found).toMatchObject({ now: queue(['run-a-now'], []), hasOthers: true })
  })
})

describe('files', () => {
  const pixels = (width: number, height: number) => fill(width, height, 0x102030)
  test('drift/picture-size The size of a picture is read from its head.', () => {
    const picture = pixels(24, 17)
    for (const bytes of [encodePng(picture), encodeJpeg(picture, 90), encodeWebp(picture)])
      expect(sizeOfPicture(bytes)).toEqual([24, 17])
    expect(sizeOfPicture(Buffer.from('no picture'))).toBeUndefined()
    expect(sizeOfPicture(new Uint8Array())).toBeUndefined()
  })

  const view = (body: Uint8Array, sent = '') => {
    const trace = tracedOf([
      { method: 'POST', path: '/upload/image', body: sent, reply: { name: 'a' } },
      { path: '/view?filename=a', reply: Buffer.from(body).toString('latin1') },
    ])
    const [, one] = trace.exchanges
    const response = { ...one!.recorded.response!, body }
    const exchange = { ...one!, recorded: { ...one!.recorded, response } }
    return { exchange, trace: { ...trace, exchanges: [trace.exchanges[0]!, exchange] } }
  }
  const worst = (then: Uint8Array, now: Uint8Array, sent?: string) => {
    const { exchange, trace } = view(then, sent)
    return fileDifferences(exchange, now, trace).map(({ drift }) => drift)
  }
  test('drift/files A picture keeps its size, what was uploaded its bytes, and no file becomes empty.', () => {
    const [small, large] = [encodePng(pixels(8, 8)), encodePng(pixels(9, 8))]
    const other = encodePng(fill(8, 8, 0x010203))
    const text = Buffer.from('what was uploaded')
    expect(worst(small, small)).toEqual([])
    expect(worst(small, other)).toEqual(['cosmetic'])
    expect(worst(small, large)).toEqual(['breaking'])
    expect(worst(small, text)).toEqual(['breaking'])
    expect(worst(small, new Uint8Array())).toEqual(['breaking'])
    expect(worst(text, Buffer.from('what was'), 'it is what was uploaded')).toEqual(['breaking'])
    expect(worst(text, Buffer.from('what was'))).toEqual(['cosmetic'])
  })
})

test('drift/credentials A key is known by how it was answered, and a request without one stays so.', () => {
  const jobs = (key: string | undefined, status: number): Asked => ({
    path: '/api/jobs',
    status,
    ...(key !== undefined && { key }),
  })
  const trace = tracedOf(
    [
      jobs(undefined, 401),
      jobs('<1>', 401),
      jobs('<2>', 200),
      { ...submit('a'), path: '/api/prompt', status: 403, key: '<3>' },
      jobs('<4>', 200),
    ],
    'hosted',
  )
  expect(trace.exchanges.map(credentialsOf(trace))).toEqual([
    {},
    { 'X-API-Key': 'not-a-key-of-anybody' },
    { 'X-API-Key': 'test-key' },
    { 'X-API-Key': 'test-key-free' },
    { 'X-API-Key': 'other-key' },
  ])
})

test('drift/caches Histories are equal except for the cached nodes.', () => {
  const entry = (nodes: readonly string[], end: string) => ({
    a: {
      status: {
        messages: [
          ['execution_cached', { nodes }],
          [end, {}],
        ],
      },
    },
  })
  const [a, b] = withSameCache(entry(['1'], 'success'), entry(['1', '2'], 'success'))
  expect(a).toEqual(b)
  const [c, d] = withSameCache(entry(['1'], 'success'), entry([], 'error'))
  expect(c).not.toEqual(d)
  const [e, f] = withSameCache(entry(['1', '2'], 'x'), entry(['2', '1'], 'x'))
  expect([e, f]).toEqual([entry(['1', '2'], 'x'), entry(['2', '1'], 'x')])
})

test('drift/not-made What is about a run that was not accepted is not sent.', () => {
  const files = { 'run-a': { outputs: { '9': { images: [{ filename: 'of-a.png' }] } } } }
  const trace = tracedOf([
    submit('run-a'),
    { path: '/history/run-a', reply: files },
    { path: '/view?filename=of-a.png', reply: 'x', type: 'image/png' },
    { method: 'POST', path: '/queue', body: { delete: ['run-a'] }, reply: '' },
    { path: '/queue', reply: queue([], []) },
  ])
  const reasons = (done: ReadonlySet<any>) =>
    trace.exchanges.slice(1).map((one) => obstacleTo(one, trace, done)?.reason)
  expect(reasons(new Set())).toEqual(['not-made', 'not-made', 'not-made', undefined])
  expect(reasons(new Set([trace.exchanges[0]]))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
