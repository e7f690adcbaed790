// GET /view [files/view-*]: returns a file as it is, or its picture in another format or with fewer channels.

import { get } from '../../lib/bounded.ts'
import type { Body } from '../../machine.ts'
import { COLOUR_TYPE_AT } from '../../pictures/codecs/png-chunks.ts'
import { longestSide, type Picture, type PictureFile } from '../../pictures/picture.ts'
import { hash53 } from '../../lib/random.ts'
import { isDigits, withAsciiDigits } from '../../lib/python.ts'
import { type Reply, refuse } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import { assetOfContent, fileWithHash, readHash, withHash } from '../world/assets.ts'
import { contentType, mediaType } from '../world/content-types.ts'
import { fileBody, fileFacts, intactPicture, fileKey } from '../world/files.ts'
import { guardFile, UNKNOWN_TYPE } from '../world/guarded-files.ts'
import {
  splitAnnotation,
  type FolderType,
  isFolderType,
  nameOf,
  pathWithin,
} from '../world/paths.ts'
import { momentOf } from '../world/derived.ts'
import type { FileContent, StoredFile } from '../state/files.ts'
import type { World } from '../state/world.ts'

/** The bytes of a file with the media type of its extension, or its picture in the requested form. */
export function view(world: World, request: Request): Reply {
  const { query } = request
  const asked = parameter(query, 'filename')
  if (asked === undefined) return refuse('notFoundEmpty')
  const conversion = conversionOf(parameter(query, 'preview'), parameter(query, 'channel') ?? '')
  const hash = world.setup.traits.knowsAssets ? readHash(asked) : undefined
  if (hash !== undefined) return viewByHash(world, request, hash, conversion)
  const { name, type: annotatedType } = splitAnnotation(asked)
  if (name === '' || name.startsWith('/') || name.includes('..')) return refuse('badRequestEmpty')
  const type = annotatedType ?? parameter(query, 'type') ?? 'output'
  if (!isFolderType(type)) return refuse('badRequestEmpty')
  const subfolder = pathWithin(type, parameter(query, 'subfolder') ?? '')
  if (subfolder === undefined) return refuse('forbiddenEmpty')
  if (!hasFoldersOnTheWay(world, type, parameter(query, 'subfolder') ?? ''))
    return refuse('notFoundEmpty')
  const filename = nameOf(name)
  const file = get(world.state.files, fileKey(type, subfolder, filename))
  if (file === undefined) return refuse('notFoundEmpty')
  return sentFile(world, request, filename, file, conversion)
}

/** A stored file as it is, or its picture in another form. */
function sentFile(
  world: World,
  { headers: asked }: Request,
  filename: string,
  file: StoredFile,
  conversion: Conversion | undefined,
): Reply {
  if (conversion !== undefined)
    return convertedFile(filename, file.content, conversion) ?? refuse('internal')
  const whole = wholeFile(world, filename, file)
  if (!world.setup.traits.guardsFiles) return whole
  const { type, isDownload, headers } = guardFile(world, mediaType(filename) ?? UNKNOWN_TYPE, asked)
  const name = `filename="${headerText(filename.replace(/["\\]/g, '\\$&'))}"`
  const own = {
    'Content-Disposition': isDownload ? `attachment; ${name}` : name,
    'Content-Type': type,
  }
  return Object.assign({}, whole, { headers: Object.assign(own, headers) })
}

/** The file with this hash, under the name of an asset of it; folder and subfolder do not matter [assets/view-hash]. */
function viewByHash(
  world: World,
  request: Request,
  hash: string,
  conversion: Conversion | undefined,
): Reply {
  const found = fileWithHash(world, hash)
  const { hasNewerAssets } = world.setup.traits
  const asset = hasNewerAssets ? withHash(world, hash)[0] : assetOfContent(world, hash)
  if (found === undefined || (asset === undefined && !hasNewerAssets))
    return refuse('notFoundEmpty')
  const name = asset?.name || nameOf((asset ?? found).key)
  return sentFile(world, request, name, found.file, conversion)
}

/** Whether the folders before each `..` of a path exist: a file system requires it. */
export function hasFoldersOnTheWay(world: World, type: FolderType, path: string): boolean {
  if (!path.includes('..')) return true
  const parts = path.split('/')
  return parts.every((part, at) => {
    const left = part === '..' ? pathWithin(type, parts.slice(0, at).join('/')) : undefined
    if (left === undefined || left === '') return true
    const key = fileKey(type, left, '')
    const below = `${type}/${left}/`
    return [...world.state.files.entries.keys()].some(
      (one) => one.startsWith(key) || one.startsWith(below),
    )
  })
}

const fileHeaders = (filename: string, type: string): Readonly<Record<string, string>> => ({
  'Content-Disposition': `filename="${headerText(filename)}"`,
  'Content-Type': type,
})

/** Stored files never change: the reply to each is built once, and its picture is cached by identity. */
const wholeFiles = new WeakMap<StoredFile, Reply>()

/** A stored file as it is, under its stored name. */
export function wholeFile(world: World, filename: string, stored: StoredFile): Reply {
  const known = wholeFiles.get(stored)
  if (known !== undefined) return known
  const { content, modifiedMs } = stored
  const headers = fileHeaders(filename, contentType(filename))
  const file = fileFacts(momentOf(world, modifiedMs), content)
  const reply = { status: 200, headers, body: fileBody(content), file }
  wholeFiles.set(stored, reply)
  return reply
}

/** The picture of a file in another form; undefined if it is not a picture, or the form is impossible. */
export function convertedFile(
  filename: string,
  content: FileContent,
  conversion: Conversion,
): Reply | undefined {
  const body = convert(content, conversion)
  if (body === undefined) return undefined
  return { status: 200, headers: fileHeaders(filename, `image/${conversion.format}`), body }
}

/** The requested form of a picture. */
export type Conversion = Pick<PictureFile, 'channels' | 'quality'> & {
  readonly format: keyof typeof longestSide
  /** The maximum side length, in pixels; absent for the original size. */
  readonly fitted?: number
}

/** The conversion that preview and channel request; undefined for the file itself. */
function conversionOf(preview: string | undefined, channel: string): Conversion | undefined {
  if (preview === undefined) {
    return channel === 'rgb' || channel === 'a' ? { format: 'png', channels: channel } : undefined
  }
  const parts = preview.split(';')
  const last = parts.at(-1) ?? ''
  // If Python accepts the characters as digits but cannot convert them, the quality is absent.
  const quality = isDigits(last) ? Number(withAsciiDigits(last)) : DEFAULT_QUALITY
  // Any channel with an a, such as rgba, requires a format with alpha.
  if (parts[0] === 'jpeg' && !channel.includes('a')) return { format: 'jpeg', quality }
  return { format: 'webp', quality, ...(channel === 'rgb' && { channels: channel }) }
}

const DEFAULT_QUALITY = 90

/** The picture of a file in another form; undefined if it is not a picture, or the form is impossible. */
function convert(content: FileContent, conversion: Conversion): Body | undefined {
  const { format, quality = DEFAULT_QUALITY, channels, fitted } = conversion
  const whole = intactPicture(content)
  if (whole === undefined) return undefined
  const picture = fitted === undefined ? whole : fit(whole, fitted)
  if (Number.isNaN(quality)) return undefined
  if (Math.max(picture.width, picture.height) > longestSide[format]) return undefined
  if (format === 'jpeg') {
    return { picture, format, text: [], quality: Math.min(Math.max(quality, 1), 100) }
  }
  // WebP files are lossless: the quality is validated, but has no effect [files/view-webp].
  if (format === 'webp' && quality > 100) return undefined
  const source = channels === 'a' && !hasAlphaChannel(picture) ? black(picture) : picture
  return { picture: source, format, text: [], ...(channels && { channels }) }
}

/** The picture scaled down, so that no side is longer than this. */
function fit(of: Picture, longest: number): Picture {
  const scale = longest / Math.max(of.width, of.height)
  if (scale >= 1) return of
  const [width = 1, height = 1] = [of.width, of.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  )
  return { kind: 'scaled', id: hash53(`fitted ${of.kind} ${of.id}`), width, height, of }
}

/** The colour type with red, green, blue and alpha. */
const RGBA = 6

/** Other kinds of alpha, such as that of a palette, count as none for the alpha channel alone. */
const hasAlphaChannel = (picture: Picture): boolean =>
  picture.kind !== 'stored' || picture.bytes[COLOUR_TYPE_AT] === RGBA

const black = ({ id, width, height }: Picture): Picture => ({
  kind: 'solid',
  id,
  width,
  height,
  color: 0,
})

/** A header value for a name: its UTF-8 bytes without control characters, which headers must not contain. */
function headerText(name: string): string {
  if (/^[ -~]*$/.test(name)) return name
  const bytes = new TextEncoder().encode(name.replace(/[\0-\x08\n-\x1f\x7f]/g, ''))
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
