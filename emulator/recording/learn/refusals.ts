// Refusals that come from the state of a server and not from a request, limits, missing funds or overload, which become faults;
// and what a scenario cannot contain: settings and user data that a client read before it wrote them.

import type { Fault } from '../../../spec/scenario/faults.ts'
import { addTo } from '../../lib/add-to.ts'
import { isMembers, jsonIn } from '../../lib/loose.ts'
import { responseHeader, type TracedExchange } from '../../session/exchanges.ts'
import type { LearnedRun } from './runs.ts'

/** Not refused because of what was requested: the same request is accepted at another time. */
const statuses: ReadonlySet<number> = new Set([402, 408, 425, 429, 500, 502, 503, 504, 507])

/** The largest body that a fault has. */
const MAX_BODY = 10_000

type Then = Fault['then']

/** One fault for all equal refusals of a path; `nth` counts the requests of the recordings together. */
export function faultsIn(
  answered: readonly TracedExchange[],
  runs: readonly LearnedRun[],
): readonly Fault[] {
  const ids = new Set(runs.map(({ prompt_id }) => prompt_id))
  const counts = new Map<string, number>()
  const refusals = new Map<string, number[]>()
  for (const { recorded, localPath, status } of answered) {
    if (/[?#]/.test(localPath)) continue
    const pattern = localPath
      .split('/')
      .map((part) => (ids.has(part) ? '*' : part))
      .join('/')
    const isHandshake = localPath === '/ws'
    const when = isHandshake ? { socket: 'open' } : { method: recorded.method, path: pattern }
    const nth = (counts.get(JSON.stringify(when)) ?? 0) + 1
    counts.set(JSON.stringify(when), nth)
    if (!statuses.has(status)) continue
    const seconds = Number(responseHeader(recorded, 'retry-after') ?? NaN)
    const then: Then = {
      ...(isHandshake ? { refuse: status } : { status }),
      ...(Number.isInteger(seconds) && seconds >= 0 && { retryAfter: seconds }),
      ...bodyOf(recorded.response?.body ?? new Uint8Array()),
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
  const value = jsonIn(body)
  if (isMembers(value) || Array.isArray(value)) return { body: value }
  return { body: new TextDecoder().decode(body) }
}

/** The most names in a note. */
const MAX_NAMES = 5

const OK = 200

/** A note with their names; none if clients read only what they wrote before. */
export function userDataNotes(answered: readonly TracedExchange[]): readonly string[] {
  const written = new Set<string>()
  const read = new Set<string>()
  for (const { recorded, localPath, status } of answered) {
    const name = userDataOf(localPath)
    if (name === undefined || status >= 400) continue
    if (recorded.method !== 'GET') written.add(name)
    else if (
      status === OK &&
      !written.has(name) &&
      !isEmpty(recorded.response?.body ?? new Uint8Array())
    )
      read.add(name)
  }
  if (read.size === 0) return []
  const names = [...read].slice(0, MAX_NAMES).join(', ')
  const more = read.size > MAX_NAMES ? ` and ${read.size - MAX_NAMES} more` : ''
  return [`settings and user data: a scenario has none, and clients read ${names}${more}`]
}

/** Settings are one thing, each file is one; listings are made from files. */
const userDataOf = (path: string): string | undefined =>
  /^\/settings(?:\/|$)/.test(path) ? 'settings' : /^\/(userdata\/.+)$/.exec(path)?.[1]

/** An empty object, list or file, which a new world has too. */
const isEmpty = (body: Uint8Array): boolean =>
  /^(?:\{\}|\[\]|null)?$/.test(new TextDecoder().decode(body.subarray(0, 5)).trim())
