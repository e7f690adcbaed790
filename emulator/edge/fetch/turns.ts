// Does work in order, one piece a turn, as the events of a socket arrive in a page.

export type Turns = {
  /** Does the work after everything that was added before, and not within the current call. */
  readonly add: (work: () => void) => void
  /** Resolves when nothing is left. */
  readonly flushed: () => Promise<void>
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = []
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    for (let at = 0; at < waiting.length; at++) {
      await Promise.resolve()
      waiting[at]?.()
    }
    waiting.length = 0
    running = undefined
  }
  const add: Turns['add'] = (work) => {
    waiting.push(work)
    running ??= run()
  }
  const flushed = async (): Promise<void> => {
    if (running === undefined) return
    await running
    return flushed()
  }
  return { add, flushed }
}
