// The output of a node that a rule sets: files, and items that are passed on as they are [scenario/node-outputs].

import {
  inputOfItem,
  isFile,
  type NodeRule,
  type OutputFile,
} from '../../../spec/scenario/nodes.ts'
import { madeOf, sampleEnding, usualEnding } from '../../../spec/scenario/samples.ts'
import { writeJson } from '../../lib/json.ts'
import { longestSide } from '../../pictures/picture.ts'
import type { FileContent } from '../state/files.ts'
import type { Failure, OwnFile, OwnOutputs, Save, Work } from '../state/nodes.ts'
import { contentOf, endingOf } from '../nodes/file-contents.ts'
import { valueText } from './printed.ts'
import { soundFrom, videoFrom } from './save-media.ts'
import { fitsMemory, outOfMemory } from '../nodes/memory.ts'
import {
  batchFrom,
  batchPictures,
  type Call,
  painted,
  pictureInput,
  textInput,
} from '../nodes/node.ts'

type Outputs = NonNullable<NodeRule['outputs']>

/** What a node outputs for the user by its rule, or its failure. Files are named as its own would be. */
export function ownOutputs(call: Call, { save }: Work, outputs: Outputs): OwnOutputs | Failure {
  const { videoKey } = call.world.setup.traits
  // A node that saves no files is of a pack, which has its keys on any server.
  const isVideos = (name: string): boolean => name === 'videos' && save !== undefined
  const own = new Map<string, (OwnFile | string)[]>()
  for (const [name, given] of Object.entries(outputs)) {
    const key = isVideos(name) ? videoKey : name
    const items = own.get(key) ?? []
    own.set(key, items)
    for (const [at, item] of given.entries()) {
      const input = inputOfItem(item)
      const one =
        input !== undefined
          ? inputItem(call, name, input)
          : isFile(item)
            ? ownFile(call, save, { name, key, at }, item)
            : jsonText(item)
      if (typeof one === 'object' && 'exception_type' in one) return one
      if (one !== undefined) items.push(one)
    }
  }
  const moves = videoKey === 'images' && Object.keys(outputs).some(isVideos)
  const animated = moves || (outputs['images'] && save?.animated)
  if (animated !== undefined && !own.has('animated')) own.set('animated', [`${animated}`])
  return own
}

const jsonText = (item: unknown): string =>
  JSON.stringify(typeof item === 'object' && item !== null && 'json' in item ? item.json : item)

/** The value of an input as JSON; undefined for one that the node does not have [scenario/node-input-items]. */
function inputItem(call: Call, key: string, input: string): string | undefined {
  const value = call.inputs.get(input)
  if (value === undefined) return undefined
  if (value.kind === 'literal' && key !== 'text') return writeJson(value.value)
  const type = call.type.inputs.find(({ name }) => name === input)?.type
  return JSON.stringify(valueText(call.world.setup.traits, value, type))
}

/** A file in a rule: the name of its list, the key that the output has for it, and its position. */
type Place = { readonly name: string; readonly key: string; readonly at: number }

/** A file as the node saves it; undefined for a file that the node would make, but does not [scenario/node-own-file]. */
function ownFile(
  call: Call,
  save: Save | undefined,
  list: Place,
  item: OutputFile,
): OwnFile | Failure | undefined {
  const { from: _, text: __, base64: ___, own, filename, subfolder, type, ...members } = item
  const made = own === true ? madeFile(call, save, list, item) : givenFile(list, item)
  if (made === undefined || 'exception_type' in made) return made
  const folder = subfolder === undefined || subfolder === '' ? '' : `${subfolder as string}/`
  const place = {
    type: (type as Save['type'] | undefined) ?? save?.type ?? 'output',
    path: filename === undefined ? null : folder + filename,
    prefix: folder + (save?.prefix ?? textInput(call, 'filename_prefix', 'ComfyUI')),
  }
  return Object.assign(place, made, { members })
}

type Content = Pick<OwnFile, 'content' | 'ending'>

function givenFile({ name }: Place, file: OutputFile): Content {
  const bytes = contentOf(file)
  const usual = usualEnding(name, file) ?? (file.text === undefined ? 'bin' : 'txt')
  return { content: { bytes }, ending: endingOf(bytes) ?? usual }
}

/** The file that the node would make at this place of its list, or a sample if it has no such list. */
function madeFile(
  call: Call,
  save: Save | undefined,
  { name, key, at }: Place,
  file: OutputFile,
): Content | Failure | undefined {
  if (save?.key === key) {
    const content = save.contents[at]
    return content && { content, ending: save.ending }
  }
  const ending = sampleEnding(name, file)
  const content = sampleOf(call, ending, at)
  return 'exception_type' in content ? content : { content, ending }
}

/** [scenario/node-sample, scenario/node-no-sample] */
function sampleOf(call: Call, ending: string, at: number): FileContent | Failure {
  const made = madeOf(ending)
  if (made?.kind === 'sample') return { sample: made.format }
  if (made?.kind === 'video') return videoFrom(call, made.format)
  if (made?.kind === 'sound') return soundFrom(call, made.format)
  const format = made?.format
  const batch = pictureInput(call)
  const picture = (batch && batchPictures(batch)[at]) ?? painted(call, at)
  if (!fitsMemory([batchFrom([picture])])) return outOfMemory
  if (format !== undefined && Math.max(picture.width, picture.height) <= longestSide[format])
    return { picture, format }
  return {
    exception_type: 'ValueError',
    exception_message: `flowdouble cannot make a sample .${ending} file for ${call.type.class_type}: give the file in the scenario, as from, text or base64`,
  }
}
