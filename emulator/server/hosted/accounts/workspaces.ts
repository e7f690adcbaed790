// The user of an account and the workspace that it owns [workspaces/*, settings/hosted-user].

import type {
  currentWorkspace as currentSchema,
  workspaces as listSchema,
} from '../../../../spec/accounts/workspaces.ts'
import { keyHeader } from '../../../../spec/server/access.ts'
import type { userStatus } from '../../../../spec/server/settings.ts'
import type { Static } from '../../../../spec/static.ts'
import { json, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import type { HostedWorld } from '../../state/world.ts'
import { isoTime, userIdOf } from './account-state.ts'

function user(world: HostedWorld): Reply {
  const reply: Static<typeof userStatus> = { id: userIdOf(world), status: 'active' }
  return json(JSON.stringify(reply))
}

/** How a request with a valid credential has shown who sends it. */
function authMethodOf(headers: Request['headers']): string {
  if (headers[keyHeader.toLowerCase()] !== undefined) return 'api_key'
  return headers['authorization'] === undefined ? 'session' : 'oauth'
}

export const workspaceOf = (world: HostedWorld) =>
  ({
    id: `workspace-${userIdOf(world)}`,
    name: 'Personal workspace',
    type: 'personal',
    role: 'owner',
  }) as const

function currentWorkspace(world: HostedWorld, { headers }: Request): Reply {
  const { id, name, type, role } = workspaceOf(world)
  const auth_method = authMethodOf(headers)
  const reply: Static<typeof currentSchema> = { id, name, type, role, auth_method, permissions: [] }
  return json(JSON.stringify(reply))
}

function workspaces(world: HostedWorld): Reply {
  const own = workspaceOf(world)
  const created_at = isoTime(world, 0)
  const subscription_tier = world.setup.hosted.account.tier.toUpperCase()
  const reply: Static<typeof listSchema> = {
    workspaces: [Object.assign({ created_at, joined_at: created_at, subscription_tier }, own)],
    can_create_workspace: false,
    default_workspace_id: own.id,
  }
  return json(JSON.stringify(reply))
}

export const workspaceHandlers = { user, workspaces, currentWorkspace } as const
