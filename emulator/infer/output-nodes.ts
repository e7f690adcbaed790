// Nodes of well-known packs that report something to their client: under which keys, which files stand below them, and what
// such a node returns to others.

import type { Json } from '../lib/json.ts'
import type { NodeRule } from '../../spec/scenario/nodes.ts'
import type { WorkflowNode } from './nodes.ts'

export type OutputNode = {
  /** The types of its outputs; those behind them are inferred. */
  readonly output?: readonly string[]
  /** Whether it is not an output node: it reports only if one needs it. */
  readonly isInner?: true
  /** What it does. */
  readonly rule?: Pick<NodeRule, 'as' | 'outputs' | 'values'>
  /** Values of an input with which it reports something else. */
  readonly unless?: {
    readonly input: string
    readonly values: readonly Json[]
    readonly outputs: NonNullable<NodeRule['outputs']>
  }
}

/** Saves its pictures as SaveImage does, and shows them as PreviewImage does, also where it returns them. */
const saves: OutputNode = { rule: { as: 'SaveImage' } }
const shows: OutputNode = { rule: { as: 'PreviewImage' } }

/** Shows a text or any value, and returns it. */
const showsText = (input: string): OutputNode => ({
  output: ['STRING'],
  rule: { outputs: { text: [{ input }] }, values: [{ input }] },
})

/** The same, but returns nothing. */
const displays = (input: string): OutputNode => ({ rule: { outputs: { text: [{ input }] } } })

/** The result of a sampler that shows its pictures. */
const samples = (
  output: readonly string[],
  unless: NonNullable<OutputNode['unless']>,
): OutputNode => ({
  output,
  rule: { outputs: { images: [{ own: true, type: 'temp' }] } },
  unless,
})

const unlessOff = { input: 'preview_method', values: ['none'], outputs: { images: [] } }
const unlessHidden = {
  input: 'image_output',
  values: ['Hide', 'Hide&Save', 'Hide/Save'],
  outputs: {},
}

const poses: OutputNode = {
  isInner: true,
  output: ['IMAGE', 'POSE_KEYPOINT'],
  rule: {
    outputs: {
      openpose_json: ['[{"people": [], "animals": [], "canvas_height": 512, "canvas_width": 512}]'],
    },
  },
}

/** Sends its pictures over the socket, as SaveImageWebsocket does. */
const sends: OutputNode = {
  rule: {
    as: 'SaveImageWebsocket',
    outputs: { images: [{ source: 'websocket', 'content-type': 'image/png', type: 'output' }] },
  },
}

/** Prints a text, and returns it. */
const prints: OutputNode = {
  output: ['STRING'],
  rule: { outputs: { string: [{ input: 'text' }] }, values: [{ input: 'text' }] },
}

/** Rate, frames, seconds, width and height of a video. */
const clip = ['FLOAT', 'INT', 'FLOAT', 'INT', 'INT'] as const
const ofClip = [8, 16, 2, 512, 512] as const

const pipe = ['PIPE_LINE', 'IMAGE'] as const
const efficient = ['MODEL', 'CONDITIONING', 'CONDITIONING', 'LATENT', 'VAE', 'IMAGE'] as const

/** What a loaded video returns. */
const loaded = ['IMAGE', 'INT', 'AUDIO', 'VHS_VIDEOINFO'] as const

const outputNodes: Readonly<Record<string, OutputNode>> = {
  // Videos.
  // What it saves and reports, the server knows.
  VHS_VideoCombine: { output: ['VHS_FILENAMES'] },
  VHS_LoadVideo: { isInner: true, output: loaded },
  VHS_LoadVideoPath: { isInner: true, output: loaded },
  VHS_LoadVideoFFmpeg: { isInner: true, output: ['IMAGE', 'MASK', 'AUDIO', 'VHS_VIDEOINFO'] },
  ADE_AnimateDiffCombine: {
    rule: { outputs: { gifs: [{ own: true, format: 'video/mp4' }] } },
  },
  VideoCombine_Adv: {
    rule: { outputs: { gifs: [{ own: true, format: 'video/mp4' }] } },
  },
  'Save Gif (mtb)': { rule: { outputs: { gif: [{ own: true, format: 'image/gif' }] } } },

  // Pictures.
  'Image Save': {
    ...saves,
    unless: { input: 'show_previews', values: ['false'], outputs: { images: [] } },
  },
  'Image Saver': saves,
  'Image Saver Simple': saves,
  'LayerUtility: SaveImagePlus': saves,
  'LayerUtility: SaveImagePlusV2': saves,
  'Save Image (LoraManager)': saves,
  'Save image with extra metadata [Crystools]': saves,
  SDPromptSaver: saves,
  SaveImageExtended: saves,
  SaveImageKJ: saves,
  SaveImageWithAlpha: saves,
  ComfyDeployOutputImage: saves,
  'easy imageSave': saves,
  ImageAndMaskPreview: shows,
  'MaskPreview+': { rule: { as: 'MaskPreview' } },
  'ImagePreviewFromLatent+': { output: ['IMAGE', 'MASK', 'INT', 'INT'], ...shows },
  SEGSPreview: { output: ['IMAGE'], rule: { outputs: { images: [{ own: true, type: 'temp' }] } } },
  PreviewBridge: {
    output: ['IMAGE', 'MASK'],
    rule: { outputs: { images: [{ own: true, type: 'temp', subfolder: 'PreviewBridge' }] } },
  },
  PreviewBridgeLatent: {
    output: ['LATENT', 'MASK'],
    rule: { outputs: { images: [{ own: true, type: 'temp', subfolder: 'PreviewBridge' }] } },
  },
  'Image Comparer (rgthree)': {
    rule: {
      outputs: {
        a_images: [{ own: true, type: 'temp' }],
        b_images: [{ own: true, type: 'temp' }],
      },
    },
  },
  'KSampler (Efficient)': samples(efficient, unlessOff),
  'KSampler Adv. (Efficient)': samples(efficient, unlessOff),
  'KSampler SDXL (Eff.)': samples(['SDXL_TUPLE', 'LATENT', 'VAE', 'IMAGE'], unlessOff),
  'easy kSampler': samples(pipe, unlessHidden),
  'easy fullkSampler': samples(
    [...pipe, 'MODEL', 'CONDITIONING', 'CONDITIONING', 'LATENT', 'VAE', 'CLIP', 'INT'],
    unlessHidden,
  ),
  ETN_SendImageWebSocket: sends,
  ETN_KritaOutput: sends,

  // Texts and values.
  'ShowText|pysssss': showsText('text'),
  'StringFunction|pysssss': {
    output: ['STRING'],
    rule: { outputs: { text: [{ input: 'text_a' }] } },
  },
  'PlaySound|pysssss': { rule: { outputs: { a: [] } } },
  'SystemNotification|pysssss': {
    rule: { outputs: { message: [{ input: 'message' }], mode: [{ input: 'mode' }] } },
  },
  'Display Any (rgthree)': displays('source'),
  'Display Int (rgthree)': displays('input'),
  DisplayAny: showsText('input'),
  'easy showAnything': { output: ['*'], ...displays('anything') },
  'easy seed': {
    isInner: true,
    output: ['INT'],
    rule: { outputs: { value: [{ input: 'seed' }] }, values: [{ input: 'seed' }] },
  },
  'Text to Console': prints,
  'Save Text File': prints,
  'Show any [Crystools]': displays('any_value'),
  'Show any to JSON [Crystools]': showsText('any_value'),
  'Show Metadata [Crystools]': displays('metadata_raw'),
  ETN_KritaSendText: {
    rule: { outputs: { text: [{ name: 'text', text: '', 'content-type': 'text/plain' }] } },
  },
  SDPromptReader: {
    isInner: true,
    output: [
      'IMAGE',
      'MASK',
      'STRING',
      'STRING',
      'INT',
      'INT',
      'FLOAT',
      'INT',
      'INT',
      'STRING',
      'STRING',
      'STRING',
    ],
    rule: { outputs: { text: ['', '', ''] } },
  },
  ComfyDeployOutputText: { rule: { outputs: { text_file: [{ text: '' }] } } },
  DWPreprocessor: poses,
  OpenposePreprocessor: poses,
  AnimalPosePreprocessor: poses,

  // Sizes and rates that others compute with: zero would end most runs.
  'GetImageSize+': { isInner: true, output: ['INT', 'INT', 'INT'], rule: { as: 'GetImageSize' } },
  GetImageSizeAndCount: {
    isInner: true,
    output: ['IMAGE', 'INT', 'INT', 'INT'],
    rule: { values: [{ input: 'image' }, 512, 512, 1] },
  },
  VHS_VideoInfo: {
    isInner: true,
    output: [...clip, ...clip],
    rule: { values: [...ofClip, ...ofClip] },
  },
  VHS_VideoInfoLoaded: { isInner: true, output: clip, rule: { values: [...ofClip] } },
  VHS_VideoInfoSource: { isInner: true, output: clip, rule: { values: [...ofClip] } },

  // Meshes.
  TripoSRViewer: { rule: { outputs: { mesh: [{ own: true }] } } },
}

/** What is known of a node of a pack; undefined for any other type. */
export const outputNodeOf = (class_type: string): OutputNode | undefined =>
  Object.hasOwn(outputNodes, class_type) ? outputNodes[class_type] : undefined

/** Whether a type of a pack is known as an output node. */
export function isKnownOutput(class_type: string): boolean {
  const known = outputNodeOf(class_type)
  return known !== undefined && known.isInner !== true
}

/** The rule for the nodes of a type in these workflows; undefined for a type of which nothing is known. */
export function outputRule(
  class_type: string,
  nodes: readonly WorkflowNode[],
): NodeRule | undefined {
  const known = outputNodeOf(class_type)
  if (known?.rule === undefined) return undefined
  const { rule, unless } = known
  const isOther = nodes.some(
    (node) =>
      unless !== undefined &&
      node.class_type === class_type &&
      unless.values.includes(node.inputs.get(unless.input) ?? null),
  )
  return { class_type, ...(isOther ? { outputs: unless?.outputs ?? {} } : rule) }
}
