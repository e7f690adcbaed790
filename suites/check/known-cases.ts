// What is known of the cases from an earlier check of a server with everything allowed: how many runs each submits, and
// what an operator has to allow for it. measure-cases.mjs writes it.

import known from './known-cases.json' with { type: 'json' }

/** By the title of a case; cases that submit no run and need nothing are missing. */
export const knownCases: Readonly<
  Record<string, { readonly runs: number; readonly tags: readonly string[] } | undefined>
> = known
