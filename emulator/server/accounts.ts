// The accounts of a hosted server [access/hosted-*]: who they are, and which of them a request comes from.

import { keyHeader, paidPaths, publicPaths, type tiers } from '../../spec/access.ts'
import { profiles } from '../../spec/deployments.ts'
import type { ExceptionType } from '../../spec/errors.ts'
import type { Headers } from '../machine.ts'
import { type Reply, refuseHosted } from '../replies.ts'
import { parameter } from '../requests.ts'
import { isEqual } from '../secrets.ts'
import type { Server } from './server.ts'
import type { World } from './world.ts'

export type Tier = keyof typeof tiers

/** Somebody who uses a hosted server, and how things stand with them. */
export type Account = {
  /** Name of the account: part of its signed links, and of nothing else that it can see. */
  readonly user: string
  /** The API keys that stand for it. */
  readonly keys: readonly string[]
  readonly tier: Tier
  /** What it can spend on partner nodes; each of them costs 1. */
  readonly balance: number
  readonly subscription: 'active' | 'inactive'
  /** The key that partner nodes take; null when the account has none. */
  readonly partnerKey: string | null
  /** The way in which every run of it ends; null for what the workflow says. */
  readonly failsWith: ExceptionType | null
}

/** Path and query of a request or handshake, with what it says of its sender. */
type Asked = { readonly method: string; readonly target: string; readonly headers: Headers }

const prefix = profiles.hosted.prefix
const open: ReadonlySet<string> = new Set(publicPaths.map((path) => prefix + path))
const paid: readonly string[] = paidPaths.map((path) => prefix + path)

/** The world of the account that asks, or why it is not let in. What is public is answered in the first world. */
export function admitAccount(server: Server, asked: Asked): World | Reply {
  const path = asked.target.split('?')[0] as string
  const world = worldOfKey(server, keyOf(path, asked))
  if (!needsKey(path) || asked.method === 'OPTIONS') return world ?? server.worlds[0]
  if (world === undefined) return refuseHosted('unauthorized')
  const isPaid = paid.some((one) => path === one || path.startsWith(`${one}/`))
  return isPaid && world.account?.tier === 'free' ? refuseHosted('freeTier') : world
}

/** What is not served at all is unknown to everyone, with a key or without. */
const needsKey = (path: string): boolean =>
  !open.has(path) && /^\/(?:api|ws|_flowdouble)(?:\/|$)/.test(path)

/** Browsers cannot send a header with a handshake: there the key stands in the query. */
const keyOf = (path: string, { target, headers }: Asked): string =>
  (path === '/ws'
    ? parameter(target.slice(path.length + 1), 'token')
    : headers[keyHeader.toLowerCase()]) ?? ''

function worldOfKey({ worlds }: Server, key: string): World | undefined {
  let found: World | undefined
  // Each key is compared: the time tells nothing of which one was near.
  for (const world of worlds) {
    for (const known of world.account?.keys ?? []) if (isEqual(key, known)) found = world
  }
  return found
}
