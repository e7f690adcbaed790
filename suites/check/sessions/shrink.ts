// Shortens a session as long as it still shows a fault: half of its steps at a time, then smaller parts.

import type { Session } from './steps.ts'

/** How often a shorter session is tried. */
const MAX_TRIES = 8
/** How long it may take, in milliseconds. */
const MAX_MS = 10_000

/**
 * The smallest session that was found.
 * @param attempt plays a session, and returns what it saw if that still shows the fault.
 */
export async function shrink<T extends { readonly steps: Session }>(
  first: T,
  attempt: (steps: Session) => Promise<T | undefined>,
): Promise<T> {
  const startMs = performance.now()
  let best = first
  let tries = 0
  let parts = 2
  while (parts <= best.steps.length * 2) {
    let isShorter = false
    for (let part = parts - 1; part >= 0; part--) {
      if (tries >= MAX_TRIES || performance.now() - startMs > MAX_MS) return best
      const steps = withoutPart(best.steps, part, parts)
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

/** The steps without one of several equal parts. The first sockets stay. */
function withoutPart(steps: Session, part: number, parts: number): Session {
  const size = Math.ceil(steps.length / parts)
  const from = part * size
  return steps.filter(
    (step, at) =>
      at < from ||
      at >= from + size ||
      (step.do === 'connect' &&
        steps.findIndex((one) => one.do === 'connect' && one.client === step.client) === at),
  )
}
