// The contents of files in a scenario: bytes, and placeholders. A server has them from its start.

import type { ScenarioFile } from '../../../spec/scenario/nodes.ts'
import { nameEnding } from '../../../spec/scenario/samples.ts'
import { bytesOfBase64 } from '../../lib/base64.ts'
import { hash53 } from '../../lib/random.ts'
import { probePicture } from '../../pictures/codecs/probe.ts'
import type { FileContent } from '../state/files.ts'
import { madeContent } from '../world/made-files.ts'

/** The content of a placeholder: a picture or a video of its size, or another file that its name says. */
export function placeholderContent(seed: number, path: string, size: string): FileContent {
  const [width, height] = size.split('x').map(Number) as [number, number]
  const id = hash53(`${seed}:${path}`)
  const picture = { kind: 'painted', id, width, height } as const
  return madeContent(nameEnding(path) ?? '', id, { width, height }) ?? { picture, format: 'png' }
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
