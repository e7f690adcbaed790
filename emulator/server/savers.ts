// Node types that write files: pictures under the next free name, and samples for what is no picture [files/*].

import { get, put } from '../bounded.ts'
import { drawLetters } from '../random.ts'
import {
  batchPictures,
  type Behaviour,
  type Call,
  pictureInput,
  type Save,
  textInput,
} from './nodes.ts'
import type { SampleFormat } from './samples.ts'

function pictureSave(call: Call, type: 'output' | 'temp', prefix: string): Save {
  const source = pictureInput(call)
  const pictures = source === undefined ? [] : batchPictures(source)
  const contents = pictures.map((picture) => ({ picture, format: 'png' as const }))
  return { type, prefix, ending: 'png', key: 'images', contents }
}

const saveImages: Behaviour = (call) => ({
  outputs: [],
  steps: 0,
  save: pictureSave(call, 'output', textInput(call, 'filename_prefix', 'ComfyUI')),
})

/** Letters of temporary names; one is left out, as in the real server. */
const LETTERS = 'abcdefghijklmnopqrstuvxyz'

function tempPrefix(call: Call): string {
  const key = `${call.node_id} ${call.type.class_type}`
  const known = get(call.world.tempLetters, key)
  const letters = known ?? drawLetters(call.world.random, LETTERS, 5)
  if (known === undefined) put(call.world.tempLetters, key, letters)
  return `ComfyUI_temp_${letters}`
}

const previewImages: Behaviour = (call) => ({
  outputs: [],
  steps: 0,
  save: pictureSave(call, 'temp', tempPrefix(call)),
})

/** Sends its pictures over the socket and saves none. */
const sendImages: Behaviour = (call) => {
  const source = pictureInput(call)
  const pictures = source === undefined ? [] : batchPictures(source)
  return { outputs: [], steps: pictures.length, socketPictures: pictures }
}

/** An animation of several pictures shows the first one only. */
const saveAnimatedPng: Behaviour = (call) => {
  const save = pictureSave(call, 'output', textInput(call, 'filename_prefix', 'ComfyUI'))
  const contents = save.contents.slice(0, 1)
  return { outputs: [], steps: 0, save: { ...save, contents, animated: true } }
}

/** Files that are no pictures: the same small sample in every run. */
const saveSample =
  (format: SampleFormat, key: string, prefix: string, animated?: boolean): Behaviour =>
  (call) => ({
    outputs: [],
    steps: 0,
    save: {
      type: call.type.class_type.startsWith('Preview') ? 'temp' : 'output',
      prefix: call.type.class_type.startsWith('Preview')
        ? tempPrefix(call)
        : textInput(call, 'filename_prefix', prefix),
      ending: format,
      key,
      contents: [{ sample: format }],
      ...(animated !== undefined && { animated }),
    },
  })

/** A single picture makes no animation. */
const saveAnimatedWebp: Behaviour = (call) =>
  saveSample('webp', 'images', 'ComfyUI', pictureInput(call)?.count !== 1)(call)

const saveVideo =
  (format: SampleFormat, prefix: string): Behaviour =>
  (call) =>
    call.world.quirks.has('local.video-under-images')
      ? saveSample(format, 'images', prefix, true)(call)
      : saveSample(format, call.world.account === null ? 'videos' : 'video', prefix)(call)

/** Behaviours of the node types that save or send pictures and files. */
export const savers: Readonly<Record<string, Behaviour>> = {
  SaveImage: saveImages,
  PreviewImage: previewImages,
  MaskPreview: previewImages,
  SaveImageWebsocket: sendImages,
  SaveVideo: saveVideo('mp4', 'video/ComfyUI'),
  SaveWEBM: saveVideo('webm', 'ComfyUI'),
  SaveAnimatedPNG: saveAnimatedPng,
  SaveAnimatedWEBP: saveAnimatedWebp,
  SaveAudio: saveSample('flac', 'audio', 'audio/ComfyUI'),
  SaveAudioMP3: saveSample('mp3', 'audio', 'audio/ComfyUI'),
  SaveAudioOpus: saveSample('opus', 'audio', 'audio/ComfyUI'),
  PreviewAudio: saveSample('flac', 'audio', ''),
  SaveLatent: saveSample('latent', 'latents', 'latents/ComfyUI'),
  SaveGLB: saveSample('glb', '3d', 'mesh/ComfyUI'),
  SaveSVGNode: saveSample('svg', 'images', 'svg/ComfyUI'),
}
