// The options of a saved world as they were given: without those of its listener, which belong to the process.

import type { ServerOptionsInput } from '../../../options/server-options.ts'
import { usageError } from '../../../options/usage.ts'
import { listenerOptions } from '../../handles.ts'

const isOfListener = (name: string): boolean => listenerOptions.some((one) => one === name)

const chosen = (
  given: ServerOptionsInput,
  isChosen: (name: string) => boolean,
): ServerOptionsInput =>
  Object.fromEntries(Object.entries(given).filter(([name]) => isChosen(name)))

/** Those of the world, */
export const worldOptionsIn = (given: ServerOptionsInput): ServerOptionsInput =>
  chosen(given, (name) => !isOfListener(name))

/** and those of the listener. */
export const listenerOptionsIn = (given: ServerOptionsInput): ServerOptionsInput =>
  chosen(given, isOfListener)

/** Throws a usage error if a server begins with other options than its saved world had [shared/saved-options]. */
export function requireSameOptions(
  saved: ServerOptionsInput,
  given: ServerOptionsInput,
  folder: string,
): void {
  const [before, now]: readonly Readonly<Record<string, unknown>>[] = [saved, given]
  const names = new Set(Object.keys({ ...saved, ...given }))
  const other = [...names].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(now?.[name]),
  )
  if (other.length === 0) return
  throw usageError(
    `The server that saved ${folder} had other options (${other.join(', ')}): start with the same ones, or name another folder for its state.`,
  )
}
