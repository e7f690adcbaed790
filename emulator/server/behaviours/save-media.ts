// Node types that save videos and sounds [files/videos, files/sounds].

import { Instance, isMap, Tensor, valueOfOutput } from '../../compute/index.ts'
import { floatOf, type Json, numberOf, writeJson } from '../../lib/json.ts'
import { isTruthy } from '../../lib/python.ts'
import { hash53 } from '../../lib/random.ts'
import type {
  Animation,
  Output,
  Picture,
  Sound,
  SoundFormat,
  VideoFormat,
} from '../../pictures/picture.ts'
import type { FileContent } from '../state/files.ts'
import type { Save, Value } from '../state/nodes.ts'
import { madeOf } from '../../../spec/scenario/samples.ts'
import { paintedVideo, tone } from '../world/made-files.ts'
import {
  batchPictures,
  type Behaviour,
  type Call,
  numberInput,
  pictureInput,
  textInput,
} from '../nodes/node.ts'
import { tempPrefix } from './temp-names.ts'

/** A video of pictures, which are shown for 1/fps seconds each. */
function videoOf(
  [first, ...rest]: readonly Picture[],
  fps: number,
  format: VideoFormat,
  sound?: Sound,
): FileContent | undefined {
  if (first === undefined) return undefined
  // Writers of videos count in thousandths of a frame a second.
  const rate = Math.max(1, Math.round(fps * 1000))
  const animation: Animation = { rest, frameMs: 1_000_000 / rate, ...(sound && { sound }) }
  return { picture: first, format, animation }
}

/** The pictures, the frame rate and the sound of a VIDEO; undefined for one that a model or a service has made. */
function videoInput(call: Call): { pictures: Picture[]; fps: number; sound?: Sound } | undefined {
  const video = call.inputs.get('video')
  const of = video?.kind === 'opaque' ? video.of : undefined
  const value = of && valueOfOutput(of)
  if (of === undefined || !(value instanceof Instance)) return undefined
  const images = value.fields.get('images')
  if (!(images instanceof Tensor)) return undefined
  const fps = numberOf((value.fields.get('fps') ?? null) as Json) ?? DEFAULT_FPS
  const [sound] = soundsIn(value.fields.get('audio'), of)
  return { pictures: framesOf(of, images), fps, ...(sound && { sound }) }
}

/** The frames of a video: pictures that a node was given, or those that it computes. */
function framesOf(of: Output, { shape }: Tensor): Picture[] {
  const { recipe } = of
  const given = recipe.class_type === 'CreateVideo' ? recipe.inputs['images'] : undefined
  if (given?.kind === 'pictures') return [...given.pictures]
  const file = recipe.inputs['file']
  if (file?.kind === 'file' && file.made !== undefined) return [...file.made.pictures]
  const [count = 0, height = 0, width = 0, channels = 3] = shape
  return Array.from({ length: Math.min(count, MOST_FRAMES) }, (_, index) => ({
    kind: 'computed',
    id: hash53(`${recipe.id} frame ${index}`),
    width,
    height,
    of,
    index,
    effort: recipe.effort + height * width * channels,
  }))
}

/** Longer videos end here: three quarters of an hour at 24 frames a second. */
const MOST_FRAMES = 2 ** 16
const DEFAULT_FPS = 24

/** The sounds in a value: one for each item of its batch; none in anything but an AUDIO. */
function soundsIn(value: unknown, of: Output): Sound[] {
  const audio = isMap(value as Json) ? (value as ReadonlyMap<string, unknown>) : undefined
  const waveform = audio?.get('waveform')
  if (!(waveform instanceof Tensor)) return []
  const [count = 0, channels = 1, samples = 0] = waveform.shape
  const rate = Math.trunc(numberOf((audio?.get('sample_rate') ?? null) as Json) ?? 0)
  if (!(rate > 0 && rate <= MOST_RATE && channels > 0 && channels <= MOST_CHANNELS)) return []
  const id = hash53(`${of.recipe.id} ${of.slot} ${of.item}`)
  return Array.from({ length: count }, (_, index) => ({ id, rate, channels, samples, of, index }))
}

/** What FLAC has room for. */
const MOST_RATE = 2 ** 20 - 1
const MOST_CHANNELS = 8

/** The sounds of an input; a tone in place of one that a model or a service has made. */
export function soundInputs(value: Value | undefined): Sound[] {
  if (value?.kind !== 'opaque') return []
  return value.of === undefined ? [tone(value.id)] : soundsIn(valueOfOutput(value.of), value.of)
}

/** The video that a node of any type would make of its inputs. */
export function videoFrom(call: Call, format: VideoFormat): FileContent {
  const source = pictureInput(call)
  const [sound] = soundInputs(call.inputs.get('audio'))
  const fps = numberInput(call, 'fps') ?? numberInput(call, 'frame_rate') ?? DEFAULT_FPS
  const video =
    videoInput(call) ??
    (source && { pictures: batchPictures(source), fps, ...(sound && { sound }) })
  const content = video && videoOf(video.pictures, video.fps, format, video.sound)
  return content ?? paintedVideo(call.hash, VIDEO_SIZE, format)
}

const VIDEO_SIZE = { width: 512, height: 288 }

/** The sound that a node of any type would make of its inputs. */
export function soundFrom(call: Call, format: SoundFormat): FileContent {
  const given = call.type.inputs.find(({ type }) => type === 'AUDIO')?.name ?? 'audio'
  const [sound] = soundInputs(call.inputs.get(given))
  return { sound: sound ?? tone(call.hash), format }
}

export const saveVideo =
  (format: VideoFormat, prefix: string): Behaviour =>
  (call) => {
    const { videoKey } = call.world.setup.traits
    const save: Save = {
      type: 'output',
      prefix: textInput(call, 'filename_prefix', prefix),
      ending: format,
      key: videoKey,
      contents: [videoFrom(call, format)],
      ...(videoKey === 'images' && { animated: true }),
    }
    return { outputs: [], steps: 0, save }
  }

export const saveSound =
  (format: SoundFormat): Behaviour =>
  (call) => {
    const isPreview = call.type.class_type.startsWith('Preview')
    const save: Save = {
      type: isPreview ? 'temp' : 'output',
      prefix: isPreview ? tempPrefix(call) : textInput(call, 'filename_prefix', 'audio/ComfyUI'),
      ending: format,
      key: 'audio',
      contents: soundInputs(call.inputs.get('audio')).map((sound) => ({ sound, format })),
      numbersBatch: true,
      numberEnd: call.world.setup.traits.audioNameEnd,
    }
    return { outputs: [], steps: 0, save }
  }

/**
 * The node of a pack that most workflows end their videos with [scenario/video-combine]: besides the video it saves a
 * picture that contains the workflow, and with sound the video again with a track of it.
 */
export const combineVideo: Behaviour = (call) => {
  const source = pictureInput(call)
  if (source === undefined || source.count === 0)
    return { outputs: [], steps: 0, ui: '{"gifs": []}' }
  const format = textInput(call, 'format', 'image/gif')
  const name = format.replace(/^.*[/-]/, '')
  const ending = endings[name] ?? name
  const given = batchPictures(source)
  const once = isOn(call, 'pingpong') ? [...given, ...given.slice(1, -1).toReversed()] : given
  const isMovie = madeOf(ending)?.kind === 'video'
  const loops = isMovie ? Math.max(0, Math.trunc(numberInput(call, 'loop_count') ?? 0)) : 0
  const most = Math.max(1, Math.min(loops + 1, Math.floor(MOST_FRAMES / once.length)))
  const pictures = Array.from({ length: most }, () => once).flat()
  const fps = numberInput(call, 'frame_rate') ?? DEFAULT_FPS
  const [sound] = soundInputs(call.inputs.get('audio'))
  const [first] = pictures as [Picture, ...Picture[]]
  const contents = [combined(pictures, fps, ending)]
  const save: Save = {
    type: isOn(call, 'save_output') ? 'output' : 'temp',
    prefix: textInput(call, 'filename_prefix', 'AnimateDiff'),
    ending,
    numberEnd: '',
    key: 'gifs',
    contents,
    beside: [
      { end: '.png', content: { picture: first, format: 'png' } },
      ...(sound !== undefined && isMovie
        ? [{ end: `-audio.${ending}`, content: combined(pictures, fps, ending, sound) }]
        : []),
    ],
    ...(sound !== undefined && isMovie && { listed: `-audio.${ending}` }),
    members: new Map([
      ['format', JSON.stringify(format)],
      ['frame_rate', writeJson(literal(call, 'frame_rate') ?? floatOf(fps))],
    ]),
  }
  return { outputs: [], steps: 0, save }
}

/** The endings of formats that their names do not end in. */
const endings: Readonly<Record<string, string>> = { ProRes: 'mov', '8bit-png': 'png' }

const literal = (call: Call, name: string): Json | undefined => {
  const value = call.inputs.get(name)
  return value?.kind === 'literal' ? value.value : undefined
}

const isOn = (call: Call, name: string): boolean => isTruthy(literal(call, name) ?? true)

/** Pictures as a file of this ending: a video, an animation, or a picture where it can be neither. */
function combined(
  pictures: readonly Picture[],
  fps: number,
  ending: string,
  sound?: Sound,
): FileContent {
  const made = madeOf(ending)
  const [first, ...rest] = pictures as [Picture, ...Picture[]]
  if (made?.kind === 'sample') return { sample: made.format }
  if (made?.kind === 'video') return videoOf(pictures, fps, made.format, sound) as FileContent
  if (ending !== 'webp') return { picture: first, format: 'png' }
  return { picture: first, format: 'webp', animation: { rest, frameMs: Math.trunc(1000 / fps) } }
}
