// Downloads of files from elsewhere [tasks/download*]. Nothing is fetched: what a URL leads to is made of the URL.

import {
  downloadFaults,
  type downloadProgress,
  type remoteMetadata as metadataSchema,
} from '../../../../spec/assets/tasks.ts'
import type { Static } from '../../../../spec/static.ts'
import { concat, little, utf8 } from '../../../lib/bytes.ts'
import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../../lib/json.ts'
import { json, type Reply } from '../../../http/replies.ts'
import { bodyJson, decodePart, parameter, type Request } from '../../../http/requests.ts'
import { describe, unknownPreview } from '../../local/assets/from-hash.ts'
import { isList, type Issue, optionalObject, optionalText } from '../../local/assets/issues.ts'
import { assetJson, refuseAsset, refuseIssues, tooManyTags } from '../../local/assets/replies.ts'
import { folderOf } from '../../local/assets/upload.ts'
import type { Task } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { assetWithId, cleanTags, hashOf } from '../../world/assets.ts'
import { isModel, mediaType } from '../../world/content-types.ts'
import { fileKey, store } from '../../world/files.ts'
import { addModel } from '../../world/installs.ts'
import { everyone, send } from '../../world/sockets.ts'
import { heldWith } from '../../world/upload-quota.ts'
import { beginTask, tasksWithKey } from './tasks.ts'

/** How many steps a download has, and how long each takes, in milliseconds. */
const STEPS = 4
export const DOWNLOAD_STEP_MS = 250

/** A URL of HTTP; undefined for any other text. */
function readUrl(text: string): URL | undefined {
  try {
    const url = new URL(text)
    return /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined
  } catch {
    return undefined
  }
}

/** The name of the file at a URL: a model, if the URL names no kind of file. */
function nameAt({ pathname }: URL): string {
  const last = decodePart(pathname.split('/').at(-1) ?? '').replace(/[/\\\0]/g, '_')
  const name = /^\.*$/.test(last) ? 'download' : last
  return /\.[a-z0-9]+$/i.test(name) ? name : `${name}.safetensors`
}

/** The content at a URL: a model without weights, whose header names the URL. */
function bytesAt({ href }: URL): Uint8Array {
  const header = utf8(JSON.stringify({ __metadata__: { source: href } }))
  return concat([little(header.length, 4), little(0, 4), header])
}

type Fault = (typeof downloadFaults)[number]

/** Why the file at a URL cannot be downloaded; undefined if it can [tasks/scripted]. */
function faultAt(url: URL): Fault | undefined {
  const scripted = downloadFaults.find((code) => url.hash === `#${code}`)
  if (scripted !== undefined) return scripted
  if (/(^|\.)invalid\.?$/.test(url.hostname)) return 'RESOURCE_NOT_FOUND'
  return mediaType(nameAt(url)) === undefined ? 'FORMAT_NOT_ALLOWED' : undefined
}

/** GET /assets/remote-metadata. */
export function remoteMetadata(world: World, { query }: Request): Reply {
  const text = parameter(query, 'url')
  if (text === undefined) return refuseAsset(world, 'urlMissing')
  const url = readUrl(text)
  if (url === undefined) return refuseAsset(world, 'urlInvalid')
  const fault = faultAt(url)
  const name = nameAt(url)
  const errors = fault && [{ code: fault, message: `The server reports ${fault}.`, field: 'url' }]
  const found: Static<typeof metadataSchema> = {
    content_length: fault === undefined ? bytesAt(url).length : -1,
    content_type: mediaType(name) ?? 'application/octet-stream',
    filename: name,
    name: name.replace(/\.[^.]*$/, ''),
    tags: isModel(name) ? ['models'] : ['input'],
    validation: { is_valid: errors === undefined, ...(errors && { errors }) },
  }
  return json(JSON.stringify(found))
}

/** POST /assets/download. */
export function downloadAsset(world: World, request: Request): Reply {
  const body = bodyJson(request)
  const source = isObject(body) ? body.get('source_url') : undefined
  if (!isObject(body) || typeof source !== 'string') return refuseAsset(world, 'urlMissing')
  if (readUrl(source) === undefined) return refuseAsset(world, 'urlInvalid')
  const issues: Issue[] = []
  const previewId = optionalText(body, 'preview_id', issues)
  optionalObject(body, 'user_metadata', issues)
  const tags = body.get('tags') ?? []
  if (issues.length > 0) return refuseIssues(world, 'assetBody', issues)
  if (!isList(tags) || !tags.every((tag) => typeof tag === 'string'))
    return refuseAsset(world, 'assetBody')
  const refusal = tooManyTags(world, tags) ?? unknownPreview(world, previewId)
  if (refusal !== undefined) return refusal
  const folder = folderOf(world, cleanTags(tags))
  if ('reason' in folder) return refuseAsset(world, 'uploadInvalid', folder)
  const key = `download:${source}`
  for (const { assetId } of tasksWithKey(world, key)) {
    const known = assetId === null ? undefined : assetWithId(world, assetId)
    if (known !== undefined) return json(writeJson(assetJson(world, known)))
  }
  const payload = writeJson(body)
  return beginTask(world, { name: 'task:download', key, payload, stepMs: DOWNLOAD_STEP_MS })
}

/** Does a step of a download. */
export function stepDownload(world: World, task: Task): Partial<Task> {
  const payload = readJson(task.payload) as JsonObject
  const url = new URL(payload.get('source_url') as string)
  const name = nameAt(url)
  const content = { bytes: bytesAt(url) }
  const total = content.bytes.length
  const fault = faultAt(url) ?? lackOf(world, content)
  const isOver = task.step === STEPS || (fault !== undefined && task.step > 1)
  const progress = (fault === undefined ? task.step : 1) / STEPS
  const frame: Static<typeof downloadProgress> = {
    task_id: task.id,
    asset_name: name,
    bytes_total: total,
    bytes_downloaded: Math.floor(total * progress),
    progress,
    status: !isOver ? 'running' : fault === undefined ? 'completed' : 'failed',
  }
  if (isOver && fault !== undefined) frame.error = fault
  const assetId =
    isOver && fault === undefined ? storeDownload(world, payload, name, content) : null
  if (assetId !== null) frame.asset_id = assetId
  send(world, everyone(world), 'asset_download', JSON.stringify(frame))
  const result = assetId && JSON.stringify({ success: true, asset_id: assetId, asset_name: name })
  return { status: frame.status, result, error: frame.error ?? null, assetId }
}

const lackOf = (world: World, content: { readonly bytes: Uint8Array }): Fault | undefined =>
  heldWith(world, content) > world.setup.options.uploadLimitBytes ? 'FILE_TOO_LARGE' : undefined

/** Stores a downloaded file under its name, and returns the id of its asset. */
function storeDownload(
  world: World,
  payload: JsonObject,
  name: string,
  content: { readonly bytes: Uint8Array },
): string {
  const tags = cleanTags((payload.get('tags') ?? []) as readonly string[])
  const folder = folderOf(world, tags)
  const { type, subfolder } =
    'reason' in folder ? ({ type: 'input', subfolder: '' } as const) : folder
  store(world, type, subfolder, name, content)
  if (type === 'models' && isModel(name)) addModel(world, { folder: subfolder, name })
  const metadata: Json = payload.get('user_metadata') ?? new Map()
  const given = {
    name,
    tags,
    userMetadata: writeJson(metadata),
    mimeType: mediaType(name) ?? null,
    previewId: (payload.get('preview_id') ?? null) as string | null,
  }
  return describe(world, fileKey(type, subfolder, name), hashOf(content), name, given, true).id
}
