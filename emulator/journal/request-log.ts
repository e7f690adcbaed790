// Keeps the requests that a machine has received since its start, handshakes of sockets too, with their answers. The journal keeps the latest entries
// of all kinds, so that the timers of a few runs push requests out of it; what a test asks about them needs more.

import { limits } from '../../spec/limits.ts'
import type { Answer, Answered, Entry, IncomingRequest, Input } from '../machine.ts'

/** The maximum total size of their bodies, targets and headers, in bytes. */
const MAX_HELD_BYTES = limits.keptRequestBytes.value
const MAX_REQUESTS = limits.keptRequests.value

/** The inputs of any machine that are requests. */
export type RequestInput =
  | (IncomingRequest & {
      readonly kind: 'request'
      readonly atMs: number
      readonly request: number
    })
  | Extract<Input, { readonly kind: 'open' }>

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
  /** Drops the oldest part of the requests, from 0 to 1. */
  readonly trim: (part: number) => void
  /** The approximate size of the kept requests, in bytes. */
  readonly bytes: () => number
  /** All that it keeps, which still changes. */
  readonly save: () => SavedRequests
}

/** What a request takes beside its body, target and headers, in bytes. */
const REQUEST_BYTES = 500

/** All that a log keeps, as plain data. */
export type SavedRequests = {
  readonly log: readonly (Mutable | undefined)[]
  readonly first: number
  readonly next: number
  readonly heldBytes: number
  readonly waiting: ReadonlyMap<number | string, Mutable>
}

/**
 * @param answerOf what an effect says about a request.
 * @param saved what another log has kept.
 */
export function createRequestLog<I, E>(
  answerOf: (effect: E) => Answer | undefined,
  saved?: SavedRequests,
): RequestLog<I, E> {
  let log = [...(saved?.log ?? [])]
  /** The number of dropped requests: those before it have no place in the list. */
  let first = saved?.first ?? 0
  let next = saved?.next ?? 0
  let heldBytes = saved?.heldBytes ?? 0
  /** The requests without a reply so far. */
  const waiting = new Map(saved?.waiting)

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
    waiting.delete(keyOf(input))
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
    const ownKey = own && keyOf(own.input)
    const replied: (number | string)[] = []
    for (const effect of effects) {
      const answer = answerOf(effect)
      if (answer === undefined) continue
      const { status, run } = answer
      const key = keyOf(answer)
      const one = key === ownKey ? own : waiting.get(key)
      if (one === undefined) continue
      if (run !== undefined) one.run = run
      if (status === undefined) continue
      one.status = status
      if (one !== own) replied.push(key)
    }
    // The effects with the reply can say more after it; later ones say nothing.
    for (const key of replied) waiting.delete(key)
    // One that is too large for the log is dropped already.
    if (own?.status === null && first < next) waiting.set(keyOf(own.input), own)
  }
  const kept = (): KeptRequests => {
    const items: LoggedRequest[] = []
    for (let at = first; at < next; at++) items.push(log[at % MAX_REQUESTS] as Mutable)
    return { items, complete: first === 0 }
  }
  const trim = (part: number): void => {
    for (let left = Math.ceil(part * (next - first)); left > 0; left--) dropFirst()
  }
  const bytes = (): number => heldBytes + REQUEST_BYTES * (next - first)
  const save = (): SavedRequests => ({ log, first, next, heldBytes, waiting })
  return { add, kept, trim, bytes, save }
}

type Mutable = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] }

/** Whether an input is the beginning of what a test asks about: a reset, a restore or a fork. */
export const replacesState = (input: unknown): boolean =>
  (input as Input).kind === 'world' && (input as { readonly do?: string }).do !== 'snapshot'

const isRequest = (input: unknown): input is RequestInput => {
  const { kind } = input as RequestInput
  return kind === 'request' || kind === 'open'
}

/** What distinguishes a request from the others: sockets are numbered separately. */
const keyOf = (answered: Answered): number | string =>
  'request' in answered ? answered.request : `socket ${answered.socket}`

function bytesOf(input: RequestInput): number {
  const { target, headers } = input
  let bytes = target.length + ('body' in input ? input.body.length : 0)
  for (const name in headers) bytes += (headers[name] as string).length
  return bytes
}
