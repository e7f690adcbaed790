// The place that a prefix of a saving node stands for [files/prefix-odd, files/prefix-outside]: a folder below the
// outputs, and the beginning of the names.

import type { Failure } from '../state/nodes.ts'
import { type FolderType, toldPath } from './paths.ts'

export type SavePlace = { readonly subfolder: string; readonly base: string }

/** The place of files that are saved under this prefix, or what its node fails with. Its last part is a name in any case. */
export function savePlace(type: FolderType, prefix: string): SavePlace | Failure {
  if (prefix.includes('\0'))
    return { exception_type: 'ValueError', exception_message: 'embedded null byte' }
  const root = toldPath(type, '')
  const isAbsolute = prefix.startsWith('/')
  const parts = resolved(prefix, isAbsolute)
  const start = isAbsolute ? '' : root
  const folder = resolved([start, ...parts.slice(0, -1)].join('/'), true)
  const rootParts = resolved(root, true)
  const common = rootParts.findIndex((part, at) => part !== folder[at])
  if (common < 0) {
    const subfolder = folder.slice(rootParts.length).join('/')
    return { subfolder, base: parts.at(-1) ?? '.' }
  }
  const exception_message = [
    '**** ERROR: Saving image outside the output folder is not allowed.',
    ` full_output_folder: /${folder.join('/')}`,
    `         output_dir: ${root}`,
    `         commonpath: /${rootParts.slice(0, common).join('/')}`,
  ].join('\n')
  return { exception_type: 'Exception', exception_message }
}

/** The parts of a path without `.` and what `..` takes back; a relative one may begin with `..`. */
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
