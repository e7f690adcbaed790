// Masks [files/mask*]: uploads whose alpha channel is applied to the picture that original_ref names.

import { get } from '../../lib/bounded.ts'
import { isObject, type Json, readJson } from '../../lib/json.ts'
import { probeIntact } from '../../pictures/codecs/intact.ts'
import { longestSide, type Picture } from '../../pictures/picture.ts'
import { textChunksOf } from '../../pictures/codecs/png-chunks.ts'
import { hash53 } from '../../lib/random.ts'
import type { Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { bytesOf, intactPicture, fileKey, storedPicture } from '../world/files.ts'
import { splitAnnotation, isFolderType, pathWithin } from '../world/paths.ts'
import { receive } from './uploads.ts'
import { hasFoldersOnTheWay } from './view.ts'
import type { FileContent } from '../state/files.ts'
import type { World } from '../state/world.ts'

/** Stores a copy of the original with the alpha channel of the uploaded mask. */
export const uploadMask = (world: World, request: Request): Reply =>
  receive(world, request, ({ bytes, field }, name) => {
    const original = originalOf(world, field('original_ref'))
    return typeof original === 'string' ? original : masked(original, bytes, name)
  })

/** The file that a reference names; `nothing` if it does not exist, `broken` for an invalid reference. */
function originalOf(
  world: World,
  reference: string | undefined,
): FileContent | 'nothing' | 'broken' {
  let value: Json
  try {
    value = readJson(reference ?? '')
  } catch {
    return 'broken'
  }
  const filename = isObject(value) ? value.get('filename') : undefined
  if (!isObject(value) || typeof filename !== 'string') return 'broken'
  const { name, type: annotatedType } = splitAnnotation(filename)
  if (name === '' || name.startsWith('/') || name.includes('..')) return 'nothing'
  const { type = 'output', subfolder = '' } = Object.fromEntries(value)
  const folder = annotatedType ?? type
  if (typeof folder !== 'string' || !isFolderType(folder)) return 'nothing'
  if (typeof subfolder !== 'string') return 'broken'
  const path = pathWithin(folder, `${subfolder || '.'}/${name}`)
  if (path === undefined || pathWithin(folder, subfolder) === undefined) return 'nothing'
  if (!hasFoldersOnTheWay(world, folder, subfolder)) return 'nothing'
  const cut = path.lastIndexOf('/')
  const key = fileKey(folder, path.slice(0, Math.max(cut, 0)), path.slice(cut + 1))
  return get(world.state.files, key)?.content ?? 'nothing'
}

/** The original with the alpha of an uploaded mask, as a file of this name; `broken` if either cannot be decoded. */
export function masked(
  original: FileContent,
  bytes: Uint8Array,
  name: string,
): FileContent | 'broken' {
  const picture = intactPicture(original)
  const mask = probeIntact(bytes) === null ? undefined : storedPicture(bytes)
  const format = formatOf(name)
  if (picture === undefined || mask === undefined || format === undefined) return 'broken'
  const { width, height } = picture
  if (mask.width !== width || mask.height !== height) return 'broken'
  if (Math.max(width, height) > longestSide[format]) return 'broken'
  // A second mask replaces the first, so that recipes do not grow.
  const of = picture.kind === 'masked' ? picture.of : picture
  const id = hash53(`${of.kind} ${of.id} masked ${mask.id}`)
  const composite: Picture = { kind: 'masked', id, width, height, of, mask }
  const texts = format === 'png' ? textsOfPng(original) : {}
  return { picture: composite, format, channels: 'rgba', ...texts }
}

/** The format for the extension of the name, among those that support alpha. */
function formatOf(name: string): 'png' | 'webp' | undefined {
  const cut = name.lastIndexOf('.')
  const ending = cut > 0 ? name.slice(cut + 1).toLowerCase() : ''
  return ending === 'png' || ending === 'webp' ? ending : undefined
}

/** The text chunks of an original that is a PNG file: of its run, or of its upload. */
function textsOfPng(original: FileContent): Partial<Extract<FileContent, { picture: Picture }>> {
  if ('picture' in original) {
    if (original.format !== 'png') return {}
    const { run, textChunks } = original
    return { ...(run && { run }), ...(textChunks && { textChunks }) }
  }
  const bytes = bytesOf(original) as Uint8Array
  const isPng = probeIntact(bytes)?.format === 'png'
  const textChunks = isPng ? textChunksOf(bytes) : new Uint8Array()
  return textChunks.length > 0 ? { textChunks } : {}
}
