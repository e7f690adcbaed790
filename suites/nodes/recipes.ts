// The recipes of recorded inputs as nodes and links: what a node was called with.

import { node, type Node } from '../generate/graphs.ts'
import { isRecordedMap, type Recorded, type RecordedMap } from './lines.ts'
import type { AudioFile, LatentFile, PictureFile } from './uploads.ts'

/** Where the files of recipes are: each returns the name by which nodes load it. */
export type RecipeFiles = {
  readonly picture: (file: PictureFile, k: number) => string
  readonly latent: (file: LatentFile) => string
  readonly audio: (file: AudioFile) => string
}

/** The inputs of a node; adds the nodes that it needs to a graph. */
export function inputsIn(
  graph: Record<string, Node>,
  inputs: RecordedMap,
  files: RecipeFiles,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, inputIn(graph, value, files)]),
  )
}

/** A recipe as a link, or a literal as it is. */
function inputIn(graph: Record<string, Node>, value: Recorded, files: RecipeFiles): unknown {
  const [kind, ...others] = isRecordedMap(value) ? Object.keys(value) : []
  if (!isRecordedMap(value) || kind === undefined || others.length > 0) return value
  const own = value[kind]
  const add = (class_type: string, inputs: Record<string, unknown>, slot = 0): unknown => {
    const id = `${Object.keys(graph).length + 1}`
    graph[id] = node(class_type, inputs)
    return [id, slot]
  }
  const picture = (file: PictureFile & { n?: number }): unknown => {
    let joined: unknown
    for (let k = 0; k < (file.n ?? 1); k++) {
      const one = add('LoadImage', { image: files.picture(file, k) })
      joined = k === 0 ? one : add('ImageBatch', { image1: joined, image2: one })
    }
    return joined
  }
  switch (kind) {
    case 'picture':
      return picture(own)
    case 'mask':
      return add('ImageToMask', { image: picture(own), channel: 'red' })
    case 'latent':
      return add('LoadLatent', { latent: files.latent(own) })
    case 'audio':
      return add('LoadAudio', { audio: files.audio(own) })
    case 'uploaded':
      return files.picture(own, 0)
    case 'latent_file':
      return files.latent(own)
    case 'audio_file':
      return files.audio(own)
    case 'node':
      return add(own.class_type, inputsIn(graph, own.inputs as RecordedMap, files), own.slot)
    default:
      return value
  }
}
