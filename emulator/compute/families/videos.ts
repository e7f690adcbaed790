// Videos as their parts, and what nodes for videos do with pictures.

import { floatOf, isFloat, numberOf } from '../../lib/json.ts'
import type { Family, Inputs } from '../values/inputs.ts'
import { slice } from '../values/layout.ts'
import { scaleImage } from '../arithmetic/scaling.ts'
import { colours } from '../values/pictures.ts'
import { countOf, filled, pick, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { hash53 } from '../../lib/random.ts'
import type { VideoFacts } from '../../media/facts.ts'
import { probeMedia } from '../../media/media.ts'
import { type MadeOf, type Picture, rateOf } from '../../pictures/picture.ts'
import { soundIn } from './files.ts'
import { FileBytes, Instance, misused, objectText, type Value } from '../values/values.ts'

/** Sizes that a model was trained with: width and height. */
const sizes: readonly (readonly [number, number])[] = [
  [672, 1568],
  [688, 1504],
  [720, 1456],
  [752, 1392],
  [800, 1328],
  [832, 1248],
  [880, 1184],
  [944, 1104],
  [1024, 1024],
  [1104, 944],
  [1184, 880],
  [1248, 832],
  [1328, 800],
  [1392, 752],
  [1456, 720],
  [1504, 688],
  [1568, 672],
]

/** The picture in the size whose proportions are nearest. */
function toTrainedSize({ tensor }: Inputs): readonly Tensor[] {
  const image = tensor('image', '.shape')
  const [, rows = 1, columns = 1] = image.shape
  const distance = ([width, height]: readonly [number, number]): number =>
    Math.abs(columns / rows - width / height)
  const [width, height] = sizes.reduce((best, one) => (distance(one) < distance(best) ? one : best))
  return [scaleImage(image, width, height, 'lanczos', 'center')]
}

/** Pictures as a video codec would leave them: of even sides. How they change is not computed. */
function compressed({ tensor, number }: Inputs): readonly Tensor[] {
  const image = tensor('image', '.shape')
  if (number('img_compression') === 0) return [image]
  const [, rows = 0, columns = 0, channels = 0] = image.shape
  const even = (side: number): number => Math.floor(side / 2) * 2
  if (even(rows) === 0 || even(columns) === 0) raise('IndexError', 'tuple index out of range')
  if (channels !== 3)
    raise(
      'ValueError',
      `Unexpected numpy array shape \`(${even(rows)}, ${even(columns)}, ${channels})\``,
    )
  return [slice(slice(image, 1, 0, even(rows)), 2, 0, even(columns))]
}

/** Frames of a camera's way: only their number and size are computed. */
function cameraWay({ number }: Inputs): readonly Value[] {
  const [width, height, length] = [number('width'), number('height'), number('length')]
  if (length <= 0) raise('ValueError', 'need at least one array to stack')
  const frames = Math.floor((length - 1) / 4) + 1
  return [filled([1, 24, frames, height, width], 0), width, height, length]
}

function components({ value }: Inputs): readonly Value[] {
  const video = value('video')
  if (!(video instanceof Instance)) return misused(video, '.get_components')
  checkVideo(video)
  return [
    video.fields.get('images') ?? null,
    video.fields.get('audio') ?? null,
    video.fields.get('fps') ?? null,
  ]
}

/** Raises the exception for a file without a video, which only who reads it finds out. */
export function checkVideo({ fields }: Instance): void {
  const path = fields.get('broken')
  if (path !== undefined)
    raise(
      'av.error.InvalidDataError',
      `[Errno 1094995529] Invalid data found when processing input: '${path as string}'`,
    )
}

/** A video by its file: a scene for each of its frames, or the pictures that this server has made it of. */
function videoFile({ value }: Inputs): readonly Value[] {
  const opened = value('file')
  if (!(opened instanceof FileBytes)) return misused(opened, '.endswith')
  const { made, bytes, path } = opened.file
  const text = objectText('comfy_api.latest._input_impl.video_types', 'VideoFromFile')
  const said = probeMedia(bytes ?? new Uint8Array(0))
  const facts = made === undefined ? said.video : factsOf(made)
  if (facts === undefined) return [new Instance('VideoFromFile', { broken: path }, text)]
  const { frames, width, height, fps } = facts
  const pictureAt = (index: number): Picture =>
    made?.pictures[index] ?? { kind: 'painted', id: hash53(`${path} ${index}`), width, height }
  const images = new Tensor([frames, height, width, 3], (index, read) =>
    colours(read.pixels(pictureAt(index))),
  )
  const fields = { images, audio: soundIn(opened, said) ?? null, fps: floatOf(fps) }
  return [new Instance('VideoFromFile', fields, text)]
}

/** What a video shows that this server has made; undefined for a file without frames. */
function factsOf({ pictures, frameMs }: MadeOf): VideoFacts | undefined {
  const [first] = pictures
  if (first === undefined || frameMs === undefined) return undefined
  const fps = rateOf({ frameMs }) / 1000
  return { width: first.width, height: first.height, frames: pictures.length, fps }
}

/** Frames of a video: `every`th of those behind the `skipped` ones, at most `most`, at another rate; 0 changes nothing. */
function chosenFrames({ value, number }: Inputs): readonly Value[] {
  const video = value('video')
  if (!(video instanceof Instance)) return misused(video, '.get_components')
  checkVideo(video)
  const images = video.fields.get('images')
  if (!(images instanceof Tensor)) return []
  const fps = numberOf((video.fields.get('fps') ?? null) as number) ?? 1
  const rate = number('rate') > 0 ? number('rate') : fps
  const count = Math.max(1, Math.floor((countOf(images) * rate) / fps))
  const places = Array.from({ length: count }, (_, at) => Math.floor((at * fps) / rate))
  const every = Math.max(1, Math.trunc(number('every')))
  const kept = places.slice(number('skipped')).filter((_, at) => at % every === 0)
  const most = number('most')
  const indices = most > 0 ? kept.slice(0, most) : kept
  return [pick(images, indices), video.fields.get('audio') ?? null]
}

export const videos: Family = {
  // What a node of a pack loads.
  '(frames)': chosenFrames,
  CreateVideo: ({ value }) => {
    const fps = value('fps')
    const number = isFloat(fps as number) ? fps : floatOf(numberOf(fps as number) ?? 0)
    const fields = {
      images: value('images'),
      audio: value('audio'),
      fps: number,
    }
    const text = objectText('comfy_api.latest._input_impl.video_types', 'VideoFromComponents')
    return [new Instance('VideoFromComponents', fields, text)]
  },
  FluxKontextImageScale: toTrainedSize,
  GetImageSize: ({ tensor }) => {
    const { shape } = tensor('image', '.shape')
    return [shape[2] ?? 0, shape[1] ?? 0, shape[0] ?? 0]
  },
  GetVideoComponents: components,
  LoadVideo: videoFile,
  LTXVPreprocess: compressed,
  WanCameraEmbedding: cameraWay,
}
