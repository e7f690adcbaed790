// Uploads [files/upload-*]: stores the file of a form, chooses its name, and builds the response.

import { get } from '../../lib/bounded.ts'
import { json, type Reply, refuse } from '../../http/replies.ts'
import { readForm } from '../../http/multipart.ts'
import type { Request } from '../../http/requests.ts'
import { assetOfFile } from '../world/assets.ts'
import { bytesOf, fileKey, store } from '../world/files.ts'
import { heldWith } from '../world/upload-quota.ts'
import { type FolderType, isFolderType, pathWithin } from '../world/paths.ts'
import type { FileContent } from '../state/files.ts'
import type { World } from '../state/world.ts'

/** A form of an upload: its file and its fields. */
export type Upload = {
  readonly bytes: Uint8Array
  readonly field: (name: string) => string | undefined
}

/**
 * Creates the content to store under a name. Returns `nothing` without any, `broken` if the real server crashes.
 */
type ContentMaker = (upload: Upload, name: string) => FileContent | 'nothing' | 'broken'

/** Stores an uploaded file as it is. */
export const uploadImage = (world: World, request: Request): Reply =>
  receive(world, request, ({ bytes }) => ({ bytes }))

/** Stores the content that `make` creates from an upload. A name that other content already has gets a number. */
export function receive(world: World, request: Request, make: ContentMaker): Reply {
  const form = readForm(request)
  if (form === undefined) return refuse('internal')
  const { image, field } = form
  const type = field('type') ?? 'input'
  if (!isFolderType(type)) return refuse('internal')
  if (image === undefined) return refuse('badRequestEmpty')
  if (image.filename === undefined) return refuse('internal')
  const target = uploadTarget(world, type, field('subfolder') ?? '', image.filename)
  if (target === 'outside') return refuse('badRequestEmpty')
  if (target === 'folder') return refuse('internal')
  const overwrite = field('overwrite') === 'true' || field('overwrite') === '1'
  const name = overwrite ? target.name : freeName(world, type, target, image.bytes)
  if (overwrite || get(world.state.files, fileKey(type, target.subfolder, name)) === undefined) {
    const content = make({ bytes: image.bytes, field }, name)
    if (content === 'broken') return refuse('internal')
    const refusal =
      content === 'nothing' ? undefined : storeUpload(world, type, target, name, content)
    if (refusal !== undefined) return refusal
  }
  const reply = { name: target.within + name, subfolder: field('subfolder') ?? '', type }
  const asset = uploadedAsset(world, fileKey(type, target.subfolder, name))
  return json(JSON.stringify(asset === undefined ? reply : Object.assign(reply, { asset })))
}

/** What the reply says of the asset of an uploaded file, on a server with assets [assets/of-upload]. */
function uploadedAsset(world: World, key: string): Readonly<Record<string, unknown>> | undefined {
  if (!world.setup.options.assets) return undefined
  const { id, name, hash, size, mimeType, tags } = assetOfFile(world, key)
  return { id, name, asset_hash: hash, size, mime_type: mimeType, tags }
}

/** Stores the content of an upload, or rejects it. */
function storeUpload(
  world: World,
  type: FolderType,
  target: Target,
  name: string,
  content: FileContent,
): Reply | undefined {
  // Uploads create their subfolder, but no folder from the file name itself.
  const exists = target.within === '' || `${target.created}/`.startsWith(`${target.subfolder}/`)
  if (!exists && !hasFolder(world, type, target.subfolder)) return refuse('internal')
  if (heldWith(world, content) > world.setup.options.uploadLimitBytes) {
    return refuse('bodyTooLarge', {}, { limit: `${world.setup.options.uploadLimitBytes}` })
  }
  store(world, type, target.subfolder, name, content)
  return undefined
}

/** The destination of a file; `within` is the part of its name up to the last slash, `created` the subfolder. */
type Target = {
  readonly subfolder: string
  readonly name: string
  readonly within: string
  readonly created: string
}

/** The destination of an upload; it must be inside the folder of its type, and not be a folder. */
function uploadTarget(
  world: World,
  type: FolderType,
  subfolder: string,
  filename: string,
): Target | 'outside' | 'folder' {
  const path = pathWithin(type, subfolder === '' ? filename : `${subfolder}/${filename}`)
  if (path === undefined) return 'outside'
  // The subfolder is created before its file.
  const created = pathWithin(type, subfolder) ?? ''
  if (`${created}/`.startsWith(`${path}/`) || hasFolder(world, type, path)) return 'folder'
  const cut = path.lastIndexOf('/')
  const within = filename.slice(0, filename.lastIndexOf('/') + 1)
  return {
    subfolder: cut < 0 ? '' : path.slice(0, cut),
    name: path.slice(cut + 1),
    within,
    created,
  }
}

function hasFolder(world: World, type: FolderType, subfolder: string): boolean {
  if (subfolder === '') return true
  return [...world.state.files.entries.keys()].some((key) =>
    key.startsWith(`${type}/${subfolder}/`),
  )
}

/**
 * The name itself if it is free or has the same bytes; otherwise the first such name of `name (1).ext`, `name (2).ext`,
 * ...
 */
function freeName(
  world: World,
  type: FolderType,
  { subfolder, name }: { subfolder: string; name: string },
  bytes: Uint8Array,
): string {
  const cut = name.lastIndexOf('.')
  const [stem, ending] = cut > 0 ? [name.slice(0, cut), name.slice(cut)] : [name, '']
  let candidate = name
  for (let number = 1; ; number++) {
    const file = get(world.state.files, fileKey(type, subfolder, candidate))
    if (file === undefined || hasContent(file.content, bytes)) return candidate
    candidate = `${stem} (${number})${ending}`
  }
}

function hasContent(content: FileContent, bytes: Uint8Array): boolean {
  const held = bytesOf(content)
  return held?.length === bytes.length && held.every((byte, index) => byte === bytes[index])
}
