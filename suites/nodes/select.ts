// Which recorded lines any server is judged by: a few of each type, of small results that a client can see, with few uploads.

import { isRecordedMap, type Line, type Recorded, type RecordedMap } from './lines.ts'
import { exceptions, isMadeUp, isNear } from './tolerance.ts'

/** The families of the selection: a submit each. */
export type RecordedFamily =
  | 'texts'
  | 'expressions'
  | 'pictures'
  | 'masks'
  | 'scaled'
  | 'latents'
  | 'sigmas'
  | 'errors'

export type Selected = {
  readonly family: RecordedFamily
  readonly class_type: string
  readonly inputs: RecordedMap
  /** What each slot that a client can see has returned; nothing for a run that fails. */
  readonly outputs: readonly SelectedOutput[]
  readonly exception?: readonly [type: string, message: string]
}

export type SelectedOutput =
  | { readonly slot: number; readonly text: string }
  | {
      readonly slot: number
      readonly width: number
      readonly height: number
      /** Base64 of each picture: one byte a pixel for masks, otherwise one for each channel. */
      readonly pictures: readonly string[]
      readonly channels: number
    }
  | { readonly slot: number; readonly shape: readonly number[]; readonly sha256: string }

/** How many lines of a type each family has. */
const MOST: Readonly<Record<RecordedFamily, number>> = {
  texts: 3,
  expressions: 8,
  pictures: 2,
  masks: 2,
  scaled: 2,
  latents: 2,
  sigmas: 2,
  errors: 1,
}
/** How many lines end with an exception: each takes a separate submit. */
const MOST_ERRORS = 6

/** The only files that the selection uploads. */
const files = new Set([
  '{"w":7,"h":5,"pattern":"gradient"}',
  '{"w":6,"h":4,"n":2,"pattern":"gradient"}',
  '{"w":3,"h":2,"n":3,"pattern":"gradient"}',
  '{"w":7,"h":5,"pattern":"noise"}',
  '{"w":8,"h":6,"pattern":"gradient"}',
  '{"w":4,"h":3,"pattern":"noise"}',
  '{"shape":[1,4,8,8],"pattern":"wave"}',
  '{"shape":[1,4,5,7],"pattern":"wave"}',
])

/** Recipes of other files. */
const others = new Set(['audio', 'uploaded', 'latent_file', 'audio_file'])

/** Whether an input needs no other file. */
function isShippable(value: Recorded): boolean {
  if (!isRecordedMap(value)) return true
  const [[kind, own] = ['', null], ...more] = Object.entries(value)
  if (more.length > 0) return true
  if (['picture', 'mask', 'latent'].includes(kind)) return files.has(JSON.stringify(own))
  return kind === 'node'
    ? Object.values(own.inputs as RecordedMap).every(isShippable)
    : !others.has(kind)
}

/** Larger latents would take long to send. */
const MOST_NUMBERS = 2 ** 14
const sizeOf = (shape: readonly number[]): number => shape.reduce((size, side) => size * side, 1)

/** What of an output a client can see; null if it is too large, or a list. */
function selectedOutput(line: Line, output: RecordedMap): SelectedOutput | null {
  const { slot, type, list_length, pictures, text, width, height, channels } = output
  if (list_length !== undefined) return null
  if (type === 'IMAGE' || type === 'MASK') {
    const contents = (pictures as readonly RecordedMap[] | undefined)?.map(
      (one) => (one['bytes'] ?? one['gray']) as string | undefined,
    )
    if (contents === undefined || contents.includes(undefined)) return null
    const own = type === 'MASK' ? 1 : channels
    return { slot, width, height, channels: own, pictures: contents as string[] }
  }
  const tensor = output['value']?.dict?.samples?.tensor
  if (
    type === 'LATENT' &&
    tensor !== undefined &&
    sizeOf(tensor.shape) < MOST_NUMBERS &&
    !isNear(line.class_type, line.inputs)
  )
    return { slot, shape: tensor.shape, sha256: tensor.sha256 }
  // Numbers with a point are printed in the way of Python, which JSON does not keep.
  return typeof text === 'string' && text.length < 400 ? { slot, text } : null
}

function familyOf(
  { class_type, inputs, error }: Line,
  outputs: readonly RecordedMap[],
): RecordedFamily {
  if (error !== undefined) return 'errors'
  if (class_type.startsWith('Regex')) return 'expressions'
  const type = outputs[0]?.['type'] as string
  if (type === 'LATENT') return 'latents'
  if (type === 'SIGMAS') return 'sigmas'
  if (type !== 'IMAGE' && type !== 'MASK') return 'texts'
  if (isNear(class_type, inputs)) return 'scaled'
  return type === 'MASK' ? 'masks' : 'pictures'
}

/** A line as the selection has it; null for one that it cannot have. */
function selectedOf(line: Line): Selected | null {
  const { class_type, inputs, error, outputs = [], save_error } = line
  const text = JSON.stringify(line)
  const isOdd = /"whole:|"NaN"|null/.test(text) || text.length > 5000
  if (isOdd || exceptions[class_type] || isMadeUp(line) || save_error) return null
  if (!Object.values(inputs).every(isShippable)) return null
  if (/^(Load|RecordAudio|Save|WanCamera|WebcamCapture|EmptyAudio)/.test(class_type)) return null
  if (error !== undefined) {
    const { exception_type, exception_message, node_type, validation } = error
    if (validation !== undefined || node_type !== undefined) return null
    // Later servers refuse a choice that does not exist before the run.
    if (text.includes('no such choice')) return null
    const exception = [exception_type, exception_message] as const
    return { family: 'errors', class_type, inputs, outputs: [], exception }
  }
  const seen = outputs.map((output) => selectedOutput(line, output))
  if (seen.length === 0 || seen.includes(null)) return null
  const own = seen as readonly SelectedOutput[]
  return { family: familyOf(line, outputs), class_type, inputs, outputs: own }
}

/** So many of a list, from its beginning to its end. */
const spread = <T>(all: readonly T[], most: number): readonly T[] =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, at) => all[Math.floor((at * all.length) / most)] as T)

/** The selection, in the order of the recording. */
export function select(lines: readonly Line[]): readonly Selected[] {
  const groups = new Map<string, Selected[]>()
  for (const line of lines) {
    const one = selectedOf(line)
    if (one === null) continue
    const key = `${one.family} ${one.exception?.[0] ?? one.class_type}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const chosen = [...groups.values()].flatMap((all) => spread(all, MOST[all[0]?.family ?? 'texts']))
  const errors = chosen.filter(({ family }) => family === 'errors').slice(0, MOST_ERRORS)
  return [...chosen.filter(({ family }) => family !== 'errors'), ...errors]
}
