// HTTP for every path: the alias below /api, HEAD, OPTIONS, unknown paths and methods, bodies.

import { hostedError } from './errors.ts'
import { both, hosted, local, type Endpoint, type Rules } from '../language.ts'

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

/** The library with which the rules about what it decides were observed. */
const httpLibrary = 'aiohttp/3.13'
/** The same library: what all its versions decide so. */
const anyVersion = 'aiohttp'

export const rules = {
  'http/json-replies': {
    says: 'Replies that carry data are JSON, with the type application/json in UTF-8.',
    basis: 'stated',
    on: both,
    carries: ['A69'],
  },
  'http/json-without-type': {
    says: 'The server reads a JSON body whatever its Content-Type.',
    basis: 'stated',
    on: both,
    carries: ['A69'],
  },
  'http/broken-json': {
    says: 'A body that is not valid JSON, or is a bare number or null, returns 500 with a fixed text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/empty-replies': {
    says: 'Empty replies of endpoints have Content-Length 0 and no Content-Type.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/alias-below-api': {
    says: 'Every local path is also served below /api, except for those below /internal/.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/head': {
    says: 'HEAD of a path that serves GET returns the same headers, without the length of an empty body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/head-unknown': {
    says: 'HEAD of an unknown path returns 404 without describing the body that GET would return.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/unknown-path': {
    says: 'GET of an unknown or POST-only path returns 404 with an empty body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/path-outside': {
    says: 'A path that no page can have, such as one that leads out of the root, returns 404 with a text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: anyVersion,
    on: local,
  },
  'http/wrong-method': {
    says: 'A method that a known or unknown path does not support returns 405, and Allow lists the others.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/trailing-slash': {
    says: 'A path with a trailing slash is an unknown path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/options': {
    says: 'OPTIONS returns 200 with an empty body on every path.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/foreign-origin': {
    says: 'At a loopback host a request with a foreign Origin returns 403 with an empty body.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/cross-site': {
    says: 'A request with Sec-Fetch-Site cross-site returns 403, whatever its method, host and origin.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, HTTP layer',
    on: local,
    since: '0.27',
  },
  'http/cors-mode': {
    says: 'In CORS mode replies name the configured origin, and the server rejects no origin.',
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
    says: 'A body above the limit, 100 MiB by default, returns 413 with a text that names the limit.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/long-body': {
    says: 'For a body far above the limit the server replies without waiting for it, then closes.',
    basis: 'chosen',
    on: both,
  },
  'http/body-limit-feature': {
    says: 'The features give a configured body limit as a float and the default limit as an integer.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-compressed': {
    says: 'The server decompresses gzip and deflate bodies, and applies the limit to the result.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-undecodable': {
    says: 'A body that cannot be decompressed returns 500, and has no effect.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/body-cut': {
    says: 'A gzip body that is cut short counts as far as it can be decompressed.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer; ComfyUI 0.27.0',
    library: 'aiohttp',
    on: local,
  },
  'http/body-charset': {
    says: 'The server decodes a JSON body in its Content-Type charset; an unknown charset returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-transfer': {
    says: 'The server reads a body sent in chunks or after 100 Continue like any other.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/body-broken-off': {
    says: 'A request whose client disconnects before the end of the body has no effect.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/long-lines': {
    says: 'A request line or header line of more than 8190 bytes returns 400.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/no-http': {
    says: 'An unknown HTTP method, or input that is not HTTP, returns 400.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/failure-page': {
    says: 'A client that accepts text/html receives a 500 as a small page.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
  },
  'http/cache-control': {
    says: 'The ending of a path sets Cache-Control: no-cache for scripts, one day for images.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    on: local,
    before: '0.27',
  },
  'http/no-store': {
    says: 'The ending of a path sets Cache-Control: no-store for scripts, one day for images.',
    basis: 'observed',
    source: 'ComfyUI 0.27.0, HTTP layer',
    on: local,
    since: '0.27',
  },
  'http/no-store-modules': {
    says: 'Scripts with the ending .mjs are not kept either.',
    basis: 'observed',
    source: 'ComfyUI 0.38.1, HTTP layer, as read in its source',
    on: local,
    since: '0.38',
  },
  'http/connection': {
    says: 'Connections stay open, except after a 500 and when the client asks to close.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/other-upgrades': {
    says: 'The server ignores an upgrade to anything but a WebSocket and serves the request.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/pipelined': {
    says: 'The server answers all requests sent in one write, upgrades included, in their order.',
    basis: 'chosen',
    on: both,
  },
  'http/transfer-encoding': {
    says: 'A Transfer-Encoding whose last coding is not chunked returns 400, and the connection ends.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/garbage-last': {
    says: 'The server answers input that is not HTTP after the earlier requests, and closes the connection.',
    basis: 'chosen',
    on: both,
  },
  'http/last-answer': {
    says: 'The last reply before a close arrives whole, as do earlier ones; later requests have no effect.',
    basis: 'chosen',
    on: both,
  },
  'http/refused-early': {
    says: 'The server rejects a request for its sender, path or method without waiting for the body.',
    basis: 'chosen',
    on: both,
  },
  'http/expectation': {
    says: 'An Expect header other than 100-continue returns 417 with a text that names it.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: anyVersion,
    on: local,
  },
  'http/reasons': {
    says: 'The reasons of 413 and 416 are Request Entity Too Large and Requested Range Not Satisfiable.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: anyVersion,
    on: local,
  },
  'http/fragment': {
    says: 'The server ignores a fragment in the request line.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/asterisk': {
    says: 'OPTIONS of * replies as on every path, and GET of * returns 404 with a text.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, HTTP layer',
    library: httpLibrary,
    on: local,
  },
  'http/hosted-refusals': {
    says: 'Hosted errors are JSON objects with code and message; those of user data can be texts.',
    basis: 'observed',
    source: 'published hosted API, 2026, HTTP layer',
    on: hosted,
  },
  'http/hosted-unknown-path': {
    says: 'With valid access an unknown hosted path returns 404 NOT_FOUND for every method but OPTIONS.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-wrong-method': {
    says: 'A method that a hosted path does not support returns 405, and Allow lists the others.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-head': {
    says: 'HEAD of a hosted path that serves GET replies as GET does, without the body.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-options': {
    says: 'OPTIONS returns 200 on every hosted path without a key, and allows X-API-Key.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-cors': {
    says: 'Every hosted reply, including errors, allows pages of any origin to read it.',
    basis: 'chosen',
    on: hosted,
  },
  'http/member-in-text': {
    says: 'A JSON text or array that contains the name of a member returns 500.',
    basis: 'observed',
    source: 'ComfyUI 0.3.64, POST /prompt, /queue and /history',
    on: local,
  },
  'http/hosted-bad-body': {
    says: 'A hosted body that is not valid JSON, has a wrong type or a broken encoding returns 400.',
    basis: 'observed',
    source: 'published hosted API, 2026, HTTP layer',
    on: hosted,
  },
  'http/hosted-body-limit': {
    says: 'A hosted body above the limit returns 413 with the code PAYLOAD_TOO_LARGE.',
    basis: 'observed',
    source: 'published hosted API, 2026, HTTP layer',
    on: hosted,
  },
  'http/hosted-empty-parameter': {
    says: 'The hosted job list and history treat an empty query parameter as absent.',
    basis: 'chosen',
    on: hosted,
  },
  'http/hosted-no-http': {
    says: 'On the hosted server, input that is not HTTP or has too long a line returns 400 as JSON.',
    basis: 'chosen',
    on: hosted,
  },
} as const satisfies Rules
