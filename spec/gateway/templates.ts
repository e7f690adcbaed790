// Templates: references to the payload in the prompt of a route, and the text without a prompt.

import { type Rules, chosen, stated, observedAtReference } from '../language.ts'

/** A reference: its key is the first group. Text that does not match stays as it is. */
export const reference = /\{([A-Za-z0-9_.]+)\}/g

/** Keys with a special meaning; every other key is a path into the payload. */
export const specialKeys = {
  __raw__: 'the whole payload, as indented JSON',
  event_type: 'the event type of the post',
} as const

/** How a template renders true, false and null. */
export const wordTexts = { true: 'True', false: 'False', null: 'None' } as const

/** The prompt of a route without a template; `{payload}` is the indented JSON of the whole payload. */
export const defaultText =
  "Webhook event '{event}' on route '{name}':\n\n```json\n{payload}\n```" as const

/**
 * Indented JSON: two spaces per level; characters that are not printable ASCII are `\uXXXX` in lower case, with
 * surrogate pairs, except for the five with a short escape (`\n` and the like).
 */
export const jsonForm = { indent: 2, escaped: /[^\x20-\x7e]/ } as const

/** Where the quirk truncates texts, in characters: the whole payload, and an object or list inside it. */
export const cuts = { payload: 4000, value: 2000 } as const

export const rules = {
  ...stated.gateway({
    'templates/reference':
      'A reference in braces names a member of the payload; dots lead to inner members. [B3 B9]',
  }),
  ...observedAtReference.gateway({
    'templates/characters':
      'A reference consists of letters, digits, _ and dots; any other text, in braces or not, is literal.',
    'templates/one-pass':
      'A template is rendered in one pass; inserted text is not rendered again.',
    'templates/missing':
      'A reference that the payload does not resolve stays in the text, braces included.',
    'templates/through-objects':
      'A path leads through objects only; an empty part of it is the member with the empty name.',
    'templates/texts':
      'A text is inserted whole and unchanged; true, false and null become True, False and None.',
    'templates/integers': 'An integer becomes its digits at any size; -0 becomes 0.',
    'templates/floats':
      'A number with a point or exponent becomes the shortest double: 1.0, 1e-05, 1e+16, inf.',
    'templates/containers':
      'An object or list becomes indented JSON, with members in the order of the payload.',
    'templates/json-ascii':
      'Indented JSON escapes all but printable ASCII; its numbers are the same, except for Infinity.',
    'templates/raw': '{__raw__} is the whole payload as indented JSON.',
    'templates/event-type':
      '{event_type} is the event type of the post, even if the payload has a member of that name.',
  }),
  ...stated.gateway({
    'templates/default':
      'Without a template the text has a heading and the full payload between code fences. [B10]',
    'templates/uncut':
      'Neither the payload nor a value in it is truncated, whatever its length. [B9 B10]',
  }),
  ...chosen.gateway({
    'templates/too-long': 'A text that exceeds 16 MiB returns 413 and triggers nothing.',
    'templates/extra':
      'Texts in deliver_extra are templates; an empty one stays empty and counts as missing.',
    'templates/inert':
      'Rendering evaluates nothing and never fails: {constructor} and {__proto__} have no special meaning.',
  }),
} as const satisfies Rules
