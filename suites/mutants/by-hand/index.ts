// The wrong servers that are made by hand, by area, as `area/what is wrong`.

import { deployments, access } from './access.ts'
import { assets } from './assets.ts'
import { catalog } from './catalog.ts'
import { templates, deliveries, subscriptions } from './gateway/deliveries.ts'
import { extensions } from './extensions.ts'
import { files } from './files.ts'
import { frames } from './frames.ts'
import { hostedAssets, tasks } from './hosted-assets.ts'
import { history, historyPaths } from './history.ts'
import { hostedFiles } from './hosted-files.ts'
import { http } from './http.ts'
import { jobs } from './jobs.ts'
import { localJobs } from './local-jobs.ts'
import { messages } from './messages.ts'
import { nodes } from './nodes.ts'
import { outputs, results } from './outputs.ts'
import { queue, runs } from './queue.ts'
import { router, routerQueue, routerRuns } from './router.ts'
import { signatures } from './gateway/signatures.ts'
import { sockets, inspector } from './sockets.ts'
import { store } from './gateway/store.ts'
import { system, settings, manager, internal, pages } from './system.ts'
import { userdata } from './userdata.ts'
import { v2Access, v2Jobs, v2Streams, v2Assets } from './v2.ts'
import { operations, webhooks } from './gateway/webhooks.ts'
import { workflows } from './workflows.ts'
import type { GatewayMutants, Mutant, Mutants } from '../tamper.ts'

const areas: Readonly<Record<string, Mutants | GatewayMutants>> = {
  access,
  assets,
  catalog,
  deliveries,
  deployments: { ...deployments, ...historyPaths },
  extensions,
  files: { ...files, ...hostedFiles, ...outputs },
  frames,
  history,
  http,
  inspector,
  internal,
  jobs,
  'hosted-assets': hostedAssets,
  'local-jobs': localJobs,
  manager,
  messages: { ...messages, ...sockets },
  nodes: { ...nodes, ...results },
  operations,
  pages,
  queue,
  router,
  'router-queue': routerQueue,
  'router-runs': routerRuns,
  runs,
  settings,
  signatures,
  store,
  subscriptions,
  system,
  templates,
  userdata,
  tasks,
  'v2-access': v2Access,
  'v2-assets': v2Assets,
  'v2-jobs': v2Jobs,
  'v2-streams': v2Streams,
  webhooks,
  workflows,
}

export const byHand: readonly (readonly [id: string, mutant: Mutant])[] = Object.entries(
  areas,
).flatMap(([area, own]) =>
  Object.entries(own).map(([name, mutant]) => [`${area}/${name}`, mutant] as const),
)
