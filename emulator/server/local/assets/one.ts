// One asset [assets/read, assets/update, assets/delete, assets/content] and its tags.

import { isObject, type Json, writeJson } from '../../../lib/json.ts'
import { json, noContent, type Reply } from '../../../http/replies.ts'
import { bodyJson, parameter, type Request } from '../../../http/requests.ts'
import { get } from '../../../lib/bounded.ts'
import {
  assetOfContent,
  assetWithId,
  changeAsset,
  cleanTags,
  hasRoomForTexts,
  isInUse,
  isPublic,
  removeAsset,
  removeContent,
  touchAsset,
} from '../../world/assets.ts'
import { mediaType } from '../../world/content-types.ts'
import { fileBody } from '../../world/files.ts'
import { guardFile, UNKNOWN_TYPE } from '../../world/guarded-files.ts'
import { modelBytes } from '../../nodes/model-files.ts'
import type { Body } from '../../../machine.ts'
import type { Asset } from '../../state/assets.ts'
import type { World } from '../../state/world.ts'
import {
  emptyList,
  isList,
  type Issue,
  missing,
  notAList,
  notAModel,
  notAText,
  optionalObject,
  optionalText,
  wrongValue,
} from './issues.ts'
import {
  assetJson,
  quoted,
  refuseAsset,
  refuseIssues,
  textsTooLong,
  tooManyTags,
  unknownAsset,
} from './replies.ts'

const found = (world: World, asset: Asset): Reply => json(writeJson(assetJson(world, asset)))

export function readAsset(world: World, { segment }: Request): Reply {
  const id = segment.toLowerCase()
  const asset = assetWithId(world, id)
  return asset === undefined ? unknownAsset(world, id) : found(world, asset)
}

export function deleteAsset(world: World, { segment }: Request): Reply {
  const id = segment.toLowerCase()
  const asset = assetWithId(world, id)
  if (asset === undefined) return refuseAsset(world, 'assetUnknown', { id })
  if (isPublic(world, asset)) return refuseAsset(world, 'assetShared', { id })
  if (!world.setup.traits.removesContent) removeAsset(world, asset)
  else if (isInUse(world, asset)) return refuseAsset(world, 'assetInUse', { id })
  else removeContent(world, asset)
  return noContent
}

/** Changes the members that the body has. */
export function changeAssetMembers(world: World, request: Request): Reply {
  const body = bodyJson(request)
  if (body === undefined) return refuseAsset(world, 'assetJson')
  if (!isObject(body)) return refuseIssues(world, 'assetBody', [notAModel('UpdateAssetBody', body)])
  const issues: Issue[] = []
  const name = optionalText(body, 'name', issues)
  const metadata = optionalObject(body, 'user_metadata', issues)
  const previewId = optionalText(body, 'preview_id', issues)
  const { takesAssetIds } = world.setup.traits
  const type = takesAssetIds ? optionalText(body, 'mime_type', issues) : null
  if (issues.length > 0) return refuseIssues(world, 'assetBody', issues)
  if (name === null && metadata === null && previewId === null && type === null)
    return refuseIssues(world, 'assetBody', [wrongValue([], body, NOTHING_GIVEN)])
  const id = request.segment.toLowerCase()
  const asset = assetWithId(world, id)
  if (asset === undefined) return unknownAsset(world, id)
  if (isPublic(world, asset)) return refuseAsset(world, 'assetShared', { id })
  if (previewId !== null && assetWithId(world, previewId) === undefined)
    return refuseAsset(world, 'previewUnknown', { id: previewId }, [['id', id]])
  const userMetadata = metadata === null ? asset.userMetadata : writeJson(metadata)
  const change = {
    name: name ?? asset.name,
    userMetadata,
    previewId: previewId ?? asset.previewId,
    mimeType: type ?? asset.mimeType,
  }
  if (!hasRoomForTexts(world, change.name.length + userMetadata.length)) return textsTooLong(world)
  return found(world, changeAsset(world, asset, change))
}

const NOTHING_GIVEN = 'Provide at least one of: name, user_metadata, preview_id.'

/** The bytes of an asset, or undefined if its file has been removed, or its content is no longer that of any file's asset. */
function bodyOf(world: World, asset: Asset): Body | undefined {
  const { key } = asset
  if (!asset.isOfFile && assetOfContent(world, asset.hash) === undefined) return undefined
  const file = get(world.state.files, key)
  if (file !== undefined) return fileBody(file.content)
  const [, model] = /^models\/[^/]+\/(.+)$/.exec(key) ?? []
  return model === undefined ? undefined : modelBytes(model)
}

/** The file of an asset. What a browser would run as a page is only sent as a download. */
export function assetContent(world: World, { segment, query, headers: asked }: Request): Reply {
  const id = segment.toLowerCase()
  const asset = assetWithId(world, id)
  if (asset === undefined) return refuseAsset(world, 'assetUnknown', { id })
  const body = bodyOf(world, asset)
  if (body === undefined) return refuseAsset(world, 'fileGone')
  touchAsset(world, asset)
  const type = asset.mimeType ?? mediaType(asset.name) ?? UNKNOWN_TYPE
  const { isDownload, ...sent } = guardFile(world, type, asked)
  const wish = parameter(query, 'disposition')?.trim().toLowerCase()
  const disposition = wish === 'inline' && !isDownload ? 'inline' : 'attachment'
  const headers: Record<string, string> = {
    'Content-Disposition': `${disposition}; filename*=UTF-8''${quoted(asset.name, '/')}`,
    'Content-Type': sendableType(sent.type),
    ...sent.headers,
  }
  return { status: 200, headers, body }
}

/** A type that a client has set as a header can carry it: without parameters and other characters. */
const sendableType = (type: string): string =>
  /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;|$)/.exec(type)?.[1] ?? UNKNOWN_TYPE

/** The tags in a body, or its refusal. */
function tagsIn(
  world: World,
  request: Request,
  name: 'tagsAddBody' | 'tagsRemoveBody',
): readonly string[] | Reply {
  const body = bodyJson(request)
  if (body === undefined) return refuseAsset(world, 'assetJson')
  const model = name === 'tagsAddBody' ? 'TagsAdd' : 'TagsRemove'
  if (!isObject(body)) return refuseIssues(world, name, [notAModel(model, body)])
  const tags = body.get('tags')
  if (tags === undefined) return refuseIssues(world, name, [missing('tags', body)])
  if (!isList(tags)) return refuseIssues(world, name, [notAList(['tags'], tags)])
  if (tags.length === 0) return refuseIssues(world, name, [emptyList(['tags'], tags)])
  const others = tags.flatMap((tag, at) =>
    typeof tag === 'string' ? [] : [notAText(['tags', at], tag)],
  )
  if (others.length > 0) return refuseIssues(world, name, others)
  return tooManyTags(world, tags) ?? cleanTags(tags as readonly string[])
}

/** Tags that only the server sets. */
const systemTags: ReadonlySet<string> = new Set(['missing'])

/** The refusal of tags that only the server sets, where it protects them. */
function protectedTag(world: World, tags: readonly string[]): Reply | undefined {
  const tag = world.setup.traits.hasNewerAssets
    ? tags.find((one) => systemTags.has(one))
    : undefined
  return tag === undefined ? undefined : refuseAsset(world, 'systemTag', { tag }, [['tag', tag]])
}

/** The asset and the tags of a request, or its refusal. */
function taggedAsset(
  world: World,
  request: Request,
  name: 'tagsAddBody' | 'tagsRemoveBody',
): { readonly asset: Asset; readonly tags: readonly string[] } | Reply {
  const tags = tagsIn(world, request, name)
  if ('status' in tags) return tags
  const refusal = protectedTag(world, tags)
  if (refusal !== undefined) return refusal
  const id = request.segment.toLowerCase()
  const asset = assetWithId(world, id)
  if (asset === undefined) return unknownAsset(world, id)
  return isPublic(world, asset) ? refuseAsset(world, 'assetShared', { id }) : { asset, tags }
}

const lists = (members: Readonly<Record<string, readonly string[]>>): Reply =>
  json(
    writeJson(new Map(Object.entries(members).map(([name, tags]) => [name, [...tags] as Json[]]))),
  )

export function addAssetTags(world: World, request: Request): Reply {
  const given = taggedAsset(world, request, 'tagsAddBody')
  if ('status' in given) return given
  const { asset, tags } = given
  const added = tags.filter((tag) => !asset.tags.includes(tag)).toSorted()
  if (!hasRoomForTexts(world, added.join('').length)) return textsTooLong(world)
  const total_tags = [...asset.tags, ...added].toSorted()
  if (added.length > 0) changeAsset(world, asset, { tags: total_tags })
  const already_present = tags.filter((tag) => asset.tags.includes(tag)).toSorted()
  return lists({ added, already_present, total_tags })
}

export function removeAssetTags(world: World, request: Request): Reply {
  const given = taggedAsset(world, request, 'tagsRemoveBody')
  if ('status' in given) return given
  const { asset, tags } = given
  const removed = tags.filter((tag) => asset.tags.includes(tag)).toSorted()
  const not_present = tags.filter((tag) => !asset.tags.includes(tag)).toSorted()
  const total_tags = asset.tags.filter((tag) => !removed.includes(tag))
  if (removed.length > 0) changeAsset(world, asset, { tags: total_tags })
  const protects = world.setup.traits.hasNewerAssets
  return lists({ removed, not_present, total_tags, ...(protects && { protected: [] }) })
}
