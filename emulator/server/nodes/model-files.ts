// Model files: each is an empty .safetensors file, with its length, its header, and no weights.

import type { World } from '../state/world.ts'
import { nameOf } from '../world/paths.ts'
import { folderNames } from './catalog.ts'

/** Folders with models: the others have other content. */
export const shownFolders = (world: World): readonly string[] =>
  folderNames(world).filter((name) => name !== 'configs' && name !== 'custom_nodes')

/** The extensions that the files of a folder can have, sorted; none for folders of folders. */
export const extensionsOf = (folder: string): readonly string[] => otherEndings[folder] ?? endings

const endings = ['.bin', '.ckpt', '.pkl', '.pt', '.pt2', '.pth', '.safetensors', '.sft'] as const

/** Folders whose models are folders, have no ending, or any. */
const otherEndings: Readonly<Record<string, readonly string[]>> = {
  diffusers: ['folder'],
  classifiers: [''],
  datasets: [],
}

export const withoutEnding = (name: string): string => name.replace(/\.[^./]*$/, '')

/** The metadata of a file. */
export const metadataOfModel = (name: string): Readonly<Record<string, string>> => ({
  format: 'pt',
  'modelspec.title': withoutEnding(nameOf(name)),
})

const headerOf = (name: string): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ __metadata__: metadataOfModel(name) }))

/** The size of a file: the length of the header, in 8 bytes, and the header. */
export const modelSize = (name: string): number => 8 + headerOf(name).length

/** The bytes of a file. */
export function modelBytes(name: string): Uint8Array {
  const header = headerOf(name)
  const bytes = new Uint8Array(8 + header.length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true)
  bytes.set(header, 8)
  return bytes
}
