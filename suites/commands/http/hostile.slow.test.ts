// Requests that would crash a careless server, or keep it busy forever: it replies, and continues.

import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'vitest'
import { type Graph, solid, node } from '../../generate/graphs.ts'
import { startSubject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { dial } from '../../judge/wire.ts'
import { forTest } from '../../support/for-test.ts'

const many = (count: number, node: Graph[string]): Graph =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, node]))

test('hostile/many-bad-outputs The refusal of a large graph stays in proportion to it', async () => {
  const subject = await forTest(startSubject())
  const graph = many(12_000, { class_type: 'SaveImage', inputs: {} })
  const reply = await subject.submit(graph)
  expect(reply.status).toBe(400)
  expect(Object.keys(reply.json().node_errors)).toHaveLength(12_000)
  expect(reply.bytes.length).toBeLessThan(10_000_000)
})

test('hostile/long-numbers A text of very many digits is judged immediately', async () => {
  const subject = await forTest(startSubject())
  const digits = `${'1'.repeat(200_000)}x`
  expect((await subject.post('/prompt', { prompt: {}, number: digits })).status).toBe(500)
  const mask = { class_type: 'SolidMask', inputs: { value: digits, width: 8, height: 8 } }
  const graph = { '1': mask, '2': { class_type: 'MaskPreview', inputs: { mask: ['1', 0] } } }
  expect((await subject.submit(graph)).status).toBe(400)
  for (const text of ['1_0', '1.5e1_0', '.5', ' 7 ']) {
    expect((await subject.post('/prompt', { prompt: {}, number: text })).status).toBe(400)
  }
  for (const text of ['_1', '1_', '1__0', '1_.0', '1._0', '.', 'e5', '']) {
    expect((await subject.post('/prompt', { prompt: {}, number: text })).status).toBe(500)
  }
})

test('hostile/long-history The history forgets runs rather than grow beyond what one reply can hold', async () => {
  const subject = await forTest(startSubject({ clock: 'instant' }))
  const extra_data = { note: 'y'.repeat(4.5e7) }
  for (let run = 0; run < 3; run++) await subject.submit(solid(run), { extra_data })
  const reply = await subject.get('/history')
  expect(reply.status).toBe(200)
  expect(Object.keys(reply.json())).toHaveLength(2)
})

test('hostile/no-date A clock that is moved beyond all dates is rejected', async () => {
  const subject = await forTest(startSubject())
  expect((await subject.post('/_flowdouble/advance', { ms: 1e16 })).status).toBe(400)
  expect((await subject.get('/queue')).headers['date']).toMatch(/2026/)
})

test('hostile/half-open A client that leaves its side open does not prevent the server from closing', async () => {
  const subject = await startSubject()
  const port = Number(new URL(subject.url).port)
  const heads = [
    'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 12\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n',
  ]
  for (const head of heads) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => socket.destroy())
    socket.write(`${head}\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
  }
  await subject.close()
  await subject.emulator?.close()
  await expect(subject.emulator?.advance(1)).rejects.toThrow(/closed/)
})

test('hostile/unread Requests behind answers that nobody reads wait, and no other connection does', async () => {
  let handled = 0
  const subject = await forTest(startSubject({ onEntry: () => handled++ }))
  const greedy = dial(subject.url).pause()
  greedy.write('GET /object_info HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000))
  for (let turn = 0; turn < 10; turn++) expect((await subject.get('/queue')).status).toBe(200)
  greedy.destroy()
  expect(handled).toBeLessThan(200)
})

test('hostile/late-reader A client that reads late gets each answer whole', async () => {
  const subject = await forTest(startSubject())
  const types = await subject.get('/object_info')
  const late = dial(subject.url).pause()
  const count = 20
  late.write('GET /object_info HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count))
  // Its first answers fill the buffers of the connection.
  for (let turn = 0; turn < 10; turn++) await subject.get('/queue')
  let bytes = ''
  for await (const chunk of late) {
    bytes += (chunk as Buffer).toString('latin1')
    if (bytes.length > count * types.bytes.length && bytes.endsWith('}}')) break
  }
  const bodies = bytes.split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1)
  expect(bodies).toHaveLength(count)
  expect(new Set(bodies)).toEqual(new Set([Buffer.from(types.bytes).toString('latin1')]))
})

test('hostile/left A client that leaves in the middle of an answer leaves nothing behind', async () => {
  const left: Promise<unknown>[] = []
  const subject = await forTest(startSubject())
  for (let client = 0; client < 20; client++) {
    const socket = dial(subject.url)
    socket.write('GET /object_info HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5))
    await once(socket, 'data')
    left.push(once(socket, 'close'))
    socket.destroy()
  }
  await Promise.all(left)
  expect((await subject.get('/queue')).status).toBe(200)
})

/** This many steps take the server far longer than an interrupt takes to arrive. */
const NODES = 100
const STEPS = 10_000
const SECONDS = 10_000

test('behind/interrupt A run that is far behind its clock can be interrupted', async () => {
  const subject = await startSubject({ clock: 'x999999999' })
  // This client receives broadcasts, not the steps of the run: reading those would take longer than running them.
  const session = await subject.connect('me')
  const graph: Graph = Object.fromEntries(
    Array.from({ length: NODES }, (_, index) => [
      `${index}`,
      node('FlowdoubleSlow', { seconds: SECONDS + index, steps: STEPS }),
    ]),
  )
  await subject.submit(graph, { client_id: 'nobody', prompt_id: 'late' })
  const { queue_running } = (await subject.get('/queue')).json()
  expect(queue_running.map((run: readonly unknown[]) => run[1])).toEqual(['late'])
  expect((await subject.post('/interrupt', {})).status).toBe(200)
  // On connecting, at the submit, at the start of the run, and at its end.
  const remaining = (): unknown[] =>
    session.messages().map(({ data }) => (data['status'] as any).exec_info.queue_remaining)
  await session.next(() => remaining().join() === '0,1,1,0')
  const { late } = (await subject.get('/history')).json()
  expect(late.status.messages.at(-1)[0]).toBe('execution_interrupted')
  await subject.close()
})
