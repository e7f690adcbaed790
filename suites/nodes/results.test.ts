// What nodes compute: each recorded line of a real server, run in process. Those that do not hold are listed in
// tolerance.ts: the list fails when one gets better or worse. The sample has every third line.

import { expect, test } from 'vitest'
import { compare, compareError } from './compare.ts'
import type { Difference } from './compare-values.ts'
import { type Line, readLines } from './lines.ts'
import { select } from './select.ts'
import { createNodeServer, setupOf } from './server.ts'
import { exceptions } from './tolerance.ts'
import { isLong, sampleOf } from '../support/effort.ts'

type Counts = { outputs: number; errors: number; refusals: number }

const kindOf = ({ error }: Line): keyof Counts =>
  error === undefined ? 'outputs' : error['validation'] === undefined ? 'errors' : 'refusals'

const nothing = (): Counts => ({ outputs: 0, errors: 0, refusals: 0 })

/** The lines of each type that differ, and all lines by kind. */
function judge(lines: readonly Line[]) {
  const servers = new Map<string, ReturnType<typeof createNodeServer>>()
  const serverFor = (line: Line): ReturnType<typeof createNodeServer> => {
    const setup = setupOf(line)
    const server = servers.get(setup) ?? createNodeServer(setup)
    servers.set(setup, server)
    return server
  }
  const different = new Map<string, Counts>()
  const details: string[] = []
  const all = nothing()
  for (const line of lines) {
    const { class_type, inputs } = line
    all[kindOf(line)]++
    const { run } = serverFor(line)
    const difference = compare(line, run(class_type, inputs)) ?? compareSaving(line, run)
    if (difference === null) continue
    const counts = different.get(class_type) ?? nothing()
    counts[kindOf(line)]++
    different.set(class_type, counts)
    if (exceptions[class_type] === undefined)
      details.push(`${class_type} ${JSON.stringify(inputs).slice(0, 200)}: ${difference}`)
  }
  return { different, details, all }
}

type Run = ReturnType<typeof createNodeServer>['run']

/** What the nodes that store a result fail with, where they could not. */
function compareSaving({ class_type, inputs, outputs, save_error }: Line, run: Run): Difference {
  if (save_error === undefined) return null
  const link = { node: { class_type, slot: 0, inputs } }
  const images =
    outputs?.[0]?.['type'] === 'MASK'
      ? { node: { class_type: 'MaskToImage', slot: 0, inputs: { mask: link } } }
      : link
  return compareError(save_error, run('SaveImage', { images, filename_prefix: 'saved' }))
}

const lines = readLines()

test('there are lines of every type of the recording', () => {
  expect(lines.length).toBe(7262)
  expect(new Set(lines.map(({ class_type }) => class_type)).size).toBe(209)
})

test('the lines of types without exceptions hold, and of the others as many as listed', () => {
  const { different, details, all } = judge(sampleOf(lines, 3))
  expect(details).toEqual([])
  const listed = Object.entries(exceptions).map(([class_type, { reason: _, ...counts }]) => [
    class_type,
    { ...nothing(), ...counts },
  ])
  if (isLong) expect(Object.fromEntries(different)).toEqual(Object.fromEntries(listed))
  const failing = (kind: keyof Counts): number =>
    [...different.values()].reduce((sum, counts) => sum + counts[kind], 0)
  expect(failing('outputs') / all.outputs).toBeLessThan(0.05)
})

test('a wrong result is noticed', () => {
  const line = lines.find(({ class_type }) => class_type === 'StringLength') as Line
  const { run } = createNodeServer()
  const outputs = [{ slot: 0, type: 'INT', text: '99', kind: 'int' }]
  expect(compare({ ...line, outputs }, run(line.class_type, line.inputs))).not.toBeNull()
})

test('the selection has lines of each family, of many types', () => {
  const selection = select(lines)
  expect(selection.length).toBeGreaterThan(150)
  expect(selection.length).toBeLessThan(250)
  expect(new Set(selection.map(({ family }) => family)).size).toBe(8)
  expect(new Set(selection.map(({ class_type }) => class_type)).size).toBeGreaterThan(70)
})
