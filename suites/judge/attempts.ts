// What a gateway does with an answer whose deliveries fail: its attempts, as brief as possible.

import type { GatewaySubject } from './gateway-subject.ts'
import { makeRuns, postTo } from './posts.ts'

export type Failure = {
  readonly error?: string
  readonly status?: number
  readonly retryAfterMs?: number
  readonly times?: number | null
}

/** Posts once while deliveries fail, and returns the attempts: how many milliseconds after the first, and their texts. */
export async function attempts(
  subject: GatewaySubject,
  { text = 'answer', error = 'refused', times = null, ...facts }: Failure & { text?: string },
) {
  subject.gateway.failDeliveries({ target: 'telegram', error, times, ...facts })
  const to = await makeRuns(subject, '{text}')
  await postTo(subject, to, { text })
  const entries = await subject.sender.control.deliveries(to, 1)
  return entries.map((entry) => ({
    attempt: entry.attempt,
    ms: entry.timestamp - (entries[0]?.timestamp ?? 0),
    status: entry.status,
    text: entry.text,
  }))
}

export const first = { attempt: 1, ms: 0, status: 'failed', text: 'answer' }
/** The attempt to deliver a notice about an answer that is dead. */
export const notice = (reason: string, status = 'delivered') => ({
  ...first,
  status,
  text: `An answer could not be delivered: ${reason}\nThe log of the gateway says more.`,
})
