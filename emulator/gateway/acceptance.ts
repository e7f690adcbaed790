// Accepts posts that passed all checks: immediately, or when the store has kept them [store/stored-first].

import { answer, replyEffect, type TextReply } from './answers.ts'
import { log } from './log.ts'
import { deliver } from './outbox.ts'
import { refuse, report } from './refusals.ts'
import { startRun } from './runs.ts'
import { forget } from './state/delivery-ids.ts'
import type { Fact, StoreOutcome } from './state/facts.ts'
import { keep, keeps } from './state/keep.ts'
import { type AcceptedPost, type GatewayWorld, hasQuirk, type Pending } from './state/state.ts'

type PendingPost = Extract<Pending, { kind: 'post' }>

/** The reply to an accepted post; undefined if it comes later. */
export function accept(world: GatewayWorld, accepted: AcceptedPost): TextReply | undefined {
  if (!keeps(world)) return begin(world, accepted, [])
  keep(world, factsOf(world, accepted), { kind: 'post', accepted, repeats: [] })
  return undefined
}

function factsOf(world: GatewayWorld, { post, work }: AcceptedPost): readonly Fact[] {
  const { route, delivery_id } = post
  const isLease = work.kind === 'direct'
  const id: Fact = { kind: 'id', route, delivery_id: delivery_id ?? '', isLease }
  const facts = [...countFacts(world, route), id]
  if (work.kind === 'direct') return facts
  return [...facts, { kind: 'accepted', run: work.run, isKept: startsHere(world, work.run) }]
}

/** A shared store counts the posts of all gateways. */
const countFacts = ({ setup: { options } }: GatewayWorld, route: string): readonly Fact[] =>
  options.store === 'shared' ? [{ kind: 'counted', route, limit: options.rateLimit }] : []

/** Whether this gateway starts a run itself: where others could, only one for which an agent is free. */
function startsHere(
  { setup: { options }, state: { asked, waiting, backlog } }: GatewayWorld,
  { route, isInOrder }: { readonly route: string; readonly isInOrder: boolean },
): boolean {
  // Those before it in a route in order come first, whoever starts them.
  if (options.store === 'own') return !(isInOrder && backlog.has(route))
  const isFree = asked.size + waiting.count < options.agentsAtOnce
  return isFree && !isInOrder && !backlog.has(route)
}

/** Lets a post that only counts for its limit wait until it is counted, where gateways share the limit. */
export function countShared(
  world: GatewayWorld,
  request: number,
  route: string,
  work: () => TextReply | undefined,
): TextReply | undefined {
  const at = world.effects.length
  const reply = work()
  const facts = countFacts(world, route)
  if (reply === undefined || facts.length === 0) return reply
  const effects = [replyEffect(request, reply), ...world.effects.splice(at)]
  keep(world, facts, { kind: 'counted', request, route, effects })
  return undefined
}

function begin(
  world: GatewayWorld,
  { post, work }: AcceptedPost,
  repeats: readonly number[],
): TextReply | undefined {
  world.effects.push(post)
  if (work.kind === 'run') {
    startRun(world, work.run)
    return work.reply
  }
  const { place, message, deliver: target } = work
  const { request } = post
  deliver(world, place, message, { kind: 'direct', request, deliver: target, repeats })
  return undefined
}

/**
 * Makes the repeat of a post wait for the store to keep the first one, or that its delivery arrived; returns whether there
 * is one.
 */
export function joinsPending(
  world: GatewayWorld,
  route: string,
  delivery_id: string,
  request: number,
): boolean {
  const { pending } = world.state
  for (const [number, one] of pending) {
    if (one.kind !== 'post' && one.kind !== 'replies') continue
    const post = one.kind === 'post' ? one.accepted.post : one
    if (post.route !== route || post.delivery_id !== delivery_id) continue
    if (one.kind === 'post')
      pending.set(number, Object.assign({}, one, { repeats: [...one.repeats, request] }))
    else {
      const reply = replyEffect(request, duplicateOf(world, delivery_id))
      pending.set(number, Object.assign({}, one, { replies: [...one.replies, reply] }))
    }
    return true
  }
  return false
}

/** Goes on with what has waited for the store. */
export function afterStore(world: GatewayWorld, number: number, outcome: StoreOutcome): void {
  const { pending } = world.state
  const found = pending.get(number)
  pending.delete(number)
  switch (found?.kind) {
    case 'post':
      return afterPost(world, found, outcome)
    case 'counted':
      if (outcome === 'done') world.effects.push(...found.effects)
      else replyTo(world, found.request, refuse(world, found, found.route, refusalOf(outcome)))
      return
    case 'answer':
      return afterAnswer(world, found, outcome)
    case 'replies':
      world.effects.push(...found.replies)
      return
    case undefined:
  }
}

function afterAnswer(
  world: GatewayWorld,
  { run, place, message }: Extract<Pending, { kind: 'answer' }>,
  outcome: StoreOutcome,
): void {
  const { key } = message
  if (outcome === 'done') deliver(world, place, message, { kind: 'answer', run, key })
  else log(world, 'warning', `run ${key} belongs to another gateway by now`)
}

function afterPost(
  world: GatewayWorld,
  { accepted, repeats }: PendingPost,
  outcome: StoreOutcome,
): void {
  const { post } = accepted
  const { request, route, event, delivery_id } = post
  if (outcome === 'done') {
    const at = world.effects.length
    const reply = begin(world, accepted, repeats)
    if (reply === undefined) return
    const later = world.effects.splice(at)
    replyTo(world, request, reply)
    for (const repeat of repeats) replyTo(world, repeat, duplicateOf(world, delivery_id))
    world.effects.push(...later)
    return
  }
  if (outcome === 'duplicate') {
    report(world, post, route, 'duplicate', null, event, delivery_id)
    for (const one of [request, ...repeats]) replyTo(world, one, duplicateOf(world, delivery_id))
    return
  }
  // A retry by the sender is not a repeat.
  forget(world, route, delivery_id ?? '')
  for (const one of [request, ...repeats])
    replyTo(world, one, refuse(world, { ...post, request: one }, route, refusalOf(outcome)))
}

const refusalOf = (outcome: StoreOutcome) =>
  outcome === 'limited' ? 'rateLimited' : outcome === 'leased' ? 'deliveryUnderWay' : 'notStored'

const duplicateOf = (world: GatewayWorld, delivery_id: string | null): TextReply =>
  answer('duplicate', { delivery_id }, hasQuirk(world, 'webhooks.python-json'))

function replyTo({ effects }: GatewayWorld, request: number, reply: TextReply): void {
  effects.push(replyEffect(request, reply))
}
