// The customer behind a key [partner/customer, partner/balance, partner/events]: who it is, and what it has paid.

import {
  type concurrency,
  type customer,
  type customerBalance,
  type customerEvents,
  NO_LIMIT,
} from '../../../spec/partner/partner.ts'
import { microsOf } from '../../../spec/accounts/billing.ts'
import type { Static } from '../../../spec/static.ts'
import { json, type Reply, refusePartner } from '../../http/replies.ts'
import { parameter, type Request, wholeNumber } from '../../http/requests.ts'
import type { HostedWorld } from '../state/world.ts'
import { timeText } from '../v2/links.ts'

export function readCustomer({ setup, state }: HostedWorld): Reply {
  const { user, tier } = setup.hosted.account
  const found: Static<typeof customer> = {
    id: user,
    name: user,
    has_fund: state.balance > 0,
    subscription_tier: tier,
  }
  return json(JSON.stringify(found))
}

export function readBalance({ state }: HostedWorld): Reply {
  const amount = microsOf(state.balance)
  const found: Static<typeof customerBalance> = {
    amount_micros: amount,
    currency: 'usd',
    effective_balance_micros: amount,
    prepaid_balance_micros: amount,
    cloud_credit_balance_micros: 0,
    pending_charges_micros: 0,
  }
  return json(JSON.stringify(found))
}

export function readConcurrency(): Reply {
  const found: Static<typeof concurrency> = { limit: NO_LIMIT, reason: 'default' }
  return json(JSON.stringify(found))
}

const PAGE = 10
const MOST = 100
const CHARGED = 'api_usage_completed'

export function readEvents(world: HostedWorld, { query }: Request): Reply {
  const number = (name: string, usual: number, most: number): number | undefined =>
    wholeNumber(parameter(query, name) ?? `${usual}`, 1, most)
  const page = number('page', 1, Number.MAX_SAFE_INTEGER)
  const limit = number('limit', PAGE, MOST)
  if (page === undefined || limit === undefined)
    return refusePartner('badRequest', {
      reason: `page counts from 1, and limit is from 1 to ${MOST}.`,
    })
  const filter = parameter(query, 'filter') ?? CHARGED
  const charges = filter === CHARGED ? [...world.state.partner.charges.entries.values()] : []
  const rows = charges.toReversed().slice((page - 1) * limit, page * limit)
  const found: Static<typeof customerEvents> = {
    events: rows.map(({ value: { id, path, credits, atMs } }) => ({
      event_id: id,
      event_type: CHARGED,
      params: { endpoint: path, amount_micros: microsOf(credits) },
      createdAt: timeText(world, atMs),
    })),
    total: charges.length,
    page,
    limit,
    totalPages: Math.ceil(charges.length / limit),
  }
  return json(JSON.stringify(found))
}
