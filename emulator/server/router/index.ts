// What the Router does for a hosted server.

import { REQUEST_ID } from '../../../spec/router/shapes.ts'
import { drawUuid } from '../../lib/random.ts'
import type { Hosted } from '../state/server.ts'
import { routerOf } from './state.ts'

export { admit } from './access.ts'
export { answer, readsBody } from './endpoints.ts'

/** Each answer has an id of its call [router/request-id]. */
export const mark: Hosted['mark'] = ({ worlds: [world] }, _, reply) => {
  if (REQUEST_ID in reply.headers) return reply
  const id = drawUuid(routerOf(world).random)
  const headers = Object.assign({}, reply.headers, { [REQUEST_ID]: id })
  return Object.assign({}, reply, { headers })
}
