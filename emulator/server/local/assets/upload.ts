// Uploads of new assets [assets/upload-*]: reads the form, stores the file and describes it.

import { isObject, type Json, readJson, writeJson } from '../../../lib/json.ts'
import { pythonText } from '../../../lib/python.ts'
import { formParts, type FormPart } from '../../../http/multipart.ts'
import type { Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import {
  assetWithId,
  cleanTags,
  fileWithHash,
  hashesUploads,
  hashOf,
  hasRoomForTexts,
  readHash,
  sameAsset,
} from '../../world/assets.ts'
import { isModel, mediaType } from '../../world/content-types.ts'
import { get } from '../../../lib/bounded.ts'
import { fileKey, store } from '../../world/files.ts'
import { shownFolders } from '../../nodes/model-files.ts'
import { addModel } from '../../world/installs.ts'
import { heldWith } from '../../world/upload-quota.ts'
import { pathWithin } from '../../world/paths.ts'
import type { World } from '../../state/world.ts'
import {
  baseName,
  created,
  describe,
  type Description,
  fromContent,
  textLength,
  unknownPreview,
} from './from-hash.ts'
import { type Issue, issueList, tooLongText, wrongValue } from './issues.ts'
import { formBroken, refuseAsset, storageFull, textsTooLong, tooManyTags } from './replies.ts'

const MAX_NAME = 512
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The fields of an upload. */
type Upload = Description & {
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | null
  readonly hash: string | null
}

/** POST /assets: a form with a file, or with the hash of a known content. */
export function uploadAsset(world: World, request: Request): Reply {
  const type = request.headers['content-type'] ?? ''
  if (!/^\s*multipart\//i.test(type)) return refuseAsset(world, 'noForm')
  const parts = formParts(request)
  if (parts === undefined) return formBroken(world)
  const upload = readUpload(world, parts)
  if ('status' in upload) return upload
  if (!hasRoomForTexts(world, textLength(upload))) return textsTooLong(world)
  return upload.file === null || (isKnown(world, upload) && !world.setup.traits.hasNewerAssets)
    ? uploadKnown(world, upload)
    : uploadFile(world, upload, upload.file)
}

const isKnown = (world: World, { hash }: Pick<Upload, 'hash'>): boolean =>
  hash !== null && fileWithHash(world, hash) !== undefined

/** The asset of a content that the client has only named. */
function uploadKnown(world: World, upload: Upload): Reply {
  const hash = upload.hash ?? ''
  if (!hashesUploads(world)) return refuseAsset(world, 'hashingOff')
  const found = fromContent(world, hash, upload)
  if (found === undefined) return refuseAsset(world, 'contentUnknown', { hash })
  const { hasNewerAssets } = world.setup.traits
  return created(world, found, hasNewerAssets, hasNewerAssets ? 201 : 200)
}

/** Reads the parts of a form in their order: the first that is wrong refuses the upload. */
function readUpload(world: World, parts: readonly FormPart[]): Upload | Reply {
  let file: Upload['file'] = null
  let hash: string | null = null
  let id: string | undefined
  const { takesAssetIds } = world.setup.traits
  const tags: string[] = []
  const texts = new Map<string, string>()
  for (const part of parts) {
    const { name } = part
    if (name === 'file') file = { name: (part.filename ?? '').trim(), bytes: part.bytes }
    else if (name === 'hash') {
      const given = part.text()?.trim() ?? '?'
      const read = readHash(given)
      // The other kind of hash is not compared.
      if (takesAssetIds && /^sha256:[0-9a-f]{64}$/.test(given)) continue
      if (given !== '' && read === undefined) return refuseAsset(world, 'hashInvalid')
      hash = read ?? hash
    } else if (name === 'id') {
      if (!takesAssetIds) return refuseAsset(world, 'fieldOfServer')
      id = part.text()?.trim().toLowerCase() ?? '?'
      const isFree = UUID.test(id) && assetWithId(world, id) === undefined
      if (!isFree) return refuseAsset(world, 'idTaken', { id })
    }
    if (otherFields.has(name)) {
      const text = part.text()
      if (text === undefined) return formBroken(world)
      if (name === 'tags') tags.push(text)
      else texts.set(name, text)
    }
  }
  const known = isKnown(world, { hash })
  if (file === null && !known) return refuseAsset(world, 'fileMissing')
  if (file !== null && file.bytes.length === 0 && !known) return refuseAsset(world, 'fileEmpty')
  const issues: Issue[] = []
  const name = texts.get('name')?.trim() || null
  if (name !== null && name.length > MAX_NAME) issues.push(tooLongText(['name'], name, MAX_NAME))
  const userMetadata = formMetadata(texts.get('user_metadata') ?? '', issues)
  if (issues.length > 0) {
    const reason = `Validation failed: ${writeJson(issueList(issues))}`
    return refuseAsset(world, 'uploadInvalid', { reason })
  }
  const previewId = texts.get('preview_id')?.trim() || null
  const ownTags = formTags(tags)
  const mimeType = texts.get('mime_type')?.trim() || null
  return (
    tooManyTags(world, ownTags) ??
    unknownPreview(world, previewId) ??
    Object.assign(
      { file, hash, name, tags: ownTags, userMetadata, mimeType, previewId },
      id !== undefined && { id },
    )
  )
}

const otherFields: ReadonlySet<string> = new Set([
  'tags',
  'name',
  'user_metadata',
  'mime_type',
  'preview_id',
])

/** Tags of a form: each field is a JSON array, or a list with commas. */
function formTags(fields: readonly string[]): readonly string[] {
  return cleanTags(
    fields.flatMap((field) => {
      const array = field.trim().startsWith('[') ? parsed(field) : undefined
      return Array.isArray(array) ? array.map((tag) => pythonText(tag)) : field.split(',')
    }),
  )
}

function parsed(text: string): Json | undefined {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

function formMetadata(text: string, issues: Issue[]): string {
  if (text.trim() === '') return '{}'
  const value = parsed(text)
  if (isObject(value)) return writeJson(value)
  const reason = value === undefined ? 'must be JSON' : 'must be a JSON object'
  issues.push(wrongValue(['user_metadata'], text, `user_metadata ${reason}`))
  return '{}'
}

/** Stores a file, unless the server has its content, and describes it. */
function uploadFile(world: World, upload: Upload, file: NonNullable<Upload['file']>): Reply {
  const content = { bytes: file.bytes }
  const hash = hashesUploads(world) ? hashOf(content) : null
  if (hash !== null && upload.hash !== null && upload.hash !== hash)
    return refuseAsset(world, 'hashDiffers')
  const name = baseName(upload.name ?? file.name) || (hash?.slice('blake3:'.length) ?? 'upload')
  const { hasNewerAssets, marksUploads } = world.setup.traits
  const tags = marksUploads ? [...upload.tags, 'uploaded'] : upload.tags
  if (hash !== null && !hasNewerAssets) {
    const asset = fromContent(world, hash, Object.assign({}, upload, { name }))
    if (asset !== undefined) return created(world, asset, false, 200)
  }
  const known = hash === null || !hasNewerAssets ? undefined : fileWithHash(world, hash)
  if (hash !== null && known !== undefined) {
    const same = sameAsset(world, hash, name)
    if (same !== undefined) return created(world, same, false, 200)
    const type = upload.mimeType ?? mediaType(name) ?? null
    const own = Object.assign({}, upload, { tags, mimeType: type })
    return created(world, describe(world, known.key, hash, name, own, true), true, 201)
  }
  const folder = folderFor(world, upload.tags)
  if ('reason' in folder) return refuseAsset(world, 'uploadInvalid', folder)
  if (heldWith(world, content) > world.setup.options.uploadLimitBytes) return storageFull(world)
  const clientName = file.name === '' ? (upload.name ?? '') : file.name
  const stored =
    hash === null
      ? freeNameIn(world, folder, baseName(clientName) || 'upload')
      : `${hash.slice('blake3:'.length)}${endingOf(baseName(clientName))}`
  // A name that leaves its folder, such as "..", is not possible.
  if (pathWithin('input', stored) !== stored)
    return refuseAsset(world, 'uploadInvalid', { reason: 'destination escapes base directory' })
  const mimeType = upload.mimeType ?? mediaType(baseName(clientName)) ?? 'application/octet-stream'
  const { type, subfolder } = folder
  store(world, type, subfolder, stored, content)
  if (type === 'models' && isModel(stored)) addModel(world, { folder: subfolder, name: stored })
  const own = Object.assign({}, upload, { tags, mimeType })
  const asset = describe(world, fileKey(type, subfolder, stored), hash, name, own, true)
  return created(world, asset, true, 201)
}

/** The folder of an upload. Models are files too, and the catalogue lists them. */
type Folder = { readonly type: 'input' | 'output' | 'models'; readonly subfolder: string }

const roles = ['input', 'models', 'output'] as const

/** The folder that tags choose, or the reason why they choose none. */
function folderFor(world: World, tags: readonly string[]): Folder | { readonly reason: string } {
  if (!world.setup.traits.marksUploads) return folderOf(world, tags)
  if (tags.length === 0) return { reason: 'tags are required for new asset uploads' }
  const [role, ...others] = roles.filter((one) => tags.includes(one))
  if (role === undefined || others.length > 0)
    return { reason: 'uploads require exactly one destination role: input, models, or output' }
  if (role !== 'models') return { type: role, subfolder: '' }
  const types = tags.filter((tag) => tag.startsWith(MODEL_TYPE))
  const folder = types[0]?.slice(MODEL_TYPE.length) ?? ''
  if (types.length !== 1 || folder === '')
    return { reason: 'models uploads require exactly one model_type:<folder_name> tag' }
  if (!shownFolders(world).includes(folder)) return { reason: `unknown model category '${folder}'` }
  return { type: 'models', subfolder: folder }
}

const MODEL_TYPE = 'model_type:'

/** The folder of an upload to a server that does not ask for one: a model has a tag with the name of its folder. */
export function folderOf(
  world: World,
  tags: readonly string[],
): Folder | { readonly reason: string } {
  if (!tags.includes('models'))
    return { type: tags.includes('output') ? 'output' : 'input', subfolder: '' }
  const names = new Set(tags.map((tag) => tag.replace(MODEL_TYPE, '')))
  const subfolder = shownFolders(world).find((folder) => names.has(folder))
  return subfolder === undefined
    ? { reason: 'models uploads require the tag of a model folder' }
    : { type: 'models', subfolder }
}

/** The extension of a name, with its dot; longer ones than usual do not count. */
function endingOf(name: string): string {
  const ending = /(?<=[^.])\.[^./]*$/.exec(name)?.[0] ?? ''
  return ending.length <= 16 ? ending : ''
}

/** The name, or the first free one of `name (1).ext`, `name (2).ext`, ... */
function freeNameIn(world: World, { type, subfolder }: Folder, name: string): string {
  const ending = endingOf(name)
  const stem = name.slice(0, name.length - ending.length)
  let candidate = name
  for (let number = 1; get(world.state.files, fileKey(type, subfolder, candidate)); number++)
    candidate = `${stem} (${number})${ending}`
  return candidate
}
