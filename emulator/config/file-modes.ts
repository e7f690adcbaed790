// Whether others on the machine can read or change the configuration.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { configFiles, gatewaySettings } from '../../spec/gateway/subscriptions.ts'
import { valueAt } from './config-dir.ts'

/** A file or folder that everybody can read or change although it must not be so. */
export type ModeFault = {
  readonly path: string
  /** As in `chmod`, such as 644. */
  readonly mode: string
  readonly can: 'read' | 'change'
  /** The command that mends it. */
  readonly mend: string
}

const EVERYBODY_READS = 0o004
const EVERYBODY_CHANGES = 0o002
const STICKY = 0o1000

/**
 * The faults of the files in a configuration directory, and of itself. Systems without such modes have none.
 * @param config config.yaml as data: it may contain secrets, or not.
 */
export async function modeFaults(dir: string, config: unknown): Promise<readonly ModeFault[]> {
  const found = await Promise.all([
    modeFault(join(dir, configFiles.subscriptions.name), true),
    modeFault(join(dir, configFiles.env.name), true),
    modeFault(join(dir, configFiles.service.name), true),
    modeFault(join(dir, configFiles.config.name), hasSecrets(config)),
    modeFault(dir, false),
  ])
  return found.flatMap((fault) => fault ?? [])
}

/** Whether config.yaml has the secret of the gateway or of a route, or a token. */
function hasSecrets(config: unknown): boolean {
  const { secret, routes } = gatewaySettings
  const tokens = membersOf(valueAt(config, 'platforms')).map((platform) => own(platform, 'token'))
  const secrets = membersOf(valueAt(config, routes.key)).map((route) => own(route, 'secret'))
  return [valueAt(config, secret.key), ...tokens, ...secrets].some(Boolean)
}

const membersOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** What everybody can do to a file and must not; undefined for nothing, and for a file that does not exist. */
export async function modeFault(path: string, isSecret: boolean): Promise<ModeFault | undefined> {
  if (process.platform === 'win32') return undefined
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return undefined
  const mode = (found.mode & 0o777).toString(8)
  // In a sticky folder nobody replaces the files of others.
  const isGuarded = found.isDirectory() && (found.mode & STICKY) !== 0
  const isChanged = (found.mode & EVERYBODY_CHANGES) !== 0 && !isGuarded
  const isRead = isSecret && (found.mode & EVERYBODY_READS) !== 0
  if (!isChanged && !isRead) return undefined
  const mend = `chmod ${isSecret ? '600' : 'o-w'} ${path}`
  return { path, mode, can: isChanged ? 'change' : 'read', mend }
}
