// The scan that makes assets of files [assets/scan, assets/scan-*]: of models, inputs and outputs that were there before.

import { isObject, type Json, writeJson } from '../../../lib/json.ts'
import { json, type Reply } from '../../../http/replies.ts'
import { bodyJson, parameter, type Request } from '../../../http/requests.ts'
import {
  addAsset,
  allAssets,
  folderTags,
  hashesFiles,
  hashOf,
  removeAsset,
} from '../../world/assets.ts'
import { isModel, mediaType } from '../../world/content-types.ts'
import { nameOf } from '../../world/paths.ts'
import { everyone, send } from '../../world/sockets.ts'
import { modelFiles } from '../../nodes/catalog.ts'
import { modelSize, shownFolders } from '../../nodes/model-files.ts'
import type { Scan } from '../../state/assets.ts'
import type { FileContent } from '../../state/files.ts'
import type { World } from '../../state/world.ts'
import { refuseAsset } from './replies.ts'

const roots = ['models', 'input', 'output'] as const
type Root = (typeof roots)[number]
const isRoot = (value: unknown): value is Root => roots.some((root) => root === value)

/** A file that can be an asset. */
type Found = {
  readonly key: string
  readonly tags: readonly string[]
  readonly content: FileContent | null
  readonly size: number | null
}

/** The files of a root. */
function filesOf(world: World, root: Root): readonly Found[] {
  if (root === 'models')
    return shownFolders(world).flatMap((folder) =>
      (modelFiles(world, folder) ?? []).filter(isModel).map((name) => ({
        key: `models/${folder}/${name}`,
        tags: ['models', `model_type:${folder}`],
        content: null,
        size: modelSize(name),
      })),
    )
  return [...world.state.files.entries].flatMap(
    ([
      key,
      {
        value: { content },
      },
    ]) =>
      key.startsWith(`${root}/`)
        ? [{ key, tags: folderTags(world, key), content, size: null }]
        : [],
  )
}

/** Makes assets of all files in these folders that are not yet assets. */
function scan(world: World, asked: readonly Root[]): Scan {
  const known = new Set([...allAssets(world)].map(({ key }) => key))
  const files = roots.filter((root) => asked.includes(root)).flatMap((root) => filesOf(world, root))
  let created = 0
  for (const { key, tags, content, size } of files) {
    if (known.has(key)) continue
    const name = nameOf(key)
    const hash = content !== null && hashesFiles(world) ? hashOf(content) : null
    addAsset(world, { key, name, tags, hash, content, size, mimeType: mediaType(name) ?? null })
    created++
  }
  const { length: total } = files
  world.state.assets.scan = { scanned: total, total, created, skipped: total - created }
  return world.state.assets.scan
}

/** Scans once, before the first request for assets: real servers do it when they start. */
export function scanFirst(world: World): void {
  const { assets } = world.state
  if (assets.isScanned) return
  assets.isScanned = true
  scan(world, roots)
  // Nobody has asked for this one.
  assets.scan = null
}

const progressJson = ({ scanned, total, created, skipped }: Scan): Map<string, Json> =>
  new Map(Object.entries({ scanned, total, created, skipped }))

/** POST /assets/seed. A scan takes no time here: it is over before the reply. */
export function scanAssets(world: World, request: Request): Reply {
  const body = bodyJson(request)
  const given = isObject(body) ? body.get('roots') : undefined
  const asked = Array.isArray(given) ? given.filter(isRoot) : given === undefined ? roots : []
  if (asked.length === 0) return refuseAsset(world, 'scanRoots')
  const done = scan(world, asked)
  announceScan(world, asked, done)
  const waits = ['true', '1', 'yes'].includes(parameter(request.query, 'wait')?.toLowerCase() ?? '')
  if (!waits) return json('{"status": "started"}', 202)
  const members: readonly (readonly [string, Json])[] = [
    ['status', 'completed'],
    ['progress', progressJson(done)],
    ['errors', []],
  ]
  return json(writeJson(new Map(members)))
}

/** Sends every socket what a scan has done. */
function announceScan(world: World, asked: readonly Root[], done: Scan): void {
  const sockets = everyone(world)
  const { total, created, skipped } = done
  const named = `"roots": ${JSON.stringify(asked)}`
  const counts = `"created": ${created}, "skipped": ${skipped}, "total": ${total}`
  send(world, sockets, 'assets.seed.started', `{${named}, "total": ${total}, "phase": "fast"}`)
  send(world, sockets, 'assets.seed.fast_complete', `{${named}, ${counts}}`)
  send(world, sockets, 'assets.seed.started', `{${named}, "phase": "enrich"}`)
  send(world, sockets, 'assets.seed.enrich_complete', `{${named}, "enriched": ${created}}`)
  const ends = `"phase": "full", "total": ${total}, "created": ${created}, "enriched": ${created}`
  send(world, sockets, 'assets.seed.completed', `{${ends}, "skipped": ${skipped}, "elapsed": 0.0}`)
}

/** GET /assets/seed/status. */
export function assetScan({ state }: World): Reply {
  const { scan: last } = state.assets
  const members: readonly (readonly [string, Json])[] = [
    ['state', 'IDLE'],
    ['progress', last === null ? null : progressJson(last)],
    ['errors', []],
  ]
  return json(writeJson(new Map(members)))
}

/** No scan runs that could be cancelled. */
export const cancelAssetScan = (): Reply => json('{"status": "idle"}')

/** All files are in their folders; the first servers do not count that of temporary files [assets/prune-temporary]. */
export function pruneAssets(world: World): Reply {
  const { keepsTemporary } = world.setup.traits
  const gone = keepsTemporary ? [] : allAssets(world).filter(({ key }) => key.startsWith('temp/'))
  for (const asset of gone) removeAsset(world, asset)
  return json(`{"status": "completed", "marked": ${gone.length}}`)
}
