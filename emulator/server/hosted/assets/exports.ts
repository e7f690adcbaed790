// Exports of assets as an archive [tasks/export*].

import { type exportProgress, namingStrategies } from '../../../../spec/assets/tasks.ts'
import type { Static } from '../../../../spec/static.ts'
import { get } from '../../../lib/bounded.ts'
import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../../lib/json.ts'
import type { Reply } from '../../../http/replies.ts'
import { bodyJson, type Request } from '../../../http/requests.ts'
import { refuseAsset } from '../../local/assets/replies.ts'
import { wholeFile } from '../../local/view.ts'
import type { Asset, Task } from '../../state/assets.ts'
import type { HostedWorld } from '../../state/world.ts'
import { allAssets, assetWithId } from '../../world/assets.ts'
import { momentOf } from '../../world/derived.ts'
import { store } from '../../world/files.ts'
import { nameOf } from '../../world/paths.ts'
import { everyone, send } from '../../world/sockets.ts'
import { heldWith } from '../../world/upload-quota.ts'
import { encoded, zip } from './contents.ts'
import { beginTask } from './tasks.ts'

/** An export has two steps, of this duration in milliseconds. */
export const EXPORT_STEP_MS = 100

type Strategy = (typeof namingStrategies)[number]

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Ids in a body: none if it lacks them; undefined if they are malformed. */
function idsIn(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length === 0) return undefined
  const isId = (id: Json): id is string => typeof id === 'string' && UUID.test(id)
  return value.every(isId) ? value.map((id) => id.toLowerCase()) : undefined
}

/** POST /assets/export. */
export function exportAssets(world: HostedWorld, request: Request): Reply {
  const body = bodyJson(request)
  const refuse = (reason: string): Reply => refuseAsset(world, 'exportInvalid', { reason })
  if (!isObject(body)) return refuse('The body is not a JSON object.')
  const jobs = idsIn(body.get('job_ids'))
  const ids = idsIn(body.get('asset_ids'))
  if (jobs === undefined || ids === undefined) return refuse('The ids are lists of UUIDs.')
  if (jobs.length + ids.length === 0) return refuse('Give job_ids or asset_ids.')
  if (!isFilter(body.get('job_asset_name_filters')))
    return refuse('job_asset_name_filters has lists of names by job.')
  const strategy = body.get('naming_strategy') ?? 'group_by_job_time'
  if (!namingStrategies.some((one) => one === strategy))
    return refuseAsset(world, 'strategyUnknown')
  const payload = writeJson(body)
  const { user } = world.setup.hosted.account
  const key = `export:${user}:${payload}`
  return beginTask(world, { name: 'task:export', key, payload, stepMs: EXPORT_STEP_MS })
}

const isFilter = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (isObject(value) &&
    [...value.values()].every((names) => Array.isArray(names) && names.length > 0))

type Wanted = { readonly id: string; readonly asset: Asset | undefined }

/** The assets that an export names, each once. */
function wantedOf(world: HostedWorld, payload: JsonObject): readonly Wanted[] {
  const filters = payload.get('job_asset_name_filters')
  const jobs = idsIn(payload.get('job_ids')) ?? []
  const ofJobs = allAssets(world).filter(({ jobId, name, hash }) => {
    if (jobId === null || !jobs.includes(jobId)) return false
    const names = isObject(filters) ? filters.get(jobId) : undefined
    return !Array.isArray(names) || names.some((one) => one === name || one === hash)
  })
  const found = new Map<string, Asset | undefined>(ofJobs.map((asset) => [asset.id, asset]))
  for (const id of idsIn(payload.get('asset_ids')) ?? []) found.set(id, assetWithId(world, id))
  return Array.from(found, ([id, asset]) => ({ id, asset }))
}

type Failed = { readonly asset_id: string; readonly error: string; readonly asset_name?: string }
type Packed = { readonly name: string; readonly bytes: Uint8Array }

/** The bytes of the file of an asset; null if they cannot be had. */
function bytesOfAsset(world: HostedWorld, { key }: Asset): Uint8Array | null {
  const file = get(world.state.files, key)
  return file === undefined ? null : encoded(wholeFile(world, nameOf(key), file).body)
}

/** The name of an asset in an archive [tasks/export-names]. */
function placeOf(world: HostedWorld, asset: Asset, strategy: Strategy): string {
  const { id, name, jobId, createdAt } = asset
  if (strategy === 'preserve') return name
  if (strategy === 'asset_id') return id + (/\.[^./]+$/.exec(name)?.[0] ?? '')
  if (strategy === 'group_by_job_id') return `${jobId ?? 'no-job'}/${name}`
  const time = new Date(momentOf(world, createdAt.ms)).toISOString()
  return `${time.slice(0, 19).replaceAll(':', '-')}/${name}`
}

/** The files of an archive, and what could not become one. */
function pack(world: HostedWorld, payload: JsonObject, wanted: readonly Wanted[]) {
  const strategy = (payload.get('naming_strategy') ?? 'group_by_job_time') as Strategy
  const files = new Map<string, Packed>()
  const failed: Failed[] = []
  for (const { id, asset } of wanted) {
    const place = asset && placeOf(world, asset, strategy)
    const bytes = asset && bytesOfAsset(world, asset)
    if (asset === undefined || place === undefined)
      failed.push({ asset_id: id, error: 'not_found' })
    else if (files.has(place))
      failed.push({ asset_id: id, error: 'filename_collision', asset_name: asset.name })
    else if (!bytes) failed.push({ asset_id: id, error: 'fetch_failed', asset_name: asset.name })
    else {
      files.set(place, { name: place, bytes })
      const shown = payload.get('include_previews') === true ? asset.previewId : null
      const preview = shown === null || shown === id ? undefined : assetWithId(world, shown)
      const previewBytes = preview && bytesOfAsset(world, preview)
      if (previewBytes) {
        const name = `previews/${place}`
        files.set(name, { name, bytes: previewBytes })
      }
    }
  }
  return { files: [...files.values()], failed }
}

/** Does a step of an export: the second one makes the archive. */
export function stepExport(world: HostedWorld, task: Task): Partial<Task> {
  const payload = readJson(task.payload) as JsonObject
  const wanted = wantedOf(world, payload)
  const isOver = task.step > 1
  const { files, failed } = isOver ? pack(world, payload, wanted) : { files: [], failed: [] }
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const succeeded = isOver ? wanted.length - failed.length : 0
  const archive = succeeded > 0 ? zip(files) : undefined
  const { options } = world.setup
  const isFull =
    archive !== undefined && heldWith(world, { bytes: archive }) > options.uploadLimitBytes
  const error = isFull
    ? 'The archive exceeds the storage of the account'
    : isOver && archive === undefined
      ? reasonOf(wanted, failed)
      : undefined
  const name = archiveName(world, task)
  if (archive !== undefined && !isFull) store(world, 'output', '', name, { bytes: archive })
  const isDone = archive !== undefined && !isFull
  const frame: Static<typeof exportProgress> = {
    task_id: task.id,
    status: !isOver ? 'running' : isFull ? 'failed' : 'completed',
    assets_total: wanted.length,
    assets_attempted: isOver ? wanted.length : 0,
    assets_failed: failed.length,
    bytes_total: size,
    bytes_processed: size,
    progress: isOver ? 1 : 0,
    ...(isDone && { export_name: name }),
    ...(error !== undefined && { error }),
  }
  send(world, everyone(world), 'asset_export', JSON.stringify(frame))
  if (!isOver || isFull) return { status: frame.status, error: error ?? null }
  const result = JSON.stringify({
    success: isDone,
    ...(isDone && {
      export_name: name,
      export_size: archive?.length,
      uncompressed_size: size,
    }),
    ...(error !== undefined && { error }),
    assets_total: wanted.length,
    assets_succeeded: succeeded,
    ...(failed.length > 0 && { failed_assets: failed }),
  })
  return { status: 'completed', result }
}

function reasonOf(wanted: readonly Wanted[], failed: readonly Failed[]): string {
  if (failed.some(({ error }) => error === 'fetch_failed')) return 'All assets failed to export'
  return wanted.length === 0 || failed.length === wanted.length
    ? 'No valid assets to export'
    : 'One or more assets are not exportable'
}

const archiveName = (world: HostedWorld, { id, createdMs }: Task): string =>
  `comfy-export-${new Date(momentOf(world, createdMs)).toISOString().slice(0, 10)}-${id.slice(0, 8)}.zip`
