// Paths of files [files/*]: the folders, paths that stay inside them, and the destinations of prefixes
// [files/prefix-odd, files/prefix-outside].

import type { Failure } from '../state/nodes.ts'

/** The folders that contain files. */
export const folderTypes = ['input', 'output', 'temp'] as const
export type FolderType = (typeof folderTypes)[number]
export const isFolderType = (type: string): type is FolderType =>
  folderTypes.some((known) => known === type)

/**
 * Splits a name that may end in ` [output]`, ` [input]` or ` [temp]`: removes the suffix and the character before it.
 */
export function splitAnnotation(name: string): {
  readonly name: string
  readonly type: FolderType | null
} {
  for (const type of folderTypes) {
    const suffix = `[${type}]`
    if (name.endsWith(suffix)) return { name: name.slice(0, -suffix.length - 1), type }
  }
  return { name, type: null }
}

/** The simulated root folder: paths in replies start here. */
export const serverFolder = '/flowdouble'

/** The path in messages of a file or folder in the input, output or temporary folder. */
export const reportedPath = (type: FolderType, path: string): string =>
  path === '' ? `${serverFolder}/${type}` : `${serverFolder}/${type}/${path}`

/** The path of the file that a node input names, as Python joins it: an empty name leaves a slash at the end. */
export function joinedPath(value: string): string {
  const { name, type } = splitAnnotation(value)
  return name.startsWith('/') ? name : `${serverFolder}/${type ?? 'input'}/${name}`
}

/** The same for a stored file by its key, `type/subfolder/name`, in which the subfolder may be empty. */
export const reportedPathOfKey = (key: string): string =>
  `${serverFolder}/${key.replace('//', '/')}`

/** Resolves `.` and `..` of a relative path. Undefined if it is absolute, leaves its root, or contains a NUL. */
export function normalisePath(path: string): string | undefined {
  if (path.startsWith('/') || path.includes('\0')) return undefined
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/**
 * A path inside this folder, without `.` and `..`. It may leave the folder in between as long as it returns. Undefined
 * if it ends outside.
 */
export function pathWithin(type: FolderType, path: string): string | undefined {
  if (path.startsWith('/')) return undefined
  const whole = normalisePath(`${type}/${path}`)
  if (whole === type) return ''
  return whole?.startsWith(`${type}/`) ? whole.slice(type.length + 1) : undefined
}

/** The last name of a path: what follows its last slash. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * The destination of the files that a node saves: a subfolder of the outputs, and the start of their names. `restarts` if
 * their numbers do, because the prefix ends in another name than they start with [files/prefix-restarts].
 */
type SavePlace = { readonly subfolder: string; readonly base: string; readonly restarts: boolean }

/**
 * The destination of files with this prefix, or the failure of the node. The last part of the prefix is always a name.
 */
export function savePlace(type: FolderType, prefix: string): SavePlace | Failure {
  if (prefix.includes('\0'))
    return { exception_type: 'ValueError', exception_message: 'embedded null byte' }
  // Most prefixes are plain names.
  if (!prefix.includes('/') && !prefix.startsWith('.') && prefix !== '')
    return { subfolder: '', base: prefix, restarts: false }
  const root = reportedPath(type, '')
  const isAbsolute = prefix.startsWith('/')
  const parts = resolved(prefix, isAbsolute)
  const start = isAbsolute ? '' : root
  const folder = resolved([start, ...parts.slice(0, -1)].join('/'), true)
  const rootParts = resolved(root, true)
  const common = rootParts.findIndex((part, at) => part !== folder[at])
  if (common < 0) {
    const subfolder = folder.slice(rootParts.length).join('/')
    const base = parts.at(-1) ?? '.'
    const written = nameOf(prefix)
    return { subfolder, base, restarts: written.length !== base.length }
  }
  const exception_message = [
    '**** ERROR: Saving image outside the output folder is not allowed.',
    ` full_output_folder: /${folder.join('/')}`,
    `         output_dir: ${root}`,
    `         commonpath: /${rootParts.slice(0, common).join('/')}`,
  ].join('\n')
  return { exception_type: 'Exception', exception_message }
}

/** The parts of a path after resolving `.` and `..`; a relative one may start with `..`. */
function resolved(path: string, isAbsolute: boolean): string[] {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!isAbsolute) parts.push(part)
  }
  return parts
}
