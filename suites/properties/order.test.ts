// What holds for every small workflow: the server accepts it, and all endpoints report the same about its run.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { both, type Deployment } from '../../spec/language.ts'
import { draws, graphOf } from '../generate/arbitraries.ts'
import type { Graph } from '../generate/graphs.ts'
import { account } from '../judge/hosted/jobs.ts'
import { judgeOrder, type Message } from '../judge/judge.ts'
import { endsRun } from '../judge/responses.ts'
import { nodesOf, transcript } from '../support/transcript.ts'
import { type Run, startSubject } from '../judge/subject.ts'
import { runs } from '../support/effort.ts'

const terminal = new Set(['execution_success', 'execution_error', 'execution_interrupted'])

/** Each node's reported progress only grows, and a finished node stays finished. */
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
function judgeRun(
  deployment: Deployment,
  graph: Graph,
  messages: readonly Message[],
  entry: Run['entry'],
): void {
  expect(judgeOrder(deployment, messages)).toEqual([])
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

const partner = { api_key_comfy_org: 'key' }
/** On hosted one run at a time too, and a partner key. */
const hosted = {
  deployment: 'hosted',
  accounts: [{ ...account('test-key', 'standard'), partnerKey: 'key' }],
} as const

it.each(both)(
  'order/any-workflow on %s a valid workflow is accepted, obeys the order table, and ends once',
  async (deployment) => {
    await fc.assert(
      fc.asyncProperty(draws, fc.nat(3), async (drawn, value) => {
        // The second run shares what it can with the first: everything, some of it, or nothing.
        const graphs = [
          graphOf(drawn),
          graphOf(drawn.map((one, index) => (index === value ? { ...one, value } : one))),
        ]
        const subject = await startSubject(deployment === 'hosted' ? hosted : {})
        const { connect, submit, queue, history, finished, idle, close } = subject
        try {
          const session = await connect('me')
          const ids: string[] = []
          for (const [index, graph] of graphs.entries()) {
            const reply = await submit(graph, { client_id: 'me', extra_data: partner })
            const { prompt_id, ...rest } = reply.json()
            expect(rest).toEqual({ number: index, node_errors: {} })
            ids.push(prompt_id)
          }
          const { pending } = await queue()
          expect(pending.map(({ prompt_id }) => prompt_id)).toEqual(ids)
          await idle()
          await session.settled()
          expect(await queue()).toEqual({ running: [], pending: [] })
          expect(await history()).toEqual(ids)
          const messages = session.messages().slice(1)
          const statuses = transcript(messages.filter(({ type }) => type === 'status'))
          expect(statuses.map((line) => line.slice(-1)).join('')).toBe('122110')
          const cut = messages.findIndex(endsRun(deployment)) + 1
          for (const [index, own] of [messages.slice(0, cut), messages.slice(cut)].entries()) {
            judgeRun(deployment, graphs[index]!, own, (await finished(ids[index]!))!)
          }
        } finally {
          await close()
        }
      }),
      { seed: 7, numRuns: runs(80) },
    )
  },
)
