// Which worker has a world: its name says so, in this process and in any later one.

import { randomBytes } from 'node:crypto'
import { hash53 } from '../../lib/random.ts'

/** The index of the worker that has the world of this name [shared/workers-place]. */
export const workerOf = (name: string, count: number): number => hash53(name) % count

const NAME_BYTES = 6

/** A name for a world that nobody has named: no number, since a worker that starts again could have it already. */
export const newName = (): string => `w-${randomBytes(NAME_BYTES).toString('hex')}`
