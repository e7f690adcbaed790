// What holds for every path: the twin below /api, HEAD, OPTIONS, unknown paths and methods, bodies.

import { hostedError } from './errors.ts'
import { both, hosted, local, type Endpoint, type Rules } from '../language.ts'

/** What any local endpoint answers besides its own replies: to origins, to tokens and to bodies. */
export const commonReplies = {
  always: { 401: 'text', 403: 'empty', 500: 'text' },
  withBody: { 413: 'text' },
} as const satisfies Readonly<Record<string, Endpoint['replies']>>

/** What any hosted endpoint answers besides its own replies: without a key, to a free account, to bodies. */
export const commonHostedReplies = {
  withKey: { 401: hostedError },
  paid: { 403: hostedError },
  withBody: { 400: hostedError, 413: hostedError },
} as const satisfies Readonly<Record<string, Endpoint['replies']>>

/** What lets pages of any origin use the hosted server, with their key. */
export const hostedCors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, GET, DELETE, PUT, PATCH, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, X-API-Key',
} as const

export const rules = {
  'http/json-replies': {
    says: 'Replies that carry data are JSON, marked as application/json in UTF-8.',
    basis: 'stated',
    on: both,
    carries: ['A69'],
  },
  'http/json-without-type': {
    says: 'A JSON body is read whatever the Content-Type of the request says.',
    basis: 'stated',
    on: both,
    carries: ['A69'],
  },
  'http/broken-json': {
    says: 'A body that is no JSON, or a bare number or null, answers 500 with a fixed text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/empty-replies': {
    says: 'Empty replies of handlers have Content-Length 0 and no Content-Type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/twin-below-api': {
    says: 'Every local path answers below /api too, but for those below /internal/.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/head': {
    says: 'A path that answers GET answers HEAD with the same headers and no body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/head-unknown': {
    says: 'HEAD of an unknown path answers 404 and says nothing of the body that GET would get.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/unknown-path': {
    says: 'GET of an unknown or POST-only path answers 404 with an empty body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/wrong-method': {
    says: 'A method that a path, known or not, does not take answers 405 and Allow lists the others.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/trailing-slash': {
    says: 'A path with a slash at its end is an unknown path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/options': {
    says: 'OPTIONS answers 200 with an empty body on every path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/foreign-origin': {
    says: 'At a loopback host a request with a foreign Origin answers 403 with an empty body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/cors-mode': {
    says: 'In CORS mode replies name the configured origin, and no origin is refused.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/cors-raised': {
    says: 'In CORS mode a reply of the HTTP layer, such as 405, 413 or 500, names no origin.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-limit': {
    says: 'A body above the limit, by default 100 MiB, answers 413 with a text that names it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/long-body': {
    says: 'A body far above what is taken is not waited for: the answer comes first and closes.',
    basis: 'chosen',
    on: both,
  },
  'http/body-limit-told': {
    says: 'The features tell a configured body limit as a float, and the usual one as an integer.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-compressed': {
    says: 'A body in gzip or deflate is decompressed; what comes out counts for the limit.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-charset': {
    says: 'A JSON body is read in the charset of its Content-Type, where an unknown one answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-transfer': {
    says: 'A body that comes in chunks or after 100 Continue is read like any other.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-broken-off': {
    says: 'A request whose client goes away before the end of its body has no effect.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/long-lines': {
    says: 'A request line or header line of more than 8190 bytes answers 400.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/no-http': {
    says: 'A method that HTTP does not know, and what is no HTTP, answers 400.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/failure-page': {
    says: 'A client that accepts text/html is told of a 500 by a small page.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/cache-control': {
    says: 'The ending of a path decides on Cache-Control: scripts no-cache, pictures for a day.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/connection': {
    says: 'Connections are kept; only a 500 and a reply to a client that asks for it close theirs.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/other-upgrades': {
    says: 'An upgrade to something else than a WebSocket is ignored, and the request answered.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/pipelined': {
    says: 'Requests that come in one write, upgrades among them, are all answered, in their order.',
    basis: 'chosen',
    on: both,
  },
  'http/garbage-last': {
    says: 'What is not HTTP is answered after the requests before it, and ends the connection.',
    basis: 'chosen',
    on: both,
  },
  'http/last-answer': {
    says: 'An answer that ends its connection comes whole, as do earlier ones; nothing later is done.',
    basis: 'chosen',
    on: both,
  },
  'http/refused-early': {
    says: 'A request that is refused for its sender, path or method does not wait for its body.',
    basis: 'chosen',
    on: both,
  },
  'http/expectation': {
    says: 'A request that expects anything but 100-continue answers 417 with a text that names it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/reasons': {
    says: 'The reasons of 413 and 416 are Request Entity Too Large and Requested Range Not Satisfiable.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/fragment': {
    says: 'A fragment in the request line is ignored.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/asterisk': {
    says: 'OPTIONS of * answers as on every path, and GET of * answers 404 with a text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/hosted-refusals': {
    says: 'Hosted refuses with a JSON object of code and message; in user data there are texts too.',
    basis: 'observed',
    source: 'published hosted API, 2026, HTTP layer',
    on: hosted,
  },
  'http/hosted-unknown-path': {
    says: 'An unknown hosted path answers 404 NOT_FOUND to all methods but OPTIONS, once access is given.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-wrong-method': {
    says: 'A method that a hosted path does not take answers 405, and Allow lists the others.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-head': {
    says: 'A hosted path that answers GET answers HEAD alike, without the body.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-options': {
    says: 'OPTIONS answers 200 on every hosted path without a key, and allows X-API-Key.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-cors': {
    says: 'Each hosted reply, a refusal too, lets pages of any origin read it.',
    basis: 'chosen',
    on: hosted,
  },
  'http/member-in-text': {
    says: 'A JSON text or array that contains the name of a member answers 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt, /queue and /history',
    on: local,
  },
  'http/hosted-bad-body': {
    says: 'A hosted body that is no JSON, of a wrong type or broken in its coding answers 400.',
    basis: 'observed',
    source: 'published hosted API, 2026, HTTP layer',
    on: hosted,
  },
  'http/hosted-body-limit': {
    says: 'A hosted body above the limit answers 413 with the code PAYLOAD_TOO_LARGE.',
    basis: 'observed',
    source: 'published hosted API, 2026, HTTP layer',
    on: hosted,
  },
  'http/hosted-empty-parameter': {
    says: 'An empty query parameter of the hosted job list or history counts as none.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-no-http': {
    says: 'What is no HTTP, or has too long a line, is answered 400 with code and message on hosted.',
    basis: 'chosen',
    on: hosted,
  },
} as const satisfies Rules
