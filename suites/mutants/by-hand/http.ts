// Wrong servers that mishandle every request: paths, methods, bodies, refusals.

import { answers, mapped, type Mutants, onReply, onText, stale, without } from '../tamper.ts'

const anything = /./
const textType = { 'Content-Type': 'text/plain; charset=utf-8' }

export const http: Mutants = {
  'json-as-text': {
    breaks: ['http/json-replies'],
    tamper: onReply(/^GET \/queue/, () => ({ headers: textType })),
  },
  'json-without-charset': {
    breaks: ['http/json-replies'],
    tamper: onReply(/^POST \/prompt/, ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'application/json' },
    })),
  },
  'json-broken': { breaks: ['http/json-replies'], tamper: onText(/^GET \/history/, /^\{/, '{,') },
  'asks-for-json-type': {
    breaks: ['http/json-without-type'],
    tamper: onReply(/^POST \/prompt/, (reply, { headers }) =>
      headers['content-type'] === 'text/plain' ? { status: 415 } : reply,
    ),
  },
  'ignores-text': { breaks: ['http/json-without-type'], tamper: stale(/^GET \/queue/) },
  'empty-has-a-type': {
    breaks: ['http/empty-replies'],
    tamper: onReply(/^POST \/free/, () => ({ headers: textType })),
  },
  'empty-is-204': { breaks: ['http/empty-replies'], tamper: answers(/^POST \/history/, 204) },
  'head-is-refused': { breaks: ['http/head'], tamper: answers(/^HEAD \/models/, 405) },
  'no-alias': { breaks: ['http/alias-below-api'], tamper: answers(/^GET \/api\/queue/, 404) },
  'options-only-where-known': {
    breaks: ['http/options'],
    tamper: answers(/^OPTIONS \/nowhere/, 404),
  },
  'cors-lacks-methods': {
    breaks: ['http/cors-mode'],
    tamper: onReply(anything, ({ headers }) => ({
      headers: without(headers, 'Access-Control-Allow-Methods'),
    })),
  },
  'scripts-are-kept': {
    breaks: ['http/no-store', 'http/no-store-modules'],
    tamper: onReply(/\.(js|mjs|css|json)$/, ({ headers }) => ({
      headers: { ...headers, 'Cache-Control': 'no-cache' },
    })),
  },
  'other-sites-receive-a-text': {
    breaks: ['http/cross-site'],
    tamper: onReply(/./, ({ status }) => (status === 403 ? { body: 'Forbidden' } : {})),
  },
  'refusals-without-code': {
    breaks: ['http/hosted-refusals'],
    tamper: onReply(anything, ({ status, body }) =>
      status < 400 || typeof body !== 'string' ? {} : { body: '{"error": "no"}' },
    ),
  },
  'refusals-as-text': {
    breaks: ['http/hosted-refusals', 'http/hosted-bad-body'],
    tamper: onReply(anything, ({ status }) =>
      status === 400 ? { status: 500, headers: {}, body: '500 Internal Server Error' } : {},
    ),
  },
  'hosted-head-is-refused': {
    breaks: ['http/hosted-head'],
    tamper: answers(/^HEAD \/api\/user/, 405),
  },
  'options-need-a-key': { breaks: ['http/hosted-options'], tamper: answers(/^OPTIONS/, 401) },
  'refusals-are-for-nobody': {
    breaks: ['http/hosted-cors'],
    tamper: onReply(anything, ({ status, headers }) => ({
      headers: status < 400 ? headers : without(headers, 'Access-Control-Allow-Origin'),
    })),
  },
  'key-is-no-header-for-pages': {
    breaks: ['http/hosted-cors', 'http/hosted-options'],
    tamper: onReply(anything, ({ headers }) => ({
      headers: mapped(headers, (value) => String(value).replace(', X-API-Key', '')),
    })),
  },
  'hosted-json-as-text': {
    breaks: ['http/json-replies', 'http/json-without-type'],
    tamper: onReply(/^(GET|POST) \/api\/settings/, () => ({
      headers: { 'Content-Type': 'text/plain' },
    })),
  },
}
