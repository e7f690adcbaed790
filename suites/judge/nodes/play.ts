// Plays the generated workflows of each seed on a server. One that shows something wrong is made smaller as long as it still does.

import { CHOICES, type Choices, workflowOf } from '../../generate/computing-workflows.ts'
import { nodeForms } from '../../generate/computing-nodes.ts'
import type { Graph } from '../../generate/graphs.ts'
import { createRandom } from '../../check/sessions/random.ts'
import { shrink } from '../../check/sessions/shrink.ts'
import { me } from '../own-runs.ts'
import type { Session } from '../client.ts'
import type { Subject } from '../subject.ts'
import { workflowFaults } from './generated.ts'
import { nodeTypes } from './recorded.ts'

/** How many workflows each seed has: together they have each type of node. */
const WORKFLOWS = 5

/** A workflow, and what is wrong with its run. */
type Played = {
  readonly seed: number
  readonly steps: readonly Choices[]
  readonly graph: Graph
  readonly faults: readonly string[]
}

/** The choices for the workflows of a seed. */
function choicesOf(seed: number): readonly (readonly Choices[])[] {
  const { below, shuffled } = createRandom(seed)
  const types = shuffled(nodeForms.map((_, at) => at))
  const choicesFor = (type: number): Choices =>
    Array.from({ length: CHOICES }, (_, at) => (at === 0 ? type : below(0x10000)))
  return Array.from({ length: WORKFLOWS }, (_, workflow) =>
    types.filter((__, at) => at % WORKFLOWS === workflow).map(choicesFor),
  )
}

/** The body of a case: no workflow shows anything but what the model predicts. */
export async function playWorkflows(subject: Subject): Promise<void> {
  const session = await me(subject)
  const has = await nodeTypes(subject)
  let last = 0
  const play = async (seed: number, steps: readonly Choices[]): Promise<Played> => {
    const graph = workflowOf(steps, subject.unique(`generated/${++last}-`), has)
    return { seed, steps, graph, faults: await faultsOf(subject, session, graph) }
  }
  const first = await subject.once('generated workflows', async () => {
    for (const seed of subject.seeds)
      for (const steps of choicesOf(seed)) {
        const played = await play(seed, steps)
        if (played.faults.length > 0) return played
      }
    return undefined
  })
  if (first === undefined) return
  const smallest = await shrink<Choices, Played>(first, async (steps) => {
    const played = await play(first.seed, steps)
    return played.faults.length > 0 ? played : undefined
  })
  throw new Error(textOf(smallest))
}

const faultsOf = async (
  subject: Subject,
  session: Session,
  graph: Graph,
): Promise<readonly string[]> =>
  Object.keys(graph).length === 0 ? [] : workflowFaults(subject, session, graph)

const textOf = ({ seed, graph, faults }: Played): string =>
  [
    ...faults.slice(0, 5),
    `The smallest workflow found (--sessions 1 --seed ${seed}): ${JSON.stringify(graph)}`,
  ].join('\n')
