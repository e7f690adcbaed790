// The history: its order, its pages, deleting, and its limit.

import { text as readAll } from 'node:stream/consumers'
import { limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { dial } from '../../judge/wire.ts'

const idsIn = async (get: Subject['get'], query = ''): Promise<string[]> =>
  Object.keys((await get(`/history${query}`)).json())

/** Runs one small graph under each of these ids. */
async function runAll({ submit, idle }: Subject, ...ids: string[]): Promise<void> {
  for (const prompt_id of ids) await submit(talking(prompt_id), { prompt_id })
  await idle()
}

proves(
  'history/oldest-first',
  async (subject) => {
    const { get, submit, idle } = subject
    for (const [prompt_id, number] of [
      ['late', 3],
      ['early', 1],
      ['middle', 2],
    ] as const) {
      await submit(talking(), { prompt_id, number })
    }
    await idle()
    expect(await idsIn(get)).toEqual(['early', 'middle', 'late'])
    await runAll(subject, 'another', 'middle')
    expect(await idsIn(get)).toEqual(['early', 'middle', 'late', 'another'])
    const { middle } = (await get('/history/middle')).json()
    expect(middle.outputs).toEqual({ '1': { text: ['middle'] } })
  },
  ownWorld,
)

proves('history/bad-numbers', async ({ get }) => {
  const refused = '500 Internal Server Error\n\nServer got itself in trouble'
  for (const text of ['', 'x', '1.5', '1e3', 'null', '0x10', '1 2']) {
    for (const name of ['max_items', 'offset']) {
      const { status, text: body } = await get(`/history?${name}=${encodeURIComponent(text)}`)
      expect({ name, text, status, body }).toEqual({ name, text, status: 500, body: refused })
    }
  }
  for (const query of ['max_items=%201%20&offset=%2B0', 'max_items=1_0'])
    expect((await get(`/history?${query}`)).status).toBe(200)
})

proves(
  'history/delete-unhashable',
  async (subject) => {
    const { get, post } = subject
    const statusOf = async (ids: readonly unknown[]) =>
      (await post('/history', { delete: ids })).status
    expect(await statusOf([['a']])).toBe(200)
    await runAll(subject, 'a', 'b', 'c')
    for (const ids of [['a', {}, 'b'], [['c']]]) expect(await statusOf(ids)).toBe(500)
    expect(await idsIn(get)).toEqual(['b', 'c'])
    expect(await statusOf(['b', 1, null, 'c', {}])).toBe(200)
    expect(await idsIn(get)).toEqual([])
  },
  ownWorld,
)

proves(
  'history/clear',
  async (subject) => {
    const { get, post, connect, run } = subject
    await runAll(subject, 'a', 'b', 'c', 'd')
    const session = await connect('me')
    const before = session.messages().length
    const reply = await post('/history', { delete: ['b', 'unknown', 'd'] })
    expect({
      status: reply.status,
      text: reply.text,
      contentType: reply.headers['content-type'],
    }).toEqual({ status: 200, text: '', contentType: undefined })
    expect(await idsIn(get)).toEqual(['a', 'c'])
    expect((await get('/history/b')).json()).toEqual({})
    await post('/history', { clear: false })
    expect(await idsIn(get)).toEqual(['a', 'c'])
    expect((await post('/history', { clear: true })).status).toBe(200)
    expect(await idsIn(get)).toEqual([])
    await session.settled()
    expect(session.messages()).toHaveLength(before)
    const { prompt_id, messages } = await run(session, talking('d'))
    expect(messages.find(({ type }) => type === 'execution_cached')?.data['nodes']).toEqual(['1'])
    expect(await idsIn(get)).toEqual([prompt_id])
  },
  ownWorld,
)

/** Submits many graphs over one connection, each before the answer to the one before. */
async function submitMany(url: string, from: number, to: number): Promise<void> {
  const socket = dial(url)
  for (let number = from; number < to; number++) {
    const body = JSON.stringify({ prompt: talking(), prompt_id: `run ${number}`, number })
    const last = number === to - 1 ? 'Connection: close\r\n' : ''
    const head = `POST /prompt HTTP/1.1\r\nHost: here\r\n${last}`
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  }
  expect((await readAll(socket)).split('HTTP/1.1 200 ')).toHaveLength(to - from + 1)
}

proves(
  ['history/cap', 'workflows/any-pace'],
  async ({ url, get, idle }) => {
    const cap = limits.history.value
    await submitMany(url, 0, cap)
    await idle()
    expect(await idsIn(get, '?max_items=1&offset=0')).toEqual(['run 0'])
    expect(await idsIn(get, '?max_items=1')).toEqual([`run ${cap - 1}`])
    // Servers that check before they add store one more: the second run beyond the limit shows it.
    await submitMany(url, cap, cap + 2)
    await idle()
    expect((await get('/history/run%200')).json()).toEqual({})
    expect(Object.keys((await get('/history/run%202')).json())).toEqual(['run 2'])
    expect(await idsIn(get, '?max_items=1')).toEqual([`run ${cap + 1}`])
  },
  ownWorld,
)
