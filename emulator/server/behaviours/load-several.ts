// Node types that load several pictures: those of a folder, and those that a front end has rendered of a mesh.

import { isObject, type Json, writeJson } from '../../lib/json.ts'
import { hash53 } from '../../lib/random.ts'
import { pythonTypeName, wrongIndex } from '../../lib/python.ts'
import type { Picture } from '../../pictures/picture.ts'
import { computedFrom } from '../nodes/computed.ts'
import { alphaMaskOf, coloursOf, namedPicture, one } from './load-image.ts'
import { batchFrom, type Behaviour, type Call, failing, textInput } from '../nodes/node.ts'
import type { Failure, Value, Work } from '../state/nodes.ts'

const failed = (failure: Failure): Work => ({ outputs: [], steps: 0, failure })

const isFailure = (result: object): result is Failure => 'exception_type' in result

const ENDING = /\.(?:png|jpe?g|webp)$/i

/** The names of the pictures in a folder of the input folder, without those in its subfolders. */
function picturesIn({ world }: Call, folder: string): string[] {
  const start = `input/${folder}/`
  const keys = [...world.state.files.entries.keys()].filter((key) => key.startsWith(start))
  const names = keys.map((key) => key.slice(start.length))
  return names
    .filter((name) => ENDING.test(name) && !name.includes('/'))
    .map((name) => `${folder}/${name}`)
}

/** The pictures of a folder as one batch, in the size of the first [nodes/folders]. */
const loadFolder: Behaviour = (call) => {
  const method = call.inputs.has('resize_method') ? textInput(call, 'resize_method', '') : undefined
  if (method === undefined)
    return failing(
      'TypeError',
      "LoadImageSetFromFolderNode.load_images() missing 1 required positional argument: 'resize_method'",
    )
  const names = picturesIn(call, textInput(call, 'folder', ''))
  if (names.length === 0) return failing('ValueError', 'No valid images found in input')
  const pictures: Picture[] = []
  for (const name of names) {
    const loaded = namedPicture(call.world, name)
    if (isFailure(loaded)) return failed(loaded)
    const fitting = fitted(coloursOf(loaded), pictures[0] ?? loaded, method)
    if (fitting === undefined) return failing('ValueError', otherSizeText)
    pictures.push(fitting)
  }
  return { outputs: [batchFrom(pictures)], steps: 0 }
}

const otherSizeText =
  'Your input image size does not match the first image in the dataset. Either select a valid resize method or use the same size for all images.'

/** A picture in the size of another one; undefined if the method does not change sizes. */
function fitted(of: Picture, { width, height }: Picture, method: string): Picture | undefined {
  if (of.width === width && of.height === height) return of
  if (method === 'Crop') {
    const id = hash53(`cropped ${width} ${height} ${of.kind} ${of.id}`)
    return { kind: 'cropped', id, width, height, of, x: 0, y: 0 }
  }
  if (method !== 'Stretch' && method !== 'Pad') return undefined
  const size = { width, height, crop: 'disabled' }
  return computedFrom(of, 'ImageScale', { upscale_method: 'lanczos', ...size })
}

/** What `image["name"]` returns of the rendered pictures, or the exception. */
function member(rendered: Json, name: string): { readonly value: Json } | Failure {
  if (isObject(rendered)) {
    const value = rendered.get(name)
    return value === undefined
      ? { exception_type: 'KeyError', exception_message: `'${name}'` }
      : { value }
  }
  const exception_message =
    typeof rendered === 'string'
      ? wrongIndex('str', 'str')
      : `'${pythonTypeName(rendered)}' object is not subscriptable`
  return { exception_type: 'TypeError', exception_message }
}

/** The pictures that a front end has rendered and uploaded, the path of the mesh, the camera, and a recorded video. */
const loadMesh =
  (views: readonly string[]): Behaviour =>
  (call) => {
    const given = call.inputs.get('image')
    const rendered = given?.kind === 'literal' ? given.value : null
    const names: Json[] = []
    for (const view of views) {
      const name = member(rendered, view)
      if (isFailure(name)) return failed(name)
      names.push(name.value)
    }
    const pictures: Picture[] = []
    for (const [at, name] of names.entries()) {
      const picture = namedPicture(call.world, name)
      if (isFailure(picture)) return failed(picture)
      pictures.push(views[at] === 'mask' ? alphaMaskOf(picture) : coloursOf(picture))
    }
    const recording = member(rendered, 'recording')
    if (isFailure(recording)) return failed(recording)
    const camera = member(rendered, 'camera_info')
    if (isFailure(camera)) return failed(camera)
    const [image, mask, ...more] = pictures.map(one)
    const path = textInput(call, 'model_file', '').replaceAll('\\', '/')
    return {
      outputs: [
        image as Value,
        mask as Value,
        { kind: 'literal', value: path },
        ...more,
        { kind: 'literal', value: camera.value },
        recording.value === '' ? { kind: 'literal', value: null } : video(recording.value),
      ],
      steps: 0,
    }
  }

/** A recorded video, which nobody decodes here. */
const video = (name: Json): Value => ({
  kind: 'opaque',
  id: hash53(`video ${writeJson(name)}`),
  count: 0,
})

/** The behaviours of the node types that load several pictures. */
export const severalLoaders: Readonly<Record<string, Behaviour>> = {
  LoadImageSetFromFolderNode: loadFolder,
  Load3D: loadMesh(['image', 'mask', 'normal', 'lineart']),
  Load3DAnimation: loadMesh(['image', 'mask', 'normal']),
}
