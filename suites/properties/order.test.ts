// What holds for every small workflow: the server accepts it, and tells one story of its run in all places.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Graph, type Node, node } from '../graphs.ts'
import { judgeOrder, type Message } from '../judge.ts'
import { nodesOf, story } from '../story.ts'
import { type Run, startSubject } from '../subject.ts'

type Draw = {
  readonly kind: number
  readonly from: readonly [number, number]
  readonly value: number
}

type Kind = {
  /** Whether other nodes can take its picture. */
  readonly gives: boolean
  readonly make: (picture: (at: 0 | 1) => unknown, value: number, any: unknown) => Node
}

const sources: readonly Kind[] = [
  {
    gives: true,
    make: (_, color) =>
      node('EmptyImage', { width: 8, height: 8, batch_size: 1 + (color % 2), color }),
  },
  {
    gives: true,
    make: (_, seed) => node('FlowdoublePreviews', { width: 16, height: 16, steps: 1 + seed, seed }),
  },
]
const outputs: readonly Kind[] = [
  { gives: false, make: (picture) => node('PreviewImage', { images: picture(0) }) },
  {
    gives: false,
    make: (picture, value) =>
      node('SaveImage', { images: picture(0), filename_prefix: `image${value}` }),
  },
  {
    gives: false,
    make: (_, value, any) => node('FlowdoubleText', { text: `text ${value}`, value: any }),
  },
  {
    gives: false,
    make: (_, steps, any) => node('FlowdoubleSlow', { seconds: 1, steps, value: any }),
  },
]
const changes: readonly Kind[] = [
  { gives: true, make: (picture) => node('ImageInvert', { image: picture(0) }) },
  {
    gives: true,
    make: (picture) => node('ImageBatch', { image1: picture(0), image2: picture(1) }),
  },
  {
    gives: true,
    make: (picture, value) =>
      node('ImageScale', {
        image: picture(0),
        upscale_method: 'bilinear',
        width: 4 + value,
        height: 4,
        crop: 'disabled',
      }),
  },
]
const kinds = [...sources, ...outputs, ...changes]

/** A workflow of these draws: the first node makes a picture, the last is an output, links go to earlier nodes. */
function graphOf(draws: readonly Draw[]): Graph {
  const graph: Record<string, Node> = {}
  const pictures: string[] = []
  for (const [index, { kind, from, value }] of draws.entries()) {
    const isLast = index === draws.length - 1
    const choice =
      pictures.length === 0 ? (isLast ? outputs.slice(2) : sources) : isLast ? outputs : kinds
    const { gives, make } = choice[kind % choice.length]!
    const link = (at: 0 | 1): unknown => [pictures[from[at] % pictures.length], 0]
    const id = `${String.fromCharCode(97 + ((index * 7 + value) % 26))}${index}`
    graph[id] = make(link, value, pictures.length === 0 ? 'nothing' : link(1))
    if (gives) pictures.push(id)
  }
  return graph
}

const draw: fc.Arbitrary<Draw> = fc.record({
  kind: fc.nat(kinds.length * 12 - 1),
  from: fc.tuple(fc.nat(9), fc.nat(9)),
  value: fc.nat(3),
})
const draws = fc.array(draw, { minLength: 1, maxLength: 10 })

const terminal = new Set(['execution_success', 'execution_error', 'execution_interrupted'])

/** Each node's progress, as it is told, only grows, and a finished node stays so. */
function judgeProgress(messages: readonly Message[]): void {
  const last = new Map<string, number>()
  for (const { type, data } of messages) {
    if (type !== 'progress_state') continue
    const nodes = data['nodes'] as Readonly<
      Record<string, { value: number; max: number; state: string }>
    >
    expect(Object.keys(nodes)).toEqual(expect.arrayContaining([...last.keys()]))
    for (const [id, { value, max, state }] of Object.entries(nodes)) {
      expect(value).toBeLessThanOrEqual(max)
      const progress = value / max + (state === 'finished' ? 1 : 0)
      expect(progress).toBeGreaterThanOrEqual(last.get(id) ?? 0)
      last.set(id, progress)
    }
  }
  expect([...last.values()].every((progress) => progress === 2)).toBe(true)
}

/** Judges one run of a graph by its messages from its submit to its end, and by its history entry. */
function judgeRun(graph: Graph, messages: readonly Message[], entry: Run['entry']): void {
  expect(judgeOrder('local', messages)).toEqual([])
  judgeProgress(messages)
  const ends = messages.filter(({ type }) => terminal.has(type))
  expect(ends.map(({ type }) => type)).toEqual(['execution_success'])
  const kept = messages.filter(({ type }) => type.startsWith('execution_'))
  expect(entry.status.messages).toEqual(kept.map(({ type, data }) => [type, data]))
  expect([entry.status.status_str, entry.status.completed]).toEqual(['success', true])
  expect(entry.prompt[2]).toEqual(graph)
  const shown = messages.filter(({ type, data }) => type === 'executed' && data['output'] !== null)
  expect(entry.outputs).toEqual(
    Object.fromEntries(shown.map(({ data }) => [data['node'], data['output']])),
  )
  const ran = nodesOf('executing', messages)
  expect(new Set(ran).size).toBe(ran.length)
  const cached = kept.find(({ type }) => type === 'execution_cached')?.data['nodes'] as string[]
  expect(cached.filter((id) => ran.includes(id))).toEqual([])
  for (const id of ran) {
    const links = Object.values(graph[id as string]!.inputs).filter(Array.isArray) as [string, 0][]
    for (const [source] of links)
      if (ran.includes(source)) expect(ran.indexOf(source)).toBeLessThan(ran.indexOf(id))
  }
}

const isEnd = ({ type, data }: Message): boolean => type === 'executing' && data['node'] === null

it('order/any-workflow a valid workflow is accepted, obeys the order table, and ends once', async () => {
  await fc.assert(
    fc.asyncProperty(draws, fc.nat(3), async (drawn, value) => {
      // The second run shares what it can with the first: all of it, some of it, or nothing.
      const graphs = [
        graphOf(drawn),
        graphOf(drawn.map((one, index) => (index === value ? { ...one, value } : one))),
      ]
      const { connect, submit, get, idle, close } = await startSubject()
      try {
        const session = await connect('me')
        for (const [index, graph] of graphs.entries()) {
          const reply = await submit(graph, { client_id: 'me', prompt_id: `${index}` })
          expect(reply.json()).toEqual({ prompt_id: `${index}`, number: index, node_errors: {} })
        }
        const { queue_pending } = (await get('/queue')).json()
        expect(queue_pending.map(([, id]: [0, string]) => id)).toEqual(['0', '1'])
        await idle()
        await session.settled()
        expect((await get('/queue')).json()).toEqual({ queue_running: [], queue_pending: [] })
        const history = (await get('/history')).json()
        expect(Object.keys(history)).toEqual(['0', '1'])
        const messages = session.messages().slice(1)
        const told = story(messages.filter(({ type }) => type === 'status'))
        expect(told.map((line) => line.slice(-1)).join('')).toBe('122110')
        const cut = messages.findIndex(isEnd) + 1
        judgeRun(graphs[0]!, messages.slice(0, cut), history['0'])
        judgeRun(graphs[1]!, messages.slice(cut), history['1'])
      } finally {
        await close()
      }
    }),
    { seed: 7, numRuns: 80 },
  )
})
