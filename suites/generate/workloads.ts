// Runs that cases need, whatever node types a server has: in a world of the suites test nodes play them, on a server
// elsewhere the types that it lists.

import { failing, type Graph, slow, textToImage } from './graphs.ts'

/** A run that fails. */
export type FailingRun = {
  readonly graph: Graph
  /** The node that fails. */
  readonly node_id: string
  /** What it depends on: none of it fails. */
  readonly before: readonly string[]
}

export type Workloads = {
  /** A run that is at work long enough to be looked at and interrupted. It is different each time. */
  readonly slow: () => Promise<Graph>
  /** A run that fails at a node. */
  readonly failing: () => Promise<FailingRun>
  /** A run whose node 3 samples in this many steps. Its seed is different each time. */
  readonly sampling: (steps: number) => Promise<Graph>
}

/** The runs of a world with test nodes. */
export function testWorkloads(): Workloads {
  let seed = 0
  return {
    slow: async () => slow(),
    failing: async () => ({ graph: failing(), node_id: '2', before: ['1'] }),
    sampling: async (steps) => textToImage(++seed, steps),
  }
}
