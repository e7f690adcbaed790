// HTTP for every path: the alias below /api, HEAD, OPTIONS, unknown paths and methods, bodies.

import { hostedError } from './errors.ts'
import { type Endpoint, type Rules, chosen, stated, observedIn, observedAt } from '../language.ts'

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

const byAiohttp = observedAt('ComfyUI 0.3.64, HTTP layer', { library: 'aiohttp' })
const byAiohttp313 = observedAt('ComfyUI 0.3.64, HTTP layer', { library: 'aiohttp/3.13' })

export const rules = {
  ...stated.both({
    'http/json-replies':
      'Replies that carry data are JSON, with the type application/json in UTF-8. [A69]',
    'http/json-without-type': 'The server reads a JSON body whatever its Content-Type. [A69]',
  }),
  ...observed.local({
    'http/broken-json':
      'A body that is not valid JSON, or is a bare number or null, returns 500 with a fixed text.',
    'http/empty-replies': 'Empty replies of endpoints have Content-Length 0 and no Content-Type.',
    'http/alias-below-api':
      'Every local path is also served below /api, except for those below /internal/.',
    'http/head':
      'HEAD of a path that serves GET returns the same headers, without the length of an empty body.',
    'http/head-unknown':
      'HEAD of an unknown path returns 404 without describing the body that GET would return.',
    'http/unknown-path': 'GET of an unknown or POST-only path returns 404 with an empty body.',
  }),
  ...byAiohttp.local({
    'http/path-outside':
      'A path that no page can have, such as one that leads out of the root, returns 404 with a text.',
  }),
  ...observed.local({
    'http/wrong-method':
      'A method that a known or unknown path does not support returns 405, and Allow lists the others.',
    'http/trailing-slash': 'A path with a trailing slash is an unknown path.',
    'http/options': 'OPTIONS returns 200 with an empty body on every path.',
    'http/foreign-origin':
      'At a loopback host a request with a foreign Origin returns 403 with an empty body.',
  }),
  ...observed.since27({
    'http/cross-site':
      'A request with Sec-Fetch-Site cross-site returns 403, whatever its method, host and origin.',
  }),
  ...observed.local({
    'http/cors-mode':
      'In CORS mode replies name the configured origin, and the server rejects no origin.',
    'http/cors-raised':
      'In CORS mode a reply of the HTTP layer, such as 405, 413 or 500, names no origin.',
    'http/body-limit':
      'A body above the limit, 100 MiB by default, returns 413 with a text that names the limit.',
    'http/body-limit-feature':
      'The features give a configured body limit as a float and the default limit as an integer.',
    'http/body-compressed':
      'The server decompresses gzip and deflate bodies, and applies the limit to the result.',
  }),
  ...byAiohttp313.local({
    'http/body-undecodable': 'A body that cannot be decompressed returns 500, and has no effect.',
  }),
  ...observedAt('ComfyUI 0.3.64, HTTP layer; ComfyUI 0.27.0', { library: 'aiohttp' }).local({
    'http/body-cut': 'A gzip body that is cut short counts as far as it can be decompressed.',
  }),
  ...observed.local({
    'http/body-charset':
      'The server decodes a JSON body in its Content-Type charset; an unknown charset returns 500.',
    'http/body-transfer':
      'The server reads a body sent in chunks or after 100 Continue like any other.',
    'http/body-broken-off':
      'A request whose client disconnects before the end of the body has no effect.',
  }),
  ...byAiohttp313.local({
    'http/long-lines': 'A request line or header line of more than 8190 bytes returns 400.',
    'http/no-http': 'An unknown HTTP method, or input that is not HTTP, returns 400.',
  }),
  ...observed.local({
    'http/failure-page': 'A client that accepts text/html receives a 500 as a small page.',
  }),
  ...observed.before27({
    'http/cache-control':
      'The ending of a path sets Cache-Control: no-cache for scripts, one day for images.',
  }),
  ...observed.since27({
    'http/no-store':
      'The ending of a path sets Cache-Control: no-store for scripts, one day for images.',
  }),
  ...observedAt('ComfyUI 0.38.1, HTTP layer, as read in its source', { since: '0.38' }).local({
    'http/no-store-modules': 'Scripts with the ending .mjs are not kept either.',
  }),
  ...byAiohttp313.local({
    'http/connection':
      'Connections stay open, except after a 500 and when the client asks to close.',
    'http/other-upgrades':
      'The server ignores an upgrade to anything but a WebSocket and serves the request.',
    'http/transfer-encoding':
      'A Transfer-Encoding whose last coding is not chunked returns 400, and the connection ends.',
  }),
  ...byAiohttp.local({
    'http/expectation':
      'An Expect header other than 100-continue returns 417 with a text that names it.',
    'http/reasons':
      'The reasons of 413 and 416 are Request Entity Too Large and Requested Range Not Satisfiable.',
  }),
  ...byAiohttp313.local({
    'http/fragment': 'The server ignores a fragment in the request line.',
    'http/asterisk': 'OPTIONS of * replies as on every path, and GET of * returns 404 with a text.',
  }),
  ...observed.hosted({
    'http/hosted-refusals':
      'Hosted errors are JSON objects with code and message; those of user data can be texts.',
  }),
  ...observedAt('ComfyUI 0.3.64, POST /prompt, /queue and /history').local({
    'http/member-in-text': 'A JSON text or array that contains the name of a member returns 500.',
  }),
  ...observed.hosted({
    'http/hosted-bad-body':
      'A hosted body that is not valid JSON, has a wrong type or a broken encoding returns 400.',
    'http/hosted-body-limit':
      'A hosted body above the limit returns 413 with the code PAYLOAD_TOO_LARGE.',
  }),
  ...chosen.both({
    'http/long-body':
      'For a body far above the limit the server replies without waiting for it, then closes.',
    'http/pipelined':
      'The server answers all requests sent in one write, upgrades included, in their order.',
    'http/garbage-last':
      'The server answers input that is not HTTP after the earlier requests, and closes the connection.',
    'http/last-answer':
      'The last reply before a close arrives whole, as do earlier ones; later requests have no effect.',
    'http/refused-early':
      'The server rejects a request for its sender, path or method without waiting for the body.',
  }),
  ...chosen.hosted({
    'http/hosted-unknown-path':
      'With valid access an unknown hosted path returns 404 NOT_FOUND for every method but OPTIONS.',
    'http/hosted-wrong-method':
      'A method that a hosted path does not support returns 405, and Allow lists the others.',
    'http/hosted-head':
      'HEAD of a hosted path that serves GET replies as GET does, without the body.',
    'http/hosted-options':
      'OPTIONS returns 200 on every hosted path without a key, and allows X-API-Key.',
    'http/hosted-cors':
      'Every hosted reply, including errors, allows pages of any origin to read it.',
    'http/hosted-empty-parameter':
      'The hosted job list and history treat an empty query parameter as absent.',
    'http/hosted-no-http':
      'On the hosted server, input that is not HTTP or has too long a line returns 400 as JSON.',
  }),
} as const satisfies Rules
