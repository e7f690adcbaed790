// A small server, told anew after the rules: what waits, what runs, what is over, who hears of it, on a clock of its own.

/** What the only node of a run does. */
export type Work =
  | { readonly kind: 'slow'; readonly seconds: number; readonly steps: number }
  | { readonly kind: 'talk'; readonly text: string }
  | { readonly kind: 'fail' }
export type Submit = {
  readonly id: string
  readonly work: Work
  readonly client: string | null
  readonly number?: number
  readonly front: boolean
}
export type Outcome = 'success' | 'error' | 'interrupted'

type Waiting = Submit & { readonly number: number; readonly submittedMs: number }
type Running = {
  readonly run: Waiting
  readonly isCached: boolean
  /** Steps that are done; undefined before the node has begun. */
  steps: number | undefined
}

/** What the history tells of a run. */
type Ended = { readonly outcome: Outcome; readonly isCached: boolean }

/** Between a submit and its first message, and what a node without a time of its own takes, in milliseconds. */
const START_DELAY_MS = 25
const PACE_MS = 5

export type Model = ReturnType<typeof createModel>

export function createModel() {
  let nowMs = 0
  let dueMs = Infinity
  let counter = 0
  let pending: Waiting[] = []
  let running: Running | null = null
  let isInterrupted = false
  /** The text whose node is not run again: the result of the run before is all that is kept. */
  let cachedText: string | undefined
  /** Whether that is dropped before the next run. */
  let isFreed = false
  const history = new Map<string, Ended>()
  const files = new Map<string, string>()
  /** What each connected client has heard of ends since it connected. */
  const heard = new Map<string, string[]>()

  const take = (): void => {
    const run = pending.shift()
    if (run === undefined) return
    isInterrupted = false
    const text = run.work.kind === 'talk' ? run.work.text : undefined
    if (cachedText !== text || isFreed) cachedText = undefined
    isFreed = false
    running = { run, isCached: text !== undefined && cachedText === text, steps: undefined }
    dueMs = nowMs + PACE_MS
  }

  const end = ({ run, isCached }: Running, outcome: Outcome): void => {
    running = null
    history.set(run.id, { outcome, isCached })
    const line = `${run.id} ${outcome}`
    if (run.client !== null) heard.get(run.client)?.push(line)
    else if (outcome === 'interrupted') for (const lines of heard.values()) lines.push(line)
    const [next] = pending
    if (next !== undefined) dueMs = Math.max(nowMs + PACE_MS, next.submittedMs + START_DELAY_MS)
  }

  const begin = (current: Running): void => {
    const { work } = current.run
    if (current.isCached) return end(current, 'success')
    current.steps = 0
    if (isInterrupted) return end(current, 'interrupted')
    dueMs = nowMs + (work.kind === 'slow' ? (work.seconds * 1000) / work.steps : PACE_MS)
  }

  /** A step of a slow node, or the end of another one. Only steps notice an interrupt. */
  const goOn = (current: Running, done: number): void => {
    const { work } = current.run
    if (work.kind === 'talk') cachedText = work.text
    if (work.kind !== 'slow') return end(current, work.kind === 'fail' ? 'error' : 'success')
    if (isInterrupted) return end(current, 'interrupted')
    current.steps = done + 1
    if (current.steps === work.steps) return end(current, 'success')
    dueMs = nowMs + (work.seconds * 1000) / work.steps
  }

  const act = (): void => {
    dueMs = Infinity
    if (running === null) take()
    else if (running.steps === undefined) begin(running)
    else goOn(running, running.steps)
  }

  const keep = (stays: (run: Waiting) => boolean): void => {
    pending = pending.filter(stays)
    if (pending.length === 0 && running === null) dueMs = Infinity
  }

  return {
    pending: () => pending.map(({ id, number }) => [number, id]),
    running: () => (running === null ? [] : [[running.run.number, running.run.id]]),
    remaining: () => pending.length + (running === null ? 0 : 1),
    history: () => [...history],
    heard: () => heard,
    submit: (submit: Submit): number => {
      const number = submit.number ?? (submit.front ? 0 - counter : counter)
      if (submit.number === undefined) counter++
      const place = pending.findIndex((other) => other.number > number)
      pending.splice(place < 0 ? pending.length : place, 0, {
        ...submit,
        number,
        submittedMs: nowMs,
      })
      if (running === null && dueMs === Infinity) dueMs = nowMs + START_DELAY_MS
      return number
    },
    refuse: () => void counter++,
    remove: (ids: readonly string[]) => keep(({ id }) => !ids.includes(id)),
    clear: () => keep(() => false),
    interrupt: (id?: string) => {
      if (id === undefined || id === running?.run.id) isInterrupted = true
    },
    free: () => void (isFreed = true),
    forget: (ids: readonly string[]) => ids.forEach((id) => history.delete(id)),
    forgetAll: () => history.clear(),
    advance: (byMs: number) => {
      const untilMs = nowMs + byMs
      const isDue = (): boolean => dueMs <= untilMs
      while (isDue()) {
        nowMs = dueMs
        act()
      }
      nowMs = untilMs
    },
    /** Whether a node is at work of which this client is told when it connects. */
    connect: (client: string): boolean => {
      heard.set(client, [])
      return running?.run.client === client && running.steps !== undefined
    },
    disconnect: (client: string) => void heard.delete(client),
    /** Stores a file, and gives the name that it gets. */
    upload: (name: string, content: string, overwrite: boolean): string => {
      const isFree = (candidate: string): boolean =>
        overwrite || (files.get(candidate) ?? content) === content
      let candidate = name
      for (let count = 1; !isFree(candidate); count++) candidate = `${name} (${count})`
      files.set(candidate, content)
      return candidate
    },
    view: (name: string) => files.get(name),
  }
}
