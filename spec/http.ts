// What holds for every path: the twin below /api, HEAD, OPTIONS, unknown paths and methods, bodies.

import { both, local, type Rules } from './language.ts'

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
    on: local,
  },
  'http/empty-replies': {
    says: 'Empty replies have Content-Length 0 and no Content-Type.',
    basis: 'observed',
    on: local,
  },
  'http/twin-below-api': {
    says: 'Every local path answers below /api too.',
    basis: 'observed',
    on: local,
  },
  'http/head': {
    says: 'A path that answers GET answers HEAD with the same headers and no body.',
    basis: 'observed',
    on: local,
  },
  'http/unknown-path': {
    says: 'GET of an unknown or POST-only path answers 404 with an empty body.',
    basis: 'observed',
    on: local,
  },
  'http/wrong-method': {
    says: 'A method that a path, known or not, does not take answers 405 and Allow lists the others.',
    basis: 'observed',
    on: local,
  },
  'http/trailing-slash': {
    says: 'A path with a slash at its end is an unknown path.',
    basis: 'observed',
    on: local,
  },
  'http/options': {
    says: 'OPTIONS answers 200 with an empty body on every path.',
    basis: 'observed',
    on: local,
  },
  'http/foreign-origin': {
    says: 'At a loopback host a request with a foreign Origin answers 403 with an empty body.',
    basis: 'observed',
    on: local,
  },
  'http/cors-mode': {
    says: 'In CORS mode replies name the configured origin, and no origin is refused.',
    basis: 'observed',
    on: local,
  },
  'http/body-limit': {
    says: 'A body above the limit answers 413 with a text that names the limit.',
    basis: 'observed',
    on: local,
  },
} as const satisfies Rules
