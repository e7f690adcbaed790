// The features that the server announces to clients [system/features], and the maximum body size.

import { tiers } from '../../../spec/server/access.ts'
import { limits } from '../../../spec/limits.ts'
import { floatText } from '../../lib/json.ts'
import type { BodyFault } from '../../machine.ts'
import type { WorldOptions } from '../state/options.ts'
import type { WorldSetup } from '../state/world.ts'

/** Largest request body in bytes; `maxBody` is in MiB, null for the default. */
export const maxBodyBytes = (maxBody: number | null): number =>
  maxBody === null ? limits.body.value : Math.round(maxBody * 2 ** 20)

/** The largest body that the refusal of a missing one names, in bytes. */
export const bodyLimit = ({ maxBody }: Pick<WorldOptions, 'maxBody'>, fault: BodyFault): number =>
  fault === 'full' ? limits.fullBody.value : maxBodyBytes(maxBody)

/**
 * The features in GET /features and on the socket, including those of the requesting account, if there is one
 * [system/hosted-features]. A configured limit is a float.
 */
export function featuresText({
  options,
  hosted,
  traits,
}: Pick<WorldSetup, 'options' | 'hosted' | 'traits'>): string {
  const { maxBody } = options
  const limit = maxBody === null ? `${maxBodyBytes(null)}` : floatText(maxBody * 2 ** 20)
  const shared = `"supports_preview_metadata": true, "max_upload_size": ${limit}`
  if (traits.hasMoreFlags) return laterFeatures(options, limit)
  if (hosted === null) return `{${shared}}`
  const { account } = hosted
  const mayPay = account.partnerKey !== null && account.subscription === 'active'
  const own = `"max_concurrent_jobs": ${tiers[account.tier].runsAtATime}`
  return `{${shared}, ${own}, "can_run_partner_nodes": ${mayPay}}`
}

/** The features of servers of 2026 [system/feature-flags, system/own-flags]; `limit` is JSON text. */
function laterFeatures({ assets, featureFlag }: WorldSetup['options'], limit: string): string {
  const known = [
    '"supports_preview_metadata": true',
    '"supports_model_type_tags": true',
    `"max_upload_size": ${limit}`,
    '"extension": {"manager": {"supports_v4": true}}',
    '"node_replacements": true',
    `"assets": ${assets}`,
  ]
  return `{${[...known, ...ownFlags(featureFlag)].join(', ')}}`
}

/** Names of the features above, which an option does not change. */
const knownNames: ReadonlySet<string> = new Set([
  'supports_preview_metadata',
  'supports_model_type_tags',
  'max_upload_size',
  'extension',
  'node_replacements',
  'assets',
])

/** Flags that are true or false; any other is a text. */
const switches: ReadonlySet<string> = new Set([
  'show_signin_button',
  'enable_telemetry',
  'partner_run_gate_enabled',
])

/** The flags of the option, each as a member of a JSON object. */
function ownFlags(flags: readonly string[]): readonly string[] {
  const members = new Map<string, string>()
  for (const flag of flags) {
    const cut = flag.indexOf('=')
    const [name, value] = cut < 0 ? [flag, 'true'] : [flag.slice(0, cut), flag.slice(cut + 1)]
    if (knownNames.has(name)) continue
    if (!switches.has(name)) members.set(name, JSON.stringify(value))
    else if (/^(true|false)$/i.test(value)) members.set(name, value.toLowerCase())
  }
  return Array.from(members, ([name, value]) => `${JSON.stringify(name)}: ${value}`)
}
