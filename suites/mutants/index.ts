// All wrong servers that the cases must catch, as `area/what is wrong`.

import { accounts } from './accounts.ts'
import { files } from './files.ts'
import { frames } from './frames.ts'
import { hostedDeployments, hostedFiles } from './hosted-files.ts'
import { deliveries, subscriptions, templates, webhooks } from './gateway.ts'
import { posts } from './gateway-posts.ts'
import { signatures } from './gateway-signatures.ts'
import { history } from './history.ts'
import { hostedPaths } from './hosted-paths.ts'
import { access, catalog, deployments, http, system } from './http.ts'
import { jobs } from './jobs.ts'
import { messages } from './messages.ts'
import { queue, runs } from './queue.ts'
import { sockets } from './sockets.ts'
import type { Mutant, Mutants } from './tamper.ts'
import { nodes, outputs } from './outputs.ts'
import { statuses } from './statuses.ts'
import { hostedQueue } from './hosted-queue.ts'
import { internal, manager, settings, userdata } from './user-data.ts'
import { workflows } from './workflows.ts'

const areas: Readonly<Record<string, Mutants>> = {
  deployments: { ...deployments, ...hostedDeployments },
  access,
  http,
  workflows,
  runs,
  nodes,
  jobs: { ...jobs, ...hostedQueue },
  messages: { ...messages, ...sockets, ...statuses },
  frames,
  history,
  queue,
  files: { ...files, ...outputs, ...hostedFiles },
  catalog,
  system,
  manager,
  internal,
  settings,
  userdata,
  'hosted-paths': hostedPaths,
  accounts,
  webhooks: { ...webhooks, ...posts },
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
