// The files that a run has saved, in the order of their nodes, each with the id of its asset in both hosted APIs.

import { outputTypes, type OutputType } from '../../../../spec/v2/v2-jobs.ts'
import { isObject, type Json, type JsonObject, readJson } from '../../../lib/json.ts'
import type { HistoryEntry } from '../../state/runs.ts'
import type { HostedWorld } from '../../state/world.ts'

/** A file in the output of a node. */
export type OutputFile = {
  readonly node_id: string
  readonly type: OutputType
  readonly name: string
  /** Whether its node shows it without saving it for good. */
  readonly isTemp: boolean
  /** Its place in the output of its node. */
  readonly at: number
}

/** Outputs never change: each is read once. */
const ofEntries = new WeakMap<HistoryEntry, readonly OutputFile[]>()

/** The files of a run that is over. */
export function filesOfEntry(entry: HistoryEntry): readonly OutputFile[] {
  const known = ofEntries.get(entry)
  if (known !== undefined) return known
  const outputs = readJson(entry.outputsText) as JsonObject
  const files = [...outputs].flatMap(([node_id, output]) => filesIn(node_id, output))
  ofEntries.set(entry, files)
  return files
}

export function filesIn(node_id: string, output: Json): readonly OutputFile[] {
  const files: OutputFile[] = []
  if (!isObject(output)) return files
  for (const [key, items] of output) {
    const type = Object.hasOwn(outputTypes, key)
      ? outputTypes[key as keyof typeof outputTypes]
      : undefined
    if (type === undefined || !Array.isArray(items)) continue
    for (const item of items) {
      const name = isObject(item) ? item.get('filename') : undefined
      if (typeof name !== 'string') continue
      const isTemp = isObject(item) && item.get('type') === 'temp'
      files.push({ node_id, type, name, isTemp, at: files.length })
    }
  }
  return files
}

/** The id of the asset of an output. */
export const outputId = (
  world: HostedWorld,
  jobId: string,
  { node_id, at }: Pick<OutputFile, 'node_id' | 'at'>,
): string => idOf(world, `${jobId}/${node_id}/${at}`)

/** The id that a text stands for: a UUID of version 4. */
export const idOf = ({ setup }: HostedWorld, text: string): string =>
  setup.hosted.hashing
    .sha256Hex(text)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
