// All wrong servers that the cases must catch, as `area/what is wrong`.

import { accounts } from './accounts.ts'
import { files } from './files.ts'
import { frames } from './frames.ts'
import { hostedDeployments, hostedFiles } from './hosted-files.ts'
import { deliveries, signatures, subscriptions, templates, webhooks } from './gateway.ts'
import { history } from './history.ts'
import { hostedPaths } from './hosted-paths.ts'
import { access, catalog, deployments, http, system } from './http.ts'
import { jobs } from './jobs.ts'
import { messages } from './messages.ts'
import { queue, runs } from './queue.ts'
import type { Mutant, Mutants } from './tamper.ts'
import { internal, manager, settings, userdata } from './user-data.ts'
import { workflows } from './workflows.ts'

const areas: Readonly<Record<string, Mutants>> = {
  deployments: { ...deployments, ...hostedDeployments },
  access,
  http,
  workflows,
  runs,
  jobs,
  messages,
  frames,
  history,
  queue,
  files: { ...files, ...hostedFiles },
  catalog,
  system,
  manager,
  internal,
  settings,
  userdata,
  'hosted-paths': hostedPaths,
  accounts,
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
