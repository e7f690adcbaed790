// The three folders of files [files/*]: what is stored, under which names, and what GET /view and uploads do.

import type { fileEntry } from '../../spec/files.ts'
import type { Static } from '../../spec/language.ts'
import {
  getMultipartBoundary,
  type MultipartPart,
  parseMultipart,
} from '@remix-run/multipart-parser'
import { get, put } from '../bounded.ts'
import { isObject, readJson, writeJson } from '../json.ts'
import type { Body } from '../machine.ts'
import type { Picture, PictureFormat } from '../pictures/picture.ts'
import { probePicture } from '../pictures/probe.ts'
import { hash53 } from '../random.ts'
import { json, type Reply, refuse } from '../replies.ts'
import { parameter, type Request } from '../requests.ts'
import { annotated, type FolderType, folderTypes, normalisePath } from './file-inputs.ts'
import type { World } from './world.ts'

/** Bytes, or a picture that becomes bytes when somebody asks for them. `run` is the one that saved it. */
export type FileContent =
  | { readonly bytes: Uint8Array }
  | { readonly picture: Picture; readonly format: PictureFormat; readonly run?: SavedBy }

/** What a saved picture tells of its run: JSON texts, shared with the history. */
export type SavedBy = { readonly graphText: string; readonly extraDataText: string }

export type StoredFile = { readonly content: FileContent; readonly modifiedMs: number }

/** A file as an entry of an output names it. */
type FileEntry = Static<typeof fileEntry>

const keyOf = (type: string, subfolder: string, name: string): string =>
  `${type}/${subfolder}/${name}`

/** The input file that the catalogue names, so that a workflow with its defaults runs. */
export function addExampleFiles(world: World): void {
  const id = hash53(`${world.pictureSeed}:example.png`)
  const picture: Picture = { kind: 'painted', id, width: 512, height: 512 }
  store(world, 'input', '', 'example.png', { picture, format: 'png' })
}

function store(
  world: World,
  type: FolderType,
  subfolder: string,
  name: string,
  content: FileContent,
): void {
  const key = keyOf(type, subfolder, name)
  const old = get(world.files, key)
  world.uploadedBytes += sizeOfUpload(content) - (old === undefined ? 0 : sizeOfUpload(old.content))
  const dropped = put(world.files, key, { content, modifiedMs: world.nowMs })
  for (const file of dropped) world.uploadedBytes -= sizeOfUpload(file.content)
  countName(world, type, subfolder, name)
}

const sizeOfUpload = (content: FileContent): number =>
  'bytes' in content ? content.bytes.length : 0

/** Keeps the highest number that stands between `base_` and the next `_`, for every base that the name has. */
function countName(world: World, type: string, subfolder: string, name: string): void {
  const parts = name.split('_')
  for (let at = 1; at < parts.length - 1; at++) {
    const part = parts[at] as string
    if (!/^\d{1,15}$/.test(part)) continue
    const key = keyOf(type, subfolder, parts.slice(0, at).join('_'))
    put(world.counters, key, Math.max(get(world.counters, key) ?? 0, Number(part)))
  }
}

/**
 * Writes the files of a node under the next free counter of its prefix.
 * Returns the entries, or the reason why the prefix cannot be used.
 */
export function saveFiles(
  world: World,
  save: {
    type: 'output' | 'temp'
    prefix: string
    ending: string
    contents: readonly FileContent[]
  },
  run: SavedBy,
): readonly FileEntry[] | string {
  const prefix = fillPlaceholders(world, save.prefix, save.contents[0])
  const path = normalisePath(prefix)
  if (path === undefined || path.includes('\0')) {
    return `**** ERROR: Saving image outside the output folder is not allowed.\n prefix: ${save.prefix}`
  }
  const cut = path.lastIndexOf('/')
  const subfolder = cut < 0 ? '' : path.slice(0, cut)
  const base = path.slice(cut + 1)
  const counter = (get(world.counters, keyOf(save.type, subfolder, base)) ?? 0) + 1
  return save.contents.map((content, index) => {
    const batched = base.replaceAll('%batch_num%', `${index}`)
    const filename = `${batched}_${String(counter + index).padStart(5, '0')}_.${save.ending}`
    const saved =
      'picture' in content ? { picture: content.picture, format: content.format, run } : content
    store(world, save.type, subfolder, filename, saved)
    return { filename, subfolder, type: save.type }
  })
}

function fillPlaceholders(world: World, prefix: string, first: FileContent | undefined): string {
  if (!prefix.includes('%')) return prefix
  const now = new Date(world.options.epochMs + world.nowMs).toISOString()
  const picture = first !== undefined && 'picture' in first ? first.picture : undefined
  return prefix
    .replaceAll('%width%', `${picture?.width ?? 0}`)
    .replaceAll('%height%', `${picture?.height ?? 0}`)
    .replaceAll('%year%', now.slice(0, 4))
    .replaceAll('%month%', now.slice(5, 7))
    .replaceAll('%day%', now.slice(8, 10))
    .replaceAll('%hour%', now.slice(11, 13))
    .replaceAll('%minute%', now.slice(14, 16))
    .replaceAll('%second%', now.slice(17, 19))
}

/** A stored file as a picture, or undefined when it is none. */
export function pictureOf({ content }: StoredFile): Picture | undefined {
  if ('picture' in content) return content.picture
  const { bytes } = content
  const found = probePicture(bytes)
  if (found === null) return undefined
  return { kind: 'stored', id: hashBytes(bytes), width: found.width, height: found.height, bytes }
}

/** A text that changes when the content of the file does. */
export function fileFingerprint({ content }: StoredFile): string {
  if ('bytes' in content) return `${content.bytes.length}:${hashBytes(content.bytes)}`
  const { kind, id, width, height } = content.picture
  return `${kind}:${id}:${width}x${height}`
}

const hashed = new WeakMap<Uint8Array, number>()

function hashBytes(bytes: Uint8Array): number {
  const known = hashed.get(bytes)
  if (known !== undefined) return known
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    high = Math.imul(high ^ byte, 0x01000193)
    low = Math.imul(low ^ (byte + at), 0x85ebca6b)
  }
  const hash = hash53(`${bytes.length}:${high}:${low}`)
  hashed.set(bytes, hash)
  return hash
}

/** The bytes of a file, with the type that its name suggests [files/view-*]. */
export function view(world: World, request: Request): Reply {
  const asked = parameter(request.query, 'filename')
  if (asked === undefined) return refuse('notFoundEmpty')
  const { name, type: annotatedType } = annotated(asked)
  if (name === '' || name.startsWith('/') || name.includes('..')) return refuse('badRequestEmpty')
  const type = annotatedType ?? parameter(request.query, 'type') ?? 'output'
  if (!isFolderType(type)) return refuse('badRequestEmpty')
  const subfolder = normalisePath(parameter(request.query, 'subfolder') ?? '')
  if (subfolder === undefined) return refuse('forbiddenEmpty')
  const filename = name.slice(name.lastIndexOf('/') + 1)
  const file = get(world.files, keyOf(type, subfolder, filename))
  if (file === undefined) return refuse('notFoundEmpty')
  const headers = {
    'Content-Disposition': `filename="${headerText(filename)}"`,
    'Content-Type': contentType(filename),
  }
  return { status: 200, headers, body: bodyOf(file.content) }
}

const isFolderType = (type: string): type is FolderType =>
  folderTypes.some((known) => known === type)

function bodyOf(content: FileContent): Body {
  if ('bytes' in content) return content.bytes
  const { picture, format, run } = content
  return { picture, format, text: run === undefined ? [] : textsOf(run) }
}

/** The texts that a saved picture holds: the graph, then each member of `extra_pnginfo` [files/workflow-in-png]. */
function textsOf({ graphText, extraDataText }: SavedBy): [keyword: string, text: string][] {
  const texts: [string, string][] = [['prompt', graphText]]
  const extra = readJson(extraDataText)
  const info = isObject(extra) ? extra.get('extra_pnginfo') : undefined
  if (isObject(info)) for (const [keyword, value] of info) texts.push([keyword, writeJson(value)])
  return texts
}

/** A header carries bytes: the UTF-8 bytes of the name, without control characters, which no header can hold. */
function headerText(name: string): string {
  const bytes = new TextEncoder().encode(name.replace(/[\0-\x08\n-\x1f\x7f]/g, ''))
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  wav: 'audio/x-wav',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  m4a: 'audio/mp4',
  txt: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  json: 'application/json',
  xml: 'application/xml',
  pdf: 'application/pdf',
  zip: 'application/zip',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  obj: 'model/obj',
  js: 'application/javascript; charset=utf-8',
}

/** By the ending of the name; what a browser would run as a page stays a download. */
function contentType(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const known = Object.hasOwn(contentTypes, ending) ? contentTypes[ending] : undefined
  return known ?? 'application/octet-stream'
}

type Upload = {
  readonly image: MultipartPart | undefined
  readonly field: (name: string) => string | undefined
}

/** Stores an uploaded file; a taken name with another content gets a number [files/upload-*]. */
export function uploadImage(world: World, request: Request): Reply {
  const upload = readUpload(request)
  if (upload === undefined) return refuse('internal')
  const { image, field } = upload
  if (image === undefined) return refuse('badRequestEmpty')
  const type = field('type') ?? 'input'
  if (!isFolderType(type) || image.filename === undefined) return refuse('internal')
  if (image.filename === '') return refuse('badRequestEmpty')
  const target = uploadTarget(field('subfolder') ?? '', image.filename)
  if (target === undefined) return refuse('badRequestEmpty')
  // Uploads make their subfolder, but no folder that the file name itself speaks of.
  if (target.within !== '' && !hasFolder(world, type, target.subfolder)) return refuse('internal')
  const bytes = new Uint8Array(image.bytes)
  if (world.uploadedBytes + bytes.length > world.options.uploadLimitBytes) {
    return refuse('bodyTooLarge', {}, { limit: `${world.options.uploadLimitBytes}` })
  }
  const overwrite = field('overwrite') === 'true' || field('overwrite') === '1'
  const name = overwrite ? target.name : freeName(world, type, target, bytes)
  const same = get(world.files, keyOf(type, target.subfolder, name))
  if (overwrite || same === undefined) store(world, type, target.subfolder, name, { bytes })
  const reply = { name: target.within + name, subfolder: field('subfolder') ?? '', type }
  return json(JSON.stringify(reply))
}

/** The parts of a form; a part that comes twice counts once. Undefined when the form is malformed. */
function readUpload(request: Request): Upload | undefined {
  const boundary = getMultipartBoundary(request.headers['content-type'] ?? '')
  if (boundary === null) return { image: undefined, field: () => undefined }
  const parts = new Map<string, MultipartPart>()
  const maxSize = request.body.length + 1
  try {
    const limits = { maxFileSize: maxSize, maxTotalSize: maxSize }
    for (const part of parseMultipart(request.body, { boundary, ...limits })) {
      const name = part.name ?? ''
      if (!parts.has(name)) parts.set(name, part)
    }
  } catch {
    return undefined
  }
  return { image: parts.get('image'), field: (name) => parts.get(name)?.text }
}

/** Where a file goes; `within` is the part of its own name up to the last slash. */
type Target = { readonly subfolder: string; readonly name: string; readonly within: string }

/** Where an upload goes, or undefined when that is outside its folder. */
function uploadTarget(subfolder: string, filename: string): Target | undefined {
  const folder = normalisePath(subfolder)
  if (folder === undefined || /^\/|\/$|(^|\/)\.\.?$/.test(filename)) return undefined
  const path = normalisePath(`${folder}/${filename}`.replace(/^\//, ''))
  if (path === undefined || path === '') return undefined
  const cut = path.lastIndexOf('/')
  const within = filename.slice(0, filename.lastIndexOf('/') + 1)
  return { subfolder: cut < 0 ? '' : path.slice(0, cut), name: path.slice(cut + 1), within }
}

function hasFolder(world: World, type: FolderType, subfolder: string): boolean {
  if (subfolder === '') return true
  return [...world.files.entries.keys()].some((key) => key.startsWith(`${type}/${subfolder}/`))
}

/** The name itself, while it is free or holds the same bytes; else the first of `name (1).ext`, `name (2).ext`, ... that does. */
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
    const file = get(world.files, keyOf(type, subfolder, candidate))
    if (file === undefined || holds(file.content, bytes)) return candidate
    candidate = `${stem} (${number})${ending}`
  }
}

function holds(content: FileContent, bytes: Uint8Array): boolean {
  if (!('bytes' in content) || content.bytes.length !== bytes.length) return false
  return content.bytes.every((byte, index) => byte === bytes[index])
}
