// The names of files [files/*]: the folders that there are, and paths that do not leave them.

/** The folders in which files are kept. */
export const folderTypes = ['input', 'output', 'temp'] as const
export type FolderType = (typeof folderTypes)[number]
export const isFolderType = (type: string): type is FolderType =>
  folderTypes.some((known) => known === type)

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

/** Where the server pretends to lie: what it tells of paths starts here. */
export const serverFolder = '/flowdouble'

/** The path that messages tell of a file or a folder among the inputs, the outputs or the temporary files. */
export const toldPath = (type: FolderType, path: string): string =>
  path === '' ? `${serverFolder}/${type}` : `${serverFolder}/${type}/${path}`

/** The same of a stored file by its key, `type/subfolder/name`, in which the subfolder may be empty. */
export const keyPath = (key: string): string => `${serverFolder}/${key.replace('//', '/')}`

/** Resolves `.` and `..` of a relative path. Undefined when it is absolute, leaves its root, or holds a NUL. */
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
 * A path that is meant to lie in this folder, without `.` and `..`. It may leave the folder on its way as long as it
 * comes back. Undefined when it ends outside.
 */
export function pathWithin(type: FolderType, path: string): string | undefined {
  if (path.startsWith('/')) return undefined
  const whole = normalisePath(`${type}/${path}`)
  if (whole === type) return ''
  return whole?.startsWith(`${type}/`) ? whole.slice(type.length + 1) : undefined
}
