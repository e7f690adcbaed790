// Duties about sockets that break, close, fall silent, are rejected, or open late.

import type { Fault } from 'flowdouble'
import {
  all,
  broken,
  type Duty,
  kept,
  mostInASecond,
  notJudged,
  submitsOf,
  succeeds,
  survives,
  withoutSocket,
} from './duty.ts'
import type { Observed } from './observed.ts'

/** The most handshakes in a second. */
const MOST_HANDSHAKES = 10

/** The socket ends like this before the first node of a run starts. */
const ending = (then: Fault['then']): Fault => ({ when: { message: 'executing', nth: 1 }, then })

const rejected: Fault = { when: { socket: 'open' }, then: { refuse: 503 } }

/** The ids of later sockets have to be those of submits, or of earlier sockets. */
function judgeReconnect(seen: Observed): ReturnType<Duty['judge']> {
  const [first, ...later] = seen.sockets
  if (first === undefined || later.length === 0) return notJudged('The client does not reconnect.')
  const known = new Set(
    submitsOf(seen).map(({ body }) => (body as { client_id?: string } | null)?.client_id),
  )
  const wrong = later.some(
    ({ clientId }) => clientId !== first.clientId && !known.has(clientId ?? ''),
  )
  return wrong ? broken('It reconnected with another clientId.') : kept
}

export const socketDuties: readonly Duty[] = [
  survives('duties/socket-drop', ending({ reset: true })),
  survives('duties/socket-close', ending({ close: 1011 })),
  survives('duties/silent-socket', ending({ silence: true })),
  { ...survives('duties/reconnect', ending({ reset: true })), judge: judgeReconnect },
  survives('duties/no-socket', rejected),
  {
    ...survives('duties/handshake-pace', rejected),
    judge: ({ sockets }) => {
      const most = mostInASecond(sockets, 'atMs')
      return all(
        most > MOST_HANDSHAKES ? broken(`It tried ${most} times in a second.`) : kept,
        sockets.length === 0 ? notJudged('The client opened no socket.') : kept,
      )
    },
  },
  {
    rule: 'duties/late-socket',
    unless: withoutSocket,
    world: () => ({
      options: { pace: 0, startDelayMs: 0 },
      scenario: { faults: [{ when: { socket: 'open' }, then: { delayMs: 500 } }] },
    }),
    judge: succeeds,
  },
]
