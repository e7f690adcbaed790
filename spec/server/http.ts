// HTTP for every path: the alias below /api, HEAD, OPTIONS, unknown paths and methods, bodies.

import { hostedError } from './errors.ts'
import {
  local,
  type Endpoint,
  type Rules,
  chosen,
  stated,
  rulesWith,
  observedIn,
} from '../language.ts'

/** What any local endpoint can return besides its own replies, depending on origin, token and body. */
export const commonReplies = {
  always: { 401: 'text', 403: 'empty', 500: 'text' },
  withBody: { 413: 'text' },
} as const satisfies Readonly<Record<string, Endpoint['replies']>>

/** What any hosted endpoint can return besides its own replies: without a key, to a free account, for bodies. */
export const commonHostedReplies = {
  withKey: { 401: hostedError },
  paid: { 403: hostedError },
  withBody: { 400: hostedError, 413: hostedError },
} as const satisfies Readonly<Record<string, Endpoint['replies']>>

/** The headers that let pages of any origin use the hosted server with their key. */
export const hostedCors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, GET, DELETE, PUT, PATCH, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Authorization, X-API-Key',
} as const

const observed = observedIn('HTTP layer')

const byAiohttp = rulesWith({
  basis: 'observed',
  source: 'ComfyUI 0.3.64, HTTP layer',
  library: 'aiohttp',
  on: local,
})
const byAiohttp313 = rulesWith({
  basis: 'observed',
  source: 'ComfyUI 0.3.64, HTTP layer',
  library: 'aiohttp/3.13',
  on: local,
})

export const rules = {
  'http/json-replies': stated.both(
    'Replies that carry data are JSON, with the type application/json in UTF-8.',
    'A69',
  ),
  'http/json-without-type': stated.both(
    'The server reads a JSON body whatever its Content-Type.',
    'A69',
  ),
  'http/broken-json': observed.local(
    'A body that is not valid JSON, or is a bare number or null, returns 500 with a fixed text.',
  ),
  'http/empty-replies': observed.local(
    'Empty replies of endpoints have Content-Length 0 and no Content-Type.',
  ),
  'http/alias-below-api': observed.local(
    'Every local path is also served below /api, except for those below /internal/.',
  ),
  'http/head': observed.local(
    'HEAD of a path that serves GET returns the same headers, without the length of an empty body.',
  ),
  'http/head-unknown': observed.local(
    'HEAD of an unknown path returns 404 without describing the body that GET would return.',
  ),
  'http/unknown-path': observed.local(
    'GET of an unknown or POST-only path returns 404 with an empty body.',
  ),
  'http/path-outside': byAiohttp(
    'A path that no page can have, such as one that leads out of the root, returns 404 with a text.',
  ),
  'http/wrong-method': observed.local(
    'A method that a known or unknown path does not support returns 405, and Allow lists the others.',
  ),
  'http/trailing-slash': observed.local('A path with a trailing slash is an unknown path.'),
  'http/options': observed.local('OPTIONS returns 200 with an empty body on every path.'),
  'http/foreign-origin': observed.local(
    'At a loopback host a request with a foreign Origin returns 403 with an empty body.',
  ),
  'http/cross-site': observed.since27(
    'A request with Sec-Fetch-Site cross-site returns 403, whatever its method, host and origin.',
  ),
  'http/cors-mode': observed.local(
    'In CORS mode replies name the configured origin, and the server rejects no origin.',
  ),
  'http/cors-raised': observed.local(
    'In CORS mode a reply of the HTTP layer, such as 405, 413 or 500, names no origin.',
  ),
  'http/body-limit': observed.local(
    'A body above the limit, 100 MiB by default, returns 413 with a text that names the limit.',
  ),
  'http/long-body': chosen.both(
    'For a body far above the limit the server replies without waiting for it, then closes.',
  ),
  'http/body-limit-feature': observed.local(
    'The features give a configured body limit as a float and the default limit as an integer.',
  ),
  'http/body-compressed': observed.local(
    'The server decompresses gzip and deflate bodies, and applies the limit to the result.',
  ),
  'http/body-undecodable': byAiohttp313(
    'A body that cannot be decompressed returns 500, and has no effect.',
  ),
  'http/body-cut': {
    says: 'A gzip body that is cut short counts as far as it can be decompressed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer; ComfyUI 0.27.0',
    library: 'aiohttp',
    on: local,
  },
  'http/body-charset': observed.local(
    'The server decodes a JSON body in its Content-Type charset; an unknown charset returns 500.',
  ),
  'http/body-transfer': observed.local(
    'The server reads a body sent in chunks or after 100 Continue like any other.',
  ),
  'http/body-broken-off': observed.local(
    'A request whose client disconnects before the end of the body has no effect.',
  ),
  'http/long-lines': byAiohttp313(
    'A request line or header line of more than 8190 bytes returns 400.',
  ),
  'http/no-http': byAiohttp313('An unknown HTTP method, or input that is not HTTP, returns 400.'),
  'http/failure-page': observed.local(
    'A client that accepts text/html receives a 500 as a small page.',
  ),
  'http/cache-control': observed.before27(
    'The ending of a path sets Cache-Control: no-cache for scripts, one day for images.',
  ),
  'http/no-store': observed.since27(
    'The ending of a path sets Cache-Control: no-store for scripts, one day for images.',
  ),
  'http/no-store-modules': {
    says: 'Scripts with the ending .mjs are not kept either.',
    basis: 'observed',
    source: 'ComfyUI 0.38.1, HTTP layer, as read in its source',
    on: local,
    since: '0.38',
  },
  'http/connection': byAiohttp313(
    'Connections stay open, except after a 500 and when the client asks to close.',
  ),
  'http/other-upgrades': byAiohttp313(
    'The server ignores an upgrade to anything but a WebSocket and serves the request.',
  ),
  'http/pipelined': chosen.both(
    'The server answers all requests sent in one write, upgrades included, in their order.',
  ),
  'http/transfer-encoding': byAiohttp313(
    'A Transfer-Encoding whose last coding is not chunked returns 400, and the connection ends.',
  ),
  'http/garbage-last': chosen.both(
    'The server answers input that is not HTTP after the earlier requests, and closes the connection.',
  ),
  'http/last-answer': chosen.both(
    'The last reply before a close arrives whole, as do earlier ones; later requests have no effect.',
  ),
  'http/refused-early': chosen.both(
    'The server rejects a request for its sender, path or method without waiting for the body.',
  ),
  'http/expectation': byAiohttp(
    'An Expect header other than 100-continue returns 417 with a text that names it.',
  ),
  'http/reasons': byAiohttp(
    'The reasons of 413 and 416 are Request Entity Too Large and Requested Range Not Satisfiable.',
  ),
  'http/fragment': byAiohttp313('The server ignores a fragment in the request line.'),
  'http/asterisk': byAiohttp313(
    'OPTIONS of * replies as on every path, and GET of * returns 404 with a text.',
  ),
  'http/hosted-refusals': observed.hosted(
    'Hosted errors are JSON objects with code and message; those of user data can be texts.',
  ),
  'http/hosted-unknown-path': chosen.hosted(
    'With valid access an unknown hosted path returns 404 NOT_FOUND for every method but OPTIONS.',
  ),
  'http/hosted-wrong-method': chosen.hosted(
    'A method that a hosted path does not support returns 405, and Allow lists the others.',
  ),
  'http/hosted-head': chosen.hosted(
    'HEAD of a hosted path that serves GET replies as GET does, without the body.',
  ),
  'http/hosted-options': chosen.hosted(
    'OPTIONS returns 200 on every hosted path without a key, and allows X-API-Key.',
  ),
  'http/hosted-cors': chosen.hosted(
    'Every hosted reply, including errors, allows pages of any origin to read it.',
  ),
  'http/member-in-text': {
    says: 'A JSON text or array that contains the name of a member returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt, /queue and /history',
    on: local,
  },
  'http/hosted-bad-body': observed.hosted(
    'A hosted body that is not valid JSON, has a wrong type or a broken encoding returns 400.',
  ),
  'http/hosted-body-limit': observed.hosted(
    'A hosted body above the limit returns 413 with the code PAYLOAD_TOO_LARGE.',
  ),
  'http/hosted-empty-parameter': chosen.hosted(
    'The hosted job list and history treat an empty query parameter as absent.',
  ),
  'http/hosted-no-http': chosen.hosted(
    'On the hosted server, input that is not HTTP or has too long a line returns 400 as JSON.',
  ),
} as const satisfies Rules
