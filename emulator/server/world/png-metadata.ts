// The metadata in a saved picture about its run [files/workflow-in-png, files/is-changed]: the graph and the extra
// data.

import { isObject, type Json, type JsonObject, readJson, writeJson } from '../../lib/json.ts'
import type { Fingerprints, RunMetadata } from '../state/files.ts'

/** The texts in a saved picture: the graph, then each member of `extra_pnginfo` [files/workflow-in-png]. */
export function metadataTexts({
  graphText,
  extraDataText,
  fingerprints,
}: RunMetadata): (readonly [keyword: string, text: string])[] {
  const prompt =
    fingerprints.size === 0
      ? graphText
      : writeJson(withFingerprints(readJson(graphText) as JsonObject, fingerprints))
  const texts: [string, string][] = [['prompt', prompt]]
  const extra = readJson(extraDataText)
  const info = isObject(extra) ? extra.get('extra_pnginfo') : undefined
  if (isObject(info)) for (const [keyword, value] of info) texts.push([keyword, writeJson(value)])
  return texts
}

/** A graph whose nodes contain their fingerprints, as a real server has it while it runs. */
export function withFingerprints(graph: JsonObject, fingerprints: Fingerprints): JsonObject {
  if (fingerprints.size === 0) return graph
  const marked = new Map<string, Json>(graph)
  for (const [id, text] of fingerprints) {
    const node = marked.get(id)
    if (!isObject(node) || node.has('is_changed')) continue
    marked.set(id, new Map([...node, ['is_changed', readJson(text)]]))
  }
  return marked
}
