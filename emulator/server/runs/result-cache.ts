// The result cache of a worker [runs/cache-*]: which results it keeps after a run, and finds for the next.

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

/** The cached result of a node on a worker. */
export const cachedResult = (
  { cache }: Worker,
  hashes: ReadonlyMap<string, number>,
  id: string,
): NodeResult | undefined => cache.get(hashes.get(id) ?? NaN)

/** The result of a node, from this run or an earlier one. */
export const resultOf = (
  { results, worker, hashes }: Running,
  id: string,
): NodeResult | undefined => results.get(id) ?? cachedResult(worker, hashes, id)

/** Types without steps whose result must not be cached. */
const neverCached = new Set(['SaveImageWebsocket', 'FlowdoubleSlow', 'FlowdoubleNotify'])

/** Caches the result of a node for later runs, unless its type is never cached [runs/cache-none]. */
export function cacheResult(
  world: World,
  { worker, hashes, types, script }: Running,
  id: string,
  result: NodeResult,
): void {
  const hash = hashes.get(id)
  const isKept =
    world.setup.options.cache !== 'none' &&
    (script?.changed !== undefined || !neverCached.has(types.get(id)?.class_type ?? ''))
  if (hash !== undefined && isKept) worker.cache.set(hash, result)
}

/** Results that are kept beyond their run [runs/cache-lru]. */
const MAX_RESULTS = 100

/**
 * Begins a run with the results that its graph may use, unless the memory was freed. Servers of 2026 drop those of
 * earlier graphs only when the first node of the run has ended [runs/cache-until-first-node].
 */
export function beginCache(
  world: World,
  worker: Worker,
  hashes: ReadonlyMap<string, number>,
): void {
  if (worker.dropCache) {
    worker.cache = new Map()
    clear(world.state.tempLetters)
  } else if (!world.setup.traits.keepsEarlierResults) dropOtherResults(world, worker, hashes)
  worker.dropCache = false
}

/**
 * Keeps only results that a graph may use: the cache holds one run [runs/cache-of-last-graph], unless the server keeps
 * the latest ones. Those that the graph may use count as the latest, and stay in any number.
 */
export function dropOtherResults(
  world: World,
  worker: Worker,
  hashes: ReadonlyMap<string, number>,
): void {
  const kept: Worker['cache'] = new Map()
  if (world.setup.options.cache === 'lru') {
    const own = new Set(hashes.values())
    const others = [...worker.cache].filter(([hash]) => !own.has(hash))
    const count = [...own].filter((hash) => worker.cache.has(hash)).length
    const room = Math.max(0, MAX_RESULTS - count)
    for (const [hash, result] of others.slice(Math.max(0, others.length - room)))
      kept.set(hash, result)
  }
  for (const hash of hashes.values()) {
    const result = worker.cache.get(hash)
    if (result !== undefined) kept.set(hash, result)
  }
  worker.cache = kept
}
