// What holds for every workflow of the catalogue's types: it is accepted, and with one break it is rejected by name.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { both, type Deployment } from '../../spec/language.ts'
import { submitRefusal } from '../../spec/server/workflows.ts'
import { roots, treeOf, trees } from '../generate/arbitraries.ts'
import { type BrokenWorkflow, breaks } from '../generate/broken-workflows.ts'
import { pickFrom } from '../generate/catalogue.ts'
import type { Graph } from '../generate/graphs.ts'
import { violations } from '../judge/judge.ts'
import { startSubject, type Subject } from '../judge/subject.ts'
import type { NodeError } from '../judge/verdicts.ts'
import { isLong } from '../support/effort.ts'
import { startEmulator } from 'flowdouble'

/** Runs a body on a new server. */
async function onServer(
  deployment: Deployment,
  body: (subject: Subject) => Promise<void>,
): Promise<void> {
  const subject = await startSubject({ deployment })
  try {
    await body(subject)
  } finally {
    await subject.close()
  }
}

async function accepts({ submit, post }: Subject, graph: Graph): Promise<void> {
  const reply = await submit(graph)
  expect([reply.status, reply.json().node_errors]).toEqual([200, {}])
  await post('/queue', { clear: true })
}

async function refuses(
  { submit, get }: Subject,
  { graph, error, blame }: BrokenWorkflow,
): Promise<void> {
  const reply = await submit(graph)
  const refusal = reply.json()
  expect([reply.status, refusal.error?.type]).toEqual([400, error])
  expect(violations(submitRefusal, refusal)).toEqual([])
  const found: NodeError[] = refusal.node_errors[blame?.id ?? '']?.errors ?? []
  const reported = found.map(({ type, details }) => ({ type, details }))
  if (blame === undefined) expect(refusal.node_errors).toEqual({})
  else {
    const { type, details } = blame
    const named = { type: expect.stringContaining(type), details: expect.stringContaining(details) }
    expect(reported).toContainEqual(named)
  }
  expect((await get('/queue')).json().queue_pending).toEqual([])
}

test.each(both)(
  'breaks/each-type on %s A workflow of every usable type of the catalogue is accepted.',
  (deployment) =>
    onServer(deployment, async (subject) => {
      expect(roots.length).toBeGreaterThan(400)
      for (const type of roots) await accepts(subject, treeOf(type, pickFrom([0])))
    }),
)

test.each(both)(
  'breaks/named on %s A workflow is accepted, and with one break it is rejected by the name of that break.',
  (deployment) =>
    onServer(deployment, async (subject) => {
      const done = new Map(Object.keys(breaks).map((name) => [name, 0]))
      const picks = fc.array(fc.nat(999), { minLength: 1, maxLength: 4 })
      const name = fc.constantFrom(...Object.keys(breaks))
      const property = fc.asyncProperty(trees, name, picks, async (graph, name, numbers) => {
        const broken = breaks[name]!(graph, pickFrom(numbers))
        fc.pre(broken !== undefined)
        await accepts(subject, graph)
        await refuses(subject, broken)
        done.set(name, (done.get(name) ?? 0) + 1)
      })
      await fc.assert(property, { seed: 20260103, numRuns: isLong ? 250 : 100 })
      for (const [name, times] of done)
        expect([name, times > (isLong ? 5 : 0)]).toEqual([name, true])
    }),
)

/** A workflow some of whose types no server knows. */
const hidden = (graph: Graph, isHidden: (class_type: string) => boolean): Graph =>
  Object.fromEntries(
    Object.entries(graph).map(([id, { class_type, inputs }]) => [
      id,
      { class_type: isHidden(class_type) ? `Pack ${class_type}` : class_type, inputs },
    ]),
  )

test('breaks/inferred A server for a workflow of unknown types accepts it, and judges its known nodes as any server does.', async () => {
  const server = await startEmulator({ clock: 'manual' })
  const picks = fc.array(fc.nat(999), { minLength: 1, maxLength: 4 })
  const name = fc.constantFrom(...Object.keys(breaks))
  let brokenCount = 0
  const property = fc.asyncProperty(trees, name, picks, async (graph, name, numbers) => {
    const types = [...new Set(Object.values(graph).map(({ class_type }) => class_type))]
    const chosen = new Set(types.filter((_, at) => (numbers[at % numbers.length] ?? 0) % 2 === 0))
    const isHidden = (class_type: string): boolean => chosen.has(class_type)
    const prompt = hidden(graph, isHidden)
    const world = await server.world({ for: [prompt] })
    const submit = async (workflow: Graph, { url } = world) => {
      const body = JSON.stringify({ prompt: workflow })
      const reply = await fetch(`${url}/prompt`, { method: 'POST', body })
      return { status: reply.status, text: await reply.text() }
    }
    try {
      const { status, text } = await submit(prompt)
      expect([status, text]).toEqual([200, expect.stringContaining('"node_errors": {}')])
      const broken = breaks[name]!(graph, pickFrom(numbers))
      const blamed = broken?.blame && broken.graph[broken.blame.id]
      if (broken === undefined || blamed === undefined || isHidden(blamed.class_type)) return
      const usual = await submit(broken.graph, server)
      if (usual.status === 400) brokenCount++
      expect((await submit(hidden(broken.graph, isHidden))).status).toBe(usual.status)
    } finally {
      await world.close()
    }
  })
  try {
    await fc.assert(property, { seed: 20261128, numRuns: isLong ? 300 : 40 })
  } finally {
    await server.close()
  }
  expect(brokenCount).toBeGreaterThan(5)
})
