// Releases of real servers that were held against the rules, so that what was observed at one of them is judged at all.

import held from './held.json' with { type: 'json' }

const exceptions: Readonly<Record<string, readonly string[] | undefined>> = held

/**
 * Whether a release of a real server was seen to keep the observed rules of its generation, and this one is not among those
 * that it breaks or does not show. suites/check/measure-held.mjs writes them down.
 */
export const isHeldAt = (release: string, rule: string): boolean =>
  exceptions[release]?.includes(rule) === false
