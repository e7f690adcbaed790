// Identifies the account that a request to the proxy comes from [partner/key, partner/partner-key].

import { refusePartner } from '../../http/replies.ts'
import { keyHeader } from '../../../spec/server/access.ts'
import type { RequestHead } from '../../machine.ts'
import { splitTarget } from '../../http/requests.ts'
import { isEqual } from '../../lib/equal.ts'
import { bearerIn, worldOfBearer, worldOfKey } from '../hosted/access.ts'
import type { Admission, Server } from '../state/server.ts'
import type { World } from '../state/world.ts'

/** The world of the account whose key a request carries, or the refusal. Only the state of the server needs none. */
export function admit(server: Server, head: RequestHead): Admission {
  const { method, target, headers } = head
  const given = headers[keyHeader.toLowerCase()]
  const key = given ?? bearerIn(headers)
  const world =
    (given === undefined ? worldOfBearer(server, head) : worldOfKey(server, key)) ??
    worldOfPartnerKey(server, key)
  if (world !== undefined) return { world }
  const isOpen = method === 'OPTIONS' || splitTarget(target)[0] === '/health'
  return isOpen ? { world: server.worlds[0] } : { refusal: refusePartner('unauthorized') }
}

const worldOfPartnerKey = ({ worlds }: Server, key: string): World | undefined =>
  key === ''
    ? undefined
    : worlds.find(({ setup: { hosted } }) => isEqual(key, hosted?.account.partnerKey ?? ''))
