// Calls of models over time: they wait, start as many at a time as the tier allows, and end with a result.

import { tiers } from '../../../spec/server/access.ts'
import { PACE_S } from '../../../spec/router/errors.ts'
import { queueLimits } from '../../../spec/router/router-queue.ts'
import { routerRoot } from '../../../spec/router/router.ts'
import { runLimits } from '../../../spec/router/router-runs.ts'
import { get, put, remove } from '../../lib/bounded.ts'
import { cancelTimer, setTimer } from '../../lib/timers.ts'
import { refuseRouter, type Reply } from '../../http/replies.ts'
import type { RouterCall } from '../state/router.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { bucketOf, failureReply, keepsOutput } from './failures.ts'
import { recordAnswer, recordFailure } from './keys.ts'
import { fileReply, givenReply, jsonReply, outputText } from './output.ts'
import { routerOf } from './state.ts'

const TIMEOUT_MS = queueLimits.timeoutS * 1000
const DEADLINE_MS = runLimits.deadlineS * 1000

/** How many calls of the account run at a time. */
export const slotsOf = ({ setup }: HostedWorld): number =>
  tiers[setup.hosted.account.tier].runsAtATime

/** The price of all calls that are under way. */
export function openPrice(world: World): number {
  const { calls, waiting, running } = routerOf(world)
  let price = 0
  for (const ids of [waiting, running])
    for (const id of ids) price += get(calls, id)?.plan.price ?? 0
  return price
}

/** Adds a call, which starts when it is its turn. */
export function addCall(world: HostedWorld, call: RouterCall): void {
  const router = routerOf(world)
  put(router.calls, call.id, call)
  router.waiting.add(call.id)
  startNext(world)
  if (call.startedMs === null) schedule(world, call)
}

/** Starts those that wait, while there is room [router-queue/order]. */
function startNext(world: HostedWorld): void {
  const router = routerOf(world)
  for (const id of router.waiting) {
    if (router.running.size >= slotsOf(world)) return
    const call = get(router.calls, id)
    if (call === undefined) router.waiting.delete(id)
    if (call === undefined || call.readyMs > world.state.nowMs) continue
    router.waiting.delete(id)
    router.running.add(id)
    call.startedMs = world.state.nowMs
    schedule(world, call)
  }
}

/** When the next thing happens to a call; undefined if nothing does by itself. */
function nextMs(world: World, call: RouterCall): number | undefined {
  const { createdMs, readyMs, startedMs, isRun, plan } = call
  if (startedMs === null) return readyMs > world.state.nowMs ? readyMs : createdMs + TIMEOUT_MS
  const endMs = plan.durationMs === null ? undefined : startedMs + plan.durationMs
  const isAwaited = isRun && routerOf(world).held.has(call.id)
  return isAwaited ? Math.min(endMs ?? Infinity, startedMs + DEADLINE_MS) : endMs
}

function schedule(world: World, call: RouterCall): void {
  if (call.timer !== null) cancelTimer(world.timers, call.timer)
  const atMs = nextMs(world, call)
  const what = { kind: 'router', world: world.setup.index, call: call.id } as const
  call.timer = atMs === undefined ? null : setTimer(world.timers, atMs, what)
}

/** An answer to a request that has waited for it. */
type LateAnswer = { readonly request: number; readonly path: string; readonly reply: Reply }

/** Lets happen what is due to a call. Returns the answer to the request that waits for it. */
export function fireCall(world: HostedWorld, id: string): LateAnswer | undefined {
  const router = routerOf(world)
  const call = get(router.calls, id)
  if (call === undefined || call.endedMs !== null) return undefined
  call.timer = null
  const { nowMs } = world.state
  const { startedMs, createdMs, plan } = call
  if (startedMs === null) {
    if (nowMs >= createdMs + TIMEOUT_MS)
      endCall(world, call, 'queue_timeout', refuseRouter('queueTimeout'))
    else {
      startNext(world)
      if (call.startedMs === null) schedule(world, call)
    }
    return undefined
  }
  const request = router.held.get(id)
  if (plan.durationMs === null || nowMs < startedMs + plan.durationMs) {
    const reply = passDeadline(world, call)
    return request === undefined ? undefined : { request, path: routerRoot, reply }
  }
  const reply = finish(world, call)
  router.held.delete(id)
  return request === undefined ? undefined : { request, path: routerRoot, reply }
}

/** Nobody waits for a run any longer; it goes on, unless it never ends [router-runs/deadline]. */
function passDeadline(world: HostedWorld, call: RouterCall): Reply {
  const router = routerOf(world)
  router.held.delete(call.id)
  // A call that never ends leaves its place to others.
  if (call.plan.durationMs === null) release(world, call.id)
  else schedule(world, call)
  const pace = call.key === null ? undefined : { 'Retry-After': `${PACE_S.deadline}` }
  return refuseRouter('deadlineExceeded', { seconds: `${runLimits.deadlineS}` }, pace)
}

/** Ends a call with its output or failure; returns its answer. */
function finish(world: HostedWorld, call: RouterCall): Reply {
  const { rule } = call.plan
  const bucket = bucketOf(rule)
  const answer = bucket === undefined ? paidOutput(world, call) : failureReply(rule, bucket)
  if (bucket !== undefined) {
    if (keepsOutput(rule, bucket)) paidOutput(world, call)
    else recordFailure(world, call, answer)
  }
  endCall(world, call, bucket ?? null, answer)
  return answer
}

/** The output of a call, which is paid for and recorded [router-runs/charge]. */
function paidOutput(world: HostedWorld, call: RouterCall): Reply {
  const output = outputReply(world, call)
  world.state.balance -= call.plan.price
  recordAnswer(world, call, output)
  return output
}

/** Ends a call, and starts the next. */
export function endCall(
  world: HostedWorld,
  call: RouterCall,
  error: string | null,
  result: Reply,
): void {
  if (call.timer !== null) cancelTimer(world.timers, call.timer)
  Object.assign(call, { timer: null, endedMs: world.state.nowMs, error, result })
  const { calls, waiting } = routerOf(world)
  waiting.delete(call.id)
  // Its client has the result.
  if (call.isRun) remove(calls, call.id)
  release(world, call.id)
}

function release(world: HostedWorld, id: string): void {
  routerOf(world).running.delete(id)
  startNext(world)
}

/** The output of a call, with what its headers say about it [router-runs/result-headers]. */
function outputReply(world: HostedWorld, call: RouterCall): Reply {
  const { rule, price, bytes, output } = call.plan
  const made =
    rule.file !== undefined
      ? givenReply(rule)
      : bytes !== undefined
        ? fileReply(world, call.id, bytes)
        : jsonReply(outputText(world, call, output))
  const headers: Record<string, string> = Object.assign({}, made.headers)
  headers['X-Content-Type-Options'] = 'nosniff'
  headers['X-Comfy-Credits-Used'] = creditsText(price)
  const { droppedParams, fallbackProvider } = rule
  if (droppedParams !== undefined)
    headers['X-Comfy-Router-Dropped-Params'] = JSON.stringify(droppedParams)
  if (fallbackProvider !== undefined) headers['X-Comfy-Router-Fallback-Provider'] = fallbackProvider
  for (const [name, value] of Object.entries(rule.headers ?? {}))
    if (value === null) delete headers[name]
    else headers[name] = String(value)
  return { status: 200, headers, body: made.body }
}

/** Credits in decimal digits, two places at most. */
export const creditsText = (credits: number): string => String(Math.round(credits * 100) / 100)
