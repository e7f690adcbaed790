// `serve --with-gateway`: a webhook gateway beside the server, on the same clock.

import type { ClockGroup } from '../edge/clock.ts'
import { configDirOf, readSettings } from '../config/config-dir.ts'
import type { GatewayOptions } from '../edge/gateway/options.ts'
import { readPlatforms } from '../edge/gateway/sender-settings.ts'
import { subscriptionsPath } from '../edge/gateway/subscriptions-file.ts'
import { usageError } from '../options/complete.ts'
import type { CommandIo } from './io.ts'
import type { Gateway } from '../edge/gateway/handle.ts'
import type { ServerOptions } from '../options/server-options.ts'

/** What the flags of `serve` say of the gateway. */
export type GatewayFlags = {
  readonly withGateway: boolean
  readonly gatewayPort?: string
  readonly configDir?: string
}

/** Throws a usage error for flags that need --with-gateway, and for a port that is none. */
export function checkGatewayFlags({ withGateway, gatewayPort, configDir }: GatewayFlags): void {
  if (!withGateway && (gatewayPort !== undefined || configDir !== undefined))
    throw usageError('--gateway-port and --config-dir are about --with-gateway: give that, too.')
  if (gatewayPort !== undefined && !(/^\d{1,5}$/.test(gatewayPort) && Number(gatewayPort) < 65_536))
    throw usageError('--gateway-port is a port, 0 to 65535.')
  if (configDir === '') throw usageError('--config-dir needs a folder.')
}

/**
 * Starts a gateway beside a server: with the clock and the seed that the server has, from now on unless `epoch` says
 * when. It keeps its routes in memory, unless there is a configuration directory, whose port is its port unless a flag says another. Runs are
 * answered by the script, deliveries go to the outbox. An error of the system is marked `isForGateway`.
 */
export async function startBeside(
  flags: GatewayFlags,
  { host, clock, seed }: ServerOptions,
  epoch: GatewayOptions['epoch'],
  clocks: ClockGroup,
  io: CommandIo,
): Promise<Gateway> {
  const { startGateway } = await import('../edge/gateway/gateway.ts')
  const own = await configured(flags.configDir, io)
  const port = flags.gatewayPort === undefined ? own.port : Number(flags.gatewayPort)
  const asked = { ...(port !== undefined && { port }), ...(epoch !== undefined && { epoch }) }
  return startGateway({ ...own, host, clock, seed, clocks, ...asked }).catch((error: unknown) => {
    throw Object.assign(error as Error, { isForGateway: true })
  })
}

/** What a configuration directory says; without one there is nothing to know. */
async function configured(dir: string | undefined, io: CommandIo): Promise<GatewayOptions> {
  const { env } = io
  if (dir === undefined) return {}
  const path = configDirOf(dir, env, io.cwd)
  const { port, secret, routes, rate_limit, max_body_bytes } = await readSettings(path, { env })
  const { homeChannels } = await readPlatforms(path, env, false)
  return {
    port,
    secret,
    routes,
    homeChannels,
    subscriptionsFile: subscriptionsPath(path),
    rateLimit: rate_limit,
    maxBodyBytes: max_body_bytes,
  }
}
