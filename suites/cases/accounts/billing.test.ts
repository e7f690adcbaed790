// The plan and the balance of a hosted account, and its workspace.

import {
  billingBalance,
  billingPlans,
  billingStatus,
  CREDITS_PER_USD,
  planPrices,
} from '../../../spec/accounts/billing.ts'
import { currentWorkspace, workspaces } from '../../../spec/accounts/workspaces.ts'
import { partnerNodeCost } from '../../../spec/server/access.ts'
import { bought } from '../../generate/graphs.ts'
import { needs } from '../../judge/hosted/accounts.ts'
import { account, fitting } from '../../judge/hosted/jobs.ts'
import { expect } from '../../judge/expect.ts'
import { me } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'

async function statusOf(subject: Subject): Promise<any> {
  await needs(subject, '/billing/status')
  return fitting(billingStatus, await subject.get('/billing/status'))
}
const balanceOf = async ({ get }: Subject): Promise<any> =>
  fitting(billingBalance, await get('/billing/balance'))

proves('billing/status', async (subject) => {
  const found = await statusOf(subject)
  if (!subject.isOwn) return
  expect(found).toMatchObject({
    is_active: true,
    has_funds: true,
    max_seats: 1,
    occupied_seats: 1,
    scheduled_change: null,
    team_credit_stop: null,
    subscription_status: 'active',
    subscription_tier: 'PRO',
    subscription_state: 'active',
    plan_slug: 'pro-monthly',
    billing_status: 'paid',
  })
})

proves('billing/balance', async (subject) => {
  await needs(subject, '/billing/balance')
  const found = await balanceOf(subject)
  const micros = Object.keys(found).filter((name) => name.endsWith('_micros'))
  expect(micros).toContain('amount_micros')
  expect(found.currency).toBe('usd')
  for (const name of micros) expect(found[name.replace('micros', 'cents')]).toBe(found[name])
})

proves('billing/plans', async (subject) => {
  await needs(subject, '/billing/plans')
  const { plans, current_plan_slug } = fitting(billingPlans, await subject.get('/billing/plans'))
  const { plan_slug, subscription_tier } = await statusOf(subject)
  expect(current_plan_slug).toBe(plan_slug)
  if (subject.isOwn)
    expect(plans.map(({ slug, price_cents }: any) => [slug, price_cents])).toEqual(
      Object.entries(planPrices).map(([tier, price]) => [`${tier}-monthly`, price]),
    )
  for (const { slug, tier, price_cents, availability, ...more } of plans) {
    expect(availability.available).toBe(availability.reason === undefined)
    if (subject.isOwn) expect(availability.available).toBe(slug !== plan_slug)
    if (slug === plan_slug) expect(tier).toBe(subscription_tier)
    const summary = {
      seat_count: 1,
      total_cost_cents: price_cents,
      total_credits_cents: price_cents,
    }
    const plan = { duration: 'MONTHLY', credits_cents: price_cents, max_seats: 1 }
    const action = availability.available ? 'subscribe' : 'none'
    if (subject.isOwn) expect(more).toEqual({ ...plan, action, seat_summary: summary })
  }
})

proves(
  'billing/credits',
  async (subject) => {
    expect((await balanceOf(subject)).amount_cents).toBe(100)
    const half = await balanceOf(subject.as('half-key'))
    expect([half.amount_micros, half.effective_balance_micros]).toEqual([50, 50])
  },
  {
    accounts: [
      Object.assign(account('test-key'), { balance: CREDITS_PER_USD }),
      Object.assign(account('half-key'), { balance: CREDITS_PER_USD / 2 }),
    ],
  },
)

proves(
  'billing/partner-nodes',
  async (subject) => {
    const session = await me(subject)
    const buy = (prompt: string) =>
      subject.run(session, bought(prompt), { extra_data: { api_key_comfy_org: 'partner' } })
    const before = (await balanceOf(subject)).amount_cents
    await buy('one')
    expect((await balanceOf(subject)).amount_cents).toBeCloseTo(before / 2, 2)
    expect((await statusOf(subject)).has_funds).toBe(true)
    await buy('two')
    expect((await balanceOf(subject)).amount_cents).toBe(0)
    expect((await statusOf(subject)).has_funds).toBe(false)
  },
  {
    ...ownWorld,
    accounts: [
      Object.assign(account('test-key'), { balance: 2 * partnerNodeCost, partnerKey: 'partner' }),
    ],
  },
)

proves(
  'billing/inactive',
  async (subject) => {
    expect(await statusOf(subject)).toMatchObject({
      is_active: false,
      subscription_status: 'ended',
      subscription_state: 'ended',
      billing_status: 'inactive',
    })
  },
  { accounts: [Object.assign(account('test-key', 'creator'), { subscription: 'inactive' })] },
)

proves(
  'billing/free',
  async (subject) => {
    const found = await statusOf(subject)
    const plan = { is_active: true, subscription_tier: 'FREE' }
    expect(found).toMatchObject({ ...plan, subscription_state: 'never_subscribed' })
    for (const name of ['subscription_status', 'plan_slug'])
      expect(Object.keys(found)).not.toContain(name)
    const { plans, ...more } = (await subject.get('/billing/plans')).json()
    expect(more).toEqual({})
    expect(plans.every((one: any) => one.availability.available)).toBe(true)
  },
  { accounts: [account('test-key', 'free')] },
)

const workspaceOf = async (subject: Subject): Promise<any> => {
  await needs(subject, '/workspaces/current')
  return fitting(currentWorkspace, await subject.get('/workspaces/current'))
}
const listOf = async ({ get }: Subject): Promise<any> =>
  fitting(workspaces, await get('/workspaces'))

proves(['workspaces/current', 'workspaces/list'], async (subject) => {
  const { id, name, auth_method, ...of } = await workspaceOf(subject)
  const { type = 'personal', role = 'owner' } = of
  const list = await listOf(subject)
  const found = list.workspaces.find((one: any) => one.id === id)
  expect(found).toMatchObject({ name, type, role })
  if (!subject.isOwn) return
  expect([name, found.subscription_tier]).toEqual(['Personal workspace', 'PRO'])
  expect([auth_method, list.can_create_workspace]).toEqual(['api_key', false])
})

proves(
  'workspaces/personal',
  async (subject) => {
    const one = await workspaceOf(subject)
    expect(one).toMatchObject({ type: 'personal', role: 'owner' })
    const list = await listOf(subject)
    expect([list.workspaces.length, list.default_workspace_id]).toEqual([1, one.id])
    expect((await workspaceOf(subject.as('other-key'))).id).not.toBe(one.id)
  },
  { accounts: [account('test-key'), account('other-key')] },
)
