// The wrong servers that --mutant plays. They are data of the suites, in a bundle that only these flags load.

import type { Deployment, Place } from '../../../spec/language.ts'
import { packageBundle } from '../../config/package-files.ts'
import type { GatewayOptions } from '../../edge/gateway/gateway.ts'
import type { EmulatorOptions } from '../../edge/node/server.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { usageError } from '../../options/usage.ts'

/** A server or a gateway with one deliberate fault. */
export type WrongServer = {
  readonly name: string
  /** Where it is wrong. */
  readonly on: readonly Place[]
  readonly breaks: readonly { readonly id: string; readonly says: string }[]
  readonly server?: {
    readonly options?: EmulatorOptions | undefined
    readonly tamper?: ((deployment: Deployment) => Tamper) | undefined
  }
  readonly gateway?: {
    readonly options?: GatewayOptions | undefined
    readonly tamper?: (() => GatewayTamper) | undefined
  }
}
type Tamper = NonNullable<EmulatorOptions['tamper']>
type GatewayTamper = NonNullable<GatewayOptions['tamper']>

/** All wrong servers and gateways, by area. */
export const loadWrongServers = (): readonly WrongServer[] =>
  (packageBundle('served-mutants') as { served: readonly WrongServer[] }).served

/** The one with this name. Throws a usage error that suggests the closest name. */
export function findWrongServer(name: string): WrongServer {
  const all = loadWrongServers()
  const found = all.find((one) => one.name === name)
  if (found !== undefined) return found
  const hint = didYouMean(
    name,
    all.map((one) => one.name),
  )
  throw usageError(
    `Unknown mutant ${JSON.stringify(name)}.${hint} flowdouble mutants lists all of them.`,
  )
}

/** The line that a command prints: which fault it plays. */
export const faultLine = ({ name, breaks }: WrongServer): string =>
  `Mutant ${name}: wrong on purpose. It breaks ${breaks.map(({ id, says }) => `${id} (${says})`).join(' ')}\n`

/**
 * The options of the planned servers, of which those at the places of the fault have it. Throws a usage error if none
 * has it, unless it is that of a gateway that starts as well.
 */
export function withFault(
  plans: readonly EmulatorOptions[],
  { name, on, server }: WrongServer,
  withGateway: boolean,
): readonly EmulatorOptions[] {
  const isAt = (place: Place): boolean => on.includes(place)
  const places = plans.map(({ deployment = 'local' }) => deployment)
  if (!places.some(isAt) && !(withGateway && isAt('gateway')))
    throw usageError(`--mutant ${name} ${placeHint(on)}`)
  return plans.map((plan, at) => {
    const place = places[at] ?? 'local'
    return isAt(place)
      ? { ...plan, ...joined(plan, server?.options, server?.tamper?.(place)) }
      : plan
  })
}

const placeHint = (on: readonly Place[]): string =>
  on.includes('gateway')
    ? 'is a wrong gateway: use it with serve --with-gateway, or with gateway run.'
    : `is a wrong ${on.join(' and ')} server: use it with --deployment ${on[0]} or both.`

/** The options of a gateway with the fault. Throws a usage error for the fault of a server. */
export function gatewayWithFault<Options extends GatewayOptions>(
  options: Options,
  { name, gateway }: WrongServer,
): Options {
  if (gateway === undefined)
    throw usageError(`--mutant ${name} is a wrong server: use it with flowdouble serve.`)
  return { ...options, ...joined(options, gateway.options, gateway.tamper?.()) }
}

/** The options and the tampering of a fault, with the quirks of the user as well. */
function joined<T>(
  { quirk = [] }: { readonly quirk?: unknown },
  options: { readonly quirk?: unknown } = {},
  tamper: T | undefined,
) {
  return {
    ...options,
    quirk: [quirk, options.quirk ?? []].flat() as string[],
    ...(tamper !== undefined && { tamper }),
  }
}
