// The values of a submitted workflow in the listings of any local server: converted, in their order, with every digit.

import { node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { converted as table, written } from '../../generate/converted.ts'
import { occupy } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

/**
 * What the queue and the history write about the run of a workflow, given as text: each from the id of the run on. Waits
 * until the run is over.
 */
async function listings(subject: Subject, graph: string): Promise<readonly string[]> {
  const session = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, session)
  const reply = await subject.request('POST', '/prompt', `{"prompt": ${graph}}`)
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 })
  const { prompt_id } = reply.json() as { prompt_id: string }
  const queue = (await subject.get('/queue')).text
  await held.stop()
  await subject.idle()
  const history = (await subject.get(`/history/${prompt_id}`)).text
  const at = history.indexOf('"outputs"')
  expect(queue).toContain(`"${prompt_id}"`)
  return [queue.slice(queue.indexOf(`"${prompt_id}"`)), at === -1 ? history : history.slice(0, at)]
}

proves('workflows/literals-converted', async (subject) => {
  const graph = Object.fromEntries(
    table.flatMap(([class_type, value], at) => [
      [`made ${at}`, node(class_type, { value })],
      [`shown ${at}`, node('PreviewAny', { source: [`made ${at}`, 0] })],
    ]),
  )
  // A server may write a whole float with or without its zero.
  const plain = (value: string | undefined) => value?.replace(/^(-?\d+)\.0$/, '$1')
  for (const text of await listings(subject, JSON.stringify(graph)))
    for (const [at, [, , value]] of table.entries()) {
      const own = text.slice(text.indexOf(`"made ${at}"`))
      expect({ at, value: plain(written(own, 'value')) }).toEqual({ at, value })
    }
})

// Nodes that no output needs are not checked, and stay as they are.
proves('workflows/literals-converted', async (subject) => {
  const graph = {
    fill: node('EmptyImage', { width: '64', height: 64.9, batch_size: true, color: ' 1_0 ' }),
    show: node('PreviewImage', { images: ['fill', 0] }),
    unneeded: node('EmptyImage', { steps: '20', width: '64' }),
  }
  for (const text of await listings(subject, JSON.stringify(graph))) {
    expect(['width', 'height', 'batch_size', 'color'].map((key) => written(text, key))).toEqual([
      '64',
      '64',
      '1',
      '10',
    ])
    const unneeded = text.slice(text.indexOf('"unneeded"'))
    expect([written(unneeded, 'steps'), written(unneeded, 'width')]).toEqual(['"20"', '"64"'])
  }
})

// Objects in JavaScript sort keys like these, so the graph is written and read as text.
const unsorted = (width: string) => `{
  "10": {"class_type": "PreviewImage", "inputs": {"images": ["2", 0], "filename_prefix": "x", "7": 1, "3": 1}},
  "9": {"inputs": {"source": "a"}, "class_type": "PreviewAny"},
  "2": {"class_type": "EmptyImage", "inputs": {"width": ${width}, "height": 16, "color": 0, "batch_size": 1}},
  "01": {"class_type": "PreviewAny", "inputs": {"source": "b"}}}`

for (const width of ['16', '16.9', '"16"']) {
  proves('workflows/keeps-key-order', async (subject) => {
    for (const text of await listings(subject, unsorted(width))) {
      const keys = Array.from(text.matchAll(/"(\w+)"\s*:/g), ([, key]) => key!)
      expect(keys.filter((key) => /^\d+$|^(width|color)$/.test(key)).slice(0, 8)).toEqual([
        '10',
        '7',
        '3',
        '9',
        '2',
        'width',
        'color',
        '01',
      ])
    }
  })
}

proves('workflows/keeps-numbers', async (subject) => {
  const graph = `{"1": {"class_type": "EmptyImage", "inputs": {"width": 64, "height": "32", "batch_size": 1,
    "color": 7, "seed": 18446744073709551615, "far": -9223372036854775807, "one": 1.0}},
    "2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}}}`
  const expected = { seed: '18446744073709551615', far: '-9223372036854775807', one: '1.0' }
  for (const text of await listings(subject, graph)) {
    for (const [key, value] of Object.entries(expected)) expect(written(text, key)).toBe(value)
    expect([written(text, 'height'), written(text, 'batch_size')]).toEqual(['32', '1'])
  }
})
