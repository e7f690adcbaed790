// How the prompt of a route becomes a text: references into the payload, and the text without a prompt.

import { gateway, type Rules } from '../language.ts'

/** A reference: its key stands in the first group. What does not match stays as it is. */
export const reference = /\{([A-Za-z0-9_.]+)\}/g

/** Keys with a meaning of their own; every other one is a path into the payload. */
export const specialKeys = {
  __raw__: 'the whole payload, as indented JSON',
  event_type: 'the event type of the post',
} as const

/** The texts of values that are no text, number, object or list. */
export const wordTexts = { true: 'True', false: 'False', null: 'None' } as const

/** The prompt of a route without a template; `{payload}` is the indented JSON of the whole payload. */
export const defaultText =
  "Webhook event '{event}' on route '{name}':\n\n```json\n{payload}\n```" as const

/**
 * Indented JSON: two blanks a level; what is no printable ASCII is `\uXXXX` in lower case, with surrogate pairs, but
 * for the five characters with a short escape of their own (`\n` and the like).
 */
export const jsonForm = { indent: 2, escaped: /[^\x20-\x7e]/ } as const

/** Where the quirk cuts texts, in characters: the whole payload, and an object or list inside of it. */
export const cuts = { payload: 4000, value: 2000 } as const

export const rules = {
  'templates/reference': {
    says: 'A reference in braces names a member of the payload, inner ones after dots.',
    basis: 'stated',
    on: gateway,
    carries: ['B3', 'B9'],
  },
  'templates/characters': {
    says: 'A reference has letters, digits, _ and dots; all else, in braces or not, is literal.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/one-pass': {
    says: 'A template is read once from left to right, and what was put in is not read again.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/missing': {
    says: 'A reference that the payload does not resolve stays in the text, braces and all.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/through-objects': {
    says: 'A path leads through objects only; an empty part of it is the member with the empty name.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/texts': {
    says: 'A text is put in as it is, whole; true, false and null read True, False and None.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/integers': {
    says: 'An integer reads as its digits at any size; -0 reads 0.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/floats': {
    says: 'A number with a point or exponent reads as the shortest double: 1.0, 1e-05, 1e+16, inf.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/containers': {
    says: 'An object or list reads as indented JSON, members in the order of the payload.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/json-ascii': {
    says: 'Indented JSON escapes what is no printable ASCII; numbers read alike in it but for Infinity.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/raw': {
    says: '{__raw__} is the whole payload as indented JSON.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/event-type': {
    says: '{event_type} is the event type of the post, whatever the payload has under that name.',
    basis: 'observed',
    source: 'reference gateway, July 2026',
    on: gateway,
  },
  'templates/default': {
    says: 'Without a template the text has a heading and the full payload between code fences.',
    basis: 'stated',
    on: gateway,
    carries: ['B10'],
  },
  'templates/uncut': {
    says: 'Neither the payload nor a value in it is cut, however long it is.',
    basis: 'stated',
    on: gateway,
    carries: ['B9', 'B10'],
  },
  'templates/too-long': {
    says: 'A text that grows above 16 MiB answers 413 and triggers nothing.',
    basis: 'chosen',
    on: gateway,
  },
  'templates/extra': {
    says: 'Texts in deliver_extra are templates; an empty one stays empty and counts as not given.',
    basis: 'chosen',
    on: gateway,
  },
  'templates/inert': {
    says: 'Rendering evaluates nothing and never fails: {constructor} and {__proto__} are like any.',
    basis: 'chosen',
    on: gateway,
  },
} as const satisfies Rules
