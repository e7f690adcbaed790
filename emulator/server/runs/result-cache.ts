// The result cache of a worker [runs/cache-*]: what it keeps from one run to the next, and what a run finds in it.

import { clear } from '../../lib/bounded.ts'
import type { NodeResult } from '../state/nodes.ts'
import type { Running, Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** Whether a worker has the result of a node in its cache. */
export const isCached = (
  { cache }: Worker,
  hashes: ReadonlyMap<string, number>,
  id: string,
): boolean => cache.has(hashes.get(id) ?? NaN)

/** The result that the cache of a worker has for a node. */
export const cachedResult = (
  { cache }: Worker,
  hashes: ReadonlyMap<string, number>,
  id: string,
): NodeResult | undefined => cache.get(hashes.get(id) ?? NaN)

/** The result of a node, of this run or of an earlier one. */
export const resultOf = (
  { results, worker, hashes }: Running,
  id: string,
): NodeResult | undefined => results.get(id) ?? cachedResult(worker, hashes, id)

/** Types that take no step of their own yet have a result that must not be kept. */
const neverCached = new Set(['SaveImageWebsocket', 'FlowdoubleSlow', 'FlowdoubleNotify'])

/** Keeps the result of a node for later runs, unless it is one that never is [runs/cache-none]. */
export function cacheResult(
  world: World,
  { worker, hashes, types }: Running,
  id: string,
  result: NodeResult,
): void {
  const hash = hashes.get(id)
  const isKept =
    world.setup.options.cache !== 'none' && !neverCached.has(types.get(id)?.class_type ?? '')
  if (hash !== undefined && isKept) worker.cache.set(hash, result)
}

/** Results that are kept where they outlive their run [runs/cache-lru]. */
const MAX_RESULTS = 100

/**
 * Only results that the new graph may use are kept: the cache is as long as one run [runs/cache-of-last-graph], unless
 * the server keeps the latest ones. Those that the new graph may use are the latest, and stay in any number.
 */
export function keepCacheOf(
  world: World,
  worker: Worker,
  hashes: ReadonlyMap<string, number>,
): void {
  const { cache } = world.setup.options
  const kept: Worker['cache'] = new Map()
  if (cache === 'lru' && !worker.dropCache) {
    const own = new Set(hashes.values())
    const others = [...worker.cache].filter(([hash]) => !own.has(hash))
    const count = [...own].filter((hash) => worker.cache.has(hash)).length
    const room = Math.max(0, MAX_RESULTS - count)
    for (const [hash, result] of others.slice(Math.max(0, others.length - room)))
      kept.set(hash, result)
  }
  if (!worker.dropCache) {
    for (const hash of hashes.values()) {
      const result = worker.cache.get(hash)
      if (result !== undefined) kept.set(hash, result)
    }
  } else clear(world.state.tempLetters)
  worker.dropCache = false
  worker.cache = kept
}
