// Money on a hosted server: the balance and the plan of an account, and what a credit is worth.

import { hosted, type Endpoints, type Rules, chosen, observedIn } from '../language.ts'
import type { tiers } from '../server/access.ts'
import {
  any,
  boolean,
  count,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  positive,
  text,
  volatile,
} from '../schema.ts'
import { get } from '../endpoint.ts'

/**
 * Credits that one US dollar buys. The balance of an account is kept in credits: prices and balances in money are converted
 * here, whichever part of a server charges them.
 */
export const CREDITS_PER_USD = 211

/** Credits as US cents, to a thousandth of one. */
export const centsOf = (credits: number): number =>
  Math.round((credits * 100_000) / CREDITS_PER_USD) / 1000

/** Credits as millionths of a US dollar. */
export const microsOf = (credits: number): number =>
  Math.round((credits * 1_000_000) / CREDITS_PER_USD)

/** US cents as credits, to a thousandth of one. */
export const creditsOf = (cents: number): number => Math.round(cents * CREDITS_PER_USD * 10) / 1000

/** The price of a month of each paid tier, in US cents. */
export const planPrices = {
  standard: 2000,
  creator: 3500,
  pro: 10_000,
} as const satisfies Partial<Record<keyof typeof tiers, number>>

const tier = oneOf('FREE', 'STANDARD', 'CREATOR', 'PRO', 'FOUNDERS_EDITION', 'TEAM', 'ENTERPRISE')
const duration = oneOf('MONTHLY', 'ANNUAL')

export const billingStatus = object({
  is_active: boolean,
  has_funds: boolean,
  max_seats: positive,
  occupied_seats: count,
  scheduled_change: nullable({ type: 'object' }),
  team_credit_stop: any,
  subscription_status: optional(oneOf('active', 'ended', 'canceled', 'scheduled')),
  subscription_tier: optional(tier),
  subscription_duration: optional(duration),
  subscription_state: optional(
    oneOf(
      'never_subscribed',
      'active',
      'cancel_scheduled',
      'past_due',
      'paused',
      'activating',
      'ended',
    ),
  ),
  plan_slug: optional(text),
  billing_status: optional(
    oneOf(
      'awaiting_payment_method',
      'pending_payment',
      'paid',
      'payment_failed',
      'paused',
      'inactive',
    ),
  ),
  billing_rail: optional(oneOf('legacy_stripe', 'metronome', 'stripe')),
})

const cents = volatile(number)

/** Both kinds of members hold cents, whatever their names say. */
export const billingBalance = object({
  amount_micros: cents,
  currency: text,
  effective_balance_micros: optional(cents),
  prepaid_balance_micros: optional(cents),
  cloud_credit_balance_micros: optional(cents),
  pending_charges_micros: optional(cents),
  amount_cents: optional(cents),
  effective_balance_cents: optional(cents),
  prepaid_balance_cents: optional(cents),
  cloud_credit_balance_cents: optional(cents),
  pending_charges_cents: optional(cents),
})

export const billingPlans = object({
  plans: list(
    object({
      slug: text,
      tier,
      duration,
      price_cents: count,
      credits_cents: count,
      max_seats: positive,
      seat_summary: object({
        seat_count: count,
        total_cost_cents: count,
        total_credits_cents: count,
      }),
      availability: object({ available: boolean, reason: optional(text) }),
      action: text,
    }),
  ),
  current_plan_slug: optional(text),
})

export const endpoints = {
  billingStatus: get('/billing/status', hosted, {
    does: 'Returns the subscription of the account, and whether it has funds.',
    replies: { 200: billingStatus },
  }),
  billingBalance: get('/billing/balance', hosted, {
    does: 'Returns the balance of the account, in cents.',
    replies: { 200: billingBalance },
  }),
  billingPlans: get('/billing/plans', hosted, {
    does: 'Lists the plans, and names that of the account.',
    replies: { 200: billingPlans },
  }),
} as const satisfies Endpoints

export const rules = {
  ...observedIn('billing').hosted({
    'billing/status':
      'The billing status names the tier and the plan of the account, and whether it is active.',
    'billing/balance':
      'The balance is in cents, in members called micros and once more in members called cents.',
    'billing/plans':
      'The plans have their prices and credits in cents; that of the account is not available.',
  }),
  ...chosen.hosted({
    'billing/credits': `The balance option of an account is in credits, ${CREDITS_PER_USD} of which are one US dollar.`,
    'billing/partner-nodes':
      'The balance falls by the price of each partner node that runs, down to has_funds false.',
    'billing/inactive':
      'With an inactive subscription the status is not active, and the subscription has ended.',
    'billing/free':
      'A free account is active in the tier FREE, without a plan and a subscription status.',
  }),
} as const satisfies Rules
