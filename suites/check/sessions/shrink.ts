// Shortens a list of steps, such as a session, as long as it still shows a fault: half of its steps at a time, then smaller parts.

/** How often a shorter session is tried. */
const MAX_TRIES = 8
/** How long it may take, in milliseconds. */
const MAX_MS = 10_000

/** Whether a step is never left out. */
type Stays<Step> = (step: Step, at: number, steps: readonly Step[]) => boolean

/**
 * The smallest one that was found.
 * @param attempt plays some steps, and returns what it saw if that still shows the fault.
 */
export async function shrink<Step, T extends { readonly steps: readonly Step[] }>(
  first: T & { readonly steps: readonly Step[] },
  attempt: (steps: readonly Step[]) => Promise<T | undefined>,
  stays: Stays<Step> = () => false,
): Promise<T> {
  const startMs = performance.now()
  let best: T = first
  let tries = 0
  let parts = 2
  while (parts <= best.steps.length * 2) {
    let isShorter = false
    for (let part = parts - 1; part >= 0; part--) {
      if (tries >= MAX_TRIES || performance.now() - startMs > MAX_MS) return best
      const steps = withoutPart(best.steps, part, parts, stays)
      if (steps.length === best.steps.length) continue
      tries++
      const shorter = await attempt(steps).catch(() => undefined)
      if (shorter === undefined) continue
      best = shorter
      isShorter = true
      break
    }
    if (!isShorter) parts *= 2
  }
  return best
}

/** The steps without one of several equal parts. */
function withoutPart<Step>(
  steps: readonly Step[],
  part: number,
  parts: number,
  stays: Stays<Step>,
): readonly Step[] {
  const size = Math.ceil(steps.length / parts)
  const from = part * size
  return steps.filter((step, at) => at < from || at >= from + size || stays(step, at, steps))
}
