// The secrets that a gateway knows, and texts without them [signatures/hidden].

import { hiddenFromCharacters, insecureSecret } from '../../../spec/gateway/signatures.ts'
import { createReplacer, type Replacer } from './replace-texts.ts'
import type { GatewayState, GatewayWorld } from './state.ts'

/** What replaces each list of secrets: thousands of routes have as many secrets, and each line of the log is redacted. */
const replacers = new WeakMap<readonly string[], Replacer>()

/** Redacts the secrets that the gateway knows. */
export function redact({ secrets }: Pick<GatewayState, 'secrets'>, text: string): string {
  let replacer = replacers.get(secrets)
  if (replacer === undefined) {
    replacer = createReplacer(secrets.map((secret) => [secret, '<secret>']))
    replacers.set(secrets, replacer)
  }
  return replacer(text)
}

/** Remembers the current secrets after the routes have changed; running runs can still contain older ones. */
export function noteSecrets({ setup, state }: GatewayWorld): void {
  const { options, staticRoutes } = setup
  const known = new Set(state.secrets)
  const note = (secret: string): void => {
    if (secret.length >= hiddenFromCharacters && secret !== insecureSecret) known.add(secret)
  }
  note(options.secret ?? '')
  for (const routes of [staticRoutes, state.dynamicRoutes])
    for (const { secret, oldSecrets } of routes.values()) {
      note(secret)
      for (const old of oldSecrets) note(old.secret)
    }
  if (known.size > state.secrets.length) state.secrets = [...known]
}
