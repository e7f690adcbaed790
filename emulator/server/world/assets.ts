// The assets of a world [assets/*]: adding, changing and removing them, and finding them by their file or content.

import { taggedFolders } from '../../../spec/assets/assets.ts'
import { limits } from '../../../spec/limits.ts'
import { createBounded, get, put, remove } from '../../lib/bounded.ts'
import { drawUuid } from '../../lib/random.ts'
import { type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import type { Asset, Assets, Moment } from '../state/assets.ts'
import type { FileContent, StoredFile } from '../state/files.ts'
import type { World } from '../state/world.ts'
import { isModel, mediaType } from './content-types.ts'
import { bytesOf, pictureOf } from './files.ts'
import { blake3Hex } from './hashing.ts'
import { runningOf } from './derived.ts'
import { nameOf } from './paths.ts'
import { waitingOf } from './queue.ts'
import { release } from './upload-quota.ts'

/** Longer tags of removed assets are forgotten. */
const MAX_KEPT_TAG = 512

export const createAssets = (limit: number): Assets => ({
  records: createBounded(limit),
  keysByHash: createBounded(limit),
  tags: createBounded(limit),
  textLength: 0,
  isScanned: false,
  scan: null,
  lastMoment: { ms: 0, tick: 0 },
})

/** The next moment: later than all earlier ones. */
function nextMoment({ state: { assets, nowMs } }: World): Moment {
  const { ms, tick } = assets.lastMoment
  assets.lastMoment = nowMs > ms ? { ms: nowMs, tick: 0 } : { ms, tick: tick + 1 }
  return assets.lastMoment
}

/** What the caller decides about a new asset. */
export type NewAsset = Pick<Asset, 'name' | 'key' | 'hash' | 'tags' | 'mimeType'> &
  Partial<
    Pick<Asset, 'id' | 'previewId' | 'userMetadata' | 'jobId' | 'isOfFile' | 'isOfClient'>
  > & {
    /** Null for a model file. */
    readonly content: FileContent | null
    readonly size?: number | null
    /** When it was made; absent for now. */
    readonly at?: Moment
  }

/** Tags without blanks around them, each once, in the order in which they are given. */
export const cleanTags = (tags: readonly string[]): readonly string[] => [
  ...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== '')),
]

const textLengthOf = ({ name, tags, userMetadata }: Asset): number =>
  tags.reduce((sum, tag) => sum + tag.length, name.length + userMetadata.length)

/** Whether texts of this length fit beside those of the other assets. */
export const hasRoomForTexts = ({ state: { assets } }: World, length: number): boolean =>
  assets.textLength + length <= limits.assetTexts.value

/** Adds an asset; the oldest one beyond the limit is forgotten. */
export function addAsset(world: World, given: NewAsset): Asset {
  const { name, key, hash, tags, mimeType, content, previewId, userMetadata, jobId } = given
  const at = given.at ?? nextMoment(world)
  const isOfFile = given.isOfFile ?? true
  const asset: Asset = {
    id: given.id ?? drawUuid(world.state.random),
    name,
    key,
    isOfFile,
    isOfClient: given.isOfClient ?? false,
    hash,
    size: given.size ?? (content === null ? null : (bytesOf(content)?.length ?? null)),
    mimeType,
    tags: cleanTags(tags).toSorted(),
    previewId: previewId ?? null,
    userMetadata: withFilename(world, { key, isOfFile }, userMetadata ?? '{}'),
    metadata: content === null ? null : metadataOf(content),
    jobId: jobId ?? null,
    createdAt: at,
    updatedAt: at,
    accessedAt: at,
  }
  keep(world, asset)
  if (hash !== null) put(world.state.assets.keysByHash, hash, key)
  return asset
}

function keep({ state: { assets } }: World, asset: Asset): void {
  for (const gone of put(assets.records, asset.id, asset)) assets.textLength -= textLengthOf(gone)
  assets.textLength += textLengthOf(asset)
  for (const tag of asset.tags) if (tag.length <= MAX_KEPT_TAG) put(assets.tags, tag, true)
}

/** The asset of an uploaded file: the one that the file has, or a new one. Newer servers also look for its content and name. */
export function assetOfFile(world: World, key: string): Asset {
  const content = get(world.state.files, key)?.content ?? null
  const hash = content !== null && hashesUploads(world) ? hashOf(content) : null
  const name = nameOf(key)
  const { hasNewerAssets } = world.setup.traits
  const same = hash === null || !hasNewerAssets ? undefined : sameAsset(world, hash, name)
  if (same !== undefined) return same
  // Older servers take a temporary file for an input, too.
  const more = !hasNewerAssets && key.startsWith('temp/') ? ['input', 'uploaded'] : ['uploaded']
  const tags = [...folderTags(world, key), ...more]
  const given = { key, hash, name, content, tags, mimeType: typeOf(world, hash, name) }
  const there = allAssets(world).find((asset) => asset.key === key)
  return there === undefined ? addAsset(world, given) : replaceContent(world, there, given)
}

/** The asset of a file whose content has been replaced. */
function replaceContent(world: World, asset: Asset, { hash, content }: NewAsset): Asset {
  const of = content === null ? null : content
  const changed = Object.assign({}, asset, {
    hash,
    size: of === null ? null : (bytesOf(of)?.length ?? null),
    metadata: of === null ? null : metadataOf(of),
    updatedAt: nextMoment(world),
  })
  keep(world, changed)
  if (hash !== null) put(world.state.assets.keysByHash, hash, asset.key)
  return changed
}

/** The type of a content: the one that it already has, or that of a file with this name. */
const typeOf = (world: World, hash: string | null, name: string): string =>
  withHash(world, hash)[0]?.mimeType ?? mediaType(name) ?? 'application/octet-stream'

/** The asset of a file that a run has saved. */
export function assetOfOutput(world: World, key: string, jobId: string): Asset {
  const content = get(world.state.files, key)?.content ?? null
  const hash = content !== null && hashesFiles(world) ? hashOf(content) : null
  const name = nameOf(key)
  const mimeType = typeOf(world, hash, name)
  const tags = [
    ...folderTags(world, key),
    ...(world.setup.traits.hasNewerAssets ? [] : ['uploaded']),
  ]
  return addAsset(world, { key, hash, name, content, mimeType, jobId, tags })
}

const known: ReadonlySet<string> = new Set(taggedFolders)

/** The tags of an input, an output or a temporary file for the folder in which it is [assets/upload-folders]. */
export function folderTags({ setup }: World, key: string): readonly string[] {
  const [root = '', folder = '', ...rest] = key.split('/')
  const isTagged = root === 'input' && rest.length === 1 && known.has(folder)
  return isTagged && !setup.traits.hasNewerAssets ? [root, folder] : [root]
}

const MODELS = 'models/'

/** The path of an asset's file below its root, and the name with which a node loads it, if one does. */
export function pathsOf({ key }: Pick<Asset, 'key'>): {
  readonly display: string
  readonly loader: string | null
} {
  const display = key.slice(key.indexOf('/') + 1).replace(/^\//, '')
  if (!key.startsWith(MODELS)) return { display, loader: display }
  return { display, loader: isModel(display) ? display.slice(display.indexOf('/') + 1) : null }
}

/** The metadata from a client, with the name of the file, if the asset has one [assets/filename]. */
function withFilename(
  { setup }: World,
  of: Pick<Asset, 'key' | 'isOfFile'>,
  userMetadata: string,
): string {
  const { loader } = pathsOf(of)
  if (!of.isOfFile || loader === null || !setup.traits.repeatsFilename) return userMetadata
  const members = readJson(userMetadata) as JsonObject
  return writeJson(new Map([...members, ['filename', loader]]))
}

/** An asset with this content and name. */
export const sameAsset = (world: World, hash: string, name: string): Asset | undefined =>
  allAssets(world).find((asset) => asset.hash === hash && asset.name === name)

/** What a file's content says about itself, as JSON text: the size of a picture. */
function metadataOf(content: FileContent): string | null {
  const picture = pictureOf(content)
  if (picture === undefined) return null
  return JSON.stringify({ kind: 'image', width: picture.width, height: picture.height })
}

/** Changes an asset, and returns it as it is then. */
export function changeAsset(
  world: World,
  asset: Asset,
  change: Partial<Pick<Asset, 'name' | 'userMetadata' | 'previewId' | 'tags' | 'mimeType'>>,
): Asset {
  const userMetadata = withFilename(world, asset, change.userMetadata ?? asset.userMetadata)
  const changed = Object.assign({}, asset, change, { userMetadata, updatedAt: nextMoment(world) })
  keep(world, changed)
  return changed
}

/** Notes that the content of an asset was read. */
export function touchAsset(world: World, asset: Asset): void {
  keep(world, Object.assign({}, asset, { accessedAt: nextMoment(world) }))
}

/** Forgets an asset. Its file stays, and is found by its hash. */
export function removeAsset({ state: { assets } }: World, asset: Asset): void {
  if (remove(assets.records, asset.id)) assets.textLength -= textLengthOf(asset)
}

/** Forgets an asset in both hosted APIs, and removes its file if no other asset has it [hosted-assets/delete]. */
export function removeContent(world: World, asset: Asset): void {
  const { files, v2, installs } = world.state
  const { id, key } = asset
  removeAsset(world, asset)
  remove(v2.assets, id)
  put(v2.deletedAssets, id, true)
  const file = get(files, key)
  if (file === undefined || allAssets(world).some((other) => other.key === key)) return
  remove(files, key)
  release(world, file.content)
  if (key.startsWith(MODELS)) remove(installs.models, key.slice(MODELS.length))
}

/** Whether a run that is not over names the file of an asset [hosted-assets/delete-in-use]. */
export function isInUse(world: World, { key }: Asset): boolean {
  const name = JSON.stringify(pathsOf({ key }).loader)
  const open = [...waitingOf(world), ...runningOf(world).map(({ run }) => run)]
  return open.some(({ graphText }) => graphText.includes(name))
}

/** Whether all accounts share an asset: a model of the catalogue. */
export const isPublic = ({ setup }: World, { key, isOfClient }: Asset): boolean =>
  setup.traits.sharesModels && !isOfClient && key.startsWith(MODELS)

export const assetWithId = ({ state }: World, id: string): Asset | undefined =>
  get(state.assets.records, id)

/** All assets, oldest first. */
export const allAssets = ({ state }: World): readonly Asset[] =>
  Array.from(state.assets.records.entries.values(), ({ value }) => value)

/** Whether the server hashes the contents of its files. */
export const hashesFiles = ({ setup }: World): boolean =>
  setup.options.assetHashing || setup.traits.hashesContents

/** Whether it hashes those of uploads: older servers always do. */
export const hashesUploads = (world: World): boolean =>
  !world.setup.traits.hasNewerAssets || hashesFiles(world)

/** The hashes of contents by their bytes, which never change. */
const hashes = new WeakMap<Uint8Array, string>()

/** The hash of a content; null for a picture, which is only encoded on request. */
export function hashOf(content: FileContent): string | null {
  const bytes = bytesOf(content)
  if (bytes === undefined) return null
  const hash = hashes.get(bytes) ?? `blake3:${blake3Hex(bytes)}`
  hashes.set(bytes, hash)
  return hash
}

/** The stored file with this hash, and its key; undefined if the server does not have it, or no longer. */
export function fileWithHash(
  { state: { assets, files } }: World,
  hash: string,
): { readonly key: string; readonly file: StoredFile } | undefined {
  const key = get(assets.keysByHash, hash)
  const file = key === undefined ? undefined : get(files, key)
  return key === undefined || file === undefined || hashOf(file.content) !== hash
    ? undefined
    : { key, file }
}

/** The assets with this hash, oldest first. */
export const withHash = (world: World, hash: string | null): readonly Asset[] =>
  hash === null ? [] : allAssets(world).filter((asset) => asset.hash === hash)

/** The asset of a file with this content; undefined if no such file has an asset any more. */
export const assetOfContent = (world: World, hash: string | null): Asset | undefined =>
  withHash(world, hash).find(({ isOfFile, key }) => isOfFile && get(world.state.files, key))

const HASH = /^blake3:[0-9a-f]{64}$/

/** A hash in its usual spelling; undefined if it is malformed. */
export function readHash(text: string): string | undefined {
  const hash = text.trim().toLowerCase()
  return HASH.test(hash) ? hash : undefined
}
