// Which steps send progress: on later servers not those that follow shortly after another one
// [messages/progress-throttled].

import type { Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** How much time and which share of all steps lie at least between two steps that send progress. */
const APART_MS = 100
const APART_SHARE = 0.005

/** Whether the current step of a node sends progress. The first and the last one always do, and those with a picture. */
export function sendsProgress(
  { setup, state }: World,
  running: Running,
  {
    steps,
    max,
    hasPicture,
  }: { readonly steps: number; readonly max: number; readonly hasPicture: boolean },
): boolean {
  if (!setup.traits.throttlesProgress) return true
  const { step, reported } = running
  const isDue = state.nowMs - reported.atMs >= APART_MS && step - reported.step >= APART_SHARE * max
  if (!hasPicture && step !== 1 && step !== steps && !isDue) return false
  running.reported = { step, atMs: state.nowMs }
  return true
}
