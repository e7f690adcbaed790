// Which requests a part of a scenario is about: the words of faults, and the query.

import { faultWhen } from './faults.ts'
import type { Static } from '../static.ts'
import { closed, optional } from '../schema.ts'

const { method, path } = faultWhen.properties

export const requestWhen = {
  method: optional(method),
  path,
  query: optional({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
    description: 'only requests whose query has these parameters with these values',
  }),
} as const

/** All members must match. */
export const requestMatch = closed(requestWhen)

export type RequestMatch = Static<typeof requestMatch>
