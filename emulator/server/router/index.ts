// What the Router does for a hosted server.

import { ERROR_TYPE, REQUEST_ID } from '../../../spec/router/shapes.ts'
import { drawUuid } from '../../lib/random.ts'
import { requestAt, splitTarget } from '../../http/requests.ts'
import type { Hosted } from '../state/server.ts'
import { isHosted } from '../world/derived.ts'
import { admit } from './access.ts'
import { claimKey } from './keys.ts'
import { routerOf } from './state.ts'

export { admit } from './access.ts'
export { fireCall } from './calls.ts'
export { answer, readsBody } from './endpoints.ts'

/** Each answer has an id of its call [router/request-id]. */
export const mark: Hosted['mark'] = ({ worlds: [world] }, _, reply) => {
  if (REQUEST_ID in reply.headers) return reply
  const id = drawUuid(routerOf(world).random)
  const headers = Object.assign({}, reply.headers, { [REQUEST_ID]: id })
  return Object.assign({}, reply, { headers })
}

/** A fault answers a call with a 5xx: nobody knows what became of it [router-runs/key-kept]. */
export const noteFailure: Hosted['noteFailure'] = (server, request, { headers }) => {
  if (request.method !== 'POST' || headers[ERROR_TYPE] === 'deadline_exceeded') return
  const admitted = admit(server, request)
  if (!('world' in admitted) || !isHosted(admitted.world)) return
  const [path, query] = splitTarget(request.target)
  claimKey(admitted.world, requestAt(request, path, query, []))
}
