// Asks again until a server is as far as it was: at most for a while, so that what never comes is found missing.

import { setTimeout as delay } from 'node:timers/promises'
import { listedIds } from '../../../judge/own-runs.ts'
import type { Reply } from '../../../judge/reply.ts'
import type { Subject } from '../../../judge/subject.ts'
import { type Compared, isAhead, isBehind, statesIn } from './states.ts'

/** The longest time that one cause or one state is waited for, in milliseconds. */
export const MAX_WAIT_MS = 15_000
/** How long a history may lag behind the queue. A run that is not over after that is nowhere. */
const MAX_LAG_MS = 1000
/** The time between two attempts, which doubles, in milliseconds. */
const POLL_MS = { first: 5, most: 200 } as const

/** A reply, and how far the runs are in it. */
export type Polled = { readonly reply: Reply; readonly states: readonly Compared[] }

/** Tries again until it succeeds or the time is over; resolves to the last result. */
async function patiently<T>(
  attempt: () => Promise<T>,
  isDone: (result: T) => boolean,
  forMs = MAX_WAIT_MS,
): Promise<T> {
  const endMs = performance.now() + forMs
  for (let waitMs: number = POLL_MS.first; ; waitMs = Math.min(2 * waitMs, POLL_MS.most)) {
    const result = await attempt()
    if (isDone(result) || performance.now() > endMs) return result
    await delay(waitMs)
  }
}

/** Sends a poll until the runs in its reply are as far as they were. */
export const poll = (
  send: () => Promise<Reply>,
  statesIn: (reply: Reply) => readonly Compared[],
): Promise<Polled> =>
  patiently(
    async () => {
      const reply = await send()
      return { reply, states: statesIn(reply) }
    },
    ({ states }) => !states.some(isBehind),
  )

/** The runs that a queue does not list although it did, and that are not over either. */
export async function lostOf(
  subject: Subject,
  states: readonly Compared[],
): Promise<readonly string[]> {
  const lost: string[] = []
  for (const { idNow, run } of states.filter(isAhead))
    if (!(await patiently(() => isSomewhere(subject, idNow), Boolean, MAX_LAG_MS)))
      lost.push(run.prompt_id)
  return lost
}

async function isSomewhere(subject: Subject, id: string): Promise<boolean> {
  const { running, pending } = await listedIds(subject)
  if ([...running, ...pending].includes(id)) return true
  if (subject.deployment === 'local') {
    const { status, text } = await subject.get(`/history/${encodeURIComponent(id)}`)
    return status === 200 && text.includes(JSON.stringify(id))
  }
  const { status, json } = await subject.get(`/jobs/${encodeURIComponent(id)}`)
  return status === 200 && statesIn('job', json()).get(id) === 'over'
}
