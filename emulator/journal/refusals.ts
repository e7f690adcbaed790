// Finds out which refusal of the spec a reply is, by its status, headers and body.

import { gatewayRefusals, outcomes } from '../../spec/gateway/webhooks.ts'
import type { Place, Refusal, Refusals } from '../../spec/language.ts'
import {
  assetRefusals,
  hostedAssetRefusals,
  hostedRefusals,
  linkRefusals,
  planRefusals,
  refusals,
} from '../../spec/server/errors.ts'
import { oauthRefusals } from '../../spec/accounts/errors.ts'
import { routerRefusals } from '../../spec/router/errors.ts'
import { v2Refusals } from '../../spec/v2/errors.ts'
import { partnerRefusals } from '../../spec/partner/errors.ts'
import { fitsTemplate, fitsText } from './templates.ts'

/** A reply as an effect or a line of a journal has it. */
export type AnyReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly reason?: string
}

/** The tables of refusals at each place, by name. Those of a gateway are all its answers to posts. */
const tables = {
  local: { local: refusals, assets: assetRefusals },
  hosted: {
    hosted: hostedRefusals,
    'hosted-assets': hostedAssetRefusals,
    v2: v2Refusals,
    router: routerRefusals,
    partner: partnerRefusals,
    oauth: oauthRefusals,
    plan: planRefusals,
    links: linkRefusals,
  },
  gateway: { gateway: { ...outcomes, ...gatewayRefusals } },
} as const satisfies Readonly<Record<Place, Readonly<Record<string, Refusals>>>>

export type RefusalTable = {
  [P in Place]: keyof (typeof tables)[P]
}[Place]

/** A refusal with its place in the spec. */
export type FoundRefusal = {
  readonly table: RefusalTable
  readonly name: string
  readonly refusal: Refusal
}

/** The refusal that a reply is: of several that fit, the one that says most about it. */
export function findRefusal(place: Place, reply: AnyReply): FoundRefusal | undefined {
  const all = Object.entries<Refusals>(tables[place]).flatMap(([table, entries]) =>
    Object.entries(entries).map(([name, refusal]) => ({
      table: table as RefusalTable,
      name,
      refusal,
    })),
  )
  return all
    .filter(({ refusal }) => fits(refusal, reply))
    .toSorted((a, b) => detailsOf(b.refusal) - detailsOf(a.refusal))[0]
}

const detailsOf = ({ headers = {}, reason }: Refusal): number =>
  Object.keys(headers).length + (reason === undefined ? 0 : 1)

const fits = (refusal: Refusal, reply: AnyReply): boolean =>
  refusal.status === reply.status &&
  (refusal.reason === undefined || refusal.reason === reply.reason) &&
  hasHeaders(refusal, reply) &&
  hasBody(refusal, reply)

/** Whether a reply has the headers of a refusal, apart from values that the server fills in. */
const hasHeaders = ({ headers: own = {} }: Refusal, { headers }: AnyReply): boolean =>
  Object.entries(own).every(([name, value]) => value.includes('{') || headers[name] === value)

/** Whether the body of a reply is that of a refusal with its placeholders filled in. */
function hasBody({ body: own }: Refusal, { body }: AnyReply): boolean {
  if (own === 'empty') return body === ''
  if (typeof body !== 'string') return false
  return 'text' in own ? fitsText(own.text, body) : fitsTemplate(own.json, parsed(body))
}

/** The value of a JSON text; undefined for other texts. */
export function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
