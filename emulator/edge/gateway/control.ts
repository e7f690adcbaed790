// What a test asks of the double itself, not of the gateway it plays: its outbox, its runs, its journal and its clock.

import type { IncomingMessage } from 'node:http'
import { advance, type Answer, ok, refusal } from '../control.ts'
import { objectIn } from './call.ts'
import { isLoopback, type RouteGiven } from '../../options/gateway.ts'
import { isUsageError } from '../../options/usage.ts'
import type { Gateway } from './handle.ts'

/** Headers by which a proxy or a tunnel says that it hands on what somebody elsewhere asks. */
const forwarding = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/**
 * Whether a request comes from a program on this machine: not from elsewhere, not through a tunnel that ends here, and
 * not from the page of a browser.
 */
export function isOwn({ socket, headers }: IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    isLoopback(host) &&
    headers.origin === undefined &&
    headers['sec-fetch-site'] === undefined &&
    forwarding.every((name) => headers[name] === undefined)
  )
}

type Control = Pick<
  Gateway,
  'advance' | 'until' | 'journal' | 'outbox' | 'failDeliveries' | 'subscribe' | 'remove'
> & {
  /** The agent runs as JSON text. */
  readonly runsText: () => string
}

/** Answers a request below /_flowdouble/. */
export async function answerGatewayControl(
  { method, path, body }: { method: string; path: string; body: Uint8Array },
  gateway: Control,
): Promise<Answer> {
  switch (`${method} ${path}`) {
    case 'GET outbox':
      return ok(JSON.stringify(gateway.outbox()))
    case 'GET runs':
      return ok(gateway.runsText())
    case 'GET journal':
      return ok(`${(await gateway.journal()).join('\n')}\n`, 'application/x-ndjson; charset=utf-8')
    case 'GET openapi.json':
      return ok((await import('../node/openapi.ts')).openapiText('gateway'))
    case 'POST advance':
      return advance(body, gateway)
    case 'POST outbox':
      return failDeliveries(body, gateway)
    case 'POST subscriptions':
      return subscribe(body, gateway)
    default:
      return refusal(
        404,
        'There are GET /_flowdouble/outbox, runs, journal and openapi.json, POST /_flowdouble/outbox, subscriptions and advance.',
      )
  }
}

const usage =
  'The body is {"target": "telegram", "error": "why", "times": 1}: target * is any, times null is always, 0 is never.'

function failDeliveries(body: Uint8Array, gateway: Control): Answer {
  const { target, error = 'scripted', times = 1 } = objectIn(Buffer.from(body).toString()) ?? {}
  const isCount = times === null || (Number.isSafeInteger(times) && Number(times) >= 0)
  if (typeof target !== 'string' || typeof error !== 'string' || !isCount) {
    return refusal(400, usage)
  }
  gateway.failDeliveries({ target, error, times: times as number | null })
  return ok('{}')
}

const subscribeUsage =
  'The body is {"name": "ci", "route": {"secret": "...", "prompt": "..."}}: a route of null removes the subscription.'

/** Adds, replaces or removes a subscription that is kept in memory. */
function subscribe(body: Uint8Array, gateway: Control): Answer {
  const { name, route } = objectIn(Buffer.from(body).toString()) ?? {}
  if (typeof name !== 'string' || typeof route !== 'object') return refusal(400, subscribeUsage)
  try {
    if (route === null) return ok(JSON.stringify({ removed: gateway.remove(name) }))
    gateway.subscribe(name, route as RouteGiven)
    return ok('{}')
  } catch (error) {
    if (isUsageError(error)) return refusal(409, error.message)
    throw error
  }
}
