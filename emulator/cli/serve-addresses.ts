// The addresses of the servers of `serve`, for people and for programs, and the API keys that are public.

import type { Emulator, Gateway } from '../edge/handles.ts'
import { defaults } from '../options/server-options.ts'
import type { Tier } from '../server/state/options.ts'

export const socketUrlOf = ({ url }: Emulator): string => `${url.replace(/^http/, 'ws')}/ws`

type KnownKey = { readonly key: string; readonly user: string; readonly tier: Tier }

/** The default accounts' keys of a hosted server. Never includes keys that a user configured. */
export function knownKeys({ options }: Emulator): readonly KnownKey[] {
  if (options.deployment === 'local' || options.accounts !== defaults.accounts) return []
  return options.accounts.flatMap(({ user, keys, tier }) =>
    keys.map((key) => ({ key, user, tier })),
  )
}

/** The addresses that `--json` and the ready file contain: those of the first server, and the extra ones of a hosted server. */
export function addressesOf(
  emulators: readonly [Emulator, ...Emulator[]],
  gateway: Gateway | undefined,
): object {
  const [first] = emulators
  const hosted = emulators.find(({ options }) => options.deployment === 'hosted')
  return {
    ...serverAddresses(first),
    pid: process.pid,
    ...(hosted !== undefined && {
      hosted: {
        ...serverAddresses(hosted),
        signedUrl: hosted.signedUrl,
        ...(knownKeys(hosted).length > 0 && { keys: knownKeys(hosted) }),
      },
    }),
    ...(gateway && { gateway: gateway.url }),
  }
}

const serverAddresses = (emulator: Emulator): object => {
  const { url, port } = emulator
  return { url, ws: socketUrlOf(emulator), port }
}
