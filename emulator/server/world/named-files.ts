// The node inputs that name a file in the input folder: which files their combos list, and how a name is resolved.

import { get } from '../../lib/bounded.ts'
import type { Json } from '../../lib/json.ts'
import { splitAnnotation, pathWithin } from './paths.ts'
import type { StoredFile } from '../state/files.ts'
import type { World } from '../state/world.ts'

/** An input that names a file. */
export type FileInput = {
  readonly class_type: string
  readonly name: string
  /** The kind of file in the error message; types without a specific check reject what the combo does not list. */
  readonly what?: string
  /** The extensions of the files that the combo lists; absent for all. */
  readonly endings?: readonly string[]
  /** The subfolder whose files are listed, at any depth; absent for the top of the input folder. */
  readonly below?: string
  /** Whether its combo lists the folders below the input folder instead of files. */
  readonly folders?: true
}

const pictures = [
  '.png',
  '.jpg',
  '.jpeg',
  '.gif',
  '.bmp',
  '.webp',
  '.tif',
  '.tiff',
  '.avif',
  '.svg',
]
const videos = ['.mp4', '.webm', '.mov', '.mkv', '.avi', '.m4v']
const meshes = ['.gltf', '.glb', '.obj', '.fbx', '.stl']
const texts = ['.txt', '.pdf']
const sounds = ['.mp3', '.wav', '.flac', '.ogg', '.opus', '.m4a']

export const fileInputs: readonly FileInput[] = [
  { class_type: 'LoadImage', name: 'image', what: 'image', endings: pictures },
  { class_type: 'LoadImageMask', name: 'image', what: 'image' },
  { class_type: 'LoadAudio', name: 'audio', what: 'audio', endings: [...sounds, ...videos] },
  { class_type: 'LoadVideo', name: 'file', what: 'video', endings: videos },
  { class_type: 'LoadLatent', name: 'latent', what: 'latent', endings: ['.latent'] },
  { class_type: 'Load3D', name: 'model_file', endings: meshes, below: '3d' },
  { class_type: 'Load3DAnimation', name: 'model_file', endings: meshes, below: '3d' },
  { class_type: 'OpenAIInputFiles', name: 'file', endings: texts },
  { class_type: 'GeminiInputFiles', name: 'file', endings: texts },
  { class_type: 'LoadImageSetFromFolderNode', name: 'folder', folders: true },
  { class_type: 'LoadImageTextSetFromFolderNode', name: 'folder', folders: true },
  // This one names files of the output folder, which its combo fetches separately.
  { class_type: 'LoadImageOutput', name: 'image', what: 'image' },
  // This one names the picture that the front end has taken.
  { class_type: 'WebcamCapture', name: 'image', what: 'image' },
]
const byClass = new Map(fileInputs.map((input) => [input.class_type, input]))

/** Whether a node input names a picture by a web address. Nothing is ever fetched from there. */
export const isWebAddress = (value: Json | undefined): value is string =>
  typeof value === 'string' && /^https?:\/\//i.test(value)

export const fileInputOf = (class_type: string): FileInput | undefined => byClass.get(class_type)

/** The sorted names of the files, or of the subfolders, that the combo of this input lists. */
export function fileChoices(world: World, input: FileInput): Json[] {
  if (input.folders) return folderChoices(world)
  const names: string[] = []
  const below = world.setup.traits.hasSubfolders ? input.below : undefined
  for (const key of world.state.files.entries.keys()) {
    if (!key.startsWith(`input/${below ?? ''}/`)) continue
    const name = key.slice(below === undefined ? 'input//'.length : 'input/'.length)
    const ending = name.slice(name.lastIndexOf('.')).toLowerCase()
    if (input.endings === undefined || input.endings.includes(ending)) names.push(name)
  }
  return names.sort()
}

/** All folders below the input folder. The one for meshes is always there. */
function folderChoices({ state }: World): Json[] {
  const names = new Set<string>(['3d'])
  for (const key of state.files.entries.keys()) {
    if (!key.startsWith('input/')) continue
    for (let cut = key.lastIndexOf('/'); cut > 'input/'.length; cut = key.lastIndexOf('/', cut - 1))
      names.add(key.slice('input/'.length, cut))
  }
  return [...names].sort()
}

/**
 * The file of a hosted account with this name, and its key: uploads are in one flat folder, outputs in another, and
 * their names never collide [files/hosted-view-flat].
 */
export function flatFile(
  world: World,
  name: string,
): { key: string; file: StoredFile } | undefined {
  for (const folder of ['input', 'output'] as const) {
    const key = `${folder}//${name}`
    const file = get(world.state.files, key)
    if (file !== undefined) return { key, file }
  }
  return undefined
}

/** The file that a node input names, with its key, or undefined. */
export function namedFile(
  world: World,
  value: Json,
): { key: string; file: StoredFile } | undefined {
  if (typeof value !== 'string') return undefined
  const { name, type } = splitAnnotation(value)
  if (!world.setup.traits.hasSubfolders) return flatFile(world, name)
  const path = pathWithin(type ?? 'input', name)
  if (path === undefined || path === '' || path.includes('\0')) return undefined
  const cut = path.lastIndexOf('/')
  const key = `${type ?? 'input'}/${cut < 0 ? '' : path.slice(0, cut)}/${path.slice(cut + 1)}`
  const file = get(world.state.files, key)
  return file === undefined ? undefined : { key, file }
}

/** Whether the name in a node input leads to a folder: to real servers, that exists like a file. */
export function namesFolder(world: World, value: string): boolean {
  if (!world.setup.traits.hasSubfolders) return false
  const { name, type } = splitAnnotation(value)
  const path = pathWithin(type ?? 'input', name)
  if (path === '') return true
  if (path === undefined) return false
  const folder = `${type ?? 'input'}/${path}`
  for (const key of world.state.files.entries.keys()) {
    if (key.startsWith(`${folder}/`)) return true
  }
  return folder === 'input/3d'
}
