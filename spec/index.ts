// The protocol as a whole: all areas gathered.

import type { Rules } from './language.ts'
import * as access from './access.ts'
import * as catalog from './catalog.ts'
import * as deliveries from './deliveries.ts'
import * as deployments from './deployments.ts'
import * as files from './files.ts'
import * as frameLayouts from './frames.ts'
import * as history from './history.ts'
import * as http from './http.ts'
import * as internal from './internal.ts'
import * as jobs from './jobs.ts'
import * as manager from './manager.ts'
import * as socket from './messages.ts'
import * as queue from './queue.ts'
import * as runs from './runs.ts'
import * as settings from './settings.ts'
import * as signatures from './signatures.ts'
import * as subscriptions from './subscriptions.ts'
import * as system from './system.ts'
import * as templates from './templates.ts'
import * as userdata from './userdata.ts'
import * as webhooks from './webhooks.ts'
import * as workflows from './workflows.ts'

/** Every area with all that its file says, in the order in which PROTOCOL.md tells them. */
export const areas = {
  deployments,
  access,
  http,
  workflows,
  runs,
  jobs,
  messages: socket,
  frames: frameLayouts,
  history,
  queue,
  files,
  catalog,
  system,
  userdata,
  settings,
  internal,
  manager,
  webhooks,
  signatures,
  templates,
  deliveries,
  subscriptions,
} as const satisfies Readonly<Record<string, { readonly rules: Rules }>>

export const rules = {
  ...deployments.rules,
  ...access.rules,
  ...http.rules,
  ...workflows.rules,
  ...runs.rules,
  ...jobs.rules,
  ...socket.rules,
  ...frameLayouts.rules,
  ...history.rules,
  ...queue.rules,
  ...files.rules,
  ...catalog.rules,
  ...system.rules,
  ...userdata.rules,
  ...settings.rules,
  ...internal.rules,
  ...manager.rules,
  ...webhooks.rules,
  ...signatures.rules,
  ...templates.rules,
  ...deliveries.rules,
  ...subscriptions.rules,
} as const satisfies Rules
export type RuleId = keyof typeof rules

export { localDifferences } from './differences.ts'
export { hostedDifferences } from './differences-hosted.ts'
export { gatewayDifferences, gatewaySilences } from './differences-gateway.ts'
export { silences } from './differences-silent.ts'
export { endpoints, type EndpointName } from './endpoints.ts'
export * as errors from './errors.ts'
export { profiles } from './deployments.ts'
export { frames } from './frames.ts'
export { limits } from './limits.ts'
export { messages, order, receivers } from './messages.ts'
export { quirks } from './quirks.ts'
export { statements, type StatementId } from './statements.ts'
export {
  endpoints as gatewayEndpoints,
  gatewayAddress,
  gatewayRefusals,
  outcomes,
} from './webhooks.ts'
