// Replies of the asset paths: assets as JSON, and refusals with their details.

import { limits } from '../../../../spec/limits.ts'
import { assetRefusals } from '../../../../spec/assets/errors.ts'
import { type Json, type JsonObject, readJson, writeJson } from '../../../lib/json.ts'
import { json, type Reply, refuse } from '../../../http/replies.ts'
import { assetWithId, pathsOf } from '../../world/assets.ts'
import type { Asset, Moment } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { type Issue, issueList } from './issues.ts'

type RefusalName = keyof typeof assetRefusals

/** A refusal by its name; `values` replace the placeholders in its message. */
export function refuseAsset(
  name: RefusalName,
  values: Readonly<Record<string, string>> = {},
  details: readonly (readonly [string, Json])[] = [],
): Reply {
  const { status, body } = assetRefusals[name]
  const { code, message } = body.json.error
  const filled = message.replace(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place)
  const error: JsonObject = new Map<string, Json>([
    ['code', code],
    ['message', filled],
    ['details', new Map(details)],
  ])
  return json(writeJson(new Map([['error', error]])), status)
}

/** The refusal of input with these issues. */
export const refuseIssues = (name: RefusalName, issues: readonly Issue[]): Reply =>
  refuseAsset(name, {}, [['errors', issueList(issues)]])

/** The refusal for an id without an asset. */
export const unknownAsset = (id: string): Reply => refuseAsset('assetUnknown', { id }, [['id', id]])

/** The refusal of more texts than the server keeps. */
export const textsTooLong = (): Reply =>
  refuse('bodyTooLarge', {}, { limit: `${limits.assetTexts.value}` })

/** A text for an address, escaped like Python does, which leaves `kept` as it is. */
export const quoted = (text: string, kept = ''): string =>
  Array.from(text, (char) => {
    if (kept.includes(char) || /[\w.~-]/.test(char)) return char
    const bytes = new TextEncoder().encode(char)
    return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    )
  }).join('')

/** A moment in ISO form, with microseconds and without a zone, as real servers write UTC. */
function momentText({ setup }: World, { ms, tick }: Moment): string {
  const text = new Date(Math.floor(setup.options.epochMs + ms)).toISOString().replace('Z', '')
  return text + String(Math.min(tick, 999)).padStart(3, '0')
}

/** Where a file is viewed, given its path below the folder of this type. */
function viewUrl(type: string, path: string): string {
  const at = path.lastIndexOf('/')
  const url = `/api/view?type=${type}&filename=${quoted(path.slice(at + 1))}`
  return at === -1 ? url : `${url}&subfolder=${quoted(path.slice(0, at))}`
}

const PREVIEWABLE = /^(?:image|video|audio|text)\//

/** Where the preview of an asset is: at its own file, or at that of the asset that shows it [assets/preview-url]. */
function previewUrl(world: World, asset: Asset): string | undefined {
  const { previewId } = asset
  const shown = previewId === null ? asset : assetWithId(world, previewId)
  if (shown === undefined) return undefined
  if (!world.setup.traits.previewsContent)
    return previewId !== null && shown.isOfClient ? undefined : urlOfMetadata(shown)
  const [type = ''] = shown.key.split('/')
  if (!shown.isOfFile || type === 'models') return undefined
  if (previewId === null && !PREVIEWABLE.test(asset.mimeType ?? '')) return undefined
  return viewUrl(type, pathsOf(shown).display)
}

/** The address that the first servers make of what the metadata and the tags say [assets/preview-of-metadata]. */
function urlOfMetadata({ tags, userMetadata }: Asset): string | undefined {
  const type = ['input', 'output'].find((one) => tags.includes(one))
  const filename = (readJson(userMetadata) as JsonObject).get('filename')
  return type === undefined || typeof filename !== 'string' || filename === ''
    ? undefined
    : viewUrl(type, filename)
}

/** An asset as JSON. Members without a value are absent. */
export function assetJson(world: World, asset: Asset): JsonObject {
  const { hasNewerAssets } = world.setup.traits
  const { display, loader } = pathsOf(asset)
  const members: readonly (readonly [string, Json | undefined])[] = [
    ['id', asset.id],
    ['name', asset.name],
    ['hash', asset.hash],
    ['loader_path', asset.isOfFile ? loader : null],
    ['display_name', asset.isOfFile ? display : null],
    ['asset_hash', hasNewerAssets ? null : asset.hash],
    ['size', asset.size],
    ['mime_type', asset.mimeType],
    ['tags', [...asset.tags]],
    ['preview_url', previewUrl(world, asset)],
    ['preview_id', asset.previewId],
    ['user_metadata', readJson(asset.userMetadata)],
    ['is_immutable', hasNewerAssets ? null : false],
    ['metadata', asset.metadata === null ? null : readJson(asset.metadata)],
    ['job_id', asset.jobId],
    ['prompt_id', asset.jobId],
    ['created_at', momentText(world, asset.createdAt)],
    ['updated_at', momentText(world, asset.updatedAt)],
    ['last_access_time', momentText(world, asset.accessedAt)],
  ]
  return new Map(
    members.filter((one): one is [string, Json] => one[1] !== null && one[1] !== undefined),
  )
}
