// What nodes put out for the user: downloaded files, and everything of types whose outputs a world cannot compute.

import { inputOfItem, isFile, type NodeRule } from '../../../spec/scenario/nodes.ts'
import { base64, bytesOfBase64 } from '../../lib/base64.ts'
import { isMembers, listOf, type Members, membersOf, nameOf } from '../../lib/loose.ts'
import { hasSample } from '../../../spec/scenario/samples.ts'
import { endingOf } from '../../server/nodes/file-contents.ts'
import { rulesFor, type Shown } from './node-rules.ts'
import type { LearnedNode, LearnedRun } from './runs.ts'
import { responseHeader } from '../../session/exchanges.ts'
import type { RecordedExchange } from '../../session/recording.ts'
import type { Trace } from '../../session/trace.ts'
import { identitiesOf } from '../identities.ts'

type Outputs = NonNullable<NodeRule['outputs']>

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

/** The outputs of a node as a rule; undefined if the world makes them without one. */
function outputsOf(node: LearnedNode, downloads: Downloads, naming: Naming): Outputs | undefined {
  const { class_type } = node
  const { note } = naming
  const output = Object.entries(node.output ?? {})
  const files = output.flatMap(([, items]) => listOf(items)).filter(isWritten)
  // A built-in type that reports something else is that of another pack.
  const isKnown =
    naming.isKnown && output.every(([key]) => usualKeys.has(key)) && files.every(isUsual)
  const isDownloaded = (file: Members): boolean => downloads.has(fileKey(file))
  if (!files.every(isDownloaded)) note(`files of ${class_type} that were not downloaded`)
  if (isKnown && !files.some(isDownloaded)) return undefined
  const found = new Map<string, unknown[]>()
  for (const [key, items] of output) {
    if (!Array.isArray(items)) note(`the output ${key} of ${class_type}: not a list`)
    else
      found.set(
        key,
        items.map((item) => itemOf(item, key, node, downloads, { ...naming, isKnown })),
      )
    if (!isExact(items)) note(`numbers beyond 2^53 in the output ${key} of ${class_type}`)
  }
  return found.size === 0 ? undefined : Object.fromEntries(found)
}

/** The keys under which built-in types report something. */
const usualKeys = new Set('images animated audio text video videos 3d latents result'.split(' '))

/** Whether an entry of a file has the members that servers give all of them. */
const isUsual = (file: Members): boolean =>
  Object.keys(membersOf(file)).every((name) => usualMembers.has(name))

const usualMembers = new Set('filename subfolder type id preview_id metadata'.split(' '))

/** Whether an item names a file that its node has written. */
export const isWritten = (item: unknown): item is Members =>
  isMembers(item) && typeof item['filename'] === 'string' && item['type'] !== 'input'

/** Whether the numbers of a value are those that were sent: JSON.parse rounds larger ones. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
}

/** An item of an output as a rule contains it: a file with its content, or as it is. */
function itemOf(
  item: unknown,
  key: string,
  { inputs, class_type }: LearnedNode,
  downloads: Downloads,
  { isKnown, isNamed, note }: Naming,
): unknown {
  const asItIs = isMembers(item) && needsJson(item) ? { json: item } : item
  if (!isWritten(item)) return asItIs
  const base64 = downloads.get(fileKey(item))
  const content = base64 === undefined ? { own: true } : { base64 }
  if (isKnown) return { ...content, ...(isNamed && ownNameOf(item)) }
  const { filename: _, subfolder: __, type, id, preview_id: ___, metadata, ...members } = item
  if (typeof id === 'string') note(`the ids of assets in the output of ${class_type}`)
  if (base64 === undefined && !hasSample(nameOf(item['filename']))) return asItIs
  const isUsual = base64 !== undefined && key !== 'audio' && hasUsualName(item, base64, inputs)
  const name = base64 === undefined ? { filename: pathOf(item) } : ownNameOf(item)
  return {
    ...content,
    ...(!isUsual && name),
    ...(type !== undefined && type !== 'output' && { type }),
    // Servers that describe files do so for all of them.
    ...(metadata !== undefined && membersOf(metadata)['kind'] === undefined && { metadata }),
    ...members,
  }
}

/** Whether a rule cannot have an object as it is. */
const needsJson = (item: Members): boolean =>
  Object.keys(item).length === 0 ||
  'json' in item ||
  isFile(item) ||
  inputOfItem(item) !== undefined

/** The path of a file, as a name. */
const pathOf = ({ subfolder, filename }: Members): string =>
  (subfolder ? `${nameOf(subfolder)}/` : '') + nameOf(filename)

/** The names of a hosted server follow from the content. */
const ownNameOf = (file: Members): { readonly filename?: string } =>
  /^[0-9a-f]{64}\./.test(pathOf(file)) ? {} : { filename: pathOf(file) }

/** Whether a file has the name that a world chooses by these inputs. */
function hasUsualName(file: Members, base64: string, inputs: Members): boolean {
  const prefix = nameOf(inputs['filename_prefix'] ?? 'ComfyUI')
  const path = pathOf(file)
  const number = /^\d{5}_\.(\w+)$/.exec(path.slice(prefix.length + 1))
  return path.startsWith(`${prefix}_`) && number?.[1] === endingOf(bytesOfBase64(base64))
}

/** The content in base64 by type, subfolder and name of a file. */
export type Downloads = ReadonlyMap<string, string>

/** What identifies a file on a server. */
export const fileKey = ({ type, subfolder, filename }: Members): string =>
  [type || 'output', subfolder || '', filename].map(nameOf).join('/')

/** The downloaded files. Requests for a preview or a channel of a picture are not its bytes. */
export function downloadsIn(traces: readonly Trace[]): Downloads {
  const files = new Map<string, string>()
  for (const { recording, exchanges } of traces) {
    const linked = new Map<string, Uint8Array | undefined>()
    for (const one of recording.exchanges)
      linked.set(one.url, wholeBody(one) ?? linked.get(one.url))
    for (const { recorded, endpoint, query } of exchanges) {
      if (recorded.method !== 'GET' || endpoint?.name !== 'view') continue
      if (query.has('preview') || query.has('channel')) continue
      const key = fileKey(Object.fromEntries(query))
      const location = responseHeader(recorded, 'location')
      const bytes =
        location === undefined
          ? wholeBody(recorded)
          : linked.get(new URL(location, recorded.url).href)
      if (bytes !== undefined && !files.has(key)) files.set(key, base64(bytes))
    }
  }
  return files
}

/** The body of a successful download, if the recording has all of it. */
const wholeBody = ({ method, response, cut }: RecordedExchange): Uint8Array | undefined =>
  method === 'GET' && response?.status === 200 && cut === undefined ? response.body : undefined

/** The names of uploaded files, as their requests have them and as the replies name them. */
export const uploadedIn = (traces: readonly Trace[]): ReadonlySet<string> =>
  new Set(
    traces
      .flatMap(({ recording }) => recording.exchanges.flatMap(identitiesOf))
      .flatMap(({ kind, value }) => (kind === 'upload' ? value : [])),
  )
