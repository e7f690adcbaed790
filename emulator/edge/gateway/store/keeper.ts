// Connects a gateway to its store: writes the facts of its effects, and brings it the runs that wait there.

import type { Fact, StoredRun } from '../../../gateway/state/facts.ts'
import type { GatewayEffect, GatewayInput } from '../../../gateway/state/inputs.ts'
import { agentText, endAgent } from './agents.ts'
import { reasonOf } from './sql.ts'
import type { Store } from './store.ts'

export type Keeper = {
  /** Keeps the facts among the effects of a step. */
  readonly emit: (effects: readonly GatewayEffect[]) => void
  /** Ends the agents that a dead gateway has left, and takes its runs. */
  readonly start: () => Promise<void>
  /** Notes the process of an agent. */
  readonly noteAgent: (key: string, pid: number) => void
  /** Takes runs that wait, as far as there is room. */
  readonly claim: () => void
  /** Ends a run that an operator has cancelled. */
  readonly cancel: (key: string) => void
  /** Resolves when nothing is being written or taken; undefined if that is so now. */
  readonly busy: () => Promise<void> | undefined
  /** Writes what is left, and lets go of all runs. Resolves to their number. */
  readonly close: () => Promise<number>
}

export type KeeperOptions = {
  readonly dispatch: (at: (atMs: number) => GatewayInput) => void
  /** How many more runs this gateway can take. */
  readonly room: () => number
  /** The keys of the runs that it works on. */
  readonly held: () => ReadonlySet<string>
  /** The time of the gateway, in milliseconds since 1970. */
  readonly timeMs: () => number
  /** Whether time passes by itself: then it looks for runs again and again. */
  readonly isLive: boolean
  readonly leaseMs: number
  readonly log: (level: 'info' | 'warning' | 'error', text: string) => void
}

/** Facts that are to be kept together, and the number under which the gateway waits for them. */
type Entry = { readonly number: number | null; readonly facts: readonly Fact[] }

/** How many entries one transaction writes. */
const MAX_BATCH = 500
/** How many answers to deliver one look takes. */
const MAX_ANSWERS = 1000
/** How long to wait before a store that failed is tried again, in milliseconds, where time passes by itself. */
const RETRY_MS = 1000
/** How often to look for runs, in milliseconds. */
const LOOK_MS = 1000
/** How often to delete what is old, in milliseconds. */
const PRUNE_MS = 60_000

export function createKeeper(store: Store, options: KeeperOptions): Keeper {
  const { dispatch, room, held, timeMs, isLive, leaseMs, log } = options
  let queue: Entry[] = []
  /** What is being written. */
  let batch: readonly Entry[] = []
  /** Whether a write that failed may have been kept: it then has runs under the name of this gateway that it does not know. */
  let isInDoubt = false
  let isScheduled = false
  let writing: Promise<void> | undefined
  let claiming: Promise<void> | undefined
  let isClosed = false
  let failed: { readonly why: string; readonly untilMs: number } | undefined
  let isFull = false
  let backlog = ''
  const retryMs = isLive ? RETRY_MS : 0
  let problem: string | null = null

  const schedule = (): void => {
    if (isScheduled || isClosed || writing !== undefined || queue.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      writing = flush().finally(() => {
        writing = undefined
        schedule()
      })
    })
  }

  const outcome = (number: number | null, what: StoredInput['outcome']): void => {
    if (number !== null) dispatch((atMs) => ({ kind: 'stored', atMs, number, outcome: what }))
  }

  /** Refuses posts, which are not kept. What must not be lost stays in the queue. */
  const giveBack = (entries: readonly Entry[]): void => {
    const kept: Entry[] = []
    for (const { number, facts } of entries) {
      if (isPost(facts)) {
        const lease = facts.find((fact) => fact.kind === 'id' && fact.isLease)
        if (lease?.kind === 'id') kept.push({ number: null, facts: [forgotten(lease)] })
        outcome(number, 'failed')
      } else kept.push({ number, facts })
    }
    queue = [...kept, ...queue]
  }

  /** The keys of the runs of this gateway that are not over in the store. */
  const known = (): ReadonlySet<string> => {
    const keys = new Set(held())
    for (const { facts } of [...batch, ...queue])
      for (const fact of facts) if ('key' in fact) keys.add(fact.key)
    return keys
  }

  /** Lets go of the runs that a failure has left under the name of this gateway. */
  const settleDoubt = async (): Promise<void> => {
    if (!isInDoubt) return
    const owned = await store.owned()
    const mine = known()
    const unknown = owned.filter((key) => !mine.has(key))
    if (unknown.length > 0) await store.release(unknown)
    isInDoubt = false
    if (unknown.length > 0) claim()
  }

  const flush = async (): Promise<void> => {
    batch = queue.slice(0, MAX_BATCH)
    queue = queue.slice(MAX_BATCH)
    try {
      await flushBatch()
    } finally {
      batch = []
    }
  }

  const flushBatch = async (): Promise<void> => {
    if (failed !== undefined && performance.now() < failed.untilMs) {
      giveBack(batch)
      return retryLater()
    }
    try {
      await settleDoubt()
      await write(batch)
    } catch (error) {
      isInDoubt = true
      if (isFullError(error)) return writeEach()
      fails(error)
      giveBack(batch)
      await retryLater()
    }
  }

  const write = async (entries: readonly Entry[]): Promise<void> => {
    const outcomes = await store.write(
      entries.map(({ facts }) => facts),
      timeMs(),
    )
    works()
    for (const [at, { number }] of entries.entries()) outcome(number, outcomes[at] ?? 'failed')
    if (outcomes.includes('failed')) await makeRoom()
    else isFull = false
    report()
  }

  /** Where not all fits, some does: the end of a run makes room for others. */
  const writeEach = async (): Promise<void> => {
    await makeRoom()
    const left: Entry[] = []
    for (const entry of batch)
      try {
        await write([entry])
      } catch {
        left.push(entry)
      }
    giveBack(left)
    if (left.length === batch.length) await retryLater()
  }

  /** Deletes what is old, as the store is full; says so once. */
  const makeRoom = async (): Promise<void> => {
    if (!isFull)
      log('error', 'The store is full: posts get 503 until runs have ended. See --store-mib.')
    isFull = true
    report()
    // A full disk can have no room for that either.
    await store.prune(timeMs()).catch(() => undefined)
  }

  /** Waits until the store is tried again, unless a post comes that would wait too. */
  const retryLater = (): Promise<void> =>
    queue.some(({ facts }) => isPost(facts)) || isClosed
      ? Promise.resolve()
      : new Promise((resolve) => {
          const timer = setTimeout(end, retryMs)
          wake = end
          function end(): void {
            clearTimeout(timer)
            resolve()
          }
        })
  let wake: () => void = () => undefined

  const fails = (error: unknown): void => {
    const why = reasonOf(error)
    if (failed === undefined) log('error', `The store fails: ${why}. Posts get 503 until it works.`)
    failed = { why, untilMs: performance.now() + retryMs }
    report()
  }
  /** It has written: reading can succeed where that fails. */
  const works = (): void => {
    if (failed !== undefined) log('info', 'The store works again.')
    failed = undefined
    report()
  }
  /** Lets /health say what is wrong [operations/degraded-store]. */
  const report = (): void => {
    const full = isFull ? 'The store is full.' : null
    const now = failed === undefined ? full : `The store fails: ${failed.why}.`
    if (now === problem || isClosed) return
    problem = now
    dispatch((atMs) => ({ kind: 'store-problem', atMs, problem: now }))
  }

  const claim = (): void => {
    if (claiming !== undefined || isClosed) return
    claiming = take()
      .catch((error: unknown) => {
        isInDoubt = true
        fails(error)
      })
      .finally(() => {
        claiming = undefined
      })
  }

  const take = async (): Promise<void> => {
    // One that fails may still be read: this writes.
    if (failed !== undefined) await live()
    await settleDoubt()
    const taken = await store.claim(Math.max(0, room()), MAX_ANSWERS)
    if (isClosed) return
    if (taken.length > 0) {
      // Others can have freed what this gateway works on, while it could not reach the database.
      const mine = known()
      const runs = taken.filter(({ key }) => !mine.has(key))
      if (runs.length > 0) dispatch((atMs) => ({ kind: 'claimed', atMs, runs }))
    }
    const routes = await store.backlog()
    const text = JSON.stringify(routes)
    if (text === backlog || isClosed) return
    backlog = text
    dispatch((atMs) => ({ kind: 'backlog', atMs, routes }))
  }

  const busy: Keeper['busy'] = () => {
    if (writing === undefined && claiming === undefined && !isScheduled) return undefined
    return Promise.all([writing, claiming]).then(
      () => new Promise((resolve) => setImmediate(resolve)),
    )
  }
  /** Resolves when all is written, or the store fails. */
  const untilWritten = async (): Promise<void> => {
    const left = busy()
    if (left === undefined || failed !== undefined) return
    await left
    await untilWritten()
  }
  const timers: ReturnType<typeof setInterval>[] = []
  const every = (ms: number, work: () => Promise<unknown>): void => {
    timers.push(setInterval(() => void work().catch(fails), ms))
  }
  /**
   * After a failure of the database all gateways seem dead: one may say that others are when it has been in contact for
   * as long as they may be silent.
   */
  let sinceMs = performance.now()
  const free = (runs: number): void => {
    if (runs > 0)
      log(
        'info',
        `A gateway that ended left ${runs === 1 ? 'a run' : `${runs} runs`}: work goes on.`,
      )
  }
  const live = async (): Promise<void> => {
    try {
      free(await store.live(timeMs(), !store.isShared || performance.now() - sinceMs > leaseMs))
      works()
    } catch (error) {
      sinceMs = performance.now()
      throw error
    }
  }
  const cancel: Keeper['cancel'] = (key) => dispatch((atMs) => ({ kind: 'cancel', atMs, key }))
  const unlisten = store.listen({ stored: claim, cancelled: cancel })

  return {
    emit: (effects) => {
      for (const effect of effects) {
        if (effect.kind === 'store') {
          queue.push(effect)
          if (isPost(effect.facts)) wake()
        } else if (effect.kind === 'run' && effect.run.status !== 'running' && backlog.length > 2)
          claim()
      }
      schedule()
    },
    start: async () => {
      free(await store.live(timeMs(), !store.isShared))
      await Promise.all((await store.agentsLeft()).map(endAgent))
      await store.prune(timeMs())
      claim()
      await claiming
      if (!isLive) return
      every(LOOK_MS, async () => claim())
      every(leaseMs / 3, () => live())
      every(PRUNE_MS, () => store.prune(timeMs()))
    },
    noteAgent: (key, pid) => {
      const note = async (): Promise<void> => {
        await store.noteAgent(key, await agentText(pid))
      }
      note().catch(fails)
    },
    claim,
    cancel,
    busy,
    close: async () => {
      for (const timer of timers) clearInterval(timer)
      unlisten()
      // What is being written can have more to write behind it.
      await untilWritten()
      isClosed = true
      wake()
      await Promise.allSettled([writing, claiming])
      try {
        if (queue.length > 0)
          await store.write(
            queue.map(({ facts }) => facts),
            timeMs(),
          )
        return await store.release()
      } catch {
        // What is not written is done again after the next start.
        return 0
      } finally {
        await store.close().catch(() => undefined)
      }
    },
  }
}

type StoredInput = Extract<GatewayInput, { kind: 'stored' }>

/** Whether a sender waits for these facts. */
const isPost = (facts: readonly Fact[]): boolean =>
  facts.some(({ kind }) => kind === 'id' || kind === 'counted')

const forgotten = ({ route, delivery_id }: Pick<StoredRun, 'route' | 'delivery_id'>): Fact => ({
  kind: 'forgotten',
  route,
  delivery_id,
})

/** Whether a database or its disk has no room. */
const isFullError = (error: unknown): boolean =>
  error instanceof Error && /\bfull\b|No space left/i.test(error.message)
