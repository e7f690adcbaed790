// Billing [billing/*]: the subscription that the options of an account choose, and the balance that runs leave of it.

import {
  type billingBalance as balanceSchema,
  type billingPlans as plansSchema,
  type billingStatus as statusSchema,
  centsOf,
  planPrices,
} from '../../../../spec/accounts/billing.ts'
import type { Static } from '../../../../spec/static.ts'
import { json, type Reply } from '../../../http/replies.ts'
import type { HostedWorld } from '../../state/world.ts'
import type { Tier } from '../../state/options.ts'

type Status = Static<typeof statusSchema>
type TierName = Uppercase<Tier>

const nameOf = (tier: Tier): TierName => tier.toUpperCase() as TierName
/** The name of the plan of a tier that is paid by the month. */
const slugOf = (tier: Tier): string => `${tier}-monthly`

function billingStatus({ setup, state }: HostedWorld): Reply {
  const { tier, subscription } = setup.hosted.account
  const isActive = subscription === 'active'
  const has_funds = state.balance > 0
  const seats = { max_seats: 1, occupied_seats: 1, scheduled_change: null, team_credit_stop: null }
  const subscription_tier = nameOf(tier)
  const free: Partial<Status> = { subscription_state: 'never_subscribed' }
  const paid: Partial<Status> = {
    subscription_status: isActive ? 'active' : 'ended',
    subscription_duration: 'MONTHLY',
    subscription_state: isActive ? 'active' : 'ended',
    plan_slug: slugOf(tier),
    billing_status: isActive ? 'paid' : 'inactive',
    billing_rail: 'stripe',
  }
  const reply: Status = Object.assign(
    { is_active: isActive, has_funds, subscription_tier },
    seats,
    tier === 'free' ? free : paid,
  )
  return json(JSON.stringify(reply))
}

function billingBalance({ state }: HostedWorld): Reply {
  const amount = centsOf(state.balance)
  const reply: Static<typeof balanceSchema> = {
    amount_micros: amount,
    currency: 'usd',
    effective_balance_micros: amount,
    prepaid_balance_micros: amount,
    cloud_credit_balance_micros: 0,
    pending_charges_micros: 0,
    amount_cents: amount,
    effective_balance_cents: amount,
    prepaid_balance_cents: amount,
    cloud_credit_balance_cents: 0,
    pending_charges_cents: 0,
  }
  return json(JSON.stringify(reply))
}

function billingPlans({ setup }: HostedWorld): Reply {
  const current = setup.hosted.account.tier
  const plans = (Object.keys(planPrices) as (keyof typeof planPrices)[]).map((tier) => {
    const price = planPrices[tier]
    const isCurrent = tier === current
    return {
      slug: slugOf(tier),
      tier: nameOf(tier),
      duration: 'MONTHLY',
      price_cents: price,
      credits_cents: price,
      max_seats: 1,
      seat_summary: { seat_count: 1, total_cost_cents: price, total_credits_cents: price },
      availability: isCurrent ? { available: false, reason: 'same_plan' } : { available: true },
      action: isCurrent ? 'none' : 'subscribe',
    } as const
  })
  const own = current === 'free' ? {} : { current_plan_slug: slugOf(current) }
  const reply = Object.assign({ plans }, own) as unknown as Static<typeof plansSchema>
  return json(JSON.stringify(reply))
}

export const billingHandlers = { billingStatus, billingBalance, billingPlans } as const
