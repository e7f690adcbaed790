// `serve --with-gateway`: starts a webhook gateway beside the server, on the same clock.

import type { ClockGroup } from '../edge/clock-handle.ts'
import { configDirOf, readSettings } from '../config/config-dir.ts'
import type { GatewayOptions } from '../edge/gateway/gateway.ts'
import { readPlatforms } from '../edge/gateway/sender-settings.ts'
import { subscriptionsPath } from '../edge/gateway/subscriptions-file.ts'
import { quirksLike, serverLike, serversOn } from '../options/like.ts'
import { usageError } from '../options/usage.ts'
import type { CommandIo } from './lib/io.ts'
import { gatewayWithFault, type WrongServer } from './lib/wrong-servers.ts'
import type { Gateway } from '../edge/handles.ts'
import type { ServerOptions } from '../options/server-options.ts'

/** The flags of `serve` that concern the gateway. */
export type GatewayFlags = {
  readonly withGateway: boolean
  /** The flags of the servers: one name in `like` can name a gateway. */
  readonly server?: Readonly<Record<string, string | string[]>>
  readonly gatewayPort?: string
  readonly configDir?: string
  /** Makes the gateway wrong, if its fault is one of gateways. */
  readonly wrong?: WrongServer | undefined
}

/** Throws a usage error for flags that require --with-gateway, and for an invalid port. */
export function checkGatewayFlags({ withGateway, gatewayPort, configDir }: GatewayFlags): void {
  if (!withGateway && (gatewayPort !== undefined || configDir !== undefined))
    throw usageError('--gateway-port and --config-dir require --with-gateway.')
  if (gatewayPort !== undefined && !(/^\d{1,5}$/.test(gatewayPort) && Number(gatewayPort) < 65_536))
    throw usageError('--gateway-port must be a port number, 0 to 65535.')
  if (configDir === '') throw usageError('--config-dir needs a directory.')
}

/**
 * Starts a gateway beside a server, with the server's clock and seed. Its time starts now unless `epoch` sets it. It keeps
 * routes in memory, or in a configuration directory, which also sets its port unless a flag does. The scripted agent
 * answers runs; deliveries go to the outbox. System errors are marked `isForGateway`.
 */
export async function startBeside(
  flags: GatewayFlags,
  { host, clock, seed, scenario, control, explain }: ServerOptions,
  epoch: GatewayOptions['epoch'],
  clocks: ClockGroup,
  io: CommandIo,
): Promise<Gateway> {
  const { startGateway } = await import('../edge/gateway/gateway.ts')
  const names: readonly string[] = [flags.server?.['like'] ?? []].flat()
  const like = names.find((name) => serversOn('gateway').includes(name)) ?? null
  const { gateway: script } = scenario
  const own = await configured(flags.configDir, like, io)
  const port = flags.gatewayPort === undefined ? own.port : Number(flags.gatewayPort)
  const options = {
    ...own,
    like,
    host,
    clock,
    seed,
    clocks,
    explain,
    ...(Object.keys(script).length > 0 && { scenario: { version: 1 as const, gateway: script } }),
    ...(!control && { control }),
    ...(epoch !== undefined && { epoch }),
    ...(port !== undefined && { port }),
  }
  const { wrong } = flags
  const given = wrong?.gateway === undefined ? options : gatewayWithFault(options, wrong)
  return startGateway(given).catch((error: unknown) => {
    throw Object.assign(error as Error, { isForGateway: true })
  })
}

/** The settings from the configuration directory; none without one. */
async function configured(
  dir: string | undefined,
  like: string | null,
  io: CommandIo,
): Promise<GatewayOptions> {
  const { env } = io
  if (dir === undefined) return {}
  const path = configDirOf(dir, env, io.cwd)
  const settings = await readSettings(path, {
    env,
    quirks: quirksLike(serverLike(like, 'gateway', '--like'), []),
  })
  const { port, secret, routes, schemes, base_url, rate_limit, max_body_bytes } = settings
  const { homeChannels } = await readPlatforms(path, env, false)
  return {
    port,
    secret,
    routes,
    schemes,
    baseUrl: base_url,
    homeChannels,
    subscriptionsFile: subscriptionsPath(path),
    rateLimit: rate_limit,
    maxBodyBytes: max_body_bytes,
  }
}
