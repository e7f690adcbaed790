// The accounts of a recorded hosted server, as far as replies show their tiers. Recordings hold no keys: those of the scenario
// are new ones, in the order in which the recorded accounts first sent a request.

import { tiers } from '../../../spec/server/access.ts'
import type { Account } from '../../server/state/options.ts'
import { addTo } from '../../lib/add-to.ts'
import { membersOf, nameOf } from '../../lib/loose.ts'
import type { TracedExchange } from '../../session/exchanges.ts'
import { headerOf } from '../../session/recording.ts'

type Tier = keyof typeof tiers
type LearnedAccount = Partial<Account> & Pick<Account, 'user' | 'keys'>

export type LearnedAccounts = {
  /** Empty if nothing was shown of any. */
  readonly accounts: readonly LearnedAccount[]
  /** What no reply shows, or no tier has. */
  readonly notes: readonly string[]
}

const UNAUTHORIZED = 401
const FORBIDDEN = 403

/** The largest tier that runs so many at a time. Only refusals show the free one, which runs as many as the next. */
const tierOf = (jobs: unknown): Tier | undefined =>
  (Object.keys(tiers) as Tier[]).findLast(
    (tier) => tier !== 'free' && tiers[tier].runsAtATime === jobs,
  )

/** What the requests with one key show. */
function shownBy(answered: readonly TracedExchange[]) {
  const features = answered.filter(
    ({ recorded, localPath, status }) =>
      recorded.method === 'GET' && localPath === '/features' && status === 200,
  )
  const reply = membersOf(features.at(-1)?.reply())
  const { max_concurrent_jobs: jobs, can_run_partner_nodes: mayPay } = reply
  const isFree = answered.some(
    ({ status, reply }) =>
      status === FORBIDDEN && /\bfree tier\b/i.test(nameOf(membersOf(reply())['message'])),
  )
  return { jobs, mayPay, tier: isFree ? ('free' as const) : tierOf(jobs) }
}

/** An account for what was shown of one, at its position. */
function accountOf({ tier, mayPay }: ReturnType<typeof shownBy>, at: number): LearnedAccount {
  const number = at === 0 ? '' : `-${at + 1}`
  return {
    user: `test-user${number}`,
    keys: [`test-key${number}`],
    ...(tier !== undefined && { tier }),
    ...(mayPay === true && { partnerKey: `test-partner-key${number}` }),
  }
}

/** The accounts of the keys that the server accepted. */
export function accountsIn(answered: readonly TracedExchange[]): LearnedAccounts {
  const byKey = new Map<string, TracedExchange[]>()
  for (const one of answered) {
    const { headers } = one.recorded
    const key = headerOf(headers, 'x-api-key') ?? headerOf(headers, 'authorization')
    if (key === undefined || one.status === UNAUTHORIZED) continue
    addTo(byKey, key, one)
  }
  const shown = Array.from(byKey.values(), shownBy)
  const isShown = shown.some(({ tier, mayPay }) => tier !== undefined || mayPay !== undefined)
  const unknown = shown.flatMap(({ jobs, tier }) =>
    typeof jobs === 'number' && tier === undefined ? [jobs] : [],
  )
  const notes = [
    ...unknown.map((jobs) => `an account with ${jobs} jobs at a time: no tier has as many`),
    ...(isShown
      ? ['keys and balances of accounts: keys are test-key, test-key-2 and so on, balances full']
      : ['accounts, tiers and balances: those of a world apply']),
  ]
  if (!isShown) return { accounts: [], notes }
  const accounts = shown.map(accountOf)
  return { accounts, notes }
}

/** The learned accounts in a few words. */
export const accountsText = ({ accounts }: Pick<LearnedAccounts, 'accounts'>): string =>
  accounts.length === 0
    ? 'none shown'
    : accounts.map(({ keys, tier = 'tier not shown' }) => `${keys[0]}: ${tier}`).join(', ')
