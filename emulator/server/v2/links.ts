// Where a client reaches what replies and streams name: paths with the prefix of their world, and signed links.

import { LINK_LIFETIME_S } from '../../../spec/server/files.ts'
import { profiles } from '../../../spec/server/deployments.ts'
import { v2Root } from '../../../spec/v2/v2-access.ts'
import { prefixHeader } from '../../http/request-headers.ts'
import type { Headers } from '../../machine.ts'
import { signedLink } from '../hosted/signed-links.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { timestamp } from '../world/derived.ts'

/** How a client addresses the server: the host, and the path of its world. */
export type Origin = { readonly host: string | undefined; readonly prefix: string }

export const originOf = ({ headers }: { readonly headers: Headers }): Origin => ({
  host: headers['host'],
  prefix: headers[prefixHeader] ?? '',
})

/** A time of the world as replies contain it. */
export const timeText = ({ setup }: World, ms: number): string =>
  new Date(setup.options.epochMs + Math.floor(ms)).toISOString()

export const timeOrNull = (world: World, ms: number | null): string | null =>
  ms === null ? null : timeText(world, ms)

/** The paths of a job, relative to the host. */
export const jobLinks = ({ setup }: HostedWorld, { prefix }: Origin, id: string) => {
  const { publicPath = '' } = setup.hosted.links
  const self = `${publicPath}${prefix}${profiles.hosted.prefix}${v2Root}/jobs/${id}`
  return { self, events: `${self}/events`, cancel: `${self}/cancel` }
}

/** The address of a file, and when it expires. */
export function fileLink(
  world: HostedWorld,
  name: string,
  { host, prefix }: Origin,
): { readonly url: string; readonly url_expires_at: string } {
  // The link contains whole seconds.
  const sinceMs = Math.floor(timestamp(world) / 1000) * 1000
  const url_expires_at = new Date(sinceMs + LINK_LIFETIME_S * 1000).toISOString()
  return { url: signedLink(world, name, host, prefix), url_expires_at }
}
