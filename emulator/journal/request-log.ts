// Keeps the requests that a machine has received since its start, with their answers. The journal keeps the latest entries
// of all kinds, so that the timers of a few runs push requests out of it; what a test asks about them needs more.

import { limits } from '../../spec/limits.ts'
import type { Answer, Entry, IncomingRequest, Input } from '../machine.ts'

/** The maximum total size of their bodies, targets and headers, in bytes. */
const MAX_HELD_BYTES = limits.keptRequestBytes.value
const MAX_REQUESTS = limits.keptRequests.value

/** The input of any machine that is a request. */
type RequestInput = IncomingRequest & {
  readonly kind: 'request'
  readonly atMs: number
  readonly request: number
}

/** A request, and what its effects say about it. */
export type LoggedRequest = {
  /** The number of its journal entry. */
  readonly entry: number
  readonly input: RequestInput
  /** The status of the reply; null if it has not been sent. */
  readonly status: number | null
  /** The run that it started. */
  readonly run: string | null
}

/** The kept requests since the last change of the whole state, oldest first. */
export type KeptRequests = {
  readonly items: readonly LoggedRequest[]
  /** Whether they have their beginning. */
  readonly complete: boolean
}

export type RequestLog<I, E> = {
  /** @param number the number of the journal entry. */
  readonly add: (number: number, entry: Entry<I, E>) => void
  readonly kept: () => KeptRequests
}

/** @param answerOf what an effect says about a request. */
export function createRequestLog<I, E>(
  answerOf: (effect: E) => Answer | undefined,
): RequestLog<I, E> {
  let log: (Mutable | undefined)[] = []
  /** The number of dropped requests: those before it have no place in the list. */
  let first = 0
  let next = 0
  let heldBytes = 0
  /** The requests without a reply so far. */
  const waiting = new Map<number, Mutable>()

  const clear = (): void => {
    log = []
    first = next = heldBytes = 0
    waiting.clear()
  }
  const dropFirst = (): void => {
    const at = first++ % MAX_REQUESTS
    const { input } = log[at] as Mutable
    log[at] = undefined
    heldBytes -= bytesOf(input)
    waiting.delete(input.request)
  }
  const isTooLarge = (): boolean => heldBytes > MAX_HELD_BYTES
  const addRequest = (entry: number, input: RequestInput): Mutable => {
    if (next - first === MAX_REQUESTS) dropFirst()
    const one = { entry, input, status: null, run: null }
    log[next++ % MAX_REQUESTS] = one
    heldBytes += bytesOf(input)
    while (isTooLarge()) dropFirst()
    return one
  }
  const add: RequestLog<I, E>['add'] = (number, { input, effects }) => {
    if (replacesState(input)) clear()
    const own = isRequest(input) ? addRequest(number, input) : undefined
    if (own === undefined && waiting.size === 0) return
    const replied: number[] = []
    for (const effect of effects) {
      const answer = answerOf(effect)
      if (answer === undefined) continue
      const { request, status, run } = answer
      const one = request === own?.input.request ? own : waiting.get(request)
      if (one === undefined) continue
      if (run !== undefined) one.run = run
      if (status === undefined) continue
      one.status = status
      if (one !== own) replied.push(request)
    }
    // The effects with the reply can say more after it; later ones say nothing.
    for (const request of replied) waiting.delete(request)
    // One that is too large for the log is dropped already.
    if (own?.status === null && first < next) waiting.set(own.input.request, own)
  }
  const kept = (): KeptRequests => {
    const items: LoggedRequest[] = []
    for (let at = first; at < next; at++) items.push(log[at % MAX_REQUESTS] as Mutable)
    return { items, complete: first === 0 }
  }
  return { add, kept }
}

type Mutable = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] }

/** Whether an input is the beginning of what a test asks about: a reset, a restore or a fork. */
export const replacesState = (input: unknown): boolean =>
  (input as Input).kind === 'world' && (input as { readonly do?: string }).do !== 'snapshot'

const isRequest = (input: unknown): input is RequestInput =>
  (input as RequestInput).kind === 'request'

function bytesOf({ target, headers, body }: RequestInput): number {
  let bytes = target.length + body.length
  for (const name in headers) bytes += (headers[name] as string).length
  return bytes
}
