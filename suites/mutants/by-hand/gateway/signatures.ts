// Wrong gateways that accept the wrong signatures.

import {
  accepting,
  isUnsigned,
  lets,
  onReply,
  quirk,
  rejecting,
  replyStatus,
  type Request,
} from '../../gateway-tamper.ts'
import type { GatewayMutants } from '../../tamper.ts'

const invalid = { status: 401, body: '{"error": "Invalid signature"}' }
const textOf = ({ body }: Request): string => Buffer.from(body).toString('latin1')

/** The signatures in the headers of a post, as one text. */
const signatureOf = ({ headers }: Request): string =>
  Object.entries(headers)
    .filter(([name]) => name.includes('signature'))
    .map(([, value]) => value)
    .join()

const differences = (one: string, other: string): number =>
  one.split('').filter((char, at) => char !== other[at]).length

/** Rejects posts that are signed by this header, as if they were not. */
const blindTo = (header: RegExp) =>
  onReply(({ status }, { headers }) =>
    status === 202 && Object.keys(headers).some((name) => header.test(name))
      ? { status: 401, body: '{"error": "Invalid signature"}' }
      : {},
  )

export const signatures: GatewayMutants = {
  'anything-goes': {
    breaks: ['signatures/every-post', 'signatures/own-secret'],
    tamper: lets(401),
  },
  'unknown-goes': {
    breaks: ['signatures/no-open-route', 'signatures/no-empty-secret'],
    tamper: lets(404),
  },
  'blind-to-github': {
    breaks: ['signatures/github', 'signatures/every-post'],
    tamper: blindTo(/^x-hub/),
  },
  'blind-to-tokens': {
    breaks: ['signatures/provider-token'],
    options: quirk('webhooks.fewer-schemes'),
  },
  'blind-to-stripe': { breaks: ['signatures/stripe'], options: quirk('webhooks.fewer-schemes') },
  'blind-to-ten-senders': {
    breaks: [
      'signatures/slack',
      'signatures/pagerduty',
      'signatures/shopify',
      'signatures/sentry',
      'signatures/typeform',
      'signatures/grafana',
      'signatures/gitea',
      'signatures/gogs',
      'signatures/jira',
      'signatures/bitbucket',
    ],
    tamper: blindTo(
      /^(x-(slack|pagerduty|shopify|grafana|gitea|gogs)|sentry|typeform|x-hub-signature$)/,
    ),
  },
  'any-authorization-goes': {
    breaks: ['signatures/bearer', 'signatures/basic'],
    tamper: accepting(
      () =>
        (post, { headers }) =>
          isUnsigned(post) && 'authorization' in headers,
    ),
  },
  'named-schemes-need-no-header': {
    breaks: ['signatures/named-scheme'],
    tamper: accepting(
      () =>
        ({ reason }) =>
          reason?.includes('is missing') === true,
    ),
  },
  'open-on-loopback': {
    breaks: ['signatures/no-open-route'],
    options: quirk('webhooks.insecure-no-auth'),
  },
  'refusals-differ': {
    breaks: ['signatures/every-post'],
    tamper: onReply(({ status }, { headers }) =>
      status === 401 && 'svix-id' in headers ? { body: '{"error": "Too late"}' } : {},
    ),
  },
  'global-secret-everywhere': {
    breaks: ['signatures/own-secret'],
    options: {
      routes: { own: { secret: 'global-secret' }, global: {} },
    },
  },
  'old-secrets-do-not-count': {
    breaks: ['signatures/old-secret'],
    tamper: () => {
      const before = new Set<number>()
      return (effects, input) => {
        const isOld = effects.some(
          (one) => one.kind === 'log' && one.text.includes('has an old secret'),
        )
        if (isOld && input.kind === 'request') before.add(input.request)
        return effects.map((one) =>
          one.kind === 'reply' && before.has(one.request) ? { ...one, ...invalid } : one,
        )
      }
    },
  },
  'old-secrets-never-end': {
    breaks: ['signatures/old-secret'],
    tamper: () => {
      const known = new Set<string>()
      return (effects, input) => {
        if (input.kind !== 'request') return effects
        const own = signatureOf(input)
        if (replyStatus(effects) !== 401) known.add(own)
        return known.has(own) ? lets(401)()(effects, input) : effects
      }
    },
  },
  'body-is-trimmed': {
    breaks: ['signatures/raw-body'],
    tamper: rejecting(() => (_, request) => /\s$/.test(textOf(request)), invalid),
  },
  'one-byte-may-differ': {
    breaks: ['signatures/github', 'signatures/every-post'],
    missedBy: ['signatures/every-post'],
    tamper: accepting(() => {
      const valid: string[] = []
      return ({ verdict }, request) => {
        const own = signatureOf(request)
        if (verdict === 'accepted') valid.push(own)
        return valid.some((one) => one.length === own.length && differences(one, own) === 1)
      }
    }),
  },
  'signature-of-an-earlier-body-goes': {
    breaks: ['signatures/raw-body', 'signatures/every-post'],
    missedBy: ['signatures/every-post'],
    tamper: accepting(() => {
      const valid = new Set<string>()
      return ({ verdict }, request) => {
        if (verdict === 'accepted') valid.add(signatureOf(request))
        return valid.has(signatureOf(request))
      }
    }),
  },
  'window-is-ten-minutes': {
    breaks: ['signatures/window'],
    tamper: accepting(
      () =>
        ({ reason }) =>
          Number(/(\d+) seconds off/.exec(reason ?? '')?.[1]) <= 600,
    ),
  },
  'window-has-one-second-more': {
    breaks: ['signatures/window'],
    tamper: accepting(
      () =>
        ({ reason }) =>
          reason?.includes('301 seconds off') === true,
    ),
  },
  'capitals-are-hex': {
    breaks: ['signatures/github', 'signatures/generic', 'signatures/linear'],
    tamper: accepting(
      () => (post, request) =>
        isUnsigned(post) && /^(sha256=)?[0-9A-F]{64}$/.test(signatureOf(request)),
    ),
  },
  'third-entry-is-not-read': {
    breaks: ['signatures/several-entries'],
    tamper: rejecting(() => (_, request) => signatureOf(request).split(' ').length > 2, invalid),
  },
  'any-scheme-is-enough': {
    breaks: ['signatures/precedence'],
    tamper: accepting(
      () => (post, request) =>
        isUnsigned(post) &&
        Object.keys(request.headers).filter((name) => /signature|token/.test(name)).length > 1,
    ),
  },
}
