// What holds for NaN: validation accepts it, and no node may crash its run, or the server, because of it.

import type { EmulatorOptions } from 'flowdouble'
import { expect, test } from 'vitest'
import { roots, treeOf } from '../generate/arbitraries.ts'
import { pickFrom, typeOf } from '../generate/catalogue.ts'
import type { Graph } from '../generate/graphs.ts'
import { startSubject } from '../judge/subject.ts'

/** A workflow in which every float is a text that Python reads as NaN. */
const withoutNumbers = (graph: Graph): Graph =>
  Object.fromEntries(
    Object.entries(graph).map(([id, one]) => {
      const floats = typeOf(one).inputs.filter(({ type }) => type === 'FLOAT')
      const changed = floats.flatMap(({ name }) =>
        Array.isArray(one.inputs[name]) ? [] : [[name, 'nan'] as const],
      )
      return [id, { ...one, inputs: { ...one.inputs, ...Object.fromEntries(changed) } }]
    }),
  )

const withFloats = roots.filter(({ inputs }) => inputs.some(({ type }) => type === 'FLOAT'))

test('runs/not-a-number [local] A workflow of any type whose floats are NaN comes to an end.', async () => {
  // Python writes a bare NaN into its replies, which is not valid JSON: the server itself reports how a run ends.
  const ends: string[] = []
  const onEntry: EmulatorOptions['onEntry'] = ({ effects }) => {
    for (const effect of effects) {
      if (effect.kind === 'run' && effect.state !== 'started') ends.push(effect.state)
    }
  }
  const subject = await startSubject({ onEntry })
  try {
    for (const [index, type] of withFloats.entries()) {
      const { status } = await subject.submit(withoutNumbers(treeOf(type, pickFrom([index]))))
      await subject.idle()
      expect([type.name, status, ends.length]).toEqual([type.name, 200, index + 1])
    }
    expect(new Set(ends)).toEqual(new Set(['success', 'error']))
    expect((await subject.get('/prompt')).json()).toEqual({ exec_info: { queue_remaining: 0 } })
  } finally {
    await subject.close()
  }
})

test('workflows/hosted-finite [hosted] A workflow of any type whose floats are NaN is rejected.', async () => {
  const subject = await startSubject({ deployment: 'hosted' })
  try {
    for (const [index, type] of withFloats.entries()) {
      const { status } = await subject.submit(withoutNumbers(treeOf(type, pickFrom([index]))))
      expect([type.name, status]).toEqual([type.name, 400])
    }
  } finally {
    await subject.close()
  }
})
