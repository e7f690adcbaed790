// The refusals of the spec, each as it occurs at some endpoints, and the ways in which it can be wrong there.

import { type Ids, refusalRules, type RefusalRules } from '../../../spec/answers.ts'
import { gatewayRefusals, outcomes } from '../../../spec/gateway/webhooks.ts'
import type { Place, Refusal, Refusals } from '../../../spec/language.ts'
import {
  assetRefusals,
  hostedAssetRefusals,
  hostedRefusals,
  linkRefusals,
  planRefusals,
  refusals,
} from '../../../spec/server/errors.ts'
import { oauthRefusals } from '../../../spec/accounts/errors.ts'
import { routerRefusals } from '../../../spec/router/errors.ts'
import { v2Refusals } from '../../../spec/v2/errors.ts'
import { partnerRefusals } from '../../../spec/partner/errors.ts'
import { type AnyReply, without } from '../tamper.ts'

/** A refusal that is wrong, at the endpoints where it has these rules. */
export type WrongRefusal = {
  readonly name: string
  readonly place: Place
  readonly ids: Ids
  /** Whether an endpoint is one of them; undefined for a path that no endpoint has. */
  readonly isAt: (endpoint: string | undefined, isLink: boolean) => boolean
  readonly change: (reply: AnyReply) => Partial<AnyReply>
}

const tables: readonly (readonly [Place, keyof typeof refusalRules, Refusals])[] = [
  ['local', 'local', refusals],
  ['local', 'assets', assetRefusals],
  ['hosted', 'hosted', hostedRefusals],
  ['hosted', 'hosted-assets', hostedAssetRefusals],
  ['hosted', 'v2', v2Refusals],
  ['hosted', 'router', routerRefusals],
  ['hosted', 'partner', partnerRefusals],
  ['hosted', 'oauth', oauthRefusals],
  ['hosted', 'plan', planRefusals],
  ['hosted', 'links', linkRefusals],
  ['gateway', 'gateway', { ...outcomes, ...gatewayRefusals }],
]

/** The texts in a value, each up to what the server fills in and in the form that it has in JSON. */
const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value.split(/\{\w+\}/)[0] ?? '']
    : Object.values(value ?? {}).flatMap(textsIn)

/** The parts of a body that are always the same: of several, the first is the one that clients act on. */
function wordsOf({ body }: Refusal): readonly string[] {
  if (body === 'empty') return []
  return 'text' in body
    ? textsIn(body.text)
    : textsIn(body.json).map((text) => JSON.stringify(text).slice(1, -1))
}

const isIn = (refusal: Refusal, { status, body }: AnyReply): boolean =>
  status === refusal.status &&
  (refusal.body === 'empty'
    ? body === ''
    : typeof body === 'string' && wordsOf(refusal).every((one) => body.includes(one)))

/** The headers that a world sends; what is about the connection is up to the layer below. */
const headersOf = ({ headers = {} }: Refusal): readonly string[] =>
  Object.keys(headers).filter((name) => !/^(?:Connection|Transfer-Encoding)$/.test(name))

type Fault = readonly [says: string, change: (reply: AnyReply) => Partial<AnyReply>]

const statusFault = ({ status }: Refusal): Fault => [
  `is-${status + 1}`,
  () => ({ status: status + 1 }),
]

/** What can be wrong with a refusal wherever it is sent: its words and its headers. */
function contentFaults(refusal: Refusal): readonly Fault[] {
  const [word = ''] = wordsOf(refusal)
  const says: Fault = [
    'says-something-else',
    ({ body }) => ({ body: String(body).replace(word, 'something else') }),
  ]
  const lacks = headersOf(refusal).map((name): Fault => [
    `lacks-${name}`,
    ({ headers }) => ({ headers: without(headers, name) }),
  ])
  return word === '' ? lacks : [says, ...lacks]
}

/** By the endpoints that the rules name; the rest is `other`, also if they name none. */
const rowsOf = (found: RefusalRules): readonly (readonly [endpoint: string, ids: Ids])[] =>
  Array.isArray(found) ? [['other', found as Ids]] : Object.entries(found)

function wrongRefusal(
  [place, table]: (typeof tables)[number],
  name: string,
  refusal: Refusal,
): readonly WrongRefusal[] {
  const found = (refusalRules[table] as Readonly<Record<string, RefusalRules>>)[name] ?? []
  const rows = rowsOf(found)
  const named = new Set(rows.map(([endpoint]) => endpoint))
  return rows.flatMap(([endpoint, ids]) => {
    const isOther = endpoint === 'other'
    const faults = isOther
      ? [statusFault(refusal), ...contentFaults(refusal)]
      : [statusFault(refusal)]
    return faults.map(([says, change]) => ({
      name: `${isOther ? name : `${endpoint}-${name}`}-${says}`,
      place,
      ids,
      isAt: (one, isLink) =>
        isLink === (table === 'links') && (isOther ? !named.has(one ?? '') : one === endpoint),
      change: (reply) => (isIn(refusal, reply) ? change(reply) : {}),
    }))
  })
}

export const wrongRefusals: readonly WrongRefusal[] = tables.flatMap((table) =>
  Object.entries(table[2]).flatMap(([name, refusal]) => wrongRefusal(table, name, refusal)),
)
