// Tokens and sessions for browsers [sign-in/web-token, sign-in/session].

import {
  sessionCookie,
  tokenLifetimes,
  type webSession as sessionSchema,
  type webToken as tokenSchema,
} from '../../../../spec/accounts/sign-in.ts'
import type { Static } from '../../../../spec/static.ts'
import { drawHex32 } from '../../../lib/random.ts'
import { json, noContent, refuseHosted, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import type { IssuedToken } from '../../state/accounts.ts'
import type { HostedWorld } from '../../state/world.ts'
import { isoTime, userIdOf } from './account-state.ts'
import { isOptional, isText, readFields } from './fields.ts'
import { endSessionOf, expiryOf, issue, sessionOf } from './tokens.ts'
import { workspaceOf } from './workspaces.ts'

const browser = { clientId: 'browser', scope: '' } as const
const checks = { workspace_id: isOptional(isText) }

function webToken(world: HostedWorld, request: Request): Reply {
  const body = request.body.length === 0 ? new Map() : readFields(request, checks)
  if ('status' in body) return body
  const workspace = body.get('workspace_id') ?? workspaceOf(world).id
  if (workspace !== workspaceOf(world).id) return refuseHosted('workspaceUnknown')
  const reply: Static<typeof tokenSchema> = {
    token: issue(world, 'access', Object.assign({ grant: drawHex32(world.state.random) }, browser)),
    expires_at: isoTime(world, expiryOf(world, 'access')),
  }
  return json(JSON.stringify(reply))
}

/** A session as its browser sees it. The name of its sign-in protects the browser from other pages. */
function described(world: HostedWorld, { grant, untilMs }: Pick<IssuedToken, 'grant' | 'untilMs'>) {
  const expires_at = isoTime(world, untilMs)
  const reply: Static<typeof sessionSchema> = {
    user: { id: userIdOf(world) },
    csrf_token: grant,
    expires_at,
    absolute_expires_at: expires_at,
    has_personal_workspace: true,
  }
  return json(JSON.stringify(reply))
}

function beginSession(world: HostedWorld): Reply {
  const grant = drawHex32(world.state.random)
  const token = issue(world, 'session', Object.assign({ grant }, browser))
  const reply = described(world, { grant, untilMs: expiryOf(world, 'session') })
  const cookie = `${sessionCookie}=${token}; Path=/; Max-Age=${tokenLifetimes.session}; HttpOnly; SameSite=Lax`
  return Object.assign({}, reply, {
    headers: Object.assign({}, reply.headers, { 'Set-Cookie': cookie }),
  })
}

function webSession(world: HostedWorld, { headers }: Request): Reply {
  const session = sessionOf(world, headers)
  return session === undefined ? refuseHosted('notFound') : described(world, session)
}

function endSession(world: HostedWorld, { headers }: Request): Reply {
  if (sessionOf(world, headers) === undefined) return refuseHosted('notFound')
  endSessionOf(world, headers)
  return noContent
}

export const sessionHandlers = { webToken, webSession, beginSession, endSession } as const
