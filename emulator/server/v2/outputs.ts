// The outputs of a job [v2-jobs/outputs*]: one for each file that its nodes have saved so far.

import { outputTypes, type OutputType, type v2Output } from '../../../spec/v2/v2-jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { isObject, type Json, type JsonObject, readJson } from '../../lib/json.ts'
import type { HistoryEntry } from '../state/runs.ts'
import type { NodeResult } from '../state/nodes.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { contentType } from '../world/content-types.ts'
import { runningOf } from '../world/derived.ts'
import type { Job } from '../world/jobs.ts'
import { outputAsset } from './asset-store.ts'
import { fileLink, type Origin } from './links.ts'

/** A file in the output of a node. */
type OutputFile = {
  readonly node_id: string
  readonly type: OutputType
  readonly name: string
  /** Its place in the output of its node. */
  readonly at: number
}

/** Outputs never change: each is read once. */
const ofEntries = new WeakMap<HistoryEntry, readonly OutputFile[]>()
const ofResults = new WeakMap<NodeResult, readonly OutputFile[]>()

function filesOf(world: World, { entry, prompt_id }: Job): readonly OutputFile[] {
  if (entry !== null) {
    const known = ofEntries.get(entry)
    if (known !== undefined) return known
    const outputs = readJson(entry.outputsText) as JsonObject
    const files = [...outputs].flatMap(([node_id, output]) => filesIn(node_id, output))
    ofEntries.set(entry, files)
    return files
  }
  const running = runningOf(world).find(({ run }) => run.prompt_id === prompt_id)
  return Array.from(running?.results ?? [], ([node_id, result]) => {
    const known = ofResults.get(result)
    if (known?.[0] === undefined || known[0].node_id === node_id) {
      const files = known ?? (result.ui === null ? [] : filesIn(node_id, readJson(result.ui)))
      ofResults.set(result, files)
      return files
    }
    return known.map((file) => Object.assign({}, file, { node_id }))
  }).flat()
}

function filesIn(node_id: string, output: Json): readonly OutputFile[] {
  const files: OutputFile[] = []
  if (!isObject(output)) return files
  for (const [key, items] of output) {
    const type = Object.hasOwn(outputTypes, key)
      ? outputTypes[key as keyof typeof outputTypes]
      : undefined
    if (type === undefined || !Array.isArray(items)) continue
    for (const item of items) {
      const name = isObject(item) ? item.get('filename') : undefined
      if (typeof name === 'string') files.push({ node_id, type, name, at: files.length })
    }
  }
  return files
}

/** An output as replies contain it. */
type Output = Static<typeof v2Output>

/** The outputs of a job so far. */
export const outputsOf = (world: HostedWorld, job: Job, origin: Origin): readonly Output[] =>
  filesOf(world, job).map(({ node_id, type, name, at }) => {
    const owner = { id: job.prompt_id, createdMs: job.createdMs }
    const place = `${node_id}/${at}`
    const {
      id,
      hash,
      sizeBytes,
      contentType: content_type,
    } = outputAsset(world, owner, {
      place,
      name,
      contentType: contentType(name),
    })
    const own = { node_id, name, type, content_type, size_bytes: sizeBytes, id, hash }
    return Object.assign(own, fileLink(world, name, origin), { job_id: job.prompt_id })
  })
