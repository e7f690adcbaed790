// A small model of a server, written from the rules: pending, running and finished runs, and the recipients of
// messages, on a separate clock.

import { tiers } from '../../spec/server/access.ts'
import type { Deployment } from '../../spec/language.ts'
import {
  type DeploymentRules,
  type Outcome,
  type RunEnd,
  type Submit,
  ways,
} from './deployments.ts'

type PendingRun = Submit & {
  readonly number: number
  readonly submittedMs: number
}
type ActiveRun = {
  readonly run: PendingRun
  readonly isCached: boolean
  /** Completed steps; undefined before the node has begun. */
  steps: number | undefined
}
type Worker = {
  running: ActiveRun | null
  /** When it acts next. */
  dueMs: number
  isInterrupted: boolean
  /** The text whose node does not run again: the result of the previous run is all that is cached. */
  cachedText: string | undefined
  /** Whether that is dropped before the next run. */
  isFreed: boolean
}

/** The time between a submit and its first message, and of a node without a duration, in milliseconds. */
const START_DELAY_MS = 25
const PACE_MS = 5

export type AccountModel = ReturnType<typeof createAccount>
/** The worlds of a server: local has one; on hosted each account has its own. */
export type Model = {
  readonly accounts: readonly AccountModel[]
  readonly advance: (byMs: number) => void
}

/** The tiers of the accounts of the hosted model: one that runs one job at a time, one that runs three. */
export const modelTiers = ['standard', 'creator'] as const

export function createModel(deployment: Deployment): Model {
  const workers = deployment === 'hosted' ? modelTiers.map((tier) => tiers[tier].runsAtATime) : [1]
  const accounts = workers.map((count) => createAccount(ways[deployment], count))
  return { accounts, advance: (byMs) => accounts.forEach((one) => one.advance(byMs)) }
}

function createAccount(own: DeploymentRules, workerCount: number) {
  let nowMs = 0
  let counter = 0
  let pending: PendingRun[] = []
  const workers = Array.from({ length: workerCount }, (): Worker => ({
    running: null,
    dueMs: Infinity,
    isInterrupted: false,
    cachedText: undefined,
    isFreed: false,
  }))
  /** Running runs, in the order in which they began. */
  let begun: ActiveRun[] = []
  /** All runs, in the order of their submits. */
  const submitted: string[] = []
  const ended = new Map<string, RunEnd>()
  const files = new Map<string, string>()
  /** The ends of runs that each connected client was notified of since it connected. */
  const endsByClient = new Map<string, string[]>()

  const readyMs = ({ submittedMs }: PendingRun): number => submittedMs + START_DELAY_MS

  const notify = ({ id, client }: Submit, outcome: Outcome): void => {
    const line = `${id} ${outcome === 'removed' ? 'interrupted' : outcome}`
    for (const recipient of own.recipients(client, outcome, [...endsByClient.keys()]))
      endsByClient.get(recipient)?.push(line)
  }

  const take = (worker: Worker): void => {
    const [next] = pending
    if (next === undefined) return
    if (readyMs(next) > nowMs) {
      worker.dueMs = readyMs(next)
      return
    }
    pending.shift()
    worker.isInterrupted = false
    const text = next.work.kind === 'talk' ? next.work.text : undefined
    if (worker.cachedText !== text || worker.isFreed) worker.cachedText = undefined
    worker.isFreed = false
    const isCached = text !== undefined && worker.cachedText === text
    worker.running = { run: next, isCached, steps: undefined }
    begun.push(worker.running)
    worker.dueMs = nowMs + PACE_MS
  }

  const end = (worker: Worker, { run, isCached }: ActiveRun, outcome: Outcome): void => {
    worker.running = null
    begun = begun.filter((other) => other.run !== run)
    const isLate = own.looksAtTheEnd && worker.isInterrupted && outcome === 'success'
    const how = isLate ? 'interrupted' : outcome
    ended.set(run.id, { outcome: how, isCached, isForgotten: false })
    notify(run, how)
    const [next] = pending
    if (next !== undefined) worker.dueMs = Math.max(nowMs + PACE_MS, readyMs(next))
  }

  const begin = (worker: Worker, current: ActiveRun): void => {
    const { work } = current.run
    if (current.isCached) return end(worker, current, 'success')
    current.steps = 0
    if (worker.isInterrupted) return end(worker, current, 'interrupted')
    worker.dueMs = nowMs + (work.kind === 'slow' ? (work.seconds * 1000) / work.steps : PACE_MS)
  }

  /** A step of a slow node, or the end of another one. Only steps notice an interrupt. */
  const goOn = (worker: Worker, current: ActiveRun, done: number): void => {
    const { work } = current.run
    if (work.kind === 'talk') worker.cachedText = work.text
    if (work.kind !== 'slow') {
      return end(worker, current, work.kind === 'fail' ? 'error' : 'success')
    }
    if (worker.isInterrupted) return end(worker, current, 'interrupted')
    current.steps = done + 1
    if (current.steps === work.steps) return end(worker, current, 'success')
    worker.dueMs = nowMs + (work.seconds * 1000) / work.steps
  }

  const act = (worker: Worker): void => {
    worker.dueMs = Infinity
    const { running } = worker
    if (running === null) take(worker)
    else if (running.steps === undefined) begin(worker, running)
    else goOn(worker, running, running.steps)
  }

  /** Takes runs out of the queue, in this order, and returns their ids. */
  const remove = (ids: readonly string[]): readonly string[] => {
    const gone = [...new Set(ids)].flatMap((id) => pending.find((run) => run.id === id) ?? [])
    pending = pending.filter((run) => !gone.includes(run))
    for (const run of own.removedIsCancelled ? gone : []) {
      ended.set(run.id, { outcome: 'removed', isCached: false, isForgotten: false })
      notify(run, 'removed')
    }
    if (pending.length === 0) {
      for (const worker of workers) if (worker.running === null) worker.dueMs = Infinity
    }
    return gone.map(({ id }) => id)
  }

  const stop = (isMeant: (id: string | undefined, worker: Worker) => boolean): void =>
    workers.forEach((worker) => {
      if (isMeant(worker.running?.run.id, worker)) worker.isInterrupted = true
    })
  const isKnown = (id: string): boolean => submitted.includes(id)
  const stopOldest = (): void => {
    const able = begun.find((one) => !workers.some((w) => w.running === one && w.isInterrupted))
    stop((id) => id !== undefined && id === able?.run.id)
  }

  return {
    pending: () => pending.map(({ id, number }, at) => [own.place(number, at), id]),
    running: () => begun.map(({ run }, at) => [own.place(run.number, at), run.id]),
    remaining: () => pending.length + begun.length,
    history: () => own.history(ended, submitted),
    /** The state of every submitted run, the newest first. */
    jobs: () =>
      submitted.toReversed().map((id) => {
        const isRunning = begun.some(({ run }) => run.id === id)
        return [id, ended.get(id)?.outcome ?? (isRunning ? 'running' : 'pending')] as const
      }),
    endsByClient: () => endsByClient,
    submit: (submit: Submit): number => {
      const given = own.order(submit)
      const number = given.number ?? (given.front ? 0 - counter : counter)
      if (given.number === undefined) counter++
      const place = pending.findIndex((other) => other.number > number)
      const waiting = { ...submit, number, submittedMs: nowMs }
      pending.splice(place < 0 ? pending.length : place, 0, waiting)
      submitted.push(submit.id)
      const idle = workers.find(({ running, dueMs }) => running === null && dueMs === Infinity)
      if (idle !== undefined) idle.dueMs = nowMs + START_DELAY_MS
      return number
    },
    refuse: () => void (counter += own.refusedCounts),
    remove,
    clear: () => remove(pending.map(({ id }) => id)),
    /** Whether the run that an interrupt names exists. */
    interrupt: (id?: string): boolean => own.interrupt({ stop, stopOldest, remove, isKnown }, id),
    free: () => workers.forEach((worker) => (worker.isFreed = true)),
    forget: (ids: readonly string[]) =>
      ids.forEach((id) => {
        const one = ended.get(id)
        if (one !== undefined) one.isForgotten = true
      }),
    forgetAll: () => ended.forEach((one) => (one.isForgotten = true)),
    advance: (byMs: number) => {
      const untilMs = nowMs + byMs
      for (;;) {
        const dueMs = Math.min(...workers.map((worker) => worker.dueMs))
        const worker = workers.find((one) => one.dueMs === dueMs)
        if (worker === undefined || dueMs > untilMs) break
        nowMs = dueMs
        act(worker)
      }
      nowMs = untilMs
    },
    /** The runs at a node of which this client is notified when it connects. */
    connect: (client: string): readonly string[] => {
      endsByClient.set(client, [])
      const atWork = begun.filter(
        ({ steps, run }) => steps !== undefined && own.isNotified(run, client),
      )
      return atWork.map(({ run }) => run.id)
    },
    disconnect: (client: string) => void endsByClient.delete(client),
    /** Stores a file, and returns the name that it gets. */
    upload: (name: string, content: string, overwrite: boolean): string => {
      const stored = own.nameOf(files, name, content, overwrite)
      files.set(stored, content)
      return stored
    },
    view: (name: string) => files.get(name),
  }
}
