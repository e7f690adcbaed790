// Names the rules behind an answer [control/explain]. The sentences of all rules come with it: only `explain` loads it.

import {
  type AnswerId,
  endpointRules,
  faultBodyRules,
  faultRules,
  halfValidRules,
  type Ids,
  linkPreflightRules,
  linkRules,
  nodeErrorRules,
  preflightRules,
  promptErrorRules,
  refusalRules,
  type RefusalRules,
  rejectedNodesRules,
  scriptedRules,
} from '../../spec/answers.ts'
import { described, holdsIn } from '../../spec/generations.ts'
import type { Quirk, Rule, Where } from '../../spec/language.ts'
import { rules } from '../../spec/rules.ts'
import { operationEndpoints } from '../../spec/gateway/operations.ts'
import type { FaultThen } from '../../spec/scenario/faults.ts'
import type { EndpointName } from '../../spec/server/endpoints.ts'
import { promptErrors } from '../../spec/server/errors.ts'
import { type QuirkId, quirks } from '../../spec/truth/quirks.ts'
import { splitTarget } from '../http/requests.ts'
import { findEndpoint, routesOn } from '../http/routes.ts'
import { type AnyReply, findRefusal, parsed } from './refusals.ts'
import { fitsTemplate } from './templates.ts'

/** The head of a request or of a handshake. */
export type Asked = {
  readonly method: string
  readonly target: string
  /** Whether it came to the host of the signed links. */
  readonly links: boolean
}

export type Scripted = keyof typeof scriptedRules

/**
 * The rules behind a reply there, in the order in which they decided.
 * @param asked what was asked; undefined for input that is not a request.
 * @param faults what the faults that apply to it do.
 * @param scripted how the scenario replies; undefined if the server does.
 */
export function rulesBehind(
  where: Where,
  asked: Asked | undefined,
  reply: AnyReply,
  faults: readonly FaultThen[] = [],
  scripted?: Scripted,
): readonly AnswerId[] {
  const ofFaults = faults.flatMap(ofFault)
  const isReplaced = faults.some((then) => then.status !== undefined || then.refuse !== undefined)
  const usual = scripted === undefined ? ofServer(where, asked, reply) : scriptedRules[scripted]
  return [...new Set([...ofFaults, ...(isReplaced ? [] : usual)])].filter((id) =>
    holdsAt(id, where),
  )
}

const ruleOf = (id: AnswerId): Rule => (rules as Readonly<Record<string, Rule>>)[id] as Rule

const quirkPrefix = 'quirks/'
const quirkOf = (id: AnswerId): Quirk | undefined =>
  id.startsWith(quirkPrefix) ? quirks[id.slice(quirkPrefix.length) as QuirkId] : undefined

const holdsAt = (id: AnswerId, { place, generation = described }: Where): boolean => {
  const quirk = quirkOf(id)
  if (quirk !== undefined) return quirk.on.includes(place)
  const rule = ruleOf(id)
  return rule.on.includes(place) && holdsIn(generation, rule)
}

/** The sentence of a rule, or what a quirk does. */
export const sentenceOf = (id: AnswerId): string => quirkOf(id)?.quirk ?? ruleOf(id).says

function ofFault(then: FaultThen): Ids {
  const own = Object.entries<Ids>(faultRules).flatMap(([member, ids]) =>
    member in then ? ids : [],
  )
  return then.status !== undefined && then.body === undefined ? [...own, ...faultBodyRules] : own
}

function ofServer(where: Where, asked: Asked | undefined, reply: AnyReply): Ids {
  const { place } = where
  const name = asked && endpointAt(where, asked)
  const refusal = findRefusal(place, reply)
  if (refusal !== undefined) {
    const table: Readonly<Record<string, RefusalRules>> = refusalRules[refusal.table]
    return ofRefusal(table[refusal.name] ?? [], name)
  }
  if (place === 'gateway') return reply.status < 400 ? ofGateway(asked) : []
  if (name === 'submit' && asked?.method === 'POST') return ofSubmit(reply)
  return reply.status < 400 && asked !== undefined ? ofSuccess(asked, name) : []
}

/** Those behind what a gateway says of itself. */
function ofGateway(asked: Asked | undefined): Ids {
  const path = asked && splitTarget(asked.target)[0]
  const { gatewayReady, gatewayMetrics } = operationEndpoints
  if (path === gatewayReady.path) return endpointRules.gatewayReady
  return path === gatewayMetrics.path ? endpointRules.gatewayMetrics : endpointRules.gatewayHealth
}

const ofRefusal = (found: RefusalRules, name: EndpointName | undefined): Ids => {
  if (isList(found)) return found
  return (name && found[name]) ?? found.other ?? []
}

const isList = (found: RefusalRules): found is Ids => Array.isArray(found)

function ofSuccess({ method, links }: Asked, name: EndpointName | undefined): Ids {
  if (method === 'OPTIONS') return links ? linkPreflightRules : preflightRules
  if (links) return linkRules
  return name === undefined ? [] : endpointRules[name]
}

type Submitted = {
  readonly error?: unknown
  readonly node_errors?: Readonly<Record<string, { readonly errors?: readonly { type: string }[] }>>
}

/** The rules behind the reply to a submit, which describes its errors. */
function ofSubmit({ status, body }: AnyReply): Ids {
  const { error, node_errors = {} } = (parsed(body) ?? {}) as Submitted
  const types = Object.values(node_errors).flatMap(({ errors = [] }) => errors)
  const ofNodes = types.flatMap(
    ({ type }) => (nodeErrorRules as Readonly<Record<string, Ids>>)[type] ?? [],
  )
  const isAccepted = status < 400
  const any = isAccepted ? halfValidRules : rejectedNodesRules
  const known = Object.entries(promptErrors).find(([, { type, message }]) =>
    fitsTemplate({ type, message }, error),
  )
  const whole = known === undefined ? [] : promptErrorRules[known[0] as keyof typeof promptErrors]
  return [
    ...(isAccepted ? endpointRules.submit : whole),
    ...(types.length > 0 ? any : []),
    ...ofNodes,
  ]
}

const endpointAt = (
  { place, generation }: Where,
  { method, target, links }: Asked,
): EndpointName | undefined =>
  links || place === 'gateway'
    ? undefined
    : (findEndpoint(routesOn(place, generation), method, splitTarget(target)[0])?.name as
        | EndpointName
        | undefined)
