// The features that the server announces to clients [system/features], and the maximum body size.

import { tiers } from '../../../spec/server/access.ts'
import { limits } from '../../../spec/limits.ts'
import { floatText } from '../../lib/json.ts'
import type { WorldSetup } from '../state/world.ts'

/** Largest request body in bytes; `maxBody` is in MiB, null for the default. */
export const maxBodyBytes = (maxBody: number | null): number =>
  maxBody === null ? limits.body.value : Math.round(maxBody * 2 ** 20)

/**
 * The features in GET /features and on the socket, including those of the requesting account, if there is one
 * [system/hosted-features]. A configured limit is a float.
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
