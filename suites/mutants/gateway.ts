// Wrong gateways: in their replies, what they accept and render, and where they deliver.

import type { GatewayEffect } from 'flowdouble'
import {
  each,
  lets,
  onDelivery,
  onReply,
  onRun,
  quirk,
  says,
  started,
  startedFor,
} from './gateway-tamper.ts'
import type { Mutants } from './tamper.ts'

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
    gateway: { tamper: onDelivery(() => ({ text: '{}' })) },
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

/** Changes the rendered texts, given the payload of the post if it is at hand. */
const inTexts = (change: (text: string, payload: Readonly<Record<string, unknown>>) => string) =>
  each((effect, input) => {
    const isPost = input.kind === 'request' && input.body.length > 0
    const payload = isPost ? JSON.parse(Buffer.from(input.body).toString()) : {}
    if ('run' in effect) {
      const prompt = change(effect.run.prompt, payload)
      return [{ ...effect, run: { ...effect.run, prompt } }]
    }
    if (effect.kind === 'deliver') {
      const text = change(effect.delivery.text, payload)
      return [{ ...effect, delivery: { ...effect.delivery, text } }]
    }
    if (effect.kind !== 'outbox') return [effect]
    const text = change(effect.entry.text, payload)
    return [{ ...effect, entry: { ...effect.entry, text } }]
  })

export const templates: Mutants = {
  'rendered-twice': {
    breaks: ['templates/one-pass'],
    gateway: {
      tamper: inTexts((text, payload) =>
        text.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
          Object.hasOwn(payload, name) ? String(payload[name]) : all,
        ),
      ),
    },
  },
  'booleans-as-in-json': {
    breaks: ['templates/texts'],
    gateway: { tamper: inTexts((text) => text.replaceAll(/\bTrue\b/g, 'true')) },
  },
  'large-integers-are-rounded': {
    breaks: ['templates/integers'],
    gateway: {
      tamper: inTexts((text) => text.replaceAll(/\d{17,}/g, (one) => `${BigInt(Number(one))}`)),
    },
  },
  'cut-after-a-megabyte': {
    breaks: ['templates/uncut'],
    gateway: { tamper: inTexts((text) => text.slice(0, 1_000_000)) },
  },
  'references-stay': {
    breaks: ['templates/reference'],
    gateway: {
      tamper: onDelivery(({ text }) => ({ text: text.replace('Add gateway', '{title}') })),
    },
  },
  'no-fences': {
    breaks: ['templates/default'],
    gateway: { tamper: onRun(({ prompt }) => ({ prompt: prompt.replaceAll('```', '') })) },
  },
  cut: { breaks: ['templates/uncut'], gateway: quirk('webhooks.cut-prompt') },
}

export const deliveries: Mutants = {
  'direct-is-sent-twice': {
    breaks: ['deliveries/direct-once'],
    gateway: {
      tamper: () => (effects, input) =>
        input.kind === 'request'
          ? effects.flatMap((one): readonly GatewayEffect[] =>
              one.kind === 'outbox' || one.kind === 'deliver'
                ? [one, { ...one, id: one.id + 1_000_000 }]
                : [one],
            )
          : effects,
    },
  },
  'all-goes-to-the-first-chat': {
    breaks: ['deliveries/chat'],
    gateway: {
      tamper: () => {
        let first: string | number | null | undefined
        return onDelivery(({ chat_id }) => ({ chat_id: (first ??= chat_id) }))()
      },
    },
  },
  'thread-is-lost': {
    breaks: ['deliveries/thread'],
    gateway: { tamper: onDelivery(() => ({ thread_id: null })) },
  },
  'second-skill-is-lost': {
    breaks: ['deliveries/skills'],
    gateway: { tamper: onRun(({ skills }) => ({ skills: skills.slice(0, 1) })) },
  },
  'answers-keep-their-last-line-end': {
    breaks: ['deliveries/answer-trimmed'],
    gateway: { tamper: onDelivery(({ text }) => ({ text: `${text}\n` })) },
  },
  'run-without-prompt': {
    breaks: ['deliveries/run', 'deliveries/run-listed'],
    gateway: { tamper: onRun(() => ({ prompt: '' })) },
  },
  'no-run': {
    breaks: ['deliveries/run'],
    gateway: { tamper: each((effect) => ('run' in effect ? [] : [effect])) },
  },
  'answer-is-lost': {
    breaks: ['deliveries/answer', 'deliveries/chat', 'deliveries/log', 'deliveries/direct'],
    gateway: {
      tamper: each((effect) =>
        effect.kind === 'outbox' || effect.kind === 'deliver' ? [] : [effect],
      ),
    },
  },
  'answer-goes-elsewhere': {
    breaks: ['deliveries/answer', 'deliveries/target', 'deliveries/chat', 'deliveries/comment'],
    gateway: { tamper: onDelivery(() => ({ target: 'sms' })) },
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
      tamper: each((effect, input) => {
        if (effect.kind === 'deliver') return [...startedFor(effect.id, effect.delivery), effect]
        const isInside = effect.kind === 'outbox' && input.kind !== 'delivered'
        return isInside ? [...startedFor(effect.id, effect.entry), effect] : [effect]
      }),
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
    gateway: { tamper: onDelivery(() => ({ chat_id: null })) },
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
    gateway: { tamper: onDelivery(() => ({ text: 'dynamic' })) },
  },
}
