// The possible replies of an endpoint on a deployment: its own, and those of every endpoint.

import { paidPaths, publicPaths } from '../../spec/server/access.ts'
import { commonHostedReplies, commonReplies } from '../../spec/server/http.ts'
import { surfaceOf } from '../../spec/hosted/surfaces.ts'
import type { Endpoint, Place, ReplyBody, Schema } from '../../spec/language.ts'

import { pathOn } from '../../dist/emulator/session/index.js'

export { pathOn }

/** Kinds of bodies by status: a status may have more than one. */
export type Bodies = Readonly<Record<string, readonly ReplyBody[]>>

/** Whether an endpoint of hosted is readable without a key. */
export const isPublic = ({ path, hostedPath = path }: Endpoint): boolean =>
  publicPaths.some((one) => one === hostedPath)

/** Whether an endpoint belongs to another hosted API than the first. */
export const isBeyondV1 = (endpoint: Endpoint): boolean =>
  endpoint.on.includes('hosted') && surfaceOf(pathOn('hosted', endpoint)) !== 'v1'

/** Whether an endpoint of hosted needs a paid tier. */
export const isPaid = ({ path, hostedPath = path }: Endpoint): boolean =>
  paidPaths.some((one) => hostedPath === one || hostedPath.startsWith(`${one}/`))

/** The query parameters that an endpoint reads there. */
export const queryOn = (
  place: Place,
  { query = {}, hostedQuery = query }: Endpoint,
): Readonly<Record<string, Schema>> => (place === 'hosted' ? hostedQuery : query)

/** The body that an endpoint takes there. */
export const bodyOn = (place: Place, { body, hostedBody }: Endpoint): Endpoint['body'] =>
  place === 'hosted' ? (hostedBody ?? body) : body

/** Everything that an endpoint may answer there. */
export function bodiesOn(place: Place, endpoint: Endpoint): Bodies {
  const hasBody = endpoint.body !== undefined
  if (place === 'gateway') return together(endpoint.replies)
  if (place === 'local') {
    const { always, withBody } = commonReplies
    return together({ ...always, ...(hasBody && withBody), ...endpoint.replies })
  }
  // Each endpoint of the other APIs names all its replies.
  if (isBeyondV1(endpoint)) return together(endpoint.replies)
  const { withKey, paid, withBody } = commonHostedReplies
  return together(
    isPublic(endpoint) ? {} : withKey,
    isPaid(endpoint) ? paid : {},
    hasBody ? withBody : {},
    endpoint.hostedReplies ?? endpoint.replies,
  )
}

function together(...all: readonly Endpoint['replies'][]): Bodies {
  const bodies: Record<string, ReplyBody[]> = {}
  for (const [status, body] of all.flatMap((replies) => Object.entries(replies))) {
    const known = (bodies[status] ??= [])
    if (!known.includes(body)) known.push(body)
  }
  return bodies
}
