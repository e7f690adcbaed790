// The node inputs that name a file in the input folder: what their combos list, and how a name becomes a file.

import { get } from '../bounded.ts'
import type { Json } from '../json.ts'
import type { StoredFile } from './files.ts'
import type { World } from './world.ts'

/** The folders in which files are kept. */
export const folderTypes = ['input', 'output', 'temp'] as const
export type FolderType = (typeof folderTypes)[number]
export const isFolderType = (type: string): type is FolderType =>
  folderTypes.some((known) => known === type)

/** An input that names a file. */
export type FileInput = {
  readonly class_type: string
  readonly name: string
  /** What the refusal calls the file; types without a check of their own refuse what the combo does not list. */
  readonly what?: string
  /** Endings of the files that the combo lists; all when absent. */
  readonly endings?: readonly string[]
  /** The subfolder whose files are listed, at any depth; those at the top of the input folder when absent. */
  readonly below?: string
}

const pictures = ['.png', '.jpg', '.jpeg', '.gif', '.bmp', '.webp', '.tif', '.tiff', '.avif']
const videos = ['.mp4', '.webm', '.mov', '.mkv', '.avi', '.m4v']
const meshes = ['.gltf', '.glb', '.obj', '.fbx', '.stl']
const texts = ['.txt', '.pdf']
const sounds = ['.mp3', '.wav', '.flac', '.ogg', '.opus', '.m4a']

const fileInputs: readonly FileInput[] = [
  { class_type: 'LoadImage', name: 'image', what: 'image', endings: pictures },
  { class_type: 'LoadImageMask', name: 'image', what: 'image' },
  { class_type: 'LoadAudio', name: 'audio', what: 'audio', endings: [...sounds, ...videos] },
  { class_type: 'LoadVideo', name: 'file', what: 'video', endings: videos },
  { class_type: 'LoadLatent', name: 'latent', what: 'latent', endings: ['.latent'] },
  { class_type: 'Load3D', name: 'model_file', endings: meshes, below: '3d' },
  { class_type: 'Load3DAnimation', name: 'model_file', endings: meshes, below: '3d' },
  { class_type: 'OpenAIInputFiles', name: 'file', endings: texts },
  { class_type: 'GeminiInputFiles', name: 'file', endings: texts },
]
const byClass = new Map(fileInputs.map((input) => [input.class_type, input]))
// This one names files of the output folder, which its combo fetches from elsewhere.
byClass.set('LoadImageOutput', { class_type: 'LoadImageOutput', name: 'image', what: 'image' })

/** Whether a node input names a picture by an address of the web. Nothing is ever fetched from there. */
export const isWebAddress = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value)

export const fileInputOf = (class_type: string): FileInput | undefined => byClass.get(class_type)

/** Names of the files in the input folder that the combo of this input lists, sorted. */
export function fileChoices(world: World, input: FileInput): Json[] {
  const names: string[] = []
  for (const key of world.files.entries.keys()) {
    if (!key.startsWith(`input/${input.below ?? ''}/`)) continue
    const name = key.slice(input.below === undefined ? 'input//'.length : 'input/'.length)
    const ending = name.slice(name.lastIndexOf('.')).toLowerCase()
    if (input.endings === undefined || input.endings.includes(ending)) names.push(name)
  }
  return names.sort()
}

/** A name that may end in ` [output]`, ` [input]` or ` [temp]`: the suffix and the character before it go. */
export function annotated(name: string): {
  readonly name: string
  readonly type: FolderType | null
} {
  for (const type of folderTypes) {
    const suffix = `[${type}]`
    if (name.endsWith(suffix)) return { name: name.slice(0, -suffix.length - 1), type }
  }
  return { name, type: null }
}

/** Resolves `.` and `..` of a relative path. Undefined when it is absolute, leaves its root, or holds a NUL or a backslash. */
export function normalisePath(path: string): string | undefined {
  if (path.startsWith('/') || path.includes('\0') || path.includes('\\')) return undefined
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/**
 * A path that is meant to lie in this folder, without `.` and `..`. It may leave the folder on its way as long as it
 * comes back. Undefined when it ends outside.
 */
export function pathWithin(type: FolderType, path: string): string | undefined {
  if (path.startsWith('/')) return undefined
  const whole = normalisePath(`${type}/${path}`)
  if (whole === type) return ''
  return whole?.startsWith(`${type}/`) ? whole.slice(type.length + 1) : undefined
}

/** The file that a node input names, with its key, or undefined. */
export function namedFile(
  world: World,
  value: Json,
): { key: string; file: StoredFile } | undefined {
  if (typeof value !== 'string') return undefined
  const { name, type } = annotated(value)
  const path = normalisePath(name)
  if (path === undefined || path === '') return undefined
  const cut = path.lastIndexOf('/')
  const key = `${type ?? 'input'}/${cut < 0 ? '' : path.slice(0, cut)}/${path.slice(cut + 1)}`
  const file = get(world.files, key)
  return file === undefined ? undefined : { key, file }
}
