// Every endpoint of every area by name. The bundle of the package has only what routing needs of it.

import type { Endpoints } from '../language.ts'
import * as assets from '../assets/assets.ts'
import * as hostedAssets from '../assets/hosted-assets.ts'
import * as tasks from '../assets/tasks.ts'
import * as catalog from './catalog.ts'
import * as files from './files.ts'
import * as history from './history.ts'
import * as internal from './internal.ts'
import * as jobs from './jobs.ts'
import * as localJobs from './local-jobs.ts'
import * as manager from './manager.ts'
import * as socket from './messages.ts'
import * as queue from './queue.ts'
import * as settings from './settings.ts'
import * as system from './system.ts'
import * as userdata from './userdata.ts'
import * as workflows from './workflows.ts'
import * as secrets from '../accounts/secrets.ts'
import * as signIn from '../accounts/sign-in.ts'
import * as billing from '../accounts/billing.ts'
import * as workspaces from '../accounts/workspaces.ts'
import * as savedWorkflows from '../accounts/saved-workflows.ts'
import * as router from '../router/router.ts'
import * as routerQueue from '../router/router-queue.ts'
import * as routerRuns from '../router/router-runs.ts'
import * as v2Assets from '../v2/v2-assets.ts'
import * as v2Jobs from '../v2/v2-jobs.ts'
import * as v2Streams from '../v2/v2-streams.ts'
import * as partner from '../partner/partner.ts'

/** Those of the hosted API v2, below `/v2`. */
export const v2Endpoints = {
  ...v2Jobs.endpoints,
  ...v2Streams.endpoints,
  ...v2Assets.endpoints,
} as const satisfies Endpoints

/** Those of the Router, below `/v2/models`. */
export const routerEndpoints = {
  ...router.endpoints,
  ...routerRuns.endpoints,
  ...routerQueue.endpoints,
} as const satisfies Endpoints

/** Those of OAuth, below `/oauth`. */
export const oauthEndpoints = signIn.oauthEndpoints

/** Those of the manager of custom nodes. */
export const managerEndpoints = manager.endpoints

/** Those of the proxy to partners. */
export const partnerEndpoints = partner.endpoints

/** Those of assets. */
export const assetEndpoints = assets.endpoints

export const endpoints = {
  ...workflows.endpoints,
  ...jobs.endpoints,
  ...localJobs.endpoints,
  ...history.endpoints,
  ...files.endpoints,
  ...socket.endpoints,
  ...catalog.endpoints,
  ...queue.endpoints,
  ...system.endpoints,
  ...userdata.endpoints,
  ...settings.endpoints,
  ...internal.endpoints,
  ...manager.endpoints,
  ...savedWorkflows.endpoints,
  ...workspaces.endpoints,
  ...signIn.endpoints,
  ...secrets.endpoints,
  ...billing.endpoints,
  ...v2Endpoints,
  ...routerEndpoints,
  ...partnerEndpoints,
  ...assets.endpoints,
  ...hostedAssets.endpoints,
  ...tasks.endpoints,
} as const satisfies Endpoints
