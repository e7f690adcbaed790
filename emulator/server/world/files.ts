// The three folders of files [files/*]: stores files and chooses their names.

import type { fileEntry } from '../../../spec/server/files.ts'
import type { Static } from '../../../spec/static.ts'
import { get, put } from '../../lib/bounded.ts'
import type { Body, FileFacts } from '../../machine.ts'
import { isVideo, type Picture, type Sound } from '../../pictures/picture.ts'
import { probeIntact } from '../../pictures/codecs/intact.ts'
import { MOST_PIXELS, probePicture } from '../../pictures/codecs/probe.ts'
import { hash53 } from '../../lib/random.ts'
import { retain, release } from './upload-quota.ts'
import { type FolderType, reportedPath, savePlace } from './paths.ts'
import { madeContent, sampleBytes } from './made-files.ts'
import type { SampleFormat } from '../../../spec/scenario/samples.ts'
import type { FileContent, RunMetadata, StoredFile } from '../state/files.ts'
import type { Failure, Save } from '../state/nodes.ts'
import { withLatentMetadata } from './latent-metadata.ts'
import { metadataTexts } from './png-metadata.ts'
import type { Hashing, World, WorldSetup } from '../state/world.ts'

/** A file as an entry of an output names it. */
export type FileEntry = {
  readonly filename: string
  readonly subfolder: string
  readonly type: string
}

export const fileKey = (type: string, subfolder: string, name: string): string =>
  `${type}/${subfolder}/${name}`

/** A sample in the input folder: worlds share its key and its content. */
const example = (name: string, sample: SampleFormat, subfolder = '') =>
  ({ key: fileKey('input', subfolder, name), content: { sample } }) as const

const examples = [example('example.latent', 'latent'), example('notes.txt', 'txt')]
const flatMesh = example('example.glb', 'glb')
const mesh = example('example.glb', 'glb', '3d')

const EXAMPLE_SIZE = { width: 512, height: 512 }

/** The input files that the catalogue names, so that a workflow with default inputs runs [files/examples]. */
export function addExampleFiles({ setup, state }: World): void {
  const { nowMs: modifiedMs } = state
  for (const ending of ['png', 'mp3', 'wav', 'mp4'] as const) {
    const name = `example.${ending}`
    const content = madeContent(ending, hash53(`${setup.pictureSeed}:${name}`), EXAMPLE_SIZE)
    if (content !== undefined) put(state.files, fileKey('input', '', name), { content, modifiedMs })
  }
  for (const { key, content } of [...examples, setup.traits.hasSubfolders ? mesh : flatMesh])
    put(state.files, key, { content, modifiedMs })
}

/** Stores a file, and replaces the one with the same name. */
export function store(
  world: World,
  type: FolderType | 'models',
  subfolder: string,
  name: string,
  content: FileContent,
): void {
  const key = fileKey(type, subfolder, name)
  const gone = put(world.state.files, key, { content, modifiedMs: world.state.nowMs })
  retain(world, content)
  for (const file of gone) release(world, file.content)
  countName(world, type, subfolder, name)
}

/** Stores the highest number between `base_` and the next `_`, for every base of the name. */
function countName(world: World, type: string, subfolder: string, name: string): void {
  const parts = name.split('_')
  // Where names end in the number, the last part counts too.
  const last = world.setup.traits.audioNameEnd === '' ? parts.length : parts.length - 1
  for (let at = 1; at < last; at++) {
    const whole = parts[at] as string
    const part = at === parts.length - 1 ? whole.replace(/\.[^.]*$/, '') : whole
    if (!/^\d{1,15}$/.test(part)) continue
    const key = fileKey(type, subfolder, parts.slice(0, at).join('_'))
    const number = Number(part)
    if (number > (get(world.state.counters, key) ?? -1)) put(world.state.counters, key, number)
  }
}

/**
 * Writes the files of a node under the next free counter of its prefix. Returns the entries, or the failure of the node
 * if the prefix is invalid.
 */
export function saveFiles(
  world: World,
  save: Omit<Save, 'key'>,
  run: RunMetadata | null,
): readonly FileEntry[] | Failure {
  const place = savePlace(
    save.type,
    fillPlaceholders(world, save.prefix, pictureIn(save.contents[0])),
  )
  if ('exception_type' in place) return place
  const { hosted } = world.setup
  if (hosted !== null) {
    const listed = save.beside?.find(({ end }) => end === save.listed)?.content
    const contents = listed === undefined ? save.contents : [listed]
    return contents.map((content) => saveByContent(world, hosted.hashing, save, content, run))
  }
  const { subfolder, base, restarts } = place
  const counterKey = fileKey(save.type, subfolder, base)
  const stored = restarts ? undefined : get(world.state.counters, counterKey)
  const counter = (stored ?? 0) + 1
  const entries: FileEntry[] = []
  for (const [index, content] of save.contents.entries()) {
    const batched = save.numbersBatch ? base.replaceAll('%batch_num%', `${index}`) : base
    const digits = String(counter + index).padStart(5, '0')
    const number = save.isWholeName ? '' : `_${digits}${save.numberEnd ?? '_'}`
    const filename = `${batched}${number}.${save.ending}`
    const path = subfolder === '' ? filename : `${subfolder}/${filename}`
    const unsaid = unencodable(reportedPath(save.type, path))
    if (unsaid !== undefined) return unsaid
    if (isTooLong(filename)) return tooLong(save.type, path)
    const saved = ofRun(content, run, save.ending)
    store(world, save.type, subfolder, filename, saved)
    for (const one of save.beside ?? [])
      store(world, save.type, subfolder, `${batched}${number}${one.end}`, ofRun(one.content, run))
    const listed = save.listed === undefined ? filename : `${batched}${number}${save.listed}`
    entries.push({ filename: listed, subfolder, type: save.type } satisfies FileEntryShape)
  }
  if (save.beside !== undefined) put(world.state.counters, counterKey, counter)
  return entries
}

type FileEntryShape = Static<typeof fileEntry>

/** The length of a name that file systems take, in bytes. */
const MOST_NAME_BYTES = 255
const isTooLong = (name: string): boolean =>
  name.length > MOST_NAME_BYTES / 4 && new TextEncoder().encode(name).length > MOST_NAME_BYTES

const tooLong = (type: FolderType, path: string): Failure => ({
  exception_type: 'OSError',
  exception_message: `[Errno 36] File name too long: '${reportedPath(type, path)}'`,
})

/** The failure of a path with a half of a surrogate pair, which no file system takes. */
function unencodable(path: string): Failure | undefined {
  const found = /\p{Surrogate}+/u.exec(path)
  if (found === null) return undefined
  const at = Array.from(path.slice(0, found.index)).length
  const [first = '', ...more] = found[0]
  const what =
    more.length === 0
      ? `character '\\u${first.charCodeAt(0).toString(16)}' in position ${at}`
      : `characters in position ${at}-${at + more.length}`
  return {
    exception_type: 'UnicodeEncodeError',
    exception_message: `'utf-8' codec can't encode ${what}: surrogates not allowed`,
  }
}

/** Writes a file of a node under this name, which may be in a subfolder; on hosted all names are in one folder. */
export function saveNamed(
  world: World,
  type: 'output' | 'temp',
  filename: string,
  content: FileContent,
): readonly FileEntry[] | Failure {
  const place = savePlace(type, filename)
  if ('exception_type' in place) return place
  const isFlat = world.setup.hosted !== null
  const subfolder = isFlat ? '' : place.subfolder
  store(world, isFlat ? 'output' : type, subfolder, place.base, content)
  return [{ filename: place.base, subfolder, type }]
}

/** The content with what describes its run. */
function ofRun(content: FileContent, run: RunMetadata | null, ending?: string): FileContent {
  if (run === null) return content
  if ('picture' in content || 'sound' in content) return Object.assign({}, content, { run })
  // A sample is always the same [files/samples].
  if (ending !== 'latent' || !('bytes' in content)) return content
  return { bytes: withLatentMetadata(content.bytes, metadataTexts(run)) }
}

/** Stores a file of a node on hosted, where `output` and `temp` are one [files/hosted-output-name]. */
function saveByContent(
  world: World,
  hashing: Hashing,
  { type, ending }: { type: 'output' | 'temp'; ending: string },
  content: FileContent,
  run: RunMetadata | null,
): FileEntry {
  const saved = ofRun(content, run, ending)
  const filename = `${contentHash(hashing, saved, world.setup.spell)}.${ending}`
  if (get(world.state.files, fileKey('output', '', filename)) === undefined) {
    store(world, 'output', '', filename, saved)
  }
  return { filename, subfolder: '', type }
}

/**
 * The text from which hosted derives the name of a file: its bytes, or for a file that is encoded on request everything
 * that determines them, spelled by `spell`.
 */
export function contentHash(
  hashing: Hashing,
  content: FileContent,
  spell: WorldSetup['spell'],
): string {
  const bytes = bytesOf(content)
  if (bytes !== undefined) return hashing.blake3Hex(bytes)
  const { format, run, ...more } = content as Extract<FileContent, { format: string }>
  const texts = run === undefined ? [] : metadataTexts(run)
  const { channels = '', textChunks } = 'picture' in more ? more : {}
  const chunks = textChunks === undefined ? '' : hashing.blake3Hex(textChunks)
  const parts = [fileFingerprint({ content }), format, channels, texts, chunks]
  return hashing.sha256Hex(spell(JSON.stringify(parts)))
}

const pictureIn = (content: FileContent | undefined): Picture | undefined =>
  content !== undefined && 'picture' in content ? content.picture : undefined

function fillPlaceholders(
  world: World,
  prefix: string,
  picture: { readonly width: number; readonly height: number } | undefined,
): string {
  if (!prefix.includes('%')) return prefix
  const now = new Date(world.setup.options.epochMs + world.state.nowMs).toISOString()
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

/** The bytes of a file; undefined for pictures and sounds that are only encoded on request. */
export function bytesOf(content: FileContent): Uint8Array | undefined {
  if ('bytes' in content) return content.bytes
  return 'sample' in content ? sampleBytes(content.sample) : undefined
}

/** A stored file as the body of a reply. */
export function fileBody(content: FileContent): Body {
  if (!('format' in content)) return bytesOf(content) as Uint8Array
  const { run, ...file } = content
  return Object.assign(file, { text: run === undefined ? [] : metadataTexts(run) })
}

/** A stored file as a picture, or undefined if it is not one. */
export function pictureOf(content: FileContent): Picture | undefined {
  if ('sound' in content) return undefined
  if ('picture' in content) return isVideo(content.format) ? undefined : content.picture
  return storedPicture(bytesOf(content) as Uint8Array)
}

/** The picture in a file, unless it is damaged or too large to be decoded. */
export function intactPicture(content: FileContent): Picture | undefined {
  const bytes = bytesOf(content)
  if (bytes !== undefined && probeIntact(bytes) === null) return undefined
  const picture = pictureOf(content)
  return picture !== undefined && picture.width * picture.height <= MOST_PIXELS
    ? picture
    : undefined
}

/** An uploaded picture, or undefined if the bytes are not a picture. */
export function storedPicture(bytes: Uint8Array): Extract<Picture, { kind: 'stored' }> | undefined {
  const found = probePicture(bytes)
  if (found === null) return undefined
  return { kind: 'stored', id: hashBytes(bytes), width: found.width, height: found.height, bytes }
}

/** A text that changes when the content of the file does. */
export function fileFingerprint({ content }: Pick<StoredFile, 'content'>): string {
  if ('bytes' in content) return `${content.bytes.length}:${hashBytes(content.bytes)}`
  if ('sample' in content) return content.sample
  if ('sound' in content) return soundFingerprint(content.sound)
  const { kind, id, width, height } = content.picture
  const { rest = [], frameMs, sound } = content.animation ?? {}
  const frames = rest.map((frame) => `:${frame.id}`).join('')
  const more = isVideo(content.format) ? ` ${frameMs}` : ''
  return `${kind}:${id}:${width}x${height}${frames}${more}${sound ? soundFingerprint(sound) : ''}`
}

const soundFingerprint = ({ id, rate, channels, samples, index = 0 }: Sound): string =>
  `sound:${id}:${index}:${rate}:${channels}:${samples}`

/**
 * The metadata of a file with this modification time, in milliseconds since 1970. On real servers the tag contains
 * nanoseconds, so that two writes always differ; here the content replaces the part below a millisecond.
 */
export function fileFacts(modifiedMs: number, content: FileContent): FileFacts {
  const finer = hash53(fileFingerprint({ content })) % 1_000_000
  const nanoseconds = BigInt(Math.floor(modifiedMs)) * 1_000_000n + BigInt(finer)
  return { modifiedMs, tag: nanoseconds.toString(16) }
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
