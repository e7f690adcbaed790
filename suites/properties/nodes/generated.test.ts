// Generated workflows of nodes that compute without a model: what they show is what the model of these nodes predicts.

import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHOICES, MOST_NODES, workflowOf } from '../../generate/computing-workflows.ts'
import { workflowFaults } from '../../judge/nodes/generated.ts'
import { startSubject } from '../../judge/subject.ts'
import { predict } from '../../model/nodes/predict.ts'
import { isLong } from '../../support/effort.ts'

const choices = fc.array(fc.nat({ max: 0xffff }), { minLength: CHOICES, maxLength: CHOICES })
const workflows = fc.array(choices, { minLength: 3, maxLength: MOST_NODES })

/**
 * The seeds that every run plays, and how many workflows of each. FC_SEED and FC_PATH repeat what a failure names.
 */
const { FC_SEED, FC_PATH } = process.env
const seeds = FC_SEED === undefined ? [1, 2, 3, 4] : [Number(FC_SEED)]
const each = isLong ? 500 : 25

test.each(seeds)(
  'nodes/generated Workflows show what the model predicts, seed %i.',
  async (seed) => {
    const subject = await startSubject()
    const session = await subject.connect('me')
    let last = 0
    try {
      await fc.assert(
        fc.asyncProperty(workflows, async (steps) => {
          const graph = workflowOf(steps, `generated/${++last}-`)
          const faults = await workflowFaults(subject, session, graph)
          if (faults.length > 0)
            throw new Error([...faults, `The workflow: ${JSON.stringify(graph)}`].join('\n'))
        }),
        { seed, numRuns: each, ...(FC_PATH !== undefined && { path: FC_PATH }) },
      )
    } finally {
      await subject.close()
    }
  },
)

test('most outputs of generated workflows are predicted, and some of their runs fail', () => {
  const counts = { all: 0, failing: 0, open: 0, shown: 0, types: new Set<string>() }
  for (const steps of fc.sample(workflows, { seed: 1, numRuns: 500 })) {
    const graph = workflowOf(steps, 'generated/')
    const { failures, open, outputs } = predict(graph)
    counts.all++
    if (failures.size > 0) counts.failing++
    if (open.size > 0) counts.open++
    counts.shown += outputs.size
    for (const { class_type } of Object.values(graph)) counts.types.add(class_type)
  }
  expect(counts.types.size).toBeGreaterThan(50)
  expect(counts.failing / counts.all).toBeGreaterThan(0.05)
  expect(counts.failing / counts.all).toBeLessThan(0.5)
  expect(counts.open / counts.all).toBeLessThan(0.1)
  expect(counts.shown / counts.all).toBeGreaterThan(2)
})
