// What a run takes from the cache depends on what ran before it: in histories it is compared without that.

import { isMembers } from '../../../../dist/emulator/session/index.js'

type Logged = readonly [type: string, data: Readonly<Record<string, unknown>>]

const isCached = (value: unknown): value is Logged =>
  Array.isArray(value) && value[0] === 'execution_cached' && isMembers(value[1])

/** The cached nodes that a value names, sorted, in the order of its runs. */
function cachedNodes(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  if (isCached(value))
    return [
      JSON.stringify(
        [value[1]['nodes']]
          .flat()
          .map(String)
          .toSorted((a, b) => a.localeCompare(b)),
      ),
    ]
  return Object.values(value).flatMap(cachedNodes)
}

function withoutCached(value: unknown): unknown {
  if (isCached(value)) return [value[0], { ...value[1], nodes: [] }]
  if (Array.isArray(value)) return value.map(withoutCached)
  if (!isMembers(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutCached(one)]))
}

/** Two values as they are, or without the nodes that runs took from the cache if these differ. */
export const withSameCache = (
  then: unknown,
  now: unknown,
): readonly [then: unknown, now: unknown] =>
  cachedNodes(then).join() === cachedNodes(now).join()
    ? [then, now]
    : [withoutCached(then), withoutCached(now)]
