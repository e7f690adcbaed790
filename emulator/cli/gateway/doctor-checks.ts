// The checks of the doctor that need no network, one function each. Each returns what it found: one finding if all is well.

import { access, constants, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DoctorCheck } from '../../../spec/gateway/doctor.ts'
import { configFiles } from '../../../spec/gateway/subscriptions.ts'
import { limits } from '../../../spec/limits.ts'
import { readSettings, readSources } from '../../config/config-dir.ts'
import { isFolder } from '../../config/folders.ts'
import type { Settings } from '../../config/settings.ts'
import { type PlatformSettings, readPlatforms } from '../../edge/gateway/sender-settings.ts'
import {
  findSubscriptions,
  invalidNames,
  subscriptionsPath,
} from '../../edge/gateway/subscriptions-file.ts'
import type { StoreSettings } from '../../edge/gateway/store/open.ts'
import { isPostgres } from '../../edge/gateway/store/place.ts'
import type { Fault } from '../../gateway/route-checks.ts'
import { postObstacle } from '../../gateway/subscriptions.ts'
import { readRoute, type Route } from '../../gateway/state/routes.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { isRefused } from '../../lib/refused.ts'
import { notEnabled, servedRoutes, staticEntries } from './configuration.ts'
import { baseUrlFindings, examineAddress } from './doctor-address.ts'
import { examineStore, healthFindings } from './doctor-store.ts'
import { type Finding, note, ok, problem, problemsOr } from './findings.ts'
import { fileFaults, routeFault } from './set-up-faults.ts'

/** What the doctor examines. */
export type Examined = {
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly quirks: readonly string[]
  /** Values of flags by setting. */
  readonly given: Readonly<Record<string, unknown>>
  /** Whether senders deliver, and not another program. */
  readonly sends: boolean
  /** Null for a gateway without a store. */
  readonly store: StoreSettings | null
  readonly signal: AbortSignal | undefined
}

/** What the checks without the network have found, and what they have read; null for what cannot be read. */
export type SetUpReport = {
  readonly findings: readonly Finding[]
  readonly settings: Settings | null
  readonly platforms: PlatformSettings | null
  readonly isRunning: boolean
}

export async function examineSetUp(examined: Examined): Promise<SetUpReport> {
  const { dir, env, quirks, given } = examined
  const read = await orRefusal(readSettings(dir, { env, quirks, flags: given }))
  if ('refusal' in read) {
    const findings = [unreadable('configuration', read.refusal), ...(await diskFindings(examined))]
    return { findings, settings: null, platforms: null, isRunning: false }
  }
  const settings = read.value
  const platforms = await orRefusal(readPlatforms(dir, env, examined.sends))
  const [address, store] = await Promise.all([
    examineAddress(settings, examined.signal),
    examineStore(examined.store),
  ])
  const findings = [
    ...configurationFindings(dir, settings),
    ...(await fileFindings(dir, env)),
    ...(await routeFindings(dir, settings, quirks)),
    ...('refusal' in platforms
      ? [unreadable('deliveries', platforms.refusal)]
      : await deliveryFindings(examined, settings, platforms.value)),
    ...baseUrlFindings(settings),
    address.finding,
    ...store.findings,
    ...healthFindings(store.problems ?? address.problems),
    ...(await diskFindings(examined)),
  ]
  return {
    findings,
    settings,
    platforms: 'refusal' in platforms ? null : platforms.value,
    isRunning: address.finding.status === 'ok',
  }
}

type Read<T> = { readonly value: T } | { readonly refusal: string }

/** A value, or the message with which reading it is refused. */
const orRefusal = <T>(reading: Promise<T>): Promise<Read<T>> =>
  reading.then(
    (value): Read<T> => ({ value }),
    (error: unknown) => {
      if (isRefused(error)) return { refusal: error.message }
      throw error
    },
  )

const unreadable = (check: DoctorCheck, message: string): Finding =>
  problem(check, {
    what: message.replace(/\.$/, ''),
    why: 'The gateway does not start with it.',
    mend: `Change ${configFiles.config.name}, ${configFiles.env.name} or the variable.`,
  })

function configurationFindings(dir: string, { enabled }: Settings): readonly Finding[] {
  if (enabled) return [ok('configuration', `Webhooks are enabled in ${dir}`)]
  const [what = '', , command = ''] = notEnabled(dir).split('\n')
  return [
    problem('configuration', {
      what: what.replace(/\.$/, ''),
      why: 'The gateway does not start, and no command manages its routes.',
      mend: command.trim(),
    }),
  ]
}

async function fileFindings(dir: string, env: Examined['env']): Promise<readonly Finding[]> {
  const path = subscriptionsPath(dir)
  const { config } = await readSources(dir, env)
  const faults: Fault[] = [...(await fileFaults(dir, config))]
  const entries = await orRefusal(findSubscriptions(dir))
  const why = 'A running gateway keeps its routes, but after a restart it has none of these.'
  const broken = 'refusal' in entries ? entries.refusal : undefined
  if (broken !== undefined || (!('refusal' in entries) && entries.value === undefined)) {
    const what = broken?.replace(/\.$/, '') ?? `${path} does not contain a JSON object`
    faults.push({ what, why, mend: 'Repair it by hand, or put back a copy.' })
  } else if (!('refusal' in entries)) {
    for (const name of invalidNames(entries.value ?? new Map())) {
      const what = `The member ${JSON.stringify(name)} of ${path} is not a route`
      faults.push({ what, why, mend: 'Remove it by hand.' })
    }
  }
  const isThere = await isFolder(dir)
  const isWritable = await access(dir, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (isThere && !isWritable) {
    faults.push({
      what: `This user cannot write to ${dir}`,
      why: 'Subscriptions cannot be changed.',
      mend: 'Run the gateway and the commands as the owner of that directory.',
    })
  }
  return problemsOr(
    'files',
    faults,
    isThere ? `The files in ${dir} are private` : `${dir} does not exist yet`,
  )
}

async function routeFindings(
  dir: string,
  settings: Settings,
  quirks: readonly string[],
): Promise<readonly Finding[]> {
  const statics = staticEntries(settings)
  const found = await orRefusal(findSubscriptions(dir))
  const written: JsonObject = ('value' in found ? found.value : undefined) ?? new Map()
  const faults: Fault[] = []
  for (const [name, entry] of written) {
    if (!isObject(entry)) continue
    const route = readRoute(name, entry, settings.secret)
    const obstacle = statics.has(name)
      ? 'is hidden by a static route of the same name'
      : postObstacle(route, quirks, settings.schemes)
    if (obstacle !== undefined)
      faults.push({
        what: `The route "${name}" ${obstacle}`,
        why: 'Its posts are refused.',
        mend: `flowdouble webhook subscribe ${name}, or flowdouble webhook remove ${name}`,
      })
    faults.push(...timelessFaults(route, entry))
  }
  for (const [name, entry] of statics) {
    if (!isObject(entry)) continue
    const route = readRoute(name, entry, settings.secret)
    const obstacle = postObstacle(route, quirks, settings.schemes)
    if (obstacle !== undefined)
      faults.push({
        what: `The static route "${name}" ${obstacle}`,
        why: route.isEnabled ? 'The gateway does not start.' : 'Its posts are refused.',
        mend: `Change it in ${configFiles.config.name}.`,
      })
    faults.push(...timelessFaults(route, entry))
  }
  const served = await servedRoutes(dir, settings, quirks)
  const names = served.map(({ name }) => name).join(', ')
  if (faults.length > 0 || served.length > 0)
    return problemsOr('routes', faults, `The gateway serves each route: ${names}`)
  const what = 'There are no routes'
  const why = 'Each post is answered with 404.'
  return [note('routes', { what, why, mend: 'flowdouble webhook subscribe NAME' })]
}

/** The fault of old secrets without a time that can be read [signatures/old-secret]. */
function timelessFaults({ name, oldSecrets }: Route, entry: JsonObject): readonly Fault[] {
  const written = entry.get('old_secrets')
  if (!Array.isArray(written) || written.length === oldSecrets.length) return []
  return [
    {
      what: `The route "${name}" has an old secret without a valid time`,
      why: 'That secret does not count.',
      mend: 'Write its valid_until as 2026-12-31T00:00:00Z.',
    },
  ]
}

async function deliveryFindings(
  { dir, quirks, sends }: Examined,
  settings: Settings,
  { senders, homeChannels }: PlatformSettings,
): Promise<readonly Finding[]> {
  const ready = Object.keys(senders).filter((target) => senders[target]?.token !== null)
  const credentials = sends ? new Set(ready) : null
  const plan = { homeChannels, connected: null, credentials, isReal: true }
  const routes = await servedRoutes(dir, settings, quirks)
  const faults = routes.flatMap((route) => routeFault(route, plan) ?? [])
  return problemsOr('deliveries', faults, 'Each route has what its deliveries need')
}

/** The file systems of the configuration directory and of the store. */
async function diskFindings({ dir, store }: Examined): Promise<readonly Finding[]> {
  const place = store === null || isPostgres(store.store) ? dir : dirname(store.store)
  const found = await Promise.all([...new Set([dir, place])].map(diskFinding))
  return found.flat()
}

async function diskFinding(dir: string): Promise<readonly Finding[]> {
  const found = await statfs(dir).catch(() => undefined)
  if (found === undefined) return [ok('disk', `${dir} does not exist yet`)]
  const freeMiB = Math.floor((found.bavail * found.bsize) / 2 ** 20)
  const faults =
    freeMiB < limits.doctorDisk.value / 2 ** 20
      ? [
          {
            what: `The file system of ${dir} has ${freeMiB} MiB free`,
            why: 'When it is full, nothing can be stored, and posts are refused.',
            mend: `Make room on it: df -h ${dir}`,
          },
        ]
      : []
  return problemsOr('disk', faults, `The file system of ${dir} has ${freeMiB} MiB free`)
}
