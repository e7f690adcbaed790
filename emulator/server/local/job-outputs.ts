// The outputs of a finished run as its job shows them [local-jobs/outputs-*]: how many there are, and one as a preview.

import { isObject, type Json, type JsonObject, writeJson } from '../../lib/json.ts'

const MODEL = /\.(obj|fbx|gltf|glb|usdz)$/i
const TEXT_FILE = /\.(txt|md|json)$/i
/** The keys under which outputs can be shown. */
const shownKeys: ReadonlySet<string> = new Set(['images', 'video', 'audio', '3d', 'text'])

/** The maximum length of a text in a preview, in characters. */
const MAX_TEXT = 1024

/** A name of a model file stands for the file. */
const asModel = (filename: string): JsonObject =>
  new Map<string, Json>([
    ['filename', filename],
    ['type', 'output'],
    ['subfolder', ''],
    ['mediaType', '3d'],
  ])

/** An item as jobs contain it; undefined for null. */
function normalised(item: Json): Json | undefined {
  if (item === null) return undefined
  return typeof item === 'string' && MODEL.test(item) ? asModel(item) : item
}

/** The outputs of a job detail: without null, and with files for the names of models. */
export function normalisedOutputs(outputs: JsonObject): JsonObject {
  const nodes: JsonObject = new Map()
  for (const [id, output] of outputs)
    nodes.set(id, isObject(output) ? normalisedNode(output) : output)
  return nodes
}

function normalisedNode(output: JsonObject): JsonObject {
  const members: JsonObject = new Map()
  for (const [key, items] of output) {
    const isList = Array.isArray(items) && key !== 'animated'
    members.set(key, isList ? items.flatMap((item) => normalised(item) ?? []) : items)
  }
  return members
}

/** An item that a preview can be chosen from. */
type Candidate = {
  readonly item: JsonObject
  readonly nodeId: string
  readonly mediaType: string
  readonly kind: 'visual' | 'text-file' | 'text'
  readonly isSaved: boolean
}

export type JobOutputs = {
  readonly count: number
  readonly previewableCount: number
  /** The preview as JSON text; undefined if nothing can be shown. */
  readonly previewText: string | undefined
}

/**
 * Counts the outputs of a run and chooses a preview.
 * @param prefersMedia whether media come before texts; otherwise what comes first.
 */
export function jobOutputs(outputs: JsonObject, prefersMedia: boolean): JobOutputs {
  const candidates: Candidate[] = []
  let count = 0
  for (const [nodeId, output] of outputs) {
    for (const [key, items] of isObject(output) ? output : []) {
      if (!Array.isArray(items) || key === 'animated') continue
      for (const raw of items) {
        const item = normalised(raw)
        if (isObject(item)) count++
        const candidate = item === undefined ? undefined : candidateOf(item, nodeId, key)
        if (candidate !== undefined) candidates.push(candidate)
      }
    }
  }
  const shown = prefersMedia ? bestMedia(candidates) : firstSaved(candidates)
  return {
    count,
    previewableCount: candidates.filter(({ kind }) => kind !== 'text').length,
    previewText: shown && previewText(shown),
  }
}

function candidateOf(item: Json, nodeId: string, key: string): Candidate | undefined {
  if (typeof item === 'string' && key === 'text') {
    const content = textPreview(item)
    return { item: content, nodeId, mediaType: 'text', kind: 'text', isSaved: false }
  }
  if (!isObject(item)) return undefined
  const filename = textOf(item.get('filename'))
  const isTextFile = TEXT_FILE.test(filename)
  const isShown =
    shownKeys.has(key) ||
    /^(video|audio)\//.test(textOf(item.get('format'))) ||
    MODEL.test(filename) ||
    isTextFile
  if (!isShown) return undefined
  const kind = isTextFile || key === 'text' ? 'text-file' : 'visual'
  return { item, nodeId, mediaType: key, kind, isSaved: item.get('type') === 'output' }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** A text as a preview, cut if it is long. */
function textPreview(text: string): JsonObject {
  const characters = Array.from(text)
  const isCut = characters.length > MAX_TEXT
  const content = isCut ? characters.slice(0, MAX_TEXT).join('') : text
  return new Map<string, Json>([
    ['content', content],
    ...(isCut ? [['truncated', true] as const] : []),
  ])
}

/** The first saved file, or else what comes first. */
const firstSaved = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.find(({ isSaved }) => isSaved) ?? candidates[0]

/** The first saved medium, any medium, a text file, or a text. */
const bestMedia = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.find(({ kind, isSaved }) => kind === 'visual' && isSaved) ??
  candidates.find(({ kind }) => kind === 'visual') ??
  candidates.find(({ kind }) => kind === 'text-file') ??
  candidates[0]

const previewText = ({ item, nodeId, mediaType }: Candidate): string =>
  writeJson(
    new Map<string, Json>([
      ...item,
      ['nodeId', nodeId],
      ['mediaType', item.get('mediaType') ?? mediaType],
    ]),
  )
