// Wrong gateways: in their replies, what they accept and render, and where they deliver.

import type { GatewayOptions, OutboxEntry, GatewayEffect, GatewayInput } from 'flowdouble'
import type { GatewayMutant, Mutants } from './tamper.ts'

type Tamper = NonNullable<GatewayOptions['tamper']>
type Reply = Extract<GatewayEffect, { kind: 'reply' }>
type Run = Extract<GatewayEffect, { kind: 'run' }>
type Request = Extract<GatewayInput, { kind: 'request' }>

/** Changes each effect into others. */
const each =
  (change: (effect: GatewayEffect, input: GatewayInput) => readonly GatewayEffect[]) =>
  (): Tamper =>
  (effects, input) =>
    effects.flatMap((effect) => change(effect, input))

/** Changes replies. */
const onReply = (change: (reply: Reply, request: Request) => Partial<Reply>) =>
  each((effect, input) =>
    effect.kind === 'reply' && input.kind === 'request'
      ? [{ ...effect, ...change(effect, input) }]
      : [effect],
  )

/** Answers the posts that got this status as if they had been accepted. */
const lets = (status: number) =>
  onReply((reply) =>
    reply.status === status
      ? {
          status: 202,
          body: '{"status": "accepted", "route": "x", "event": "x", "delivery_id": "x"}',
        }
      : {},
  )

/** Answers the posts that got this status word with another word. */
const says = (word: string, other: string) =>
  onReply(({ body }) => ({ body: body.replace(`"status": "${word}"`, `"status": "${other}"`) }))

const onRun = (change: (run: Run['run']) => Partial<Run['run']>) =>
  each((effect) =>
    effect.kind === 'run'
      ? [{ ...effect, run: { ...effect.run, ...change(effect.run) } }]
      : [effect],
  )

const onOutbox = (change: (entry: OutboxEntry) => Partial<OutboxEntry>) =>
  each((effect) =>
    effect.kind === 'outbox'
      ? [{ ...effect, entry: { ...effect.entry, ...change(effect.entry) } }]
      : [effect],
  )

const quirk = (...ids: readonly string[]): GatewayMutant['gateway'] => ({ options: { quirk: ids } })

export const webhooks: Mutants = {
  'health-is-ill': {
    breaks: ['webhooks/health', 'webhooks/health-is-free'],
    gateway: {
      tamper: onReply((_, { target }) => (target.startsWith('/health') ? { status: 503 } : {})),
    },
  },
  'names-are-lost': {
    breaks: ['webhooks/path', 'webhooks/encoded-name'],
    gateway: {
      tamper: onReply(({ status }) => (status === 202 ? { status: 404, body: '{}' } : {})),
    },
  },
  'payload-is-lost': {
    breaks: ['webhooks/json-body', 'templates/raw'],
    gateway: { tamper: onOutbox(() => ({ text: '{}' })) },
  },
  'filter-is-open': {
    breaks: ['webhooks/filter', 'webhooks/ignored'],
    gateway: {
      tamper: () => (effects, input) =>
        effects.flatMap((effect, at) =>
          effect.kind === 'reply' && effect.body.includes('"ignored"') && input.kind === 'request'
            ? [{ ...effect, status: 202 }, started(effect.request * 1000 + at)]
            : [effect],
        ),
    },
  },
  'empty-filter-takes-pushes-only': {
    breaks: ['webhooks/filter-empty'],
    gateway: {
      tamper: onReply(({ body }) => (body.includes('"event": "ping"') ? { status: 200 } : {})),
    },
  },
  'limit-is-off': { breaks: ['webhooks/rate-limit'], gateway: { options: { rateLimit: 31 } } },
  'limit-never-refuses': { breaks: ['webhooks/rate-limit'], gateway: { tamper: lets(429) } },
  'repeats-are-accepted': {
    breaks: ['webhooks/duplicate', 'webhooks/direct-is-checked'],
    gateway: { tamper: says('duplicate', 'accepted') },
  },
  'delivery-is-accepted': {
    breaks: ['webhooks/delivered'],
    gateway: { tamper: says('delivered', 'accepted') },
  },
  'failure-is-hidden': {
    breaks: ['webhooks/delivery-failed'],
    gateway: {
      tamper: onReply(({ status }) => (status === 502 ? { status: 200 } : {})),
    },
  },
  'failure-says-why': {
    breaks: ['webhooks/delivery-failed'],
    gateway: {
      tamper: onReply(({ body }) => ({ body: body.replace('Delivery failed', 'Chat is closed') })),
    },
  },
}

/** A run that no post started. */
const started = (id: number): Run => ({
  kind: 'run',
  id,
  run: {
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
  },
})

/** Rejects posts that are signed by this header, as if they were not. */
const blindTo = (header: RegExp) =>
  onReply(({ status }, { headers }) =>
    status === 202 && Object.keys(headers).some((name) => header.test(name))
      ? { status: 401, body: '{"error": "Invalid signature"}' }
      : {},
  )

export const signatures: Mutants = {
  'anything-goes': {
    breaks: ['signatures/every-post', 'signatures/own-secret'],
    gateway: { tamper: lets(401) },
  },
  'unknown-goes': {
    breaks: ['signatures/no-open-route', 'signatures/no-empty-secret'],
    gateway: { tamper: lets(404) },
  },
  'blind-to-github': {
    breaks: ['signatures/github', 'signatures/every-post'],
    gateway: { tamper: blindTo(/^x-hub/) },
  },
  'blind-to-tokens': {
    breaks: ['signatures/provider-token'],
    gateway: quirk('webhooks.fewer-schemes'),
  },
  'blind-to-stripe': { breaks: ['signatures/stripe'], gateway: quirk('webhooks.fewer-schemes') },
  'open-on-loopback': {
    breaks: ['signatures/no-open-route'],
    gateway: quirk('webhooks.insecure-no-auth'),
  },
  'refusals-differ': {
    breaks: ['signatures/every-post'],
    gateway: {
      tamper: onReply(({ status }, { headers }) =>
        status === 401 && 'svix-id' in headers ? { body: '{"error": "Too late"}' } : {},
      ),
    },
  },
  'global-secret-everywhere': {
    breaks: ['signatures/own-secret'],
    gateway: {
      options: {
        routes: { own: { secret: 'global-secret' }, global: {} },
      },
    },
  },
}

export const templates: Mutants = {
  'references-stay': {
    breaks: ['templates/reference'],
    gateway: { tamper: onOutbox(({ text }) => ({ text: text.replace('Add gateway', '{title}') })) },
  },
  'no-fences': {
    breaks: ['templates/default'],
    gateway: { tamper: onRun(({ prompt }) => ({ prompt: prompt.replaceAll('```', '') })) },
  },
  cut: { breaks: ['templates/uncut'], gateway: quirk('webhooks.cut-prompt') },
}

export const deliveries: Mutants = {
  'run-without-prompt': {
    breaks: ['deliveries/run', 'deliveries/run-listed'],
    gateway: { tamper: onRun(() => ({ prompt: '' })) },
  },
  'no-run': {
    breaks: ['deliveries/run'],
    gateway: { tamper: each((effect) => (effect.kind === 'run' ? [] : [effect])) },
  },
  'answer-is-lost': {
    breaks: ['deliveries/answer', 'deliveries/chat', 'deliveries/log', 'deliveries/direct'],
    gateway: { tamper: each((effect) => (effect.kind === 'outbox' ? [] : [effect])) },
  },
  'answer-goes-elsewhere': {
    breaks: ['deliveries/answer', 'deliveries/target', 'deliveries/chat', 'deliveries/comment'],
    gateway: { tamper: onOutbox(() => ({ target: 'sms' })) },
  },
  'prompt-is-the-answer': {
    breaks: ['deliveries/answer'],
    gateway: { options: { agent: {} } },
  },
  'skills-are-lost': {
    breaks: ['deliveries/skills'],
    gateway: { tamper: onRun(() => ({ skills: [] })) },
  },
  'direct-runs-too': {
    breaks: ['deliveries/direct'],
    gateway: {
      tamper: each((effect) =>
        effect.kind === 'outbox' ? [started(effect.id), effect] : [effect],
      ),
    },
  },
  'skill-replaces': {
    breaks: ['deliveries/direct-is-literal'],
    gateway: quirk('webhooks.skill-replaces-message'),
  },
  'log-is-silent': {
    breaks: ['deliveries/log'],
    gateway: { tamper: each((effect) => (effect.kind === 'log' ? [] : [effect])) },
  },
  'chat-is-lost': {
    breaks: ['deliveries/chat', 'deliveries/origin'],
    gateway: { tamper: onOutbox(() => ({ chat_id: null })) },
  },
  'origin-fails': {
    breaks: ['deliveries/origin', 'deliveries/target'],
    gateway: quirk('webhooks.origin-undeliverable'),
  },
  'nothing-is-sent': {
    breaks: [
      'deliveries/senders',
      'deliveries/sender-success',
      'deliveries/sender-missing',
      'deliveries/sender-paths',
      'deliveries/credentials-hidden',
      'deliveries/deliver-url',
    ],
    gateway: { options: { deliveries: null } },
  },
  'all-is-sent': {
    breaks: ['deliveries/sender-success', 'deliveries/sender-missing', 'deliveries/deliver-url'],
    gateway: { options: { deliveries: () => Promise.resolve() } },
  },
  'texts-are-sent-cut': {
    breaks: ['deliveries/senders'],
    gateway: {
      tamper: each((effect) =>
        effect.kind === 'deliver'
          ? [{ ...effect, delivery: { ...effect.delivery, text: '' } }]
          : [effect],
      ),
    },
  },
  'agents-without-bound': {
    breaks: ['deliveries/agents-at-once'],
    gateway: { options: { agentsAtOnce: 100 } },
  },
  'agent-is-a-script': {
    breaks: [
      'deliveries/agent-command',
      'deliveries/agent-asked',
      'deliveries/agent-answers',
      'deliveries/agent-too-long',
    ],
    gateway: { options: { agent: {}, clock: 'instant' } },
  },
  'comment-needs-all': {
    breaks: ['deliveries/comment'],
    gateway: quirk('webhooks.comment-needs-extra'),
  },
}

export const subscriptions: Mutants = {
  'older-files-are-left': {
    breaks: ['subscriptions/reload', 'subscriptions/reload-on-change'],
    gateway: quirk('webhooks.reload-only-newer'),
  },
  'dynamic-wins': {
    breaks: ['subscriptions/static-wins'],
    gateway: { tamper: onOutbox(() => ({ text: 'dynamic' })) },
  },
}
