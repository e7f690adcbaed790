// Nodes that save: the exceptions for what cannot be saved. What is saved is decided in server/nodes.

import { isObject, type Json, numberOf } from '../../lib/json.ts'
import type { Family, Inputs } from '../values/inputs.ts'
import { checkVideo } from './videos.ts'
import { checkReshape, countOf, product, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import {
  Instance,
  misused,
  typeName,
  type Use,
  type Value,
  type ValueMap,
} from '../values/values.ts'

const nothing: readonly Value[] = []

const noPicture = (): never =>
  raise('IndexError', 'index 0 is out of bounds for dimension 0 with size 0')

const emptyPng = (): never => raise('ValueError', 'cannot write empty image')
const emptyWebp = (): never => raise('MemoryError', "can't allocate picture frame")

/**
 * The exception for pictures that no file can hold.
 * @param ofNoSize raises the one for pictures without pixels.
 */
function checkPictures({ value }: Inputs, ofNoSize = emptyPng): void {
  const given = value('images')
  if (Array.isArray(given)) {
    const [first = raise('IndexError', 'list index out of range')] = given as readonly Value[]
    return misused(first, '.shape')
  }
  if (!(given instanceof Tensor))
    return misused(given, typeof given === 'string' ? '.shape' : 'index')
  const [, rows = 0, columns = 0, channels = 3] = given.shape
  if (countOf(given) === 0) noPicture()
  if (rows === 0 || columns === 0) ofNoSize()
  if (channels === 1 || channels > 4)
    raise('TypeError', `Cannot handle this data type: (1, 1, ${channels}), |u1`)
}

function checkSpeed({ number }: Inputs): void {
  if (number('fps', 6) === 0) raise('ZeroDivisionError', 'float division by zero')
}

const pictures = (inputs: Inputs): readonly Value[] => {
  checkPictures(inputs)
  return nothing
}

function animatedPng(inputs: Inputs): readonly Value[] {
  checkPictures(inputs)
  checkSpeed(inputs)
  const level = inputs.number('compress_level')
  if (level < -1 || level > 9) raise('OSError', 'codec configuration error when writing image file')
  return nothing
}

function animatedWebp(inputs: Inputs): readonly Value[] {
  checkPictures(inputs, emptyWebp)
  checkSpeed(inputs)
  const frames = inputs.value('images')
  const isBackwards = Math.trunc(1000 / inputs.number('fps', 6)) < 0
  if (isBackwards && frames instanceof Tensor && countOf(frames) > 1)
    raise('RuntimeError', 'ERROR adding frame: timestamps must be non-decreasing.')
  const quality = inputs.number('quality', 80)
  if (quality < 0 || quality > 100) raise('ValueError', 'invalid configuration')
  return nothing
}

const audio = (inputs: Inputs): readonly Value[] => {
  const waveform = inputs.members('audio', 'key', 'waveform').get('waveform')
  // A codec without samples has no frame to write.
  const isCodec = waveform instanceof Tensor && product(waveform.shape) === 0
  if (isCodec) raise('av.error.MemoryError', '[Errno 12] Cannot allocate memory')
  return nothing
}

/** More bits a second of one channel, Opus refuses. */
const MOST_OPUS = 256_000
const bitRates: Readonly<Record<string, number>> = { '320k': 320_000 }
const mp3Rates = new Set([8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000])

const refusedByCodec = (codec: string): never =>
  raise('av.error.ArgumentError', `Invalid argument: 'avcodec_open2("${codec}", {})' returned 22`)

/** Sounds that a codec may refuse once it has their samples. */
const encoded =
  (codec: string, isRefused: (inputs: Inputs, sound: ValueMap) => boolean) =>
  (inputs: Inputs): readonly Value[] => {
    const outputs = audio(inputs)
    if (isRefused(inputs, inputs.members('audio', 'key', 'waveform'))) refusedByCodec(codec)
    return outputs
  }

const opus = encoded('libopus', ({ text }, sound) => {
  const waveform = sound.get('waveform')
  const channels = waveform instanceof Tensor ? (waveform.shape[1] ?? 1) : 1
  return (bitRates[text('quality', '128k')] ?? 0) > MOST_OPUS * channels
})

const mp3 = encoded(
  'libmp3lame',
  (_, sound) => !mp3Rates.has(numberOf((sound.get('sample_rate') ?? null) as number) ?? 0),
)

/** A node whose input only a model makes: anything else lacks an attribute. */
const needing =
  (name: string, use: Use) =>
  ({ value }: Inputs): readonly Value[] => {
    const given = value(name)
    return given instanceof Instance ? nothing : misused(given, use)
  }

function lora({ value }: Inputs): readonly Value[] {
  const given = value('lora')
  if (!isObject(given as Json))
    raise(
      'ValueError',
      `Expected a dict of [str, torch.Tensor] but received <class '${typeName(given)}'>`,
    )
  for (const [key, one] of given as Map<string, Value>)
    if (!(one instanceof Tensor))
      raise(
        'ValueError',
        `Key \`${key}\` is invalid, expected torch.Tensor but received <class '${typeName(one)}'>`,
      )
  return nothing
}

/** A curve needs numbers, and a range. */
function loss({ members }: Inputs): readonly Value[] {
  const values = members('loss', 'key', 'loss').get('loss')
  if (!Array.isArray(values)) return nothing
  if (values.length === 0) raise('ValueError', 'min() arg is an empty sequence')
  const text = values.find((one) => typeof one === 'string')
  if (text !== undefined)
    raise('TypeError', "'<' not supported between instances of 'str' and 'int'")
  if (values.every((one) => one === values[0])) raise('ZeroDivisionError', 'float division by zero')
  return nothing
}

const containers = new Set(['auto', 'mp4'])
const codecs = new Set(['auto', 'h264'])

function video({ value, text }: Inputs): readonly Value[] {
  const given = value('video')
  if (!(given instanceof Instance)) return misused(given, '.get_dimensions')
  checkVideo(given)
  const images = given.fields.get('images') ?? null
  if (!(images instanceof Tensor)) return misused(images, '.shape')
  const format = value('format')
  if (typeof format !== 'string') raise('ValueError', 'Only MP4 format is supported for now')
  if (!containers.has(format)) raise('ValueError', `'${format}' is not a valid VideoContainer`)
  if (!codecs.has(text('codec', 'auto')))
    raise('ValueError', 'Only H264 codec is supported for now')
  const [, rows = 0, columns = 0, channels = 3] = images.shape
  if (channels !== 3)
    raise('ValueError', `Unexpected numpy array shape \`(${rows}, ${columns}, ${channels})\``)
  // A frame without pixels has no planes.
  if (rows === 0 || columns === 0) raise('IndexError', 'tuple index out of range')
  if ((numberOf(given.fields.get('fps') as Json) ?? 0) < 0) refusedByCodec('libx264')
  if (rows % 2 === 1 || columns % 2 === 1)
    raise(
      'av.error.ExternalError',
      '[Errno 542398533] Generic error in an external library: \'avcodec_open2("libx264", {})\'',
    )
  return nothing
}

const webmCodecs = new Set(['vp9', 'av1'])

function webm({ value, text }: Inputs): readonly Value[] {
  const given = value('images')
  if (!(given instanceof Tensor)) return misused(given, '.shape')
  const codec = text('codec', 'vp9')
  return webmCodecs.has(codec) ? nothing : raise('KeyError', `'${codec}'`)
}

/** What these types check before they save. */
export const savingChecks: Family = {
  LossGraphNode: loss,
  MaskPreview: ({ tensor }) => {
    const { shape } = tensor('mask', '.reshape')
    checkReshape([1, ...shape.slice(-2)])
    return product(shape) === 0 ? noPicture() : nothing
  },
  PreviewAudio: audio,
  PreviewImage: pictures,
  SaveAnimatedPNG: animatedPng,
  SaveAnimatedWEBP: animatedWebp,
  SaveAudio: (inputs) => {
    inputs.members('audio', 'key', 'waveform')
    return nothing
  },
  SaveAudioMP3: mp3,
  SaveAudioOpus: opus,
  SaveGLB: needing('mesh', '.vertices'),
  SaveImage: pictures,
  SaveLatent: ({ members }) => {
    members('samples')
    return nothing
  },
  SaveLoRANode: lora,
  SaveSVGNode: needing('svg', '.data'),
  SaveVideo: video,
  SaveWEBM: webm,
  VoxelToMesh: needing('voxel', '.data'),
  VoxelToMeshBasic: needing('voxel', '.data'),
}
