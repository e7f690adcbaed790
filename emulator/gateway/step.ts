// The only entry into a gateway: an input goes in, effects come out.

import { operationEndpoints } from '../../spec/gateway/operations.ts'
import { endpoints, profilePath } from '../../spec/gateway/webhooks.ts'
import type { Reply } from '../http/replies.ts'
import type { RequestHead } from '../machine.ts'
import { decodePart, splitTarget } from '../http/requests.ts'
import { allowedBy, findEndpoint, buildRoutes } from '../http/routes.ts'
import { afterStore } from './acceptance.ts'
import { answer } from './answers.ts'
import { changeGateway } from './gateway.ts'
import { nextTimer, takeTimer } from '../lib/timers.ts'
import type { DeliveryFailure, GatewayEffect, GatewayInput } from './state/inputs.ts'
import { log, originText } from './log.ts'
import { health, ready } from './health.ts'
import { metricsReply } from './metrics.ts'
import { noteMetrics } from './state/metrics.ts'
import { routeOf } from './static-routes.ts'
import { noteFailures, setProblem } from './state/problems.ts'
import { originOf } from './post/origin.ts'
import { failureOf, scriptFailure } from './deliveries/scripts.ts'
import { attempt, endAttempt, timeOuts } from './outbox.ts'
import { takePost, takesPosts } from './posts.ts'
import { hasQuirk, type GatewayWorld, type GatewayTimer } from './state/state.ts'
import { loadFile } from './reload-subscriptions.ts'
import { answerByScript, cancelRun, endRun, startNextRuns, takeClaimed } from './runs.ts'

/**
 * Applies the input to the state and returns the effects in order. Synchronous and deterministic: equal
 * states and inputs have equal effects. First fires the timers that are due before the input.
 */
export function step(world: GatewayWorld, input: GatewayInput): readonly GatewayEffect[] {
  const effects: GatewayEffect[] = []
  world.effects = effects
  advanceTo(world, input.atMs)
  apply(world, input)
  noteFailures(world.state, effects)
  const { metrics, nowMs } = world.state
  noteMetrics(metrics, effects, nowMs, (name) => routeOf(world, name) !== undefined)
  return effects
}

/** Advances the time of the state, and fires the timers on the way. */
function advanceTo(world: GatewayWorld, atMs: number): void {
  const { timers } = world.state
  for (let timer = takeTimer(timers, atMs); timer; timer = takeTimer(timers, atMs)) {
    world.state.nowMs = Math.max(world.state.nowMs, timer.dueMs)
    fire(world, timer.what)
  }
  world.state.nowMs = Math.max(world.state.nowMs, atMs)
}

/** When the next timer of the gateway is due, in its own milliseconds; undefined if it waits for an input. */
export const nextWakeMs = (world: GatewayWorld): number | undefined =>
  nextTimer(world.state.timers)?.dueMs

function fire(world: GatewayWorld, timer: GatewayTimer): void {
  switch (timer.kind) {
    case 'answer':
      return answerByScript(world, timer.run)
    case 'agent-time-out':
      return endRun(world, timer.run, '', timeOuts.run)
    case 'attempt':
      attempt(world, timer.attempt)
      return startNextRuns(world)
    case 'sender-time-out':
      return deliveryEnds(world, timer.attempt, { error: timeOuts.delivery })
    case 'delivered':
      return deliveryEnds(world, timer.attempt, timer.failure)
  }
}

/** Ends a delivery, for whose end the next run of a route in order may wait. */
function deliveryEnds(world: GatewayWorld, id: number, failure: DeliveryFailure | null): void {
  endAttempt(world, id, failure)
  startNextRuns(world)
}

function apply(world: GatewayWorld, input: GatewayInput): void {
  switch (input.kind) {
    case 'request':
      return answerRequest(world, input)
    case 'file':
      return loadFile(world, input.text, input.modifiedMs)
    case 'answered':
      return endRun(world, input.run, input.answer, input.error)
    case 'delivered':
      return deliveryEnds(world, input.delivery, failureOf(input.error, input))
    case 'stored':
      return afterStore(world, input.number, input.outcome)
    case 'claimed':
      return takeClaimed(world, input.runs)
    case 'backlog':
      world.state.backlog = new Map(input.routes.map((one) => [one.route, one]))
      return
    case 'store-problem':
      return setProblem(world.state, 'store', input.problem)
    case 'drain':
      world.state.isDraining = true
      return
    case 'cancel':
      return cancelRun(world, input.key)
    case 'fail':
      return scriptFailure(world, input)
    case 'world':
      return changeGateway(world, input)
    case 'wake':
  }
}

const endpointPaths = Object.entries(endpoints).map(([name, { method, path }]) => ({
  name,
  method,
  path,
}))
const profileRoute = { name: 'webhook', method: endpoints.webhook.method, path: profilePath }
/** Those of a known gateway: it has no paths for operators but /health. */
const plainPaths = endpointPaths.filter(({ name }) => !Object.hasOwn(operationEndpoints, name))

/** The paths of a gateway, by whether it has those for operators alone, and those of profiles. */
const tables = {
  all: { own: buildRoutes(endpointPaths), profiles: buildRoutes([...endpointPaths, profileRoute]) },
  plain: { own: buildRoutes(plainPaths), profiles: buildRoutes([...plainPaths, profileRoute]) },
}

/** The endpoint of a request, and the name of its route, which is the last segment of its path. */
function endpointFor(world: GatewayWorld, method: string, target: string) {
  const { own, profiles } = tables[hasQuirk(world, 'webhooks.plain-health') ? 'plain' : 'all']
  const table = hasQuirk(world, 'webhooks.profile-paths') ? profiles : own
  const found = findEndpoint(table, method, pathWithoutQuery(target))
  return found === undefined ? undefined : { found, name: found.segments.at(-1) as string }
}

/** Whether a request is for the metrics, where there are any. */
export const asksForMetrics = (world: GatewayWorld, { method, target }: RequestHead): boolean =>
  method !== endpoints.webhook.method &&
  endpointFor(world, method, target)?.found.name === 'gatewayMetrics'

/** Whether the reply depends on the body of the request: not if its path or the state of its route rejects it. */
export function needsBody(world: GatewayWorld, { method, target }: RequestHead): boolean {
  const at = endpointFor(world, method, target)
  if (at?.found.name === undefined || !at.found.readsBody) return false
  return at.found.name === 'webhook' && takesPosts(world, at.name)
}

/** Words of paths, which can be percent-encoded as well [webhooks/encoded-path]. */
const words = new Set(
  `${endpointPaths.map(({ path }) => path).join('')}${profilePath}`
    .split('/')
    .filter((part) => /^\w+$/.test(part)),
)

function pathWithoutQuery(target: string): string {
  const [path] = splitTarget(target)
  if (!path.includes('%')) return path
  return path
    .split('/')
    .map((part) => (words.has(decodePart(part)) ? decodePart(part) : part))
    .join('/')
}

type Post = Extract<GatewayInput, { kind: 'request' }>

function answerRequest(world: GatewayWorld, input: Post): void {
  // Before the effects of the request, and after what was due before it.
  const at = world.effects.length
  const reply = findRoute(world, input)
  if (reply === undefined) return
  const { status, headers, body } = reply
  const { request } = input
  world.effects.splice(at, 0, { kind: 'reply', request, status, headers, body: body as string })
}

/** The reply to a request; undefined if it comes later. */
function findRoute(world: GatewayWorld, input: Post): Reply | undefined {
  const at = endpointFor(world, input.method, input.target)
  if (at === undefined) {
    logLostPost(world, input)
    return answer('gatewayPath')
  }
  const { found, name } = at
  if (found.name === undefined) {
    logWrongMethod(world, input)
    return answer('gatewayMethod', { methods: allowedBy(found.methods).join(',') })
  }
  if (found.name === 'gatewayHealth') return health(world)
  if (found.name === 'gatewayReady') return ready(world)
  if (found.name === 'gatewayMetrics') return metricsReply(world)
  return takePost(world, input, name)
}

/** The longest part of a path in a log line, in characters. */
const MAX_LOGGED_PATH = 200

/** Adds a line about a request that reaches no route, with its client. */
function logRefused(
  world: GatewayWorld,
  { method, address, headers }: Post,
  path: string,
  line: string,
): void {
  const from = originOf(address, headers)
  const fields = Object.assign({ method, path }, from)
  log(world, 'warning', line + originText(from), fields)
}

/** Says that a route accepts posts alone [webhooks/log-methods]. */
function logWrongMethod(world: GatewayWorld, post: Post): void {
  const path = loggedPath(post)
  logRefused(world, post, path, `request refused: ${path} does not accept ${post.method}`)
}

const loggedPath = ({ target }: Post): string => splitTarget(target)[0].slice(0, MAX_LOGGED_PATH)

/** Says why a post did not reach a route [webhooks/log-paths]. */
function logLostPost(world: GatewayWorld, post: Post): void {
  const { method, target } = post
  if (method !== endpoints.webhook.method) return
  const [path] = splitTarget(target)
  const isAlmost = path.endsWith('/') && endpointFor(world, method, path.slice(0, -1)) !== undefined
  const advice = isAlmost
    ? 'leave out the slash at its end'
    : `routes are at ${endpoints.webhook.path}`
  const start = loggedPath(post)
  logRefused(world, post, start, `post refused: no path ${start}; ${advice}`)
}
