// Files that a world can make although no node computes them: their formats, and which format a file of a rule has.

import { isFile, type NodeRule, type OutputFile } from './nodes.ts'

/** Formats of which there is one small valid file, the same for every run. */
export type SampleFormat = 'gif' | 'glb' | 'latent' | 'svg' | 'txt'

/** A file that is made: a picture, a video, a sound, or a sample. */
export type Made =
  | { readonly kind: 'picture'; readonly format: 'png' | 'jpeg' | 'webp' }
  | { readonly kind: 'video'; readonly format: 'mp4' | 'webm' }
  | { readonly kind: 'sound'; readonly format: 'wav' | 'flac' | 'mp3' | 'opus' }
  | { readonly kind: 'sample'; readonly format: SampleFormat }

/** By the endings of names. */
const made: Readonly<Record<string, Made>> = {
  png: { kind: 'picture', format: 'png' },
  jpg: { kind: 'picture', format: 'jpeg' },
  jpeg: { kind: 'picture', format: 'jpeg' },
  webp: { kind: 'picture', format: 'webp' },
  mp4: { kind: 'video', format: 'mp4' },
  mov: { kind: 'video', format: 'mp4' },
  webm: { kind: 'video', format: 'webm' },
  mkv: { kind: 'video', format: 'webm' },
  wav: { kind: 'sound', format: 'wav' },
  flac: { kind: 'sound', format: 'flac' },
  mp3: { kind: 'sound', format: 'mp3' },
  opus: { kind: 'sound', format: 'opus' },
  ogg: { kind: 'sound', format: 'opus' },
  gif: { kind: 'sample', format: 'gif' },
  glb: { kind: 'sample', format: 'glb' },
  latent: { kind: 'sample', format: 'latent' },
  svg: { kind: 'sample', format: 'svg' },
  txt: { kind: 'sample', format: 'txt' },
}

/** What is made of a file whose name has this ending; undefined for one that is not made. */
export const madeOf = (ending: string): Made | undefined =>
  Object.hasOwn(made, ending) ? made[ending] : undefined

const isMade = (ending: string): boolean => madeOf(ending) !== undefined

/** Whether a world can make a sample of a file with this name. */
export const hasSample = (filename: string): boolean => isMade(nameEnding(filename) ?? '')

export const nameEnding = (filename: string): string | undefined =>
  /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase()

/** The ending of the name of a file by its media type, such as video/h264-mp4, or by its list. */
export function usualEnding(list: string, { format }: OutputFile): string | undefined {
  const named = typeof format === 'string' ? /\w+$/.exec(format)?.[0].toLowerCase() : undefined
  return named !== undefined && isMade(named) ? named : endings.get(list)
}

/** The endings of files without a name, by their list. */
const endings: ReadonlyMap<string, string> = new Map([
  ['images', 'png'],
  ['videos', 'mp4'],
  ['video', 'mp4'],
  ['gifs', 'mp4'],
  ['audio', 'flac'],
  ['3d', 'glb'],
  ['mesh', 'glb'],
  ['latents', 'latent'],
  ['text', 'txt'],
])

/** The ending of the sample of a file, by its name, its format or its list. */
export const sampleEnding = (list: string, file: OutputFile): string =>
  nameEnding(file.filename ?? '') ?? usualEnding(list, file) ?? 'png'

/** The node types that make files, which a rule with `own` can name. */
export const makers = [
  'SaveImage',
  'PreviewImage',
  'MaskPreview',
  'SaveImageWebsocket',
  'LossGraphNode',
  'SaveVideo',
  'SaveWEBM',
  'VHS_VideoCombine',
  'SaveAnimatedPNG',
  'SaveAnimatedWEBP',
  'SaveAudio',
  'SaveAudioMP3',
  'SaveAudioOpus',
  'PreviewAudio',
  'SaveLatent',
  'SaveGLB',
  'SaveSVGNode',
] as const

/** The ending of a file with `own` that a world cannot make; undefined if it can [scenario/own-refused]. */
export function endingWithoutSample(
  { class_type, as = class_type }: NodeRule,
  list: string,
  item: unknown,
): string | undefined {
  if (!isFile(item) || item.own !== true || as === undefined) return undefined
  if ((makers as readonly string[]).includes(as)) return undefined
  const ending = sampleEnding(list, item)
  return isMade(ending) ? undefined : ending
}
