// Every rule of every area, in the order in which PROTOCOL.md lists them.

import type { Rules } from './language.ts'
import * as access from './server/access.ts'
import * as assets from './assets/assets.ts'
import * as hostedAssets from './assets/hosted-assets.ts'
import * as tasks from './assets/tasks.ts'
import * as control from './control.ts'
import * as catalog from './server/catalog.ts'
import * as deliveries from './gateway/deliveries.ts'
import * as deployments from './server/deployments.ts'
import * as doctor from './gateway/doctor.ts'
import * as duties from './server/duties.ts'
import { rules as answerRules } from './scenario/answers.ts'
import * as faults from './scenario/faults.ts'
import * as files from './server/files.ts'
import * as frameLayouts from './server/frames.ts'
import * as history from './server/history.ts'
import * as http from './server/http.ts'
import * as inspector from './inspector.ts'
import * as internal from './server/internal.ts'
import * as jobs from './server/jobs.ts'
import * as localJobs from './server/local-jobs.ts'
import * as manager from './server/manager.ts'
import * as socket from './server/messages.ts'
import * as pages from './pages.ts'
import * as operations from './gateway/operations.ts'
import * as queue from './server/queue.ts'
import * as router from './router/router.ts'
import * as routerQueue from './router/router-queue.ts'
import * as routerRuns from './router/router-runs.ts'
import { rules as gatewayScriptRules } from './scenario/gateway.ts'
import { rules as messageRules } from './scenario/messages.ts'
import { rules as modelRules } from './scenario/models.ts'
import { rules as nodeRules } from './scenario/nodes.ts'
import { rules as runRules } from './scenario/runs.ts'
import { rules as startRules } from './scenario/start.ts'
import * as nodes from './server/nodes.ts'
import * as runs from './server/runs.ts'
import * as secrets from './accounts/secrets.ts'
import * as signIn from './accounts/sign-in.ts'
import * as billing from './accounts/billing.ts'
import * as workspaces from './accounts/workspaces.ts'
import * as savedWorkflows from './accounts/saved-workflows.ts'
import * as settings from './server/settings.ts'
import * as shared from './shared.ts'
import * as signatures from './gateway/signatures.ts'
import * as store from './gateway/store.ts'
import * as subscriptions from './gateway/subscriptions.ts'
import * as system from './server/system.ts'
import * as templates from './gateway/templates.ts'
import * as userdata from './server/userdata.ts'
import * as partner from './partner/partner.ts'
import * as v2Access from './v2/v2-access.ts'
import * as v2Assets from './v2/v2-assets.ts'
import * as v2Jobs from './v2/v2-jobs.ts'
import * as v2Streams from './v2/v2-streams.ts'
import * as webhooks from './gateway/webhooks.ts'
import * as workflows from './server/workflows.ts'

/** Every area with everything that its file exports, in the order in which PROTOCOL.md lists them. */
export const areas = {
  deployments,
  access,
  http,
  workflows,
  runs,
  nodes,
  scenario: {
    rules: {
      ...startRules,
      ...runRules,
      ...nodeRules,
      ...modelRules,
      ...answerRules,
      ...messageRules,
      ...gatewayScriptRules,
    },
  },
  jobs,
  'local-jobs': localJobs,
  messages: socket,
  frames: frameLayouts,
  history,
  queue,
  files,
  catalog,
  system,
  userdata,
  settings,
  'saved-workflows': savedWorkflows,
  workspaces,
  'sign-in': signIn,
  secrets,
  billing,
  internal,
  pages,
  manager,
  'v2-access': v2Access,
  'v2-jobs': v2Jobs,
  'v2-streams': v2Streams,
  'v2-assets': v2Assets,
  router,
  'router-runs': routerRuns,
  'router-queue': routerQueue,
  assets,
  partner,
  'hosted-assets': hostedAssets,
  tasks,
  faults,
  duties,
  webhooks,
  signatures,
  templates,
  deliveries,
  store,
  subscriptions,
  operations,
  doctor,
  control,
  shared,
  inspector,
} as const satisfies Readonly<Record<string, { readonly rules: Rules }>>

export const rules = {
  ...deployments.rules,
  ...access.rules,
  ...http.rules,
  ...workflows.rules,
  ...runs.rules,
  ...nodes.rules,
  ...nodeRules,
  ...modelRules,
  ...runRules,
  ...startRules,
  ...answerRules,
  ...messageRules,
  ...gatewayScriptRules,
  ...jobs.rules,
  ...localJobs.rules,
  ...socket.rules,
  ...frameLayouts.rules,
  ...history.rules,
  ...queue.rules,
  ...files.rules,
  ...catalog.rules,
  ...system.rules,
  ...userdata.rules,
  ...settings.rules,
  ...savedWorkflows.rules,
  ...workspaces.rules,
  ...signIn.rules,
  ...secrets.rules,
  ...billing.rules,
  ...internal.rules,
  ...pages.rules,
  ...manager.rules,
  ...v2Access.rules,
  ...v2Jobs.rules,
  ...v2Streams.rules,
  ...v2Assets.rules,
  ...router.rules,
  ...routerRuns.rules,
  ...routerQueue.rules,
  ...assets.rules,
  ...partner.rules,
  ...hostedAssets.rules,
  ...tasks.rules,
  ...faults.rules,
  ...duties.rules,
  ...webhooks.rules,
  ...signatures.rules,
  ...templates.rules,
  ...deliveries.rules,
  ...store.rules,
  ...subscriptions.rules,
  ...operations.rules,
  ...doctor.rules,
  ...control.rules,
  ...shared.rules,
  ...inspector.rules,
} as const satisfies Rules
export type RuleId = keyof typeof rules
