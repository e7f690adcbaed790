// What is wrong with a set-up: deliveries that fail, what others can read or change. `gateway run` warns of it, and the
// doctor says it.

import { readSources } from '../../config/config-dir.ts'
import { type ModeFault, modeFaults } from '../../config/file-modes.ts'
import type { Settings } from '../../config/settings.ts'
import { deliveryFault, type DeliveryPlan, type Fault } from '../../gateway/route-checks.ts'
import type { Route } from '../../gateway/state/routes.ts'
import { isLoopback } from '../../lib/loopback.ts'
import { servedRoutes } from './configuration.ts'

/** The configuration of a gateway that is about to run. */
export type SetUp = {
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly settings: Settings
  readonly quirks: readonly string[]
  readonly plan: DeliveryPlan
}

/** The warnings, each of them one line. */
export async function startWarnings({
  dir,
  env,
  settings,
  quirks,
  plan,
}: SetUp): Promise<readonly string[]> {
  const { config } = await readSources(dir, env)
  const routes = await servedRoutes(dir, settings, quirks)
  const faults = [
    ...(await fileFaults(dir, config)),
    ...publicFaults(settings),
    ...routes.flatMap((route) => routeFault(route, plan) ?? []),
  ]
  return faults.map(({ what, mend }) => `${what}. Mend: ${mend}`)
}

/** The faults of the files, as sentences. */
export const fileFaults = async (dir: string, config: unknown): Promise<readonly Fault[]> =>
  (await modeFaults(dir, config)).map((fault) =>
    modeSentence(
      fault,
      fault.can === 'read'
        ? 'Whoever knows a secret in it can post events, or send as you.'
        : 'Whoever changes it decides which events your agent runs on, and where its answers go.',
    ),
  )

/** A fault of a mode, and why it matters, as sentences. */
export const modeSentence = ({ path, mode, can, mend }: ModeFault, why: string): Fault => ({
  what: `Everybody on this machine can ${can} ${path} (mode ${mode})`,
  why,
  mend,
})

/** The fault of a gateway that others reach without TLS: it has none itself. */
export const publicFaults = ({ host, base_url }: Settings): readonly Fault[] =>
  isLoopback(host) || base_url?.startsWith('https:') === true
    ? []
    : [
        {
          what: `The gateway listens on ${host} without TLS`,
          why: 'Others can read what is posted, and tokens among the headers.',
          mend: 'Put a proxy with TLS before it, and set base_url to its address (https://...).',
        },
      ]

/** Why the deliveries of a route fail, as a sentence. */
export function routeFault(route: Route, plan: DeliveryPlan): Fault | undefined {
  const fault = deliveryFault(route, plan)
  return fault && { ...fault, what: `The route "${route.name}" ${fault.what}` }
}
