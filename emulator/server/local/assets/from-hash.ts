// Assets of content that the server already has [assets/from-hash, assets/by-hash].

import { isObject, type Json, type JsonObject, writeJson } from '../../../lib/json.ts'
import { pythonText } from '../../../lib/python.ts'
import { empty, json, type Reply, refuse } from '../../../http/replies.ts'
import { bodyJson, type Request } from '../../../http/requests.ts'
import { get } from '../../../lib/bounded.ts'
import {
  addAsset,
  assetWithId,
  cleanTags,
  fileWithHash,
  hashesUploads,
  hasRoomForTexts,
  readHash,
  withHash,
} from '../../world/assets.ts'
import { mediaType } from '../../world/content-types.ts'
import type { Asset } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import {
  type Issue,
  isList,
  missing,
  notAModel,
  notAText,
  optionalObject,
  optionalText,
  wrongValue,
} from './issues.ts'
import {
  assetJson,
  refuseAsset,
  refuseIssues,
  tagCount,
  textsTooLong,
  tooManyTags,
} from './replies.ts'

/** What a client says of a new asset. */
export type Description = {
  readonly name: string | null
  readonly tags: readonly string[]
  readonly userMetadata: string
  readonly mimeType: string | null
  readonly previewId: string | null
  /** The id that the client has chosen; absent for one of the server. */
  readonly id?: string
}

export function created(world: World, asset: Asset, isNew: boolean, status: number): Reply {
  return json(writeJson(assetJson(world, asset).set('created_new', isNew)), status)
}

/** The last part of a path that a client names. */
export const baseName = (name: string): string => name.trim().split(/[/\\]/).at(-1) ?? ''

/** A new asset of a stored file, or of its content alone. */
export function describe(
  world: World,
  key: string,
  hash: string | null,
  name: string,
  { tags, userMetadata, mimeType, previewId, id }: Description,
  isOfFile: boolean,
): Asset {
  const isKnown = previewId !== null && assetWithId(world, previewId) !== undefined
  const content = get(world.state.files, key)?.content ?? null
  return addAsset(world, {
    key,
    isOfFile,
    isOfClient: true,
    hash,
    name,
    tags,
    mimeType,
    content,
    userMetadata,
    previewId: isKnown ? previewId : null,
    ...(id !== undefined && { id }),
  })
}

/** A new asset of a content that the server has; undefined if it does not have it. Only newer servers give it the file. */
export function fromContent(world: World, hash: string, given: Description): Asset | undefined {
  const found = fileWithHash(world, hash)
  if (found === undefined) return undefined
  const { hasNewerAssets } = world.setup.traits
  const name = baseName(given.name ?? '') || hash.slice('blake3:'.length)
  const known = withHash(world, hash)[0]?.mimeType ?? null
  const type = hasNewerAssets ? (given.mimeType ?? known) : (known ?? given.mimeType)
  const mimeType = type ?? mediaType(found.key) ?? null
  const own = Object.assign({}, given, { mimeType })
  return describe(world, found.key, hash, name, own, hasNewerAssets)
}

export const textLength = ({ name, tags, userMetadata }: Description): number =>
  (name?.length ?? 0) + tags.join('').length + userMetadata.length

/** POST /assets/from-hash. */
export function assetFromHash(world: World, request: Request): Reply {
  const body = bodyJson(request)
  if (body === undefined) return refuseAsset(world, 'assetJson')
  if (!isObject(body))
    return refuseIssues(world, 'assetBody', [notAModel('CreateFromHashBody', body)])
  const issues: Issue[] = []
  const hash = bodyHash(body, issues)
  const name = optionalText(body, 'name', issues)
  const metadata = optionalObject(body, 'user_metadata', issues)
  const mimeType = optionalText(body, 'mime_type', issues)
  const previewId = optionalText(body, 'preview_id', issues)
  if (issues.length > 0) return refuseIssues(world, 'assetBody', issues)
  if (!hashesUploads(world)) return refuseAsset(world, 'hashingOff')
  const userMetadata = metadata === null ? '{}' : writeJson(metadata)
  const tags = bodyTags(body.get('tags'))
  const refusal = refusedTags(world, tags) ?? unknownPreview(world, previewId)
  if (refusal !== undefined) return refusal
  const given = { name, tags, userMetadata, mimeType, previewId }
  if (!hasRoomForTexts(world, textLength(given))) return textsTooLong(world)
  const found = fromContent(world, hash, given)
  return found === undefined
    ? refuseAsset(world, 'contentUnknown', { hash })
    : created(world, found, world.setup.traits.hasNewerAssets, 201)
}

/** The refusal of no tags, or too many, where some are required. */
const refusedTags = (world: World, tags: readonly string[]): Reply | undefined =>
  world.setup.traits.takesAssetIds && tags.length === 0 ? tagCount(world) : tooManyTags(world, tags)

/** The refusal of a preview that does not exist, where one has to. */
export const unknownPreview = (world: World, id: string | null): Reply | undefined =>
  world.setup.traits.takesAssetIds && id !== null && assetWithId(world, id) === undefined
    ? refuseAsset(world, 'previewUnknown', { id })
    : undefined

function bodyHash(body: JsonObject, issues: Issue[]): string {
  const value = body.get('hash')
  if (value === undefined) issues.push(missing('hash', body))
  else if (typeof value !== 'string') issues.push(notAText(['hash'], value))
  else {
    const hash = readHash(value)
    if (hash !== undefined) return hash
    issues.push(wrongValue(['hash'], value, "hash must be 'blake3:<hex>'"))
  }
  return ''
}

/** Tags as a list of any values, or as a text with commas; anything else counts as none. */
function bodyTags(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return cleanTags(value.split(','))
  return isList(value) ? cleanTags(value.map((tag) => pythonText(tag))) : []
}

/** HEAD /assets/hash/<hash>: whether the server has a content. */
export function assetByHash(world: World, { segment }: Request): Reply {
  const hash = readHash(segment)
  if (hash === undefined) return refuseAsset(world, 'hashInvalid')
  return fileWithHash(world, hash) === undefined ? refuse('notFoundEmpty') : empty
}
