// Node types that load pictures: their colours, and their alpha or another channel as a mask.

import { alphaOf } from '../../pictures/alpha.ts'
import { isTooNarrow } from '../../pictures/narrow.ts'
import type { Channel, Picture } from '../../pictures/picture.ts'
import type { Json } from '../../lib/json.ts'
import { lacksAttribute, pythonTypeName } from '../../lib/python.ts'
import { hash53 } from '../../lib/random.ts'
import { isWebAddress, namedFile, namesFolder } from '../world/named-files.ts'
import { pictureOf } from '../world/files.ts'
import { joinedPath, reportedPathOfKey } from '../world/paths.ts'
import {
  type Behaviour,
  byDeclaration,
  type Call,
  failing,
  pictureInput,
  textInput,
} from '../nodes/node.ts'
import type { StoredFile } from '../state/files.ts'
import type { Batch, Failure, Work } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** One channel of a picture as grey, or its colours without alpha. */
const channelOf = (of: Picture, channel: Channel): Picture => ({
  kind: 'channel',
  id: hash53(`${channel} of ${of.kind} ${of.id}`),
  width: of.width,
  height: of.height,
  of,
  channel,
})

/** Masks are the inverse of alpha: white is masked, which is transparent. */
function maskOf(of: Picture): Picture {
  const alpha = channelOf(of, 'alpha')
  return { ...alpha, kind: 'inverted', id: hash53(`inverted ${alpha.id}`), of: alpha }
}

/** The mask of a picture without alpha, of this size whatever the size of the picture. */
const SIDE = 64
const noMask: Picture = {
  kind: 'solid',
  id: hash53('solid 0'),
  width: SIDE,
  height: SIDE,
  color: 0,
}

export const one = (picture: Picture): Batch => ({ kind: 'picture', picture, count: 1 })

/** The picture in the file that the input `image` names, or the error. */
function pictureFile(call: Call): Picture | Failure {
  const value = call.inputs.get('image')
  return namedPicture(call.world, value?.kind === 'literal' ? value.value : null)
}

/** The picture in the file with this name, or the error. */
export function namedPicture(world: World, name: Json): Picture | Failure {
  if (isWebAddress(name)) {
    const exception_message = `The image could not be fetched: ${name}`
    return { exception_type: 'ImageDownloadError', exception_message }
  }
  if (typeof name !== 'string') {
    const exception_message = lacksAttribute(pythonTypeName(name), 'endswith')
    return { exception_type: 'AttributeError', exception_message }
  }
  const named = namedFile(world, name)
  if (named === undefined) return missingFile(world, name)
  const picture = pictureOf(named.file.content)
  if (picture === undefined) return unreadable(world, named)
  const isStored = picture.kind === 'stored' && world.setup.traits.nodesOf2026
  return isStored && isTooNarrow(picture.bytes) ? tooNarrow : picture
}

/** What FFmpeg answers to a picture that it cannot pad. */
const tooNarrow: Failure = {
  exception_type: 'av.error.ArgumentError',
  exception_message: 'Invalid argument returned 22',
}

/** What FFmpeg takes for a picture by its name alone. */
const pictureName = /\.(?:png|jpe?g|gif|bmp|tiff?|webp)$/i

/** The error for a file without a picture; servers of 2026 read it with FFmpeg first [files/loaded-by-codec]. */
function unreadable(
  { setup }: World,
  { key, file }: { readonly key: string; readonly file: StoredFile },
): Failure {
  const path = reportedPathOfKey(key)
  const isOther =
    'bytes' in file.content && !(file.content.bytes.length > 0 && pictureName.test(path))
  return setup.traits.nodesOf2026 && isOther
    ? {
        exception_type: 'av.error.InvalidDataError',
        exception_message: `[Errno 1094995529] Invalid data found when processing input: '${path}'`,
      }
    : {
        exception_type: 'PIL.UnidentifiedImageError',
        exception_message: `cannot identify image file '${path}'`,
      }
}

/** The error for a name without a file: it may be that of a folder. */
function missingFile(world: World, name: string): Failure {
  const path = joinedPath(name)
  const isLater = world.setup.traits.nodesOf2026
  return namesFolder(world, name)
    ? {
        exception_type: isLater ? 'av.error.IsADirectoryError' : 'IsADirectoryError',
        exception_message: `[Errno 21] Is a directory: '${isLater ? path.replace(/\/$/, '') : path}'`,
      }
    : {
        exception_type: 'FileNotFoundError',
        exception_message: `[Errno 2] No such file or directory: '${path}'`,
      }
}

const loading =
  (outputsOf: (picture: Picture, call: Call) => readonly Picture[]): Behaviour =>
  (call): Work => {
    const file = pictureFile(call)
    if (!('kind' in file)) return { outputs: [], steps: 0, failure: file }
    return { outputs: outputsOf(file, call).slice(0, call.type.outputs.length).map(one), steps: 0 }
  }

/** The colours of a picture, without its alpha. */
export const coloursOf = (picture: Picture): Picture =>
  alphaOf(picture) === 'none' ? picture : channelOf(picture, 'rgb')

/** The alpha of a picture as a mask. */
export const alphaMaskOf = (picture: Picture): Picture =>
  alphaOf(picture) === 'channel' ? maskOf(picture) : noMask

/** The colours, and the alpha as a mask [files/loaded-alpha]. */
const loadImage = loading((picture) => [coloursOf(picture), alphaMaskOf(picture)])

const channels: readonly Channel[] = ['red', 'green', 'blue']

/** The channel that this input names; alpha for any other value. */
const channelInput = (call: Call): Channel | undefined =>
  channels.find((channel) => channel === textInput(call, 'channel', ''))

/** One channel as a mask [files/loaded-mask, files/loaded-mask-without-alpha]. */
const loadMask = loading((picture, call) => {
  const channel = channelInput(call)
  const alpha = call.world.setup.traits.nodesOf2026 ? alphaMaskOf : maskOf
  return [channel === undefined ? alpha(picture) : channelOf(picture, channel)]
})

/** One channel of each picture. Pictures from nodes have no alpha. */
const imageToMask: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined) return byDeclaration(call)
  const channel = channelInput(call)
  if (channel === undefined) return failing('IndexError', noAlphaText)
  const rest = source.rest?.map((of) => channelOf(of, channel))
  const picture = channelOf(source.picture, channel)
  return { outputs: [{ ...source, picture, ...(rest && { rest }) }], steps: 0 }
}

const noAlphaText = 'index 3 is out of bounds for dimension 3 with size 3'

/** The behaviours of the node types that load pictures or extract channels. */
export const pictureLoaders: Readonly<Record<string, Behaviour>> = {
  LoadImage: loadImage,
  LoadImageOutput: loadImage,
  LoadImageMask: loadMask,
  WebcamCapture: loadImage,
  ImageToMask: imageToMask,
}
