// Pages: the files of a front end, and workflow templates, which a local server can serve beside its endpoints.

import { type Rules, chosen, observedIn } from './language.ts'

const observed = observedIn('HTTP layer')

export const rules = {
  ...observed.local({
    'pages/endpoints-first': 'A path with an endpoint never shows a file, whatever the method.',
    'pages/media-types':
      'A file has the media type of its extension, so that browsers run scripts and style sheets.',
    'pages/conditions':
      'A file has an ETag and a date, and supports conditional requests, ranges and HEAD.',
    'pages/folder':
      'A folder, and whatever else is there and cannot be read as a file, returns 403.',
    'pages/access':
      'The check of the origin, the bearer token and CORS mode hold for files as for endpoints.',
    'pages/scripts':
      'GET /extensions lists the paths of the scripts below the folder extensions of the front end.',
  }),
  ...chosen.local({
    'pages/front-end':
      '--web-root serves a front end: / shows its index.html, a path without an endpoint its file.',
    'pages/stays-inside':
      'No path leads out of the folder: no dots, escapes, backslashes, NUL bytes or links. It returns 404.',
    'pages/not-recorded': 'Requests for files do not reach the world: its journal lacks them.',
    'pages/templates':
      '--templates serves workflow templates below /templates, with or without a front end.',
  }),
} as const satisfies Rules
