// The workspaces of a hosted account. Each account has one: that of its user.

import { hosted, type Endpoints, type Rules, chosen, observedIn } from '../language.ts'
import { time } from '../v2/shapes.ts'
import { boolean, list, object, oneOf, optional, text, volatile } from '../schema.ts'
import { get } from '../endpoint.ts'

const id = volatile(text)
const name = text
const type = oneOf('personal', 'team')
const role = oneOf('owner', 'member')

/** The workspace that a credential acts for. */
export const currentWorkspace = object({
  id,
  name,
  auth_method: text,
  type: optional(type),
  role: optional(role),
  permissions: optional(list(text)),
})

export const workspaces = object({
  workspaces: list(
    object({
      id,
      name,
      type,
      role,
      created_at: time,
      joined_at: time,
      subscription_tier: optional(text),
    }),
  ),
  can_create_workspace: boolean,
  default_workspace_id: optional(id),
})

export const endpoints = {
  workspaces: get('/workspaces', hosted, {
    does: 'Lists the workspaces of the user.',
    replies: { 200: workspaces },
  }),
  currentWorkspace: get('/workspaces/current', hosted, {
    does: 'Returns the workspace that the credential acts for.',
    replies: { 200: currentWorkspace },
  }),
} as const satisfies Endpoints

export const rules = {
  ...observedIn('workspaces').hosted({
    'workspaces/current':
      'GET /workspaces/current returns the id, name, type and role of the workspace in use.',
    'workspaces/list':
      'GET /workspaces lists the workspaces of the user, the one in use among them.',
  }),
  ...chosen.hosted({
    'workspaces/personal':
      'An account has one workspace, of the type personal, which its user owns and no other account has.',
  }),
} as const satisfies Rules
