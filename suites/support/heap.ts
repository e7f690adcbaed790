// What this process holds in memory, without what nobody needs any more.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The memory that is in use after a collection, in MB. */
export function heldMb(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}
