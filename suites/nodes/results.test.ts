// What nodes compute: each recorded line of a real server, run in process. Those that do not hold are listed in
// exceptions.ts: the list fails when one gets better or worse.

import { expect, test } from 'vitest'
import { compare } from './compare.ts'
import { exceptions } from './exceptions.ts'
import { type Line, readLines } from './lines.ts'
import { createNodeServer, setupOf } from './server.ts'

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
    const difference = compare(line, serverFor(line).run(class_type, inputs))
    if (difference === null) continue
    const counts = different.get(class_type) ?? nothing()
    counts[kindOf(line)]++
    different.set(class_type, counts)
    if (exceptions[class_type] === undefined)
      details.push(`${class_type} ${JSON.stringify(inputs).slice(0, 200)}: ${difference}`)
  }
  return { different, details, all }
}

const lines = readLines()

test('there are lines of every type of the recording', () => {
  expect(lines.length).toBe(7262)
  expect(new Set(lines.map(({ class_type }) => class_type)).size).toBe(209)
})

test('the lines of types without exceptions hold, and of the others as many as listed', () => {
  const { different, details, all } = judge(lines)
  expect(details).toEqual([])
  const listed = Object.entries(exceptions).map(([class_type, { reason: _, ...counts }]) => [
    class_type,
    { ...nothing(), ...counts },
  ])
  expect(Object.fromEntries(different)).toEqual(Object.fromEntries(listed))
  const failing = (kind: keyof Counts): number =>
    [...different.values()].reduce((sum, counts) => sum + counts[kind], 0)
  expect(failing('outputs') / all.outputs).toBeLessThan(0.05)
})

test('a wrong result is noticed', () => {
  const line = lines.find(({ class_type }) => class_type === 'StringLength') as Line
  const { run } = createNodeServer('folders')
  const outputs = [{ slot: 0, type: 'INT', text: '99', kind: 'int' }]
  expect(compare({ ...line, outputs }, run(line.class_type, line.inputs))).not.toBeNull()
})
