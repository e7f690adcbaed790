// What GET /view gives [files/view-*]: a file as it is, or its picture in another format or with fewer channels.

import { get } from '../bounded.ts'
import { isObject, type JsonObject, readJson, writeJson } from '../json.ts'
import type { Body } from '../machine.ts'
import { longestSide, type Picture, type PictureFile } from '../pictures/picture.ts'
import { type Reply, refuse } from '../replies.ts'
import { parameter, type Request } from '../requests.ts'
import { contentType } from './content-types.ts'
import {
  bytesOf,
  fileFacts,
  type FileContent,
  intactPicture,
  keyOf,
  type SavedBy,
} from './files.ts'
import { annotated, isFolderType, pathWithin } from './paths.ts'
import { withFingerprints } from './fingerprints.ts'
import type { World } from './world.ts'

/** The bytes of a file, with the type that its name suggests, or its picture as it is asked for. */
export function view(world: World, { query }: Request): Reply {
  const asked = parameter(query, 'filename')
  if (asked === undefined) return refuse('notFoundEmpty')
  const { name, type: annotatedType } = annotated(asked)
  if (name === '' || name.startsWith('/') || name.includes('..')) return refuse('badRequestEmpty')
  const type = annotatedType ?? parameter(query, 'type') ?? 'output'
  if (!isFolderType(type)) return refuse('badRequestEmpty')
  const subfolder = pathWithin(type, parameter(query, 'subfolder') ?? '')
  if (subfolder === undefined) return refuse('forbiddenEmpty')
  const filename = name.slice(name.lastIndexOf('/') + 1)
  const file = get(world.files, keyOf(type, subfolder, filename))
  if (file === undefined) return refuse('notFoundEmpty')
  const disposition = { 'Content-Disposition': `filename="${headerText(filename)}"` }
  const conversion = conversionOf(parameter(query, 'preview'), parameter(query, 'channel') ?? '')
  if (conversion !== undefined) {
    const body = convert(file.content, conversion)
    if (body === undefined) return refuse('internal')
    const headers = { ...disposition, 'Content-Type': `image/${conversion.format}` }
    return { status: 200, headers, body }
  }
  const headers = { ...disposition, 'Content-Type': contentType(filename) }
  const facts = fileFacts(world.options.epochMs + Math.floor(file.modifiedMs), file.content)
  return { status: 200, headers, body: bodyOf(file.content), file: facts }
}

function bodyOf(content: FileContent): Body {
  if (!('picture' in content)) return bytesOf(content) as Uint8Array
  const { run, ...file } = content
  return { ...file, text: run === undefined ? [] : textsOf(run) }
}

/** The texts that a saved picture holds: the graph, then each member of `extra_pnginfo` [files/workflow-in-png]. */
function textsOf(run: SavedBy): [keyword: string, text: string][] {
  const { graphText, extraDataText, fingerprints } = run
  const prompt =
    fingerprints.size === 0
      ? graphText
      : writeJson(withFingerprints(readJson(graphText) as JsonObject, fingerprints))
  const texts: [string, string][] = [['prompt', prompt]]
  const extra = readJson(extraDataText)
  const info = isObject(extra) ? extra.get('extra_pnginfo') : undefined
  if (isObject(info)) for (const [keyword, value] of info) texts.push([keyword, writeJson(value)])
  return texts
}

/** The form in which a picture is asked for. */
type Conversion = Pick<PictureFile, 'format' | 'channels' | 'quality'>

/** What preview and channel ask for; undefined when that is the file itself. */
function conversionOf(preview: string | undefined, channel: string): Conversion | undefined {
  if (preview === undefined) {
    return channel === 'rgb' || channel === 'a' ? { format: 'png', channels: channel } : undefined
  }
  const parts = preview.split(';')
  const last = parts.at(-1) ?? ''
  const quality = /^\d+$/.test(last) ? Number(last) : DEFAULT_QUALITY
  // Any channel with an a, such as rgba, needs a format that has alpha.
  if (parts[0] === 'jpeg' && !channel.includes('a')) return { format: 'jpeg', quality }
  return { format: 'webp', quality, ...(channel === 'rgb' && { channels: channel }) }
}

const DEFAULT_QUALITY = 90

/** The picture of a file in another form; undefined when it is none, or one that cannot have that form. */
function convert(content: FileContent, conversion: Conversion): Body | undefined {
  const { format, quality = DEFAULT_QUALITY, channels } = conversion
  const picture = intactPicture(content)
  if (picture === undefined) return undefined
  if (Math.max(picture.width, picture.height) > longestSide[format]) return undefined
  if (format === 'jpeg') {
    return { picture, format, text: [], quality: Math.min(Math.max(quality, 1), 100) }
  }
  // WebP files are lossless: the quality is checked, and has no effect [files/view-webp].
  if (format === 'webp' && quality > 100) return undefined
  const source = channels === 'a' && !hasAlphaChannel(picture) ? black(picture) : picture
  return { picture: source, format, text: [], ...(channels && { channels }) }
}

/** Where an uploaded PNG file tells its colour type, and the type that has red, green, blue and alpha. */
const COLOUR_TYPE_AT = 25
const RGBA = 6

/** The alpha of other uploads, such as that of a palette, counts as none when alpha alone is asked for. */
const hasAlphaChannel = (picture: Picture): boolean =>
  picture.kind !== 'stored' || picture.bytes[COLOUR_TYPE_AT] === RGBA

const black = ({ id, width, height }: Picture): Picture => ({
  kind: 'solid',
  id,
  width,
  height,
  color: 0,
})

/** A header carries bytes: the UTF-8 bytes of the name, without control characters, which no header can hold. */
function headerText(name: string): string {
  const bytes = new TextEncoder().encode(name.replace(/[\0-\x08\n-\x1f\x7f]/g, ''))
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
