// All wrong servers that the cases have to catch, as `area/what is wrong`.

import { files } from './files.ts'
import { frames } from './frames.ts'
import { deliveries, signatures, subscriptions, templates, webhooks } from './gateway.ts'
import { history } from './history.ts'
import { access, catalog, deployments, http, system } from './http.ts'
import { messages } from './messages.ts'
import { queue, runs } from './queue.ts'
import type { Mutant, Mutants } from './tamper.ts'
import { internal, manager, settings, userdata } from './user-data.ts'
import { workflows } from './workflows.ts'

const areas: Readonly<Record<string, Mutants>> = {
  deployments,
  access,
  http,
  workflows,
  runs,
  messages,
  frames,
  history,
  queue,
  files,
  catalog,
  system,
  manager,
  internal,
  settings,
  userdata,
  webhooks,
  signatures,
  templates,
  deliveries,
  subscriptions,
}

export const mutants: readonly (readonly [id: string, mutant: Mutant])[] = Object.entries(
  areas,
).flatMap(([area, own]) =>
  Object.entries(own).map(([name, mutant]) => [`${area}/${name}`, mutant] as const),
)
