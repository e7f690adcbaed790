// The features that the server announces to clients [system/features], and its limit for bodies.

import { tiers } from '../../../spec/server/access.ts'
import { limits } from '../../../spec/limits.ts'
import { floatText } from '../../lib/json.ts'
import type { WorldSetup } from '../state/world.ts'

/** Largest request body in bytes; `maxBody` is in MiB, null for the default. */
export const maxBodyBytes = (maxBody: number | null): number =>
  maxBody === null ? limits.body.value : Math.round(maxBody * 2 ** 20)

/**
 * What the server can do, as GET /features and the socket tell it, and what the account may that asks, where there is
 * one [system/hosted-features]. A limit that was given is a float.
 */
export function featuresText({
  options: { maxBody },
  hosted,
}: Pick<WorldSetup, 'options' | 'hosted'>): string {
  const limit = maxBody === null ? `${maxBodyBytes(null)}` : floatText(maxBody * 2 ** 20)
  const shared = `"supports_preview_metadata": true, "max_upload_size": ${limit}`
  if (hosted === null) return `{${shared}}`
  const { account } = hosted
  const mayPay = account.partnerKey !== null && account.subscription === 'active'
  const own = `"max_concurrent_jobs": ${tiers[account.tier].runsAtATime}`
  return `{${shared}, ${own}, "can_run_partner_nodes": ${mayPay}}`
}
