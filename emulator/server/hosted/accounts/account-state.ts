// What an account keeps beside its runs and files: created when it is first needed, as most worlds never need it.

import { createBounded } from '../../../lib/bounded.ts'
import type { AccountState } from '../../state/accounts.ts'
import type { HostedWorld } from '../../state/world.ts'
import { momentOf } from '../../world/derived.ts'

/** The most tokens, codes and clients that are kept: the oldest are forgotten. */
const MOST_ISSUED = 10_000

const createAccountState = (): AccountState => ({
  workflows: new Map(),
  published: new Map(),
  workflowBytes: 0,
  secrets: new Map(),
  tokens: createBounded(MOST_ISSUED),
  codes: createBounded(MOST_ISSUED),
  clients: createBounded(MOST_ISSUED),
})

export const accountStateOf = ({ state }: HostedWorld): AccountState =>
  (state.account ??= createAccountState())

/** The id of the user behind an account. */
export const userIdOf = ({ setup }: HostedWorld): string => setup.hosted.account.user

/** A time of the world as text, with milliseconds. */
export const isoTime = (world: HostedWorld, ms: number): string =>
  new Date(momentOf(world, ms)).toISOString()
