// How many runs the history keeps.

import { text as readAll } from 'node:stream/consumers'
import { limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { idsOf } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { dial } from '../../judge/wire.ts'

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
  async (subject) => {
    const { url, get, idle } = subject
    const cap = limits.history.value
    await submitMany(url, 0, cap)
    await idle()
    expect(await idsOf(subject, '?max_items=1&offset=0')).toEqual(['run 0'])
    expect(await idsOf(subject, '?max_items=1')).toEqual([`run ${cap - 1}`])
    // Servers that check before they add store one more: the second run beyond the limit shows it.
    await submitMany(url, cap, cap + 2)
    await idle()
    expect((await get('/history/run%200')).json()).toEqual({})
    expect(Object.keys((await get('/history/run%202')).json())).toEqual(['run 2'])
    expect(await idsOf(subject, '?max_items=1')).toEqual([`run ${cap + 1}`])
  },
  ownWorld,
)
