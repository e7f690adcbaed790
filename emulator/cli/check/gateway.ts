// The flags of `check` for a webhook gateway.

import type { GatewayFacts } from '../../../spec/check.ts'
import { usageError } from '../../options/usage.ts'

const text = { type: 'string' } as const

export const gatewayFlags = {
  gateway: text,
  route: text,
  secret: text,
  event: text,
  scheme: text,
  'second-route': text,
  'second-secret': text,
  'filtered-route': text,
  'direct-route': text,
  'failing-route': text,
  'rate-limit': text,
  'max-body-bytes': text,
} as const

/** How many posts a gateway accepts from a check at most, unless the operator allows more. */
export const MAX_GATEWAY_RUNS = 20

export const gatewayHelp = `A webhook gateway (each post that it accepts can start an agent run; all say that they are a check):
  --gateway URL       address of the gateway, instead of that of a server
  --route NAME        route to which the posts go
  --secret SECRET     its secret (or FLOWDOUBLE_SECRET)
  --event TYPE        an event that the route takes, if it filters events
  --scheme NAME       how posts are signed that are not about signatures (default github)
  --second-route NAME another route, for what routes do not share
  --second-secret S   its secret (default: that of the first)
  --filtered-route N  a route that takes only the event of --event
  --direct-route N    a route with deliver_only; all three have the secret of the first
  --failing-route N   a route with deliver_only whose deliveries fail
  --rate-limit N      posts per minute that a route accepts (default 30)
  --max-body-bytes N  its largest body (default 1048576)
`

type Values = Readonly<Record<string, unknown>>

/** What the flags say about a gateway. */
export function gatewayFactsOf(
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
  numberOf: (values: Values, name: string) => number | undefined,
): GatewayFacts {
  const textOf = (name: string): string | undefined => values[name] as string | undefined
  const route = textOf('route')
  const secret = textOf('secret') ?? env['FLOWDOUBLE_SECRET'] ?? ''
  if (route === undefined) throw usageError('check --gateway needs --route.')
  if (secret === '' && values['read-only'] !== true)
    throw usageError('check --gateway needs --secret, or --read-only.')
  const [event, second] = [textOf('event'), textOf('second-route')]
  const [filtered, direct, failing] = ['filtered', 'direct', 'failing'].map((name) =>
    textOf(`${name}-route`),
  )
  if (filtered !== undefined && event === undefined)
    throw usageError('--filtered-route needs --event.')
  const scheme = textOf('scheme')
  const rateLimit = numberOf(values, 'rate-limit')
  const maxBodyBytes = numberOf(values, 'max-body-bytes')
  return {
    route,
    secret,
    ...(event !== undefined && { event }),
    ...(filtered !== undefined && { filtered }),
    ...(direct !== undefined && { direct }),
    ...(failing !== undefined && { failing }),
    ...(scheme !== undefined && { scheme }),
    ...(second !== undefined && {
      second: { route: second, secret: textOf('second-secret') ?? secret },
    }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
  }
}
