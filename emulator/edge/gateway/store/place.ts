// Where a store can be, and what to do about one that cannot be used.

import { isRefused, refused } from '../../../lib/refused.ts'
import { reasonOf } from './sql.ts'

/** Whether a place is the URL of a PostgreSQL database; otherwise it is the path of a file. */
export const isPostgres = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)

/** Throws the refusal for a store that cannot be opened or written; a refusal stays as it is [store/unusable]. */
export function throwUnusable(error: unknown): never {
  if (isRefused(error)) throw error
  throw refused(
    `The store cannot be used (${reasonOf(error)}). See what is wrong: flowdouble gateway doctor, with the same --store`,
  )
}
