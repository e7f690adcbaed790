// Bounds the memory of all worlds at an address together: looks now and then what they take, and lets those go that are
// above their equal share [shared/memory*].

import type { Input } from '../../machine.ts'
import { stateCounts, stateSizes } from '../../server/memory.ts'
import type { ServerParts } from '../server-handle.ts'
import { type Sizes, totalOf, type UsedWorld, type WorldMemory } from '../worlds.ts'

/** After a look that has dropped something, the worlds take this part of the bound at most, so that not every look does. */
const AFTERWARDS = 0.8

/** What can be dropped, and what cannot. */
const droppable = ({ history, journal }: Sizes): number => history + journal
const fixed = ({ uploads, waiting }: Sizes): number => uploads + waiting

/** Less is not worth an entry in a journal, in bytes. */
const LEAST_BYTES = 16 * 1024

/** How often lines about the same thing are printed at most, in milliseconds. */
const LINES_MS = 60_000

/** How the bound of the memory is kept. */
export type MemoryBound = {
  /** Looks at the worlds, and drops what is above the bound. */
  readonly look: (worlds: readonly UsedWorld[]) => void
  /** How often a world has lost something. */
  readonly trims: () => number
}

/**
 * @param limitBytes the bound for all worlds together.
 * @param warn takes lines for the operator.
 */
export function createMemoryBound(
  limitBytes: number,
  warn: (line: string) => void,
  monotonicMs: () => number,
): MemoryBound {
  const mib = Math.round(limitBytes / 2 ** 20)
  const sayTrims = limited(warn, monotonicMs, (worlds) => {
    const [who, whose] = worlds === 1 ? ['A world has', 'its'] : [`${worlds} worlds have`, 'their']
    return `${who} lost the oldest part of ${whose} history and journal: all worlds together take more than ${mib} MiB (--memory-mib).`
  })
  const sayFull = limited(
    warn,
    monotonicMs,
    (worlds) =>
      `${worlds} ${worlds === 1 ? 'world refuses' : 'worlds refuse'} uploads and workflows: they store more than their share of ${mib} MiB (--memory-mib). Close worlds, or lower --world-mib.`,
  )
  let trims = 0

  const look: MemoryBound['look'] = (worlds) => {
    const sized = worlds.map((world) => {
      const sizes = world.memory.sizes()
      return { world, sizes, bytes: totalOf(sizes) }
    })
    let total = sized.reduce((sum, { bytes }) => sum + bytes, 0)
    const isOver = total > limitBytes
    const share = (AFTERWARDS * limitBytes) / worlds.length
    // Nobody loses anything to a world that takes more: if the sum is above the bound, some world is above its share.
    const heavy = isOver ? sized.filter(({ bytes }) => bytes > share) : []
    let trimmed = 0
    for (const { world, sizes, bytes } of heavy.toSorted(
      (a, b) => a.world.usedMs - b.world.usedMs,
    )) {
      const excess = Math.min(bytes - share, droppable(sizes))
      if (total <= AFTERWARDS * limitBytes || excess < LEAST_BYTES) continue
      world.memory.trim(excess / droppable(sizes))
      total -= bytes - totalOf(world.memory.sizes())
      trimmed++
    }
    let full = 0
    for (const { world, sizes } of sized) {
      const isFull = isOver && fixed(sizes) > share
      world.memory.setFull(isFull)
      if (isFull) full++
    }
    trims += trimmed
    sayTrims(trimmed)
    sayFull(full)
  }
  return { look, trims: () => trims }
}

/** Says how many worlds something has happened to, unless it was just said: then with the next line. */
function limited(
  warn: (line: string) => void,
  monotonicMs: () => number,
  text: (worlds: number) => string,
): (worlds: number) => void {
  let saidMs = -Infinity
  let worlds = 0
  return (more) => {
    worlds = Math.max(worlds, more)
    if (worlds === 0 || monotonicMs() - saidMs < LINES_MS) return
    saidMs = monotonicMs()
    warn(text(worlds))
    worlds = 0
  }
}

/**
 * The memory of a world.
 * @param dispatch applies an input to it now.
 */
export function memoryOf(
  { server, recorder }: ServerParts,
  dispatch: (at: (atMs: number) => Input) => void,
): WorldMemory & { readonly share: { isFull: boolean } } {
  const share = { isFull: false }
  return {
    sizes: () => {
      const { history, uploads, waiting } = stateSizes(server)
      return { history, uploads, waiting, journal: recorder.bytes() }
    },
    counts: () => Object.assign(stateCounts(server), share),
    trim: (part) => dispatch((atMs) => ({ kind: 'trim', atMs, part })),
    setFull: (isFull) => {
      share.isFull = isFull
    },
    share,
  }
}
