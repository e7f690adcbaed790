// Wrong gateways in what they render, run and deliver.

import type { GatewayEffect } from 'flowdouble'
import { plainText } from '../../../../spec/gateway/deliveries.ts'
import { each, onDelivery, onRun, quirk, startedFor } from '../../gateway-tamper.ts'
import type { GatewayMutants } from '../../tamper.ts'

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

export const templates: GatewayMutants = {
  'rendered-twice': {
    breaks: ['templates/one-pass'],
    tamper: inTexts((text, payload) =>
      text.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
        Object.hasOwn(payload, name) ? String(payload[name]) : all,
      ),
    ),
  },
  'booleans-as-in-json': {
    breaks: ['templates/texts'],
    tamper: inTexts((text) => text.replaceAll(/\bTrue\b/g, 'true')),
  },
  'large-integers-are-rounded': {
    breaks: ['templates/integers'],
    tamper: inTexts((text) => text.replaceAll(/\d{17,}/g, (one) => `${BigInt(Number(one))}`)),
  },
  'cut-after-a-megabyte': {
    breaks: ['templates/uncut'],
    tamper: inTexts((text) => text.slice(0, 1_000_000)),
  },
  'references-stay': {
    breaks: ['templates/reference'],
    tamper: onDelivery(({ text }) => ({ text: text.replace('Add gateway', '{title}') })),
  },
  'no-fences': {
    breaks: ['templates/default'],
    tamper: onRun(({ prompt }) => ({ prompt: prompt.replaceAll('```', '') })),
  },
  cut: { breaks: ['templates/uncut'], options: quirk('webhooks.cut-prompt') },
}

export const deliveries: GatewayMutants = {
  'direct-is-sent-twice': {
    breaks: ['deliveries/direct-once'],
    tamper: () => (effects, input) =>
      input.kind === 'request'
        ? effects.flatMap((one): readonly GatewayEffect[] =>
            one.kind === 'outbox' || one.kind === 'deliver'
              ? [one, { ...one, id: one.id + 1_000_000 }]
              : [one],
          )
        : effects,
  },
  'all-goes-to-the-first-chat': {
    breaks: ['deliveries/chat'],
    tamper: () => {
      let first: string | number | null | undefined
      return onDelivery(({ chat_id }) => ({ chat_id: (first ??= chat_id) }))()
    },
  },
  'thread-is-lost': {
    breaks: ['deliveries/thread'],
    tamper: onDelivery(() => ({ thread_id: null })),
  },
  'second-skill-is-lost': {
    breaks: ['deliveries/skills'],
    tamper: onRun(({ skills }) => ({ skills: skills.slice(0, 1) })),
  },
  'answers-keep-their-last-line-end': {
    breaks: ['deliveries/answer-trimmed'],
    tamper: onDelivery(({ text }) => ({ text: `${text}\n` })),
  },
  'run-without-prompt': {
    breaks: ['deliveries/run', 'deliveries/run-listed'],
    tamper: onRun(() => ({ prompt: '' })),
  },
  'no-run': {
    breaks: ['deliveries/run'],
    tamper: each((effect) => ('run' in effect ? [] : [effect])),
  },
  'retries-are-few': {
    breaks: [
      'deliveries/retry-network',
      'deliveries/retry-pauses',
      'deliveries/retry-after',
      'deliveries/retry-final',
    ],
    options: quirk('webhooks.short-retries'),
  },
  'plain-texts-are-as-before': {
    breaks: ['deliveries/retry-plain'],
    tamper: onDelivery(({ text }) => ({ text: text.replace(plainText.split('\n')[0] ?? '', '') })),
  },
  'repeats-are-lost': {
    breaks: ['deliveries/retry-keyed', 'deliveries/retry-network'],
    tamper: each((effect) => {
      const isRepeat =
        (effect.kind === 'deliver' && effect.delivery.attempt > 1) ||
        (effect.kind === 'outbox' && effect.entry.attempt > 1)
      return isRepeat ? [] : [effect]
    }),
  },
  'answers-never-die': {
    breaks: ['deliveries/dead'],
    tamper: each((effect) =>
      effect.kind === 'outbox' && effect.outcome === 'dead'
        ? [{ ...effect, outcome: 'retried' }]
        : [effect],
    ),
  },
  'notices-are-lost': {
    breaks: ['deliveries/dead-notice'],
    tamper: each((effect) =>
      effect.kind === 'outbox' && effect.outcome === 'noticed' ? [] : [effect],
    ),
  },
  'fences-stay-open': {
    breaks: ['deliveries/parts-fences'],
    tamper: onDelivery(({ text }) => ({ text: text.replace(/\n(```|~~~~)$/, '') })),
  },
  'retries-begin-again': {
    breaks: ['deliveries/parts-confirmed'],
    tamper: () => {
      let first: string | undefined
      return onDelivery(({ text, part, attempt }) => {
        if (part === 1) first = text
        return attempt > 1 ? { text: first ?? text } : {}
      })()
    },
  },
  'keys-are-made-anew': {
    breaks: ['deliveries/idempotency-key', 'deliveries/direct-key'],
    tamper: () => {
      let count = 0
      return onDelivery(() => ({ key: `${++count}`.padStart(32, '0') }))()
    },
  },
  'agents-get-no-key': {
    breaks: ['deliveries/idempotency-key'],
    tamper: onRun(() => ({ key: '' })),
  },
  'answer-is-lost': {
    breaks: ['deliveries/answer', 'deliveries/chat', 'deliveries/log', 'deliveries/direct'],
    tamper: each((effect) =>
      effect.kind === 'outbox' || effect.kind === 'deliver' ? [] : [effect],
    ),
  },
  'answer-goes-elsewhere': {
    breaks: ['deliveries/answer', 'deliveries/target', 'deliveries/chat', 'deliveries/comment'],
    tamper: onDelivery(() => ({ target: 'sms' })),
  },
  'prompt-is-the-answer': {
    breaks: ['deliveries/answer'],
    options: { agent: {} },
  },
  'skills-are-lost': {
    breaks: ['deliveries/skills'],
    tamper: onRun(() => ({ skills: [] })),
  },
  'direct-runs-too': {
    breaks: ['deliveries/direct'],
    tamper: each((effect, input) => {
      if (effect.kind === 'deliver') return [...startedFor(effect.id, effect.delivery), effect]
      const isInside = effect.kind === 'outbox' && input.kind !== 'delivered'
      return isInside ? [...startedFor(effect.id, effect.entry), effect] : [effect]
    }),
  },
  'skill-replaces': {
    breaks: ['deliveries/direct-is-literal'],
    options: quirk('webhooks.skill-replaces-message'),
  },
  'log-is-silent': {
    breaks: ['deliveries/log'],
    tamper: each((effect) => (effect.kind === 'log' ? [] : [effect])),
  },
  'chat-is-lost': {
    breaks: ['deliveries/chat', 'deliveries/origin'],
    tamper: onDelivery(() => ({ chat_id: null })),
  },
  'origin-fails': {
    breaks: ['deliveries/origin', 'deliveries/target'],
    options: quirk('webhooks.origin-undeliverable'),
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
    options: { deliveries: null },
  },
  'all-is-sent': {
    breaks: [
      'deliveries/sender-success',
      'deliveries/sender-missing',
      'deliveries/deliver-url',
      'deliveries/parts',
    ],
    options: { deliveries: () => Promise.resolve() },
  },
  'texts-are-sent-cut': {
    breaks: ['deliveries/senders'],
    tamper: each((effect) =>
      effect.kind === 'deliver'
        ? [{ ...effect, delivery: { ...effect.delivery, text: '' } }]
        : [effect],
    ),
  },
  'agents-without-bound': {
    breaks: ['deliveries/agents-at-once'],
    options: { agentsAtOnce: 100 },
  },
  'agent-is-a-script': {
    breaks: [
      'deliveries/agent-command',
      'deliveries/agent-asked',
      'deliveries/agent-answers',
      'deliveries/agent-too-long',
    ],
    options: { agent: {}, clock: 'instant' },
  },
  'comment-needs-all': {
    breaks: ['deliveries/comment'],
    options: quirk('webhooks.comment-needs-extra'),
  },
}

export const subscriptions: GatewayMutants = {
  'older-files-are-left': {
    breaks: ['subscriptions/reload', 'subscriptions/reload-on-change'],
    options: quirk('webhooks.reload-only-newer'),
  },
  'dynamic-wins': {
    breaks: ['subscriptions/static-wins'],
    tamper: onDelivery(() => ({ text: 'dynamic' })),
  },
}
