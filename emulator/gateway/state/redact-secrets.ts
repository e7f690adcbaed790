// The secrets that a gateway knows, and texts without them [signatures/hidden].

import { hiddenFromCharacters, insecureSecret } from '../../../spec/gateway/signatures.ts'
import type { GatewayState, GatewayWorld } from './state.ts'

/** Redacts the secrets that the gateway knows. */
export function redact({ secrets }: Pick<GatewayState, 'secrets'>, text: string): string {
  let redacted = text
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '<secret>')
  return redacted
}

/** Remembers the current secrets after the routes have changed; running runs can still contain older ones. */
export function noteSecrets(world: GatewayWorld): void {
  const {
    setup: { options, staticRoutes },
    state: { dynamicRoutes },
  } = world
  const secrets = new Set([...world.state.secrets, options.secret ?? ''])
  for (const route of [...staticRoutes.values(), ...dynamicRoutes.values()])
    for (const { secret } of [route, ...route.oldSecrets]) secrets.add(secret)
  world.state.secrets = [...secrets]
    .filter((secret) => secret.length >= hiddenFromCharacters && secret !== insecureSecret)
    .toSorted((a, b) => b.length - a.length)
}
