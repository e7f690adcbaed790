// Whose key a recorded request had: a recording holds placeholders, and what they were is known by how the server answered.

import { keyHeader } from '../../../../spec/server/access.ts'
import { isPublic, isBeyondV1 } from '../../../generate/replies-on.ts'
import {
  headerOf,
  type Trace,
  type TracedExchange,
} from '../../../../dist/emulator/session/index.js'

/** The names under which cases know keys; `check` inserts the operator's. */
const valid = ['test-key', 'other-key'] as const
const free = 'test-key-free'
const invalid = 'not-a-key-of-anybody'

/** Refusals of what an account may not do, and of an account that is not known. */
const FORBIDDEN = 403
const UNKNOWN = 401

/** Whether a request is one of another hosted API than the first, which takes a key as a bearer token. */
const takesBearer = ({ endpoint }: TracedExchange): boolean =>
  endpoint !== undefined && isBeyondV1(endpoint.spec)

function keyIn(exchange: TracedExchange): string | undefined {
  const named = (takesBearer(exchange) ? 'authorization' : keyHeader).toLowerCase()
  return headerOf(exchange.recorded.headers, named)?.replace(/^bearer +/i, '')
}

const headerFor = (exchange: TracedExchange, key: string): Readonly<Record<string, string>> =>
  takesBearer(exchange) ? { Authorization: `Bearer ${key}` } : { [keyHeader]: key }

/** The header of credentials of each request to a hosted server, as it is sent now. */
export function credentialsOf({
  place,
  exchanges,
  sockets,
}: Trace): (exchange: TracedExchange) => Readonly<Record<string, string>> {
  if (place !== 'hosted') return () => ({})
  const statuses = new Map<string, number[]>()
  for (const exchange of exchanges) {
    const key = keyIn(exchange)
    if (key === undefined || (exchange.endpoint && isPublic(exchange.endpoint.spec))) continue
    statuses.set(key, [...(statuses.get(key) ?? []), exchange.status])
  }
  const names = new Map<string, string>()
  let known = 0
  for (const [key, all] of statuses) {
    if (all.every((status) => status === UNKNOWN)) names.set(key, invalid)
    else if (all.includes(FORBIDDEN)) names.set(key, free)
    else names.set(key, valid[Math.min(known++, valid.length - 1)] ?? valid[0])
  }
  // A recording without any key had them taken out.
  const hasKeys = statuses.size > 0 || sockets.some(({ token }) => token !== null)
  return (exchange) => {
    const key = keyIn(exchange)
    if (key !== undefined) return headerFor(exchange, names.get(key) ?? valid[0])
    return hasKeys && exchange.status === UNKNOWN ? {} : headerFor(exchange, valid[0])
  }
}
