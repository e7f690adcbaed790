// The files that loading nodes compute from.

import { bytesOf } from '../world/files.ts'
import { namedFile, namesFolder } from '../world/named-files.ts'
import { joinedPath } from '../world/paths.ts'
import type { MadeOf, Source } from '../../pictures/picture.ts'
import type { FileContent } from '../state/files.ts'
import type { Call } from './node.ts'

/** The inputs that name a file whose bytes a node reads. */
const fileInputs: Readonly<Record<string, string>> = {
  LoadLatent: 'latent',
  LoadAudio: 'audio',
  LoadVideo: 'file',
  RecordAudio: 'audio',
  VHS_LoadVideo: 'video',
  VHS_LoadVideoFFmpeg: 'video',
  VHS_LoadVideoPath: 'video',
}

/** The file that this input names, as a source; undefined if it does not name one. */
export function fileSource(call: Call, name: string): Source | undefined {
  if (fileInputs[call.type.class_type] !== name) return undefined
  const value = call.inputs.get(name)
  if (value?.kind !== 'literal' || typeof value.value !== 'string') return undefined
  const named = namedFile(call.world, value.value)
  const bytes = named === undefined ? undefined : bytesOf(named.file.content)
  const made = named === undefined ? undefined : madeOf(named.file.content)
  const isFolder = named === undefined && namesFolder(call.world, value.value)
  const source = { kind: 'file', bytes: bytes ?? null, isFolder } as const
  return { ...source, path: joinedPath(value.value), ...(made && { made }) }
}

/** What a file is encoded from, if it has no bytes. */
function madeOf(content: FileContent): MadeOf | undefined {
  if ('sound' in content) return { pictures: [], sound: content.sound }
  if (!('picture' in content)) return undefined
  const { rest = [], frameMs, sound } = content.animation ?? {}
  const pictures = [content.picture, ...rest]
  return { pictures, ...(frameMs !== undefined && { frameMs }), ...(sound && { sound }) }
}
