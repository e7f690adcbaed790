// The values of a submitted workflow in replies: converted, unwrapped, in their order, with every digit.

import { converted as table, written } from '../../generate/converted.ts'
import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { isOf } from '../../judge/hosted/jobs.ts'
import { me, occupy } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

/** What a listing writes about a run, from its id on, and the graph in it. */
type Listing = { readonly text: string; readonly graph: Graph }

/**
 * What the queue and the history write about the run of a workflow, given as text, in a world of the suites
 * also the queue while it is at work. Waits until the run is over.
 */
async function listings(subject: Subject, graph: string): Promise<readonly Listing[]> {
  const session = await me(subject)
  const held = await occupy(subject, session)
  const client_id = JSON.stringify(session.clientId)
  const body = `{"client_id": ${client_id}, "prompt": ${graph}}`
  const reply = await subject.request('POST', '/prompt', body)
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 })
  const { prompt_id } = reply.json() as { prompt_id: string }
  const listed: Listing[] = []
  const look = async (member: 'queue_pending' | 'queue_running') => {
    const { text, json } = await subject.get('/queue')
    const item = json()[member].find(([, id]: readonly string[]) => id === prompt_id)
    listed.push({ text: text.slice(text.indexOf(`"${prompt_id}"`)), graph: item?.[2] })
  }
  await look('queue_pending')
  await held.stop()
  if (subject.isOwn) {
    await subject.reach(session, isOf('execution_start', prompt_id))
    await look('queue_running')
  }
  await subject.idle()
  const { text, json } = await subject.get(`/history/${prompt_id}`)
  const at = text.indexOf('"outputs"')
  const shown = at === -1 ? text : text.slice(0, at)
  return [...listed, { text: shown, graph: json()[prompt_id].prompt[2] }]
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
  for (const { text } of await listings(subject, JSON.stringify(graph)))
    for (const [at, [, , value]] of table.entries()) {
      const own = text.slice(text.indexOf(`"made ${at}"`))
      expect({ at, value: plain(written(own, 'value')) }).toEqual({ at, value })
    }
})

/** Nodes of the suites whose literals are converted too. */
const odd: Graph = {
  'odd save': node('SaveImage', {
    images: ['fill', 0],
    filename_prefix: { a: [1.5, null, "it's"] },
  }),
  'odd slow': node('FlowdoubleSlow', { seconds: 2, steps: '3' }),
  'odd text': node('FlowdoubleText', { text: null, value: 5 }),
}

// Nodes that no output needs are not checked, and stay as they are.
proves('workflows/literals-converted', async (subject) => {
  const graph = {
    fill: node('EmptyImage', { width: '64', height: 64.9, batch_size: true, color: ' 1_0 ' }),
    show: node('PreviewImage', { images: ['fill', 0] }),
    unneeded: node('EmptyImage', { steps: '20', width: '64' }),
    ...(subject.isOwn && odd),
  }
  for (const { text } of await listings(subject, JSON.stringify(graph))) {
    expect(['width', 'height', 'batch_size', 'color'].map((key) => written(text, key))).toEqual([
      '64',
      '64',
      '1',
      '10',
    ])
    const unneeded = text.slice(text.indexOf('"unneeded"'))
    expect([written(unneeded, 'steps'), written(unneeded, 'width')]).toEqual(['"20"', '"64"'])
    if (!subject.isOwn) continue
    expect(text).toContain(JSON.stringify(`{'a': [1.5, None, "it's"]}`))
    const converted = ['seconds', 'steps', 'text'].map((key) =>
      written(text.slice(text.indexOf('"odd')), key),
    )
    expect(converted).toEqual(['2.0', '3', '"None"'])
  }
})

/** More numbers than a server may store the places of. */
const crowd = Array.from({ length: 10_001 }, (_, index): [string, number] => [`n${index}`, index])

// Numbers of several nodes, between texts that look like them; also with a non-numeric value, with a width that
// the text names twice, and behind a crowd of others.
const variants: readonly (readonly [more: string, others: Readonly<Record<string, number>>])[] = [
  ['', {}],
  [', "color": "7"', {}],
  [', "width": 60.5', {}],
  ['', Object.fromEntries(crowd)],
]
for (const [more, others] of variants) {
  proves(
    'workflows/literals-converted',
    async (subject) => {
      const crowded = JSON.stringify(node('FlowdoubleText', { text: '"width": 64.5', ...others }))
      const sent = `{"5": ${crowded}, "1": {"class_type": "EmptyImage",
      "inputs": {"width": 64.5 , "height":1.6e1,"batch_size": 1, "color": 0${more}}},
      "2" : {"class_type": "SaveImage", "inputs": {"images": ["1", 0], "filename_prefix": "\\u00e9 64.5"}},
      "3": {"class_type": "PrimitiveFloat", "inputs": {"value": -8}},
      "4": {"class_type": "PreviewAny", "inputs": {"source": ["3", 0]}}}`
      const width = more.includes('width') ? 60 : 64
      const color = more.includes('color') ? 7 : 0
      for (const { text, graph } of await listings(subject, sent)) {
        const { '1': image, '2': save, '5': talk } = graph
        expect(image!.inputs).toEqual({ width, height: 16, batch_size: 1, color })
        expect(save!.inputs['filename_prefix']).toBe('é 64.5')
        expect(talk!.inputs).toEqual({ text: '"width": 64.5', ...others })
        expect(written(text, 'value')).toBe('-8.0')
      }
    },
    ownWorld,
  )
}

proves('workflows/wrapped-literals', async (subject) => {
  const { connect, run, submit } = subject
  const { entry } = await run(await connect('me'), {
    '1': node('EmptyImage', {
      width: { __value__: 48 },
      height: { __value__: '32' },
      batch_size: 1,
      color: 0,
    }),
    '2': node('GetImageSize', { image: ['1', 0] }),
    '3': node('PreviewAny', { source: ['2', 0] }),
    '4': node('PreviewAny', { source: { __value__: [1, 'two', 3.5] } }),
  })
  expect(entry.graph['1']!.inputs).toMatchObject({ width: 48, height: 32 })
  expect(entry.graph['4']!.inputs).toEqual({ source: [1, 'two', 3.5] })
  expect(entry.outputs['3']).toEqual({ text: ['48'] })
  expect(JSON.parse(entry.outputs['4'].text[0])).toEqual([1, 'two', 3.5])
  // Also on a socket, whatever the value is.
  for (const value of [null, 5, { a: 1 }, [1, 2, 3]]) {
    const wrapped = changed(solid(), '2', { images: { __value__: value } })
    const { graph } = (await run(await connect('you'), wrapped)).entry
    expect(graph['2']!.inputs['images']).toEqual(value)
  }
  // Also of a part that is not run since it cannot be converted.
  const part = changed(solid(), '1', { width: { __value__: [1, 2] } })
  const other = { good: node('PreviewAny', { source: 'runs' }) }
  const { graph } = (await run(await connect('them'), Object.assign(part, other))).entry
  expect(graph['1']!.inputs['width']).toEqual([1, 2])
  const wrong = await submit(changed(solid(), '1', { width: { __value__: 0 } }))
  expect(wrong.json().node_errors['1'].errors[0].message).toBe('Value 0 smaller than min of 1')
})

// Objects in JavaScript sort keys like these, so the graph is written and read as text.
const unsorted = (width: string) => `{
  "10": {"class_type": "PreviewImage", "inputs": {"images": ["2", 0], "filename_prefix": "x", "7": 1, "3": 1}},
  "9": {"inputs": {"source": "a"}, "class_type": "PreviewAny"},
  "2": {"class_type": "EmptyImage", "inputs": {"width": ${width}, "height": 16, "color": 0, "batch_size": 1}},
  "01": {"class_type": "PreviewAny", "inputs": {"source": "b"}}}`

for (const width of ['16', '16.9', '"16"']) {
  proves('workflows/keeps-key-order', async (subject) => {
    for (const { text } of await listings(subject, unsorted(width))) {
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
  for (const { text } of await listings(subject, graph)) {
    for (const [key, value] of Object.entries(expected)) expect(written(text, key)).toBe(value)
    expect([written(text, 'height'), written(text, 'batch_size')]).toEqual(['32', '1'])
  }
})

for (const steps of ['2', '"2"']) {
  proves(
    'workflows/keeps-numbers',
    async (subject) => {
      const graph = JSON.stringify(textToImage())
        .replace('"seed":1', '"seed":18446744073709551615')
        .replace('"steps":3', `"steps":${steps}`)
        .replace('"denoise":1', '"denoise":1.0')
      for (const { text } of await listings(subject, graph)) {
        const numbers = ['seed', 'steps', 'denoise', 'batch_size'].map((key) => written(text, key))
        expect(numbers).toEqual(['18446744073709551615', '2', '1.0', '1'])
      }
    },
    ownWorld,
  )
}
