// The functions from which wrong gateways are built: each changes only the output of the gateway.

import type { Delivery, GatewayOptions, GatewayEffect, GatewayInput } from 'flowdouble'
import { eachEffect, replying } from './tamper.ts'

export type GatewayTamper = NonNullable<GatewayOptions['tamper']>
export type Reply = Extract<GatewayEffect, { kind: 'reply' }>
export type Run = Extract<GatewayEffect, { kind: 'run' }>
export type Request = Extract<GatewayInput, { kind: 'request' }>

/** Changes each effect of a gateway into others. */
export const each = eachEffect<GatewayEffect, GatewayInput>

/** Changes the replies of a gateway. */
export const onReply = replying<Reply, Request>

/** Answers the posts that got this status as if they had been accepted. */
export const lets = (status: number) =>
  onReply((reply) =>
    reply.status === status
      ? {
          status: 202,
          body: '{"status": "accepted", "route": "x", "event": "x", "delivery_id": "x"}',
        }
      : {},
  )

/** Answers the posts that got this status word with another word. */
export const says = (word: string, other: string) =>
  onReply(({ body }) => ({ body: body.replace(`"status": "${word}"`, `"status": "${other}"`) }))

/** Changes runs: as they are listed, and as an agent outside receives them. */
export const onRun = (change: (run: Run['run']) => Partial<Run['run']>) =>
  each((effect) =>
    'run' in effect ? [{ ...effect, run: { ...effect.run, ...change(effect.run) } }] : [effect],
  )

/** Changes deliveries: as the outbox lists them, and as a target outside receives them. */
export const onDelivery = (change: (delivery: Delivery) => Partial<Delivery>) =>
  each((effect) => {
    if (effect.kind === 'outbox')
      return [{ ...effect, entry: { ...effect.entry, ...change(effect.entry) } }]
    return effect.kind === 'deliver'
      ? [{ ...effect, delivery: { ...effect.delivery, ...change(effect.delivery) } }]
      : [effect]
  })

/** The options of a gateway that has quirks. */
export const quirk = (...ids: readonly string[]): GatewayOptions => ({ quirk: ids })

export type Post = Extract<GatewayEffect, { kind: 'post' }>

/** Accepts the posts that match although the gateway did not, and starts a run for each. */
export const accepting =
  (matches: () => (post: Post, request: Request) => boolean) => (): GatewayTamper => {
    const isMeant = matches()
    return (effects, input) => {
      const post = postIn(effects)
      if (post === undefined || input.kind !== 'request' || !isMeant(post, input)) return effects
      if (post.verdict === 'accepted' || post.verdict === 'duplicate') return effects
      return lets(replyStatus(effects))()([...effects, started(post.request + 1_000_000)], input)
    }
  }

/** Rejects the posts that match although the gateway accepted them, and does nothing for them. */
export const rejecting =
  (
    matches: () => (post: Post, request: Request) => boolean,
    reply: { readonly status: number; readonly body: string },
  ) =>
  (): GatewayTamper => {
    const isMeant = matches()
    const gone = new Set<string | null | undefined>()
    return (effects, input) => {
      const post = postIn(effects)
      const isRequest = post !== undefined && input.kind === 'request'
      if (isRequest && isMeant(post, input) && post.verdict === 'accepted')
        gone.add(post.delivery_id)
      const kept = effects.filter((effect) => !gone.has(deliveryOf(effect)))
      if (!isRequest || !gone.has(post.delivery_id)) return kept
      // A direct delivery to a target outside has no reply yet, and will have none.
      const headers = { 'Content-Type': 'application/json; charset=utf-8' }
      const { request } = post
      const others = kept.filter(({ kind }) => kind !== 'reply')
      return [...others, { kind: 'reply', request, headers, ...reply }]
    }
  }

export const postIn = (effects: readonly GatewayEffect[]): Post | undefined =>
  effects.find((effect): effect is Post => effect.kind === 'post')

export const replyStatus = (effects: readonly GatewayEffect[]): number =>
  effects.flatMap((effect) => (effect.kind === 'reply' ? [effect.status] : []))[0] ?? 0

function deliveryOf(effect: GatewayEffect): string | undefined {
  if ('run' in effect) return effect.run.delivery_id
  if ('entry' in effect) return effect.entry.delivery_id
  return 'delivery' in effect ? effect.delivery.delivery_id : undefined
}

/** Whether a post was rejected for its signature. */
export const isUnsigned = ({ reason }: Post): boolean => reason?.includes('ignature') === true

/** A run for a delivery that needs none, which an agent outside receives. */
export const startedFor = (
  id: number,
  { route, delivery_id }: Delivery,
): readonly GatewayEffect[] => {
  const { run } = started(id)
  const both = { id: id + 1_000_000, run: { ...run, route, delivery_id } }
  return [
    { kind: 'run', ...both },
    { kind: 'ask', ...both },
  ]
}

/** A run that no post started. */
export const started = (id: number): Run => ({
  kind: 'run',
  id,
  run: {
    key: '',
    delivery_id: `${id}`,
    route: 'hook',
    event: 'ping',
    prompt: '',
    skills: [],
    payload: '{}',
    chat_id: '',
    session_key: '',
    status: 'running',
    answer: null,
    is_silent: false,
    error: null,
    delivery: 'pending',
  },
})
