// Runs that nothing tells apart in the order of the queue: real servers trip over them [queue/twins].

import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** So many of the pending runs with one id are looked at, the newest first. */
const MOST_LOOKED_AT = 1000

/**
 * The number of pending runs with the number and the id of this one that differ from it otherwise, 2 for more. Real
 * servers order them by graph, which cannot be compared: runs that are equal throughout are none of these.
 */
export function twinsOf(world: World, run: Run): 0 | 1 | 2 {
  const sameId = world.pendingById.get(run.prompt_id) ?? []
  let twins: 0 | 1 = 0
  const last = Math.max(0, sameId.length - MOST_LOOKED_AT)
  for (let at = sameId.length - 1; at >= last; at--) {
    if (!isTwin(sameId[at] as Run, run)) continue
    if (twins === 1) return 2
    twins = 1
  }
  return twins
}

const isTwin = (one: Run, other: Run): boolean =>
  one.number === other.number &&
  (one.graphText !== other.graphText || one.shownExtraDataText !== other.shownExtraDataText)

/** Why a run with two twins in front of it fails [runs/poison-fails-its-run]. */
export const twinsText = 'two pending runs have the same number and prompt_id'
