// Laws about each response by itself: its status, its media type and its body are among those that the spec
// has for its endpoint.

import { surfaceOf } from '../../spec/hosted/surfaces.ts'
import { generationsOf, holdsIn } from '../../spec/generations.ts'
import { endpointRules } from '../../spec/answers.ts'
import { endpoints, gatewayEndpoints, rules } from '../../spec/index.ts'
import { operationEndpoints } from '../../spec/gateway/operations.ts'
import type { Endpoint, Place, ReplyBody, Rule } from '../../spec/language.ts'
import type { RuleId } from '../../spec/rules.ts'
import { bodiesOn } from '../generate/replies-on.ts'
import { violations } from '../judge/judge.ts'
import { type Finding, law, type Law, shown, unless } from './law.ts'
import {
  responseHeader,
  type Trace,
  type TracedExchange,
} from '../../dist/emulator/session/index.js'

/** Statuses that any path may return, whatever its endpoint: of proxies and of the HTTP layer. */
const general: ReadonlySet<number> = new Set([304, 400, 405, 413, 417, 502, 503, 504])

const isPlain = ({ recorded }: TracedExchange): boolean => recorded.method !== 'OPTIONS'

/** The exchanges of an endpoint that got a response. Handshakes are sockets. */
const exchangesOf =
  (name: string) =>
  ({ exchanges }: Trace): readonly TracedExchange[] =>
    exchanges.filter((one) => one.endpoint?.name === name && one.status > 0 && isPlain(one))

/** Exchanges with the Router that the server itself has answered. */
const isOfRouter = (one: TracedExchange): boolean =>
  one.endpoint !== undefined &&
  one.status > 0 &&
  one.status < 500 &&
  isPlain(one) &&
  surfaceOf(one.path) === 'router'

/** What is wrong with a body. */
function bodyFaults(body: ReplyBody, { recorded, hasBody, type, reply }: TracedExchange): string[] {
  const length = recorded.response?.body.length ?? 0
  if (body === 'empty')
    return length === 0 ? [] : [`The body has ${length} bytes, and should be empty.`]
  if (!hasBody) return []
  if (body === 'bytes') return []
  if (body === 'html')
    return type.startsWith('text/html')
      ? []
      : [`The type is ${shown(type)}, and should be text/html.`]
  if (body === 'text' || body === 'stream') return []
  const value = reply()
  if (value === undefined) return ['The body is not valid JSON.']
  return violations(body, value).map((fault) => `The body does not fit the schema: ${fault}.`)
}

function faultsOf(place: Place, spec: Endpoint, exchange: TracedExchange): readonly Finding[] {
  const { status, recorded } = exchange
  const known = bodiesOn(place, spec)
  const bodies = known[status]
  const at = { exchange }
  if (bodies === undefined)
    return unless(
      general.has(status),
      at,
      () => `The status is ${status}; the spec has ${Object.keys(known).join(', ')}.`,
    )
  // HEAD returns no body, and a conditional request part of one.
  if (recorded.method === 'HEAD') return []
  const faults = bodies.map((body) => bodyFaults(body, exchange))
  return faults.some((one) => one.length === 0)
    ? []
    : (faults[0] ?? []).slice(0, 3).map((says) => ({ at, says }))
}

/**
 * The rules of an endpoint that hold at a place, in each generation that has the endpoint. If none holds in all, those of
 * the first generation: later ones have others.
 */
function rulesOf(name: string, spec: Endpoint, place: Place): readonly RuleId[] {
  const own = (endpointRules as Readonly<Record<string, readonly RuleId[]>>)[name] ?? []
  const all = generationsOf([spec])
  const inEach = (generations: typeof all): readonly RuleId[] =>
    own.filter((id) => {
      const rule = (rules as Readonly<Record<string, Rule>>)[id]
      return rule?.on.includes(place) && generations.every((one) => holdsIn(one, rule))
    })
  const always = inEach(all)
  return always.length > 0 ? always : inEach(all.slice(0, 1))
}

/** Endpoints with answers that a law cannot know: of whole conversations, and those that not every gateway has. */
const special: ReadonlySet<string> = new Set([
  'webhook',
  'socket',
  ...Object.keys(operationEndpoints),
])

const named = (place: Place): readonly (readonly [name: string, spec: Endpoint])[] =>
  Object.entries<Endpoint>(place === 'gateway' ? gatewayEndpoints : endpoints).filter(
    ([name, { on }]) => on.includes(place) && !special.has(name),
  )

/** One law for each endpoint of a place. */
const ofEndpoints = (place: Place): readonly Law[] =>
  named(place).flatMap(([name, spec]) => {
    const ids = rulesOf(name, spec, place)
    if (ids.length === 0) return []
    const own = law(ids, exchangesOf(name), (one) => faultsOf(place, spec, one))
    return [{ ...own, on: [place] }]
  })

const isJson = ({ endpoint, hasBody, reply, status, recorded }: TracedExchange): boolean =>
  endpoint !== undefined &&
  endpoint.name !== 'view' &&
  endpoint.name !== 'readUserdata' &&
  hasBody &&
  status < 400 &&
  recorded.method !== 'HEAD' &&
  typeof reply() === 'object'

export const replyLaws: readonly Law[] = [
  ...ofEndpoints('local'),
  ...ofEndpoints('hosted'),
  ...ofEndpoints('gateway'),
  law(
    'http/json-replies',
    ({ exchanges }) => exchanges.filter(isJson),
    (exchange) =>
      unless(
        /^application\/json(?:; ?charset=utf-8)?$/.test(exchange.type),
        { exchange },
        () => `The type of a JSON reply is ${shown(exchange.type)}.`,
      ),
  ),
  law(
    'router/request-id',
    ({ exchanges }) => exchanges.filter(isOfRouter),
    (exchange) =>
      unless(
        responseHeader(exchange.recorded, 'x-comfy-request-id') !== undefined,
        { exchange },
        () => `An answer of the Router with ${exchange.status} has no X-Comfy-Request-Id.`,
      ),
  ),
  law(
    'http/hosted-refusals',
    ({ exchanges }) =>
      exchanges.filter(
        ({ endpoint, status, hasBody, path, recorded }) =>
          endpoint !== undefined &&
          status >= 400 &&
          status < 500 &&
          hasBody &&
          recorded.method !== 'HEAD' &&
          endpoint.name !== 'submit' &&
          !path.startsWith('/api/userdata') &&
          // Other APIs have other errors.
          surfaceOf(path) === 'v1',
      ),
    (exchange) => {
      const { code, message } = exchange.reply() ?? {}
      return unless(
        typeof code === 'string' && typeof message === 'string',
        { exchange },
        () => `A refusal with ${exchange.status} has no code and message.`,
      )
    },
  ),
  law(
    'webhooks/json-replies',
    ({ exchanges }) =>
      exchanges.filter(
        ({ endpoint, status, recorded }) =>
          endpoint?.name === 'webhook' &&
          status > 0 &&
          recorded.method === 'POST' &&
          // Not every gateway has profiles.
          !(status === 404 && recorded.url.includes('/p/')),
      ),
    (exchange) => faultsOf('gateway', gatewayEndpoints.webhook, exchange),
  ),
  law(
    'http/unknown-path',
    ({ exchanges }) =>
      exchanges.filter(
        ({ endpoint, status, recorded, path }) =>
          endpoint === undefined &&
          status === 404 &&
          recorded.method === 'GET' &&
          path !== '*' &&
          // Those return a text.
          !/^(?:\/api)?\/internal(?:\/|$)/.test(path),
      ),
    (exchange) =>
      unless(
        (exchange.recorded.response?.body.length ?? 0) === 0,
        { exchange },
        () => 'The reply to an unknown path has a body.',
      ),
  ),
]
