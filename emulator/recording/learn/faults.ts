// Refusals that come from the state of a server and not from a request: limits, missing funds, overload. They become faults.

import type { Fault } from '../../../spec/scenario/faults.ts'
import type { Recording } from '../recording.ts'
import { answeredIn } from './requests.ts'
import type { LearnedRun } from './runs.ts'
import { addTo, isMembers, jsonOf } from './values.ts'

/** Not refused because of what was requested: the same request is accepted at another time. */
const statuses: ReadonlySet<number> = new Set([402, 408, 425, 429, 500, 502, 503, 504, 507])

/** The largest body that a fault has. */
const MAX_BODY = 10_000

type Then = Fault['then']

/** One fault for all equal refusals of a path; `nth` counts the requests of the recordings together. */
export function faultsIn(
  recordings: readonly Recording[],
  runs: readonly LearnedRun[],
): readonly Fault[] {
  const ids = new Set(runs.map(({ prompt_id }) => prompt_id))
  const counts = new Map<string, number>()
  const refusals = new Map<string, number[]>()
  for (const { method, path, status, body, header } of recordings.flatMap(answeredIn)) {
    if (/[?#]/.test(path)) continue
    const pattern = path
      .split('/')
      .map((part) => (ids.has(part) ? '*' : part))
      .join('/')
    const isHandshake = path === '/ws'
    const when = isHandshake ? { socket: 'open' } : { method, path: pattern }
    const nth = (counts.get(JSON.stringify(when)) ?? 0) + 1
    counts.set(JSON.stringify(when), nth)
    if (!statuses.has(status)) continue
    const seconds = Number(header('retry-after') ?? NaN)
    const then: Then = {
      ...(isHandshake ? { refuse: status } : { status }),
      ...(Number.isInteger(seconds) && seconds >= 0 && { retryAfter: seconds }),
      ...bodyOf(body),
    }
    addTo(refusals, JSON.stringify([when, then]), nth)
  }
  return Array.from(refusals, ([key, nth]) => {
    const [when, then] = JSON.parse(key) as [Fault['when'], Then]
    return { when: { ...when, nth }, then }
  })
}

function bodyOf(body: Uint8Array): Pick<Then, 'body'> {
  if (body.length === 0 || body.length > MAX_BODY) return {}
  const value = jsonOf(body)
  if (isMembers(value) || Array.isArray(value)) return { body: value }
  return { body: new TextDecoder().decode(body) }
}
