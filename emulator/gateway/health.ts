// What a gateway says of itself to those who watch it.

import { gatewayHealth } from '../../spec/gateway/webhooks.ts'
import { json, type Reply } from '../http/replies.ts'
import { writeJson } from '../lib/json.ts'
import { answer } from './answers.ts'
import { problemsOf } from './state/problems.ts'
import { hasQuirk, type GatewayWorld } from './state/state.ts'

const [ok, degraded] = gatewayHealth.properties.status.enum
const [platform] = gatewayHealth.properties.platform.enum

export function health(world: GatewayWorld): Reply {
  const { asked, waiting } = world.state
  if (hasQuirk(world, 'webhooks.plain-health'))
    return json(writeJson(new Map([['status', ok] as const, ['platform', platform] as const])))
  const reasons = problemsOf(world.state)
  const runs = { at_work: asked.size, waiting: waiting.count, waiting_bytes: waiting.bytes }
  return json(
    JSON.stringify(
      reasons.length === 0
        ? { status: ok, platform, runs }
        : { status: degraded, platform, reasons, runs },
    ),
  )
}

/** Whether what sends posts its way is to go on [operations/ready]. */
export const ready = ({ state: { isDraining } }: GatewayWorld): Reply =>
  isDraining ? answer('draining') : json(JSON.stringify({ status: 'ready' }))
