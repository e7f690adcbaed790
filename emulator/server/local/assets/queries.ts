// The values of query parameters of assets: reads them, and notes what is wrong with them.

import { type Issue, notAFlag, notAnInteger, notOneOf, tooLarge, tooSmall } from './issues.ts'

/** A whole number of a query: the default without one. */
export function readNumber(
  query: URLSearchParams,
  name: string,
  [usual, least, most]: readonly [number, number, number],
  issues: Issue[],
): number {
  const text = query.getAll(name).at(-1)
  if (text === undefined) return usual
  const value = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : NaN
  if (Number.isNaN(value)) issues.push(notAnInteger([name], text))
  else if (value < least) issues.push(tooSmall([name], text, least))
  else if (value > most) issues.push(tooLarge([name], text, most))
  return value
}

/** One of a few words of a query: the first without one. */
export function readWord<T extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly T[],
  usual: T,
  issues: Issue[],
): T {
  const text = query.getAll(name).at(-1)
  if (text === undefined) return usual
  const found = words.find((word) => word === text)
  if (found === undefined) issues.push(notOneOf([name], text, words))
  return found ?? usual
}

const flags = new Map([
  ...['true', '1', 'yes', 'on', 't', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', 'f', 'n'].map((word) => [word, false] as const),
])

/** A word for yes or no of a query. */
export function readFlag(
  query: URLSearchParams,
  name: string,
  usual: boolean,
  issues: Issue[],
): boolean {
  const text = query.get(name)
  if (text === null) return usual
  const found = flags.get(text.toLowerCase())
  if (found === undefined) issues.push(notAFlag([name], text))
  return found ?? usual
}
