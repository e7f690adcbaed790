// What a gateway that runs for long bounds, and what it shows to those who operate it.

import { chosen, type Rules } from '../language.ts'

export const rules = {
  ...chosen.gateway({
    'operations/unfinished-bodies':
      'Unfinished bodies hold 64 MiB together; beyond that, the one that stalls longest gets 503.',
    'operations/slow-body':
      'A body that stands still for 30 seconds, or takes 300 seconds, gets 408.',
    'operations/slow-head': 'A request head that takes longer than 10 seconds gets 408.',
    'operations/idle': 'A connection without a request ends after 75 seconds, with --like later.',
    'operations/connections':
      'A gateway with 10,000 connections closes each further one immediately.',
    'operations/refused-ends':
      'The connection of a request that meets such a bound ends; other posts are not held up.',
    'operations/answered-early':
      'A request answered before its body gets no second answer when its body takes too long.',
    'operations/refusal-lines':
      'A bound that refuses logs a warning: one line in 60 seconds, and the number of further ones.',
  }),
} as const satisfies Rules
