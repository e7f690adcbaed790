// Pages: the files of a front end, and workflow templates, which a local server can serve beside its endpoints.

import { local, type Rules } from './language.ts'

const source = 'ComfyUI 0.3.64, HTTP layer'

export const rules = {
  'pages/front-end': {
    says: '--web-root serves a front end: / shows its index.html, a path without an endpoint its file.',
    basis: 'chosen',
    on: local,
  },
  'pages/endpoints-first': {
    says: 'A path with an endpoint never shows a file, whatever the method.',
    basis: 'observed',
    source,
    on: local,
  },
  'pages/media-types': {
    says: 'A file has the media type of its extension, so that browsers run scripts and style sheets.',
    basis: 'observed',
    source,
    on: local,
  },
  'pages/conditions': {
    says: 'A file has an ETag and a date, and supports conditional requests, ranges and HEAD.',
    basis: 'observed',
    source,
    on: local,
  },
  'pages/stays-inside': {
    says: 'No path leads out of the folder: no dots, escapes, backslashes, NUL bytes or links. It returns 404.',
    basis: 'chosen',
    on: local,
  },
  'pages/folder': {
    says: 'A folder, and whatever else is there and cannot be read as a file, returns 403.',
    basis: 'observed',
    source,
    on: local,
  },
  'pages/access': {
    says: 'The check of the origin, the bearer token and CORS mode hold for files as for endpoints.',
    basis: 'observed',
    source,
    on: local,
  },
  'pages/not-recorded': {
    says: 'Requests for files do not reach the world: its journal lacks them.',
    basis: 'chosen',
    on: local,
  },
  'pages/scripts': {
    says: 'GET /extensions lists the paths of the scripts below the folder extensions of the front end.',
    basis: 'observed',
    source,
    on: local,
  },
  'pages/templates': {
    says: '--templates serves workflow templates below /templates, with or without a front end.',
    basis: 'chosen',
    on: local,
  },
} as const satisfies Rules
