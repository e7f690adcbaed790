// What nodes put out for the user: downloaded pictures and files, and texts of types whose texts a world cannot compute.

import type { NodeRule, ScenarioFile } from '../../../spec/scenario/nodes.ts'
import { type Downloads, fileKey } from './downloads.ts'
import { rulesFor, type Shown } from './agreement.ts'
import type { LearnedNode, LearnedRun } from './runs.ts'
import { isMembers, listOf, type Members, textOf } from './values.ts'

type Outputs = NonNullable<NodeRule['outputs']>
type FileList = 'images' | 'videos' | 'audio'

/** The rules for outputs, and what of the outputs no rule can say. */
export function outputRules(
  runs: readonly LearnedRun[],
  downloads: Downloads,
  isKnown: (class_type: string) => boolean,
): { readonly rules: readonly NodeRule[]; readonly notes: readonly string[] } {
  const notes = new Set<string>()
  const shown = runs.flatMap((run) =>
    Array.from(run.nodes.values(), (node): Shown<Outputs> => {
      const { id, class_type } = node
      const value = outputsOf(node, downloads, {
        isKnown: isKnown(class_type),
        isNamed: !isKnown(class_type) || sharesPrefix(run, node),
        note: (text) => notes.add(text),
      })
      return { run, id, class_type, value }
    }),
  )
  const rules = rulesFor(shown, runs).map(({ value, ...choice }) =>
    Object.assign({}, choice, { outputs: value }),
  )
  return { rules, notes: [...notes] }
}

const lists: Readonly<Record<string, FileList>> = {
  images: 'images',
  video: 'videos',
  videos: 'videos',
  audio: 'audio',
}
const VIDEO = /\.(mp4|webm|mkv|mov)$/i

type Naming = {
  readonly isKnown: boolean
  /** Whether the world would perhaps choose another name. */
  readonly isNamed: boolean
  readonly note: (text: string) => void
}

/** Whether another node of the run names its files in the same row: which comes first, a real server chooses freely. */
const sharesPrefix = ({ nodes }: LearnedRun, { id, inputs }: LearnedNode): boolean =>
  inputs['filename_prefix'] !== undefined &&
  [...nodes.values()].some(
    (one) => one.id !== id && one.inputs['filename_prefix'] === inputs['filename_prefix'],
  )

function outputsOf(
  { output, inputs, class_type }: LearnedNode,
  downloads: Downloads,
  { isKnown, isNamed, note }: Naming,
): Outputs | undefined {
  const found: { -readonly [Name in keyof Outputs]: Outputs[Name] } = {}
  for (const [key, items] of Object.entries(output ?? {})) {
    const files = listOf(items).filter(
      (item): item is Members => isMembers(item) && typeof item['filename'] === 'string',
    )
    const list = files.some(({ filename }) => VIDEO.test(textOf(filename))) ? 'videos' : lists[key]
    if (list !== undefined && files.length > 0) {
      const content = filesOf(files, downloads, isKnown)?.map(([file, one]) =>
        isNamed ? Object.assign({}, one, nameOf(file, isKnown ? undefined : inputs)) : one,
      )
      if (content !== undefined) found[list] = content
      if (content?.length !== files.length || content.some(({ own }) => own === true))
        note(`files of ${class_type} that were not downloaded`)
    } else if (key === 'text' && !isKnown) found.text = listOf(items).map(textOf)
    else if (!isKnown && key !== 'animated') note(`the output ${key} of ${class_type}`)
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** The files of an output; undefined if none was downloaded. Those that were not are as the node makes them. */
function filesOf(
  files: readonly Members[],
  downloads: Downloads,
  isKnown: boolean,
): readonly (readonly [file: Members, content: ScenarioFile])[] | undefined {
  if (!files.some((file) => downloads.has(fileKey(file)))) return undefined
  return files.flatMap((file): (readonly [Members, ScenarioFile])[] => {
    const base64 = downloads.get(fileKey(file))
    if (base64 !== undefined) return [[file, { base64 }]]
    return isKnown ? [[file, { own: true }]] : []
  })
}

/** The name of a file, unless it is the one that a world would choose by these inputs. */
function nameOf(file: Members, inputs: Members | undefined): Pick<ScenarioFile, 'filename'> {
  const prefix = textOf(inputs?.['filename_prefix'] ?? 'ComfyUI')
  const folder = file['subfolder'] ? `${textOf(file['subfolder'])}/` : ''
  const filename = folder + textOf(file['filename'])
  const isUsual =
    inputs !== undefined &&
    filename.startsWith(`${prefix}_`) &&
    /^\d{5}_\.\w+$/.test(filename.slice(prefix.length + 1))
  // The names of a hosted server follow from the content.
  return isUsual || /^[0-9a-f]{64}\./.test(filename) ? {} : { filename }
}
