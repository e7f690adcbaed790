// The requests of a session: when each came, how long its answer took, and what it was.

import { errorsIn } from '../../journal/errors-in.ts'
import { membersOf, textOf, type Members } from '../../lib/loose.ts'
import type { Entry } from './journal.ts'

export type Request = {
  readonly entry: number
  readonly at: number
  /** When its answer left; null before. */
  endAt: number | null
  readonly method: string
  readonly target: string
  readonly input: Members
  /** The effect with its answer, and where that stands. */
  reply: Members | null
  /** What a stream has sent after the head of its answer. */
  stream: string
  /** Its status; 0 if its connection was reset. */
  status: number | null
  /** The faults that applied to it. */
  readonly faults: readonly string[]
}

export function requestsOf(entries: readonly Entry[]): readonly Request[] {
  const requests: Request[] = []
  const waiting = new Map<unknown, Request>()
  for (const { n, at, input, effects } of entries) {
    if (input['kind'] === 'request') {
      const faults = effects.flatMap(({ kind, id }) => (kind === 'fault' ? String(id) : []))
      const one: Request = {
        entry: n,
        at,
        endAt: null,
        method: String(input['method']),
        target: String(input['target']),
        input,
        reply: null,
        stream: '',
        status: null,
        faults,
      }
      requests.push(one)
      waiting.set(input['request'], one)
    }
    for (const effect of effects) noteAnswer(waiting.get(effect['request']), effect, at)
  }
  return requests
}

/** Notes what an effect says about a request: its answer, a part of a stream, or that its connection is reset. */
function noteAnswer(one: Request | undefined, effect: Members, at: number): void {
  const { kind, status, stream, text, then } = effect
  if (one === undefined || !(kind === 'reply' || kind === 'reset' || kind === 'chunk')) return
  if (kind === 'chunk') one.stream += String(text)
  if (kind === 'reply') one.reply = effect
  if (kind !== 'chunk') one.status = kind === 'reset' ? 0 : Number(status)
  if (kind === 'chunk' ? then !== undefined : stream !== true) one.endAt = at
}

/** Whether a request got an error, or no answer as its connection was reset. */
export const isRefused = ({ status }: Request): boolean =>
  status !== null && (status === 0 || status >= 400)

/** The size of its answer, in bytes; null if the journal does not say it. */
export function sizeOf({ reply, stream }: Request): number | null {
  const body = reply?.['body']
  if (typeof body === 'string') return new TextEncoder().encode(body + stream).length
  const { bytes } = membersOf(body)
  return typeof bytes === 'number' ? bytes : null
}

/** The path of a target without its query. */
export const pathOf = (target: string): string => target.split('?', 1)[0] ?? ''

/** A parameter of a target's query. */
export const parameterOf = (target: string, name: string): string | null =>
  new URLSearchParams(target.split('?').slice(1).join('?')).get(name)

/** The text of the body of a request, if it is text. */
export const bodyOf = ({ input }: Request): string | null => textOf(input['body'])

/** The error in an answer, in a few words; null without one. */
export function refusalOf({ reply, status }: Pick<Request, 'reply' | 'status'>): string | null {
  if (status === null || status === 0 || status < 400 || reply === null) return null
  return errorsIn(textOf(reply['body']) ?? '', status).join('; ') || null
}
