// The files and texts that a rule sets as the output of a node [scenario/node-files, scenario/node-text].

import type { NodeRule, ScenarioFile } from '../../../spec/scenario/nodes.ts'
import { bytesOfBase64 } from '../../lib/base64.ts'
import { probePicture } from '../../pictures/codecs/probe.ts'
import { type Call, textInput } from './node.ts'
import type { OwnFile, OwnOutputs, Save, Work } from '../state/nodes.ts'

type Outputs = NonNullable<NodeRule['outputs']>

/** What a node outputs for the user by its rule. Files are named as its own would be. */
export function ownFiles(call: Call, { save }: Work, outputs: Outputs): OwnOutputs {
  const { videoKey } = call.world.setup.traits
  const files = (key: string, ending: string, given: readonly ScenarioFile[] = []): OwnFile[] =>
    given.flatMap((file, at) =>
      file.own === true ? madeFile(key, file, save, at) : ownFile(key, ending, file),
    )
  const own = [
    ...files('images', 'png', outputs.images),
    ...files(videoKey, 'mp4', outputs.videos),
    ...files('audio', 'flac', outputs.audio),
  ]
  const keys = [
    ...(outputs.images ? ['images'] : []),
    ...(outputs.videos ? [videoKey] : []),
    ...(outputs.audio ? ['audio'] : []),
  ]
  return {
    type: save?.type ?? 'output',
    prefix: save?.prefix ?? textInput(call, 'filename_prefix', 'ComfyUI'),
    keys: [...new Set(keys)],
    files: own,
    text: outputs.text ?? null,
    isAnimated:
      videoKey === 'images' && outputs.videos !== undefined
        ? true
        : outputs.images && save?.animated,
  }
}

/** The file that the node would make at this place of its list, if it makes as many [scenario/node-own-file]. */
function madeFile(key: string, file: ScenarioFile, save: Save | undefined, at: number): OwnFile[] {
  const content = save?.contents[at]
  if (save === undefined || content === undefined) return []
  return [{ key, filename: file.filename ?? null, ending: save.ending, content }]
}

function ownFile(key: string, usual: string, file: ScenarioFile): OwnFile {
  const bytes = contentOf(file)
  return {
    key,
    filename: file.filename ?? null,
    ending: endingOf(bytes) ?? usual,
    content: { bytes },
  }
}

/** The bytes of files, decoded once: runs share them. */
const decoded = new WeakMap<ScenarioFile, Uint8Array>()

/** The content of a file of the scenario. Whoever loads the scenario replaces `from` by the content of the file. */
export function contentOf(file: ScenarioFile): Uint8Array {
  const known = decoded.get(file)
  if (known !== undefined) return known
  const bytes =
    file.base64 === undefined
      ? new TextEncoder().encode(file.text ?? '')
      : bytesOfBase64(file.base64)
  decoded.set(file, bytes)
  return bytes
}

/** The start of a file by its format, as text, and where it begins. */
const starts: readonly (readonly [ending: string, at: number, start: string])[] = [
  ['mp4', 4, 'ftyp'],
  ['webm', 0, '\x1a\x45\xdf\xa3'],
  ['flac', 0, 'fLaC'],
  ['wav', 8, 'WAVE'],
  ['ogg', 0, 'OggS'],
  ['glb', 0, 'glTF'],
  ['svg', 0, '<svg'],
  ['mp3', 0, 'ID3'],
  ['mp3', 0, '\xff\xfb'],
]

/** The usual ending of the name of a file with this content; undefined for an unknown format. */
export function endingOf(bytes: Uint8Array): string | undefined {
  const picture = probePicture(bytes)?.format
  if (picture !== undefined) return picture === 'jpeg' ? 'jpg' : picture
  const letters = String.fromCharCode(...bytes.subarray(0, 12))
  return starts.find(([, at, start]) => letters.startsWith(start, at))?.[0]
}
