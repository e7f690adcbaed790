// Which rules are behind the answers of what only hosted accounts have (see spec/answers.ts).

import type { RuleId } from '../rules.ts'
import type { endpoints as billingEndpoints } from './billing.ts'
import type { oauthRefusals } from './errors.ts'
import type { endpoints as workflowEndpoints } from './saved-workflows.ts'
import type { endpoints as secretEndpoints } from './secrets.ts'
import type { endpoints as signInEndpoints } from './sign-in.ts'
import type { endpoints as workspaceEndpoints } from './workspaces.ts'

type Ids = readonly RuleId[]
type OfAccounts = keyof (typeof workflowEndpoints &
  typeof billingEndpoints &
  typeof signInEndpoints &
  typeof secretEndpoints &
  typeof workspaceEndpoints)

export const accountAnswers: Readonly<Record<OfAccounts, Ids>> = {
  workspaces: ['workspaces/list', 'workspaces/personal'],
  currentWorkspace: ['workspaces/current', 'workspaces/personal'],
  secrets: ['secrets/list'],
  storeSecret: ['secrets/store'],
  changeSecret: ['secrets/change'],
  deleteSecret: ['secrets/delete'],
  oauthRegister: ['sign-in/register'],
  oauthAuthorize: ['sign-in/authorize', 'sign-in/account', 'sign-in/loopback'],
  oauthToken: ['sign-in/token', 'sign-in/refresh'],
  webToken: ['sign-in/web-token'],
  webSession: ['sign-in/session'],
  beginSession: ['sign-in/session', 'sign-in/session-cookie'],
  endSession: ['sign-in/session'],
  billingStatus: ['billing/status', 'billing/inactive', 'billing/free', 'billing/partner-nodes'],
  billingBalance: ['billing/balance', 'billing/credits', 'billing/partner-nodes'],
  billingPlans: ['billing/plans', 'billing/free'],
  savedWorkflows: [
    'saved-workflows/list',
    'saved-workflows/list-pages',
    'saved-workflows/list-order',
    'saved-workflows/list-filters',
  ],
  saveWorkflow: ['saved-workflows/save'],
  savedWorkflow: ['saved-workflows/read'],
  changeWorkflow: ['saved-workflows/change'],
  deleteWorkflow: ['saved-workflows/delete'],
  workflowContent: ['saved-workflows/read'],
  addWorkflowVersion: ['saved-workflows/version'],
  forkWorkflow: ['saved-workflows/fork'],
  publishedWorkflow: ['saved-workflows/published'],
  publishing: ['saved-workflows/publish'],
  publishWorkflow: ['saved-workflows/publish', 'saved-workflows/publish-again'],
}

const unknownWorkflow: Ids = ['saved-workflows/unknown', 'saved-workflows/delete']

/** Those of the refusal `notFound`. */
export const unknownOfAccounts = {
  changeSecret: ['secrets/unknown'],
  deleteSecret: ['secrets/unknown'],
  webSession: ['sign-in/session'],
  endSession: ['sign-in/session'],
  savedWorkflow: unknownWorkflow,
  changeWorkflow: unknownWorkflow,
  deleteWorkflow: unknownWorkflow,
  workflowContent: unknownWorkflow,
  addWorkflowVersion: unknownWorkflow,
  forkWorkflow: ['saved-workflows/unknown', 'saved-workflows/fork-version'],
  publishedWorkflow: ['saved-workflows/published'],
  publishing: ['saved-workflows/not-published'],
  publishWorkflow: ['saved-workflows/publish-refusals'],
} as const satisfies Partial<Record<OfAccounts, Ids>>

/** Those of the refusal `badRequest`. */
export const badOfAccounts = {
  savedWorkflows: ['saved-workflows/list-refusals'],
  publishWorkflow: ['saved-workflows/publish-refusals'],
} as const satisfies Partial<Record<OfAccounts, Ids>>

/** Those of the refusals that only these endpoints have. */
export const refusalsOfAccounts = {
  fields: {
    storeSecret: ['secrets/fields'],
    changeSecret: ['secrets/fields'],
    webToken: ['sign-in/web-token'],
    other: ['saved-workflows/fields'],
  },
  accountFull: {
    storeSecret: ['secrets/most'],
    other: ['saved-workflows/most', 'saved-workflows/room'],
  },
  workspaceUnknown: ['sign-in/web-token'],
  versionStale: ['saved-workflows/stale-version'],
} as const satisfies Readonly<
  Record<string, Ids | (Partial<Record<OfAccounts, Ids>> & { readonly other: Ids })>
>

/** The rules behind each refusal of `/oauth`. */
export const ofOauth: Readonly<Record<keyof typeof oauthRefusals, Ids>> = {
  unknownPath: ['sign-in/errors'],
  methodNotAllowed: ['sign-in/errors'],
  bodyTooLarge: ['sign-in/errors'],
  clientUnknown: ['sign-in/authorize-refusals'],
  clientRefused: ['sign-in/errors'],
  redirectInvalid: ['sign-in/loopback', 'sign-in/authorize-refusals'],
  redirectsInvalid: ['sign-in/register-refusals'],
  metadataInvalid: ['sign-in/register-refusals'],
  grantUnsupported: ['sign-in/errors'],
  refreshReused: ['sign-in/refresh-reuse'],
  grantInvalid: ['sign-in/pkce', 'sign-in/code', 'sign-in/errors'],
  parameterMissing: ['sign-in/errors'],
}
