// A server for a workflow of packs runs it, and refuses it with any single fault, in known and in inferred nodes.

import { type Emulator, startEmulator } from 'flowdouble'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { both } from '../../../spec/language.ts'
import { type Fault, faultsIn } from '../../generate/packs/faults.ts'
import { packWorkflows } from '../../generate/packs/index.ts'
import type { Graph } from '../../generate/graphs.ts'
import { isLong, sampleOf } from '../../support/effort.ts'

/** Faults of each kind that are put into a workflow. */
const MOST = isLong ? Infinity : 1

const servers = new Map<string, Emulator>()
beforeAll(async () => {
  for (const deployment of both)
    servers.set(deployment, await startEmulator({ clock: 'manual', deployment }))
})
afterAll(async () => void (await Promise.all([...servers.values()].map((one) => one.close()))))

/** Which faults of a workflow to try: of each kind those at places that differ from workflow to workflow. */
function chosen(faults: readonly Fault[], at: number): readonly Fault[] {
  const kinds = new Set(faults.map(({ kind }) => kind))
  return [...kinds].flatMap((one) => {
    const all = faults.filter(({ kind }) => kind === one)
    const start = (at * 7) % all.length
    return [...all.slice(start), ...all.slice(0, start)].slice(0, MOST)
  })
}

const done = new Map<string, number>()

/** Each workflow with its name and its position. */
const tried = sampleOf(
  Object.entries(packWorkflows).map(([name, graph], at) => [name, graph, at] as const),
  3,
)

for (const deployment of isLong ? both : (['local'] as const))
  test.each(tried)(
    `packs/strict on ${deployment} %s: it runs, and with one fault it is refused`,
    async (_, workflow, at) => {
      const world = await servers.get(deployment)!.world({ for: [workflow] })
      const base = deployment === 'hosted' ? `${world.url}/api` : world.url
      const headers = { 'X-API-Key': 'test-key' }
      const ask = async (path: string, body?: object) => {
        const sent = body && { method: 'POST', body: JSON.stringify(body) }
        const reply = await fetch(base + path, { headers, ...sent })
        return { status: reply.status, json: (await reply.json()) as any }
      }
      const submit = (prompt: Graph) => ask('/prompt', { prompt })
      try {
        const { status, json } = await submit(workflow)
        expect([status, json.node_errors]).toEqual([200, {}])
        await world.until('idle')
        const history = deployment === 'hosted' ? '/history_v2' : '/history'
        const entry = (await ask(`${history}/${json.prompt_id}`)).json[json.prompt_id]
        expect(entry.status.status_str).toBe('success')
        const { json: types } = await ask('/object_info')
        const accepted = []
        for (const fault of chosen([...faultsIn(workflow, types)], at)) {
          done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1)
          const { status, json } = await submit(fault.graph)
          // The outputs that a fault does not touch run.
          const isNamed = status === 400 || Object.keys(json.node_errors).length > 0
          if (!isNamed) accepted.push(`${fault.kind} at ${fault.at}`)
        }
        expect(accepted).toEqual([])
      } finally {
        await world.close()
      }
    },
  )

test('packs/kinds Each kind of fault was tried in many workflows', () => {
  expect(Object.keys(packWorkflows).length).toBeGreaterThanOrEqual(40)
  expect(done.size).toBe(9)
  // In more than a third of those that are tried.
  const least = tried.length * 0.36
  for (const [kind, times] of done) expect([kind, times > least]).toEqual([kind, true])
})
