// The flags of the gateway that concern its store, and how it stops.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { configFiles } from '../../../spec/gateway/subscriptions.ts'
import { limits } from '../../../spec/limits.ts'
import type { Gateway } from '../../edge/handles.ts'
import type { StoreSettings } from '../../edge/gateway/store/open.ts'
import { isPostgres } from '../../edge/gateway/store/place.ts'
import type { LogLine } from '../../gateway/log.ts'
import { usageError } from '../../options/usage.ts'
import { bare, type Flags, type FlagTable, withValue } from '../lib/command.ts'
import { countOf } from './gateway-work.ts'

/** The flags of this file. */
export const storeFlags: FlagTable = {
  ...withValue('store', 'keep-days', 'store-mib', 'lease', 'drain'),
  ...bare('no-store'),
}

export const storeHelp = `  --store FILE|URL       what keeps accepted runs when the process ends: a file (default ${configFiles.store.name}
                         in the configuration directory), or postgres://... for several gateways
  --no-store             keep nothing: a stop or a crash loses accepted runs
  --keep-days N          days for which the store lists runs that have ended (default ${limits.keptRuns.value})
  --store-mib N          largest size of a store in a file, in MiB (default ${limits.store.value / 2 ** 20})
  --lease S              seconds after which a silent gateway is dead for others on its database (default ${limits.gatewayLease.value})
  --drain S              seconds to wait for agents and deliveries when stopping (default ${limits.drain.value})`

/** The place of the store: a file or a URL; null for none. */
export function storePlace(flags: Flags, dir: string): string | null {
  const place = flags.text('store')
  if (flags.isSet('no-store')) {
    if (place !== undefined) throw usageError('Give --store or --no-store, not both.')
    return null
  }
  if (place === '') throw usageError('--store needs a file or a postgres:// URL.')
  if (place !== undefined && /^\w+:\/\//.test(place) && !isPostgres(place))
    throw usageError('--store must be a file, or a URL that begins with postgres://.')
  return place ?? join(dir, configFiles.store.name)
}

/** The place of the store in words, without a user or a password. */
export function storeText(place: string | null): string {
  if (place === null) return 'none: a stop or a crash loses accepted runs'
  if (!isPostgres(place)) return place
  const { host, pathname } = new URL(place)
  return `PostgreSQL, database ${pathname.slice(1)} at ${host}`
}

/** The options of the gateway that concern its store. */
export const storeOptions = (
  flags: Flags,
  dir: string,
): Omit<StoreSettings, 'store'> & { readonly store: string | null } => ({
  keepDays: countOf(flags, 'keep-days') ?? limits.keptRuns.value,
  storeMib: countOf(flags, 'store-mib') ?? limits.store.value / 2 ** 20,
  leaseMs: (countOf(flags, 'lease') ?? limits.gatewayLease.value) * 1000,
  store: storePlace(flags, dir),
})

/** How a command opens the store that the flags name; null for none. */
export function storeSettings(flags: Flags, dir: string): StoreSettings | null {
  const store = storePlace(flags, dir)
  return store === null ? null : { ...storeOptions(flags, dir), store }
}

/** How long a stop may take before it says what it waits for, in milliseconds. */
const QUICK_MS = 100

/** Refuses posts, lets running work end, and says what is left. */
export async function drain(
  gateway: Pick<Gateway, 'drain'>,
  flags: Flags,
  show: (line: LogLine) => void,
): Promise<void> {
  const seconds = countOf(flags, 'drain', 0) ?? limits.drain.value
  const say = (level: LogLine['level'], text: string): void =>
    show({ level, kind: 'gateway', text, fields: {} })
  const draining = gateway.drain(seconds * 1000)
  const isQuick = await Promise.race([draining.then(() => true), pause(QUICK_MS, false)])
  if (!isQuick)
    say(
      'info',
      `Stopping: waiting up to ${seconds} s for agents and deliveries. A second signal stops immediately.`,
    )
  const left = await draining
  const runs = left === 1 ? 'accepted run' : 'accepted runs'
  if (left === 0) {
    if (!isQuick) say('info', 'Stopped: nothing is left to do.')
  } else if (flags.isSet('no-store')) say('warning', `Stopped: ${left} ${runs} lost.`)
  else say('info', `Stopped: ${left} ${runs} handed back to the store, for the next start.`)
}
