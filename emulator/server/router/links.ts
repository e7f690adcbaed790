// Where the client of the Router reaches the server: absolute addresses, with the path of its world.

import { prefixHeader } from '../../http/request-headers.ts'
import type { Headers } from '../../machine.ts'
import type { HostedWorld } from '../state/world.ts'

export type RouterOrigin = {
  readonly host: string | undefined
  /** The path of the world. */
  readonly prefix: string
  /** The start of the addresses of the Router. */
  readonly base: string
}

export function originOf(
  { setup }: HostedWorld,
  { headers }: { readonly headers: Headers },
): RouterOrigin {
  const { scheme, publicPath = '' } = setup.hosted.links
  const host = headers['host']
  const prefix = headers[prefixHeader] ?? ''
  return { host, prefix, base: `${scheme}://${host ?? 'localhost'}${publicPath}${prefix}` }
}
