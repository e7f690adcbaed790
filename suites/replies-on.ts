// What an endpoint may answer on a deployment: its own replies, and those that any endpoint may give.

import { paidPaths, publicPaths } from '../spec/access.ts'
import { commonHostedReplies, commonReplies } from '../spec/http.ts'
import { profiles } from '../spec/index.ts'
import type { Deployment, Endpoint, ReplyBody } from '../spec/language.ts'

/** Kinds of bodies by status: a status may come with more than one. */
export type Bodies = Readonly<Record<string, readonly ReplyBody[]>>

/** Whether a path of hosted stands outside its prefix. */
const isUnprefixed = ({ path }: Endpoint): boolean => {
  const { unprefixed }: { unprefixed: readonly string[] } = profiles.hosted
  return unprefixed.includes(path)
}

/** Where a deployment serves an endpoint. */
export function pathOn(deployment: Deployment, endpoint: Endpoint): string {
  const { path, hostedPath = path } = endpoint
  if (deployment === 'local') return profiles.local.prefix + path
  return isUnprefixed(endpoint) ? hostedPath : profiles.hosted.prefix + hostedPath
}

/** Whether an endpoint of hosted is readable without a key. The socket takes its key otherwise. */
export const isPublic = (endpoint: Endpoint): boolean =>
  publicPaths.some((one) => one === endpoint.path) ||
  (isUnprefixed(endpoint) && endpoint.path !== '/ws')

/** Whether an endpoint of hosted needs a paid tier. */
export const isPaid = ({ path, hostedPath = path }: Endpoint): boolean =>
  paidPaths.some((one) => hostedPath === one || hostedPath.startsWith(`${one}/`))

/** All that an endpoint may answer there. */
export function bodiesOn(deployment: Deployment, endpoint: Endpoint): Bodies {
  const hasBody = endpoint.body !== undefined
  if (deployment === 'local') {
    const { always, withBody } = commonReplies
    return together({ ...always, ...(hasBody && withBody), ...endpoint.replies })
  }
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
