// All wrong servers that the cases must catch, as `area/what is wrong`.

import { assetLists } from './later/asset-lists.ts'
import { assets } from './later/assets.ts'
import { accounts } from './accounts.ts'
import { files } from './files.ts'
import { frames } from './frames.ts'
import { hostedDeployments, hostedFiles } from './hosted-files.ts'
import { deliveries, subscriptions, templates, webhooks } from './gateway.ts'
import { posts } from './gateway-posts.ts'
import { signatures } from './gateway-signatures.ts'
import { history } from './history.ts'
import { hostedPaths } from './hosted/paths.ts'
import { access, catalog, deployments, http, system } from './http.ts'
import { jobs } from './jobs.ts'
import { localJobs } from './later/jobs.ts'
import * as laterOutputs from './later/outputs.ts'
import * as later from './later/submits.ts'
import { messages } from './messages.ts'
import { queue, runs } from './queue.ts'
import { sockets } from './sockets.ts'
import {
  laterCatalog,
  laterFiles,
  laterHttp,
  laterInternal,
  laterSettings,
  laterSystem,
  laterUserdata,
  laterWorkflows,
} from './later/others.ts'
import type { Mutant, Mutants } from './tamper.ts'
import { computingMutants } from './nodes/index.ts'
import { nodes, outputs } from './outputs.ts'
import { inspector, statuses } from './statuses.ts'
import { hostedQueue } from './hosted-queue.ts'
import { internal, manager, pages, settings, userdata } from './user-data.ts'
import { v2 } from './v2/index.ts'
import { workflows } from './workflows.ts'

const areas: Readonly<Record<string, Mutants>> = {
  deployments: { ...deployments, ...hostedDeployments },
  access,
  http: { ...http, ...laterHttp, ...later.http },
  workflows: { ...workflows, ...laterWorkflows, ...later.workflows },
  runs,
  nodes: { ...nodes, ...computingMutants },
  jobs: { ...jobs, ...hostedQueue },
  'local-jobs': localJobs,
  messages: { ...messages, ...sockets, ...statuses, ...later.messages },
  frames: { ...frames, ...laterOutputs.frames },
  history,
  queue,
  files: { ...files, ...outputs, ...hostedFiles, ...laterFiles, ...laterOutputs.files },
  catalog: { ...catalog, ...laterCatalog, ...laterOutputs.catalog },
  system: { ...system, ...laterSystem },
  manager,
  pages,
  internal: { ...internal, ...laterInternal },
  settings: { ...settings, ...laterSettings },
  userdata: { ...userdata, ...laterUserdata },
  assets: { ...assets, ...assetLists },
  inspector,
  'hosted-paths': hostedPaths,
  accounts,
  ...v2,
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
