// Node types that write files: pictures under the next free name, and samples for other formats [files/*].

import {
  createRead,
  isMap,
  latentFile,
  product,
  Tensor,
  valueOfOutput,
  valuesOf,
} from '../../compute/index.ts'
import { paint } from '../../pictures/paint.ts'
import { longestSide, type Picture } from '../../pictures/picture.ts'
import { MOST_PIXELS } from '../../pictures/codecs/probe.ts'
import { hash53 } from '../../lib/random.ts'
import { computedWork } from '../nodes/computed.ts'
import {
  batchPictures,
  type Behaviour,
  type Call,
  failing,
  numberInput,
  pictureInput,
  textInput,
} from '../nodes/node.ts'
import { combineVideo, saveSound, saveVideo } from './save-media.ts'
import { tempPrefix } from './temp-names.ts'
import type { Save } from '../state/nodes.ts'
import type { makers, SampleFormat } from '../../../spec/scenario/samples.ts'

function pictureSave(call: Call, type: 'output' | 'temp', prefix: string): Save {
  const source = pictureInput(call)
  const pictures = source === undefined ? [] : batchPictures(source)
  const contents = pictures.map((picture) => ({ picture, format: 'png' as const }))
  return { type, prefix, ending: 'png', key: 'images', contents, numbersBatch: true }
}

const saveImages: Behaviour = (call) => ({
  outputs: [],
  steps: 0,
  save: pictureSave(call, 'output', textInput(call, 'filename_prefix', 'ComfyUI')),
})

const previewImages: Behaviour = (call) => ({
  outputs: [],
  steps: 0,
  save: pictureSave(call, 'temp', tempPrefix(call)),
})

/** Shows a mask as the picture that a node makes of it; servers of 2026 without metadata [files/mask-preview]. */
const previewMask: Behaviour = (call) => {
  const mask = computedWork({ ...call, type: { ...call.type, ...maskImage } })?.outputs[0]
  const isPicture = mask !== undefined && 'kind' in mask
  const work = previewImages(isPicture ? { ...call, inputs: new Map([['mask', mask]]) } : call)
  if (!call.world.setup.traits.nodesOf2026) return work
  return { ...work, save: { ...(work.save as Save), animated: false, isBare: true } }
}

const maskImage = { class_type: 'MaskToImage', outputs: ['IMAGE'] }

/** Sends its pictures over the socket and saves none. */
const sendImages: Behaviour = (call) => {
  const source = pictureInput(call)
  const pictures = source === undefined ? [] : batchPictures(source)
  return { outputs: [], steps: pictures.length, socketPictures: pictures }
}

/** All pictures of a batch in one file, within the limit of pixels [files/animation-pixels]. */
const saveAnimation =
  (format: 'png' | 'webp'): Behaviour =>
  (call) => {
    const prefix = textInput(call, 'filename_prefix', 'ComfyUI')
    const source = pictureInput(call)
    const pictures = source === undefined ? [] : batchPictures(source)
    const [picture, ...others] = pictures
    if (Math.max(picture?.width ?? 0, picture?.height ?? 0) > longestSide[format])
      return failing(
        'ValueError',
        'encoding error 5: Image size exceeds WebP limit of 16383 pixels',
      )
    const most = Math.floor(MOST_PIXELS / ((picture?.width ?? 1) * (picture?.height ?? 1)))
    const rest = others.slice(0, Math.max(0, most - 1))
    const frameMs = Math.trunc(1000 / (numberInput(call, 'fps') ?? DEFAULT_FPS))
    const contents = picture ? [{ picture, format, animation: { rest, frameMs } }] : []
    const save = { type: 'output', prefix, ending: format, key: 'images', contents } as const
    const isAnimation = pictures.length !== 1
    // [files/one-picture-not-animated]
    if (call.world.setup.traits.nodesOf2026 && !isAnimation) return { outputs: [], steps: 0, save }
    // A WebP file of one picture is not an animation.
    const animated = format === 'png' || isAnimation
    return { outputs: [], steps: 0, save: { ...save, animated } }
  }

const DEFAULT_FPS = 6

const GRAPH_SIZE = { width: 840, height: 520 }

/** The loss curve of a training, drawn into a file that is named after the time. */
const drawLoss: Behaviour = (call) => {
  const prefix = textInput(call, 'filename_prefix', 'loss_graph')
  const picture: Picture = { kind: 'painted', id: hash53(`loss ${call.hash}`), ...GRAPH_SIZE }
  return {
    outputs: [],
    steps: 0,
    save: {
      type: 'temp',
      prefix: `${prefix}_%year%%month%%day%_%hour%%minute%%second%`,
      ending: 'png',
      isWholeName: true,
      key: 'images',
      contents: [{ picture, format: 'png' }],
    },
  }
}

/** Outputs of other kinds: the same small sample in every run. */
const saveSample =
  (format: SampleFormat, key: string, prefix: string): Behaviour =>
  (call) => ({
    outputs: [],
    steps: 0,
    save: {
      type: 'output',
      prefix: textInput(call, 'filename_prefix', prefix),
      ending: format,
      key,
      contents: [{ sample: format }],
      // The other types keep `%batch_num%` in the name, and so do animations [files/batch-number-kept].
      numbersBatch: format === 'svg',
    },
  })

/** Larger latents are a sample, like those of models: they are written while the run lasts. */
const MOST_NUMBERS = 2 ** 18

/** A computed latent with its numbers [nodes/latents-saved]. */
const saveLatent: Behaviour = (call) => {
  const work = saveSample('latent', 'latents', 'latents/ComfyUI')(call)
  const samples = call.inputs.get('samples')
  const value = samples?.kind === 'picture' && samples.of ? valueOfOutput(samples.of) : undefined
  const tensor = isMap(value) ? value.get('samples') : undefined
  if (!(tensor instanceof Tensor) || product(tensor.shape) > MOST_NUMBERS) return work
  const bytes = latentFile(tensor, valuesOf(tensor, createRead(paint, { left: MOST_NUMBERS * 64 })))
  return { ...work, save: { ...(work.save as Save), contents: [{ bytes }] } }
}

/** The behaviours of the node types that save or send pictures and files. */
export const savers: Readonly<Record<(typeof makers)[number], Behaviour>> = {
  SaveImage: saveImages,
  PreviewImage: previewImages,
  MaskPreview: previewMask,
  SaveImageWebsocket: sendImages,
  LossGraphNode: drawLoss,
  SaveVideo: saveVideo('mp4', 'video/ComfyUI'),
  SaveWEBM: saveVideo('webm', 'ComfyUI'),
  VHS_VideoCombine: combineVideo,
  SaveAnimatedPNG: saveAnimation('png'),
  SaveAnimatedWEBP: saveAnimation('webp'),
  SaveAudio: saveSound('flac'),
  SaveAudioMP3: saveSound('mp3'),
  SaveAudioOpus: saveSound('opus'),
  PreviewAudio: saveSound('flac'),
  SaveLatent: saveLatent,
  SaveGLB: saveSample('glb', '3d', 'mesh/ComfyUI'),
  SaveSVGNode: saveSample('svg', 'images', 'svg/ComfyUI'),
}
