// The values of a submitted workflow in replies: converted, unwrapped, in their order, with every digit.

import { written } from '../../generate/converted.ts'
import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** The texts of all listings that show the graph: pending, running and done. Leaves the run done. */
async function listings(
  { connect, get, request, reach, idle }: Subject,
  body: string,
): Promise<string[]> {
  const session = await connect('me')
  expect((await request('POST', '/prompt', body)).status).toBe(200)
  const pending = await get('/queue')
  await reach(session, ({ type }) => type === 'execution_start')
  const running = await get('/queue')
  expect([pending, running].map((reply) => reply.json().queue_running.length)).toEqual([0, 1])
  await idle()
  return [pending.text, running.text, (await get('/history')).text]
}

const bodyOf = (graph: object) => JSON.stringify({ prompt: graph, client_id: 'me' })

proves(
  'workflows/literals-converted',
  async (subject) => {
    const graph = {
      '1': node('EmptyImage', { width: '64', height: 64.9, batch_size: true, color: ' 1_0 ' }),
      '2': node('SaveImage', { images: ['1', 0], filename_prefix: { a: [1.5, null, "it's"] } }),
      '3': node('PrimitiveBoolean', { value: 'false' }),
      '4': node('PreviewAny', { source: ['3', 0] }),
      '5': node('FlowdoubleSlow', { seconds: 2, steps: '3' }),
      '6': node('FlowdoubleText', { text: null, value: 5 }),
    }
    for (const text of await listings(subject, bodyOf(graph))) {
      expect(written(text, 'width')).toBe('64')
      expect(written(text, 'height')).toBe('64')
      expect(written(text, 'batch_size')).toBe('1')
      expect(written(text, 'color')).toBe('10')
      expect(text).toContain(JSON.stringify(`{'a': [1.5, None, "it's"]}`))
      expect(written(text, 'value')).toBe('true')
      expect(written(text, 'seconds')).toBe('2.0')
      expect(written(text, 'steps')).toBe('3')
      expect(written(text, 'text')).toBe('"None"')
    }
  },
  ownWorld,
)

// Nodes that no output needs are not checked, and stay as they are.
proves(
  'workflows/literals-converted',
  async (subject) => {
    const graph = { ...solid(), '9': node('EmptyImage', { steps: '20', width: '64' }) }
    for (const text of await listings(subject, bodyOf(changed(graph, '1', { color: '7' })))) {
      expect(written(text, 'color')).toBe('7')
      expect(written(text, 'steps')).toBe('"20"')
      expect(text.replaceAll(/\s/g, '')).toContain('"width":"64"')
    }
  },
  ownWorld,
)

/** The graph of the only run that a listing shows. */
function graphIn(text: string): Graph {
  const { queue_pending, queue_running, ...entries } = JSON.parse(text)
  const [run] = [...(queue_pending ?? []), ...(queue_running ?? [])]
  return run?.[2] ?? Object.values<any>(entries)[0].prompt[2]
}

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
      const sent = `{"client_id": "me", "prompt": {"5": ${crowded}, "1": {"class_type": "EmptyImage",
      "inputs": {"width": 64.5 , "height":1.6e1,"batch_size": 1, "color": 0${more}}},
      "2" : {"class_type": "SaveImage", "inputs": {"images": ["1", 0], "filename_prefix": "\\u00e9 64.5"}},
      "3": {"class_type": "PrimitiveFloat", "inputs": {"value": -8}},
      "4": {"class_type": "PreviewAny", "inputs": {"source": ["3", 0]}}}}`
      const width = more.includes('width') ? 60 : 64
      const color = more.includes('color') ? 7 : 0
      for (const text of await listings(subject, sent)) {
        const { '1': image, '2': save, '5': talk } = graphIn(text)
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

// Objects in JavaScript sort keys like these, so the graphs are written and read as text.
const unsorted = (width: string) => `{"client_id": "me", "prompt": {
  "10": {"class_type": "SaveImage", "inputs": {"images": ["2", 0], "filename_prefix": "x", "7": 1, "3": 1}},
  "9": {"inputs": {"text": "a"}, "class_type": "FlowdoubleText"},
  "2": {"class_type": "EmptyImage", "inputs": {"width": ${width}, "height": 16, "color": 0, "batch_size": 1}},
  "01": {"class_type": "FlowdoubleText", "inputs": {"text": "b"}}}}`

const keysIn = (text: string) =>
  Array.from(text.matchAll(/"(\w+)"\s*:/g), ([, key]) => key!).filter((key) =>
    /^\d|^(width|color)$/.test(key),
  )

// A server may keep the client's text, insert a converted number into it, or serialize it again.
for (const width of ['16', '16.9', '"16"']) {
  proves(
    'workflows/keeps-key-order',
    async (subject) => {
      const [pending, running, history] = await listings(subject, unsorted(width))
      const order = ['10', '7', '3', '9', '2', 'width', 'color', '01']
      expect(keysIn(pending!)).toEqual(order)
      expect(keysIn(running!)).toEqual(order)
      expect(keysIn(history!.slice(0, history!.indexOf('"outputs"')))).toEqual(order)
    },
    ownWorld,
  )
}

for (const steps of ['2', '"2"']) {
  proves(
    'workflows/keeps-numbers',
    async (subject) => {
      const text = JSON.stringify({
        ...textToImage(),
        '20': node('FlowdoubleText', { text: 'x', far: 'FAR', one: 'ONE' }),
      })
      const sent = text
        .replace('"seed":1', '"seed":18446744073709551615')
        .replace('"steps":3', `"steps":${steps}`)
        .replace('"denoise":1', '"denoise":1.0')
        .replace('"FAR"', '-9223372036854775807')
        .replace('"ONE"', '1.0')
      for (const listing of await listings(subject, `{"client_id": "me", "prompt": ${sent}}`)) {
        expect(written(listing, 'seed')).toBe('18446744073709551615')
        expect(written(listing, 'steps')).toBe('2')
        expect(written(listing, 'denoise')).toBe('1.0')
        expect(written(listing, 'far')).toBe('-9223372036854775807')
        expect(written(listing, 'one')).toBe('1.0')
        expect(written(listing, 'batch_size')).toBe('1')
      }
    },
    ownWorld,
  )
}
