// Secrets of an account [secrets/*]. Nothing uses their values, so that the server forgets them.

import { secretValue, type storedSecret } from '../../../../spec/accounts/secrets.ts'
import { limits } from '../../../../spec/limits.ts'
import type { Static } from '../../../../spec/static.ts'
import { drawUuid } from '../../../lib/random.ts'
import { json, noContent, refuseHosted, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import type { StoredSecret } from '../../state/accounts.ts'
import type { HostedWorld } from '../../state/world.ts'
import { accountStateOf, isoTime } from './account-state.ts'
import { type Check, isOptional, keptText, readFields } from './fields.ts'

const isWord: Check = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 255
    ? undefined
    : 'a text of 1 to 255 characters'
const isValue: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'a text that is not empty'

const optionalWord = isOptional(isWord)
const more = { provider: optionalWord, credential_type: optionalWord } as const
const newChecks = { name: isWord, [secretValue]: isValue, ...more }
const changeChecks = { name: optionalWord, [secretValue]: isOptional(isValue), ...more }

const describe = (
  world: HostedWorld,
  { id, name, provider, type, createdMs, updatedMs }: StoredSecret,
): Static<typeof storedSecret> =>
  ({
    id,
    name,
    provider: provider ?? undefined,
    credential_type: type ?? undefined,
    created_at: isoTime(world, createdMs),
    updated_at: isoTime(world, updatedMs),
  }) as Static<typeof storedSecret>

const described = (world: HostedWorld, secret: StoredSecret, status = 200): Reply =>
  json(JSON.stringify(describe(world, secret)), status)

function listSecrets(world: HostedWorld): Reply {
  const data = [...accountStateOf(world).secrets.values()].map((one) => describe(world, one))
  return json(JSON.stringify({ data }))
}

function storeSecret(world: HostedWorld, request: Request): Reply {
  const body = readFields(request, newChecks)
  if ('status' in body) return body
  const { secrets } = accountStateOf(world)
  const { value } = limits.secrets
  if (secrets.size >= value) return refuseHosted('accountFull', { limit: `${value} secrets` })
  const { nowMs, random } = world.state
  const secret: StoredSecret = {
    id: drawUuid(random),
    name: keptText(body, 'name') ?? '',
    provider: keptText(body, 'provider'),
    type: keptText(body, 'credential_type'),
    createdMs: nowMs,
    updatedMs: nowMs,
  }
  secrets.set(secret.id, secret)
  return described(world, secret, 201)
}

function changeSecret(world: HostedWorld, request: Request): Reply {
  const { secrets } = accountStateOf(world)
  const secret = secrets.get(request.segment)
  if (secret === undefined) return refuseHosted('notFound')
  const body = readFields(request, changeChecks)
  if ('status' in body) return body
  const changed: StoredSecret = Object.assign({}, secret, {
    name: keptText(body, 'name') ?? secret.name,
    provider: keptText(body, 'provider') ?? secret.provider,
    type: keptText(body, 'credential_type') ?? secret.type,
    updatedMs: world.state.nowMs,
  })
  secrets.set(secret.id, changed)
  return described(world, changed)
}

const deleteSecret = (world: HostedWorld, { segment }: Request): Reply =>
  accountStateOf(world).secrets.delete(segment) ? noContent : refuseHosted('notFound')

export const secretHandlers = { secrets: listSecrets, storeSecret, changeSecret, deleteSecret }
