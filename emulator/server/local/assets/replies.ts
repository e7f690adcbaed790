// Replies of the asset paths: assets as JSON, and refusals with their details.

import { limits } from '../../../../spec/limits.ts'
import { assetRefusals, hostedAssetRefusals } from '../../../../spec/assets/errors.ts'
import { type Json, type JsonObject, readJson, writeJson } from '../../../lib/json.ts'
import { json, type Reply, refuse, refuseHosted } from '../../../http/replies.ts'
import { assetWithId, isPublic, pathsOf } from '../../world/assets.ts'
import type { Asset, Moment } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import { type Issue, issueList } from './issues.ts'

type HostedName = keyof typeof hostedAssetRefusals
type RefusalName = keyof typeof assetRefusals | HostedName

/** The refusal with this name, in the form of the server. */
function refusalOf(
  { traits }: World['setup'],
  name: RefusalName,
): { readonly status: number; readonly code: string; readonly message: string } {
  if (!traits.nestsAssetErrors) {
    const { status, body } = hostedAssetRefusals[name as HostedName]
    return Object.assign({ status }, body.json)
  }
  const { status, body } = assetRefusals[name as keyof typeof assetRefusals]
  return Object.assign({ status }, body.json.error)
}

/** A refusal by its name; `values` replace the placeholders in its message. */
export function refuseAsset(
  { setup }: Pick<World, 'setup'>,
  name: RefusalName,
  values: Readonly<Record<string, string>> = {},
  details: readonly (readonly [string, Json])[] = [],
): Reply {
  const { status, code, message } = refusalOf(setup, name)
  const filled = message.replace(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place)
  const error: JsonObject = new Map<string, Json>([
    ['code', code],
    ['message', filled],
  ])
  const { nestsAssetErrors } = setup.traits
  if (nestsAssetErrors || details.length > 0) error.set('details', new Map(details))
  return json(writeJson(nestsAssetErrors ? new Map([['error', error]]) : error), status)
}

/** The refusal of input with these issues. */
export const refuseIssues = (world: World, name: RefusalName, issues: readonly Issue[]): Reply =>
  refuseAsset(world, name, {}, [['errors', issueList(issues)]])

/** The refusal for an id without an asset. */
export const unknownAsset = (world: World, id: string): Reply =>
  refuseAsset(world, 'assetUnknown', { id }, [['id', id]])

/** The refusal of more than this many bytes. */
const tooLarge = ({ setup }: World, limit: number): Reply =>
  setup.traits.nestsAssetErrors
    ? refuse('bodyTooLarge', {}, { limit: `${limit}` })
    : refuseHosted('storageFull', { limit: `${limit}` })

/** The refusals of more texts, and of more uploads, than the server keeps. */
export const textsTooLong = (world: World): Reply => tooLarge(world, limits.assetTexts.value)
export const storageFull = (world: World): Reply =>
  tooLarge(world, world.setup.options.uploadLimitBytes)

/** The most tags that a request can name on servers that count them. */
const MAX_TAGS = 64

/** The refusal of more tags than a request can name. */
export const tooManyTags = (world: World, tags: readonly unknown[]): Reply | undefined =>
  world.setup.traits.takesAssetIds && tags.length > MAX_TAGS ? tagCount(world) : undefined

export const tagCount = (world: World): Reply =>
  refuseAsset(world, 'tagCount', { most: `${MAX_TAGS}` })

/** The refusal of a form that cannot be read. */
export const formBroken = (world: World): Reply =>
  world.setup.traits.nestsAssetErrors ? refuse('internal') : refuseAsset(world, 'formBroken')

/** A text for an address, escaped like Python does, which leaves `kept` as it is. */
export const quoted = (text: string, kept = ''): string =>
  Array.from(text, (char) => {
    if (kept.includes(char) || /[\w.~-]/.test(char)) return char
    const bytes = new TextEncoder().encode(char)
    return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    )
  }).join('')

/** A moment in ISO form, with microseconds; without a zone, as local servers write UTC, or with it. */
function momentText({ setup }: World, { ms, tick }: Moment): string {
  const text = new Date(Math.floor(setup.options.epochMs + ms)).toISOString().replace('Z', '')
  return text + String(Math.min(tick, 999)).padStart(3, '0') + setup.traits.assetZone
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
  const { hasNewerAssets, sharesModels } = world.setup.traits
  const { display, loader } = pathsOf(asset)
  const members: readonly (readonly [string, Json | undefined])[] = [
    ['id', asset.id],
    ['name', asset.name],
    ['hash', asset.hash],
    ['loader_path', asset.isOfFile ? loader : null],
    ['display_name', asset.isOfFile && !sharesModels ? display : null],
    ['asset_hash', hasNewerAssets ? null : asset.hash],
    ['size', asset.size],
    ['mime_type', asset.mimeType],
    ['tags', [...asset.tags]],
    ['preview_url', previewUrl(world, asset)],
    ['preview_id', asset.previewId],
    ['user_metadata', readJson(asset.userMetadata)],
    ['is_immutable', sharesModels ? isPublic(world, asset) : hasNewerAssets ? null : false],
    ['metadata', asset.metadata === null ? null : readJson(asset.metadata)],
    ['job_id', asset.jobId],
    ['prompt_id', sharesModels ? null : asset.jobId],
    ['created_at', momentText(world, asset.createdAt)],
    ['updated_at', momentText(world, asset.updatedAt)],
    ['last_access_time', momentText(world, asset.accessedAt)],
  ]
  return new Map(
    members.filter((one): one is [string, Json] => one[1] !== null && one[1] !== undefined),
  )
}
