// What holds for every small workflow: the server accepts it, and tells one story of its run in all places.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { draws, graphOf } from '../arbitraries.ts'
import type { Graph } from '../graphs.ts'
import { judgeOrder, type Message } from '../judge.ts'
import { nodesOf, story } from '../story.ts'
import { type Run, startSubject } from '../subject.ts'

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
  expect(entry.graph).toEqual(graph)
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

/** Partner nodes run with any key. */
const partner = { api_key_comfy_org: 'key' }

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
          const reply = await submit(graph, {
            client_id: 'me',
            prompt_id: `${index}`,
            extra_data: partner,
          })
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
