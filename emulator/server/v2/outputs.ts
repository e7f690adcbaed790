// The outputs of a job [v2-jobs/outputs*]: one for each file that its nodes have saved so far.

import type { v2Output } from '../../../spec/v2/v2-jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { readJson } from '../../lib/json.ts'
import { filesIn, filesOfEntry, type OutputFile } from '../hosted/assets/outputs.ts'
import type { NodeResult } from '../state/nodes.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { contentType } from '../world/content-types.ts'
import { runningOf } from '../world/derived.ts'
import type { Job } from '../world/jobs.ts'
import { outputAsset } from './asset-store.ts'
import { fileLink, type Origin } from './links.ts'

const ofResults = new WeakMap<NodeResult, readonly OutputFile[]>()

function filesOf(world: World, { entry, prompt_id }: Job): readonly OutputFile[] {
  if (entry !== null) return filesOfEntry(entry)
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

/** An output as replies contain it. */
type Output = Static<typeof v2Output>

/** The outputs of a job so far. */
export const outputsOf = (world: HostedWorld, job: Job, origin: Origin): readonly Output[] =>
  filesOf(world, job).map((file) => {
    const { node_id, type, name } = file
    const owner = { id: job.prompt_id, createdMs: job.createdMs }
    const {
      id,
      hash,
      sizeBytes,
      contentType: content_type,
    } = outputAsset(world, owner, {
      file,
      name,
      contentType: contentType(name),
    })
    const own = { node_id, name, type, content_type, size_bytes: sizeBytes, id, hash }
    return Object.assign(own, fileLink(world, name, origin), { job_id: job.prompt_id })
  })
