// Published workflows [saved-workflows/publish*]: a snapshot of a file of the user data, which every account can read.

import type { publishing as publishingSchema } from '../../../../spec/accounts/saved-workflows.ts'
import { limits } from '../../../../spec/limits.ts'
import type { Static } from '../../../../spec/static.ts'
import { isObject, type Json, readJson, writeJson } from '../../../lib/json.ts'
import { utf8 } from '../../../lib/bytes.ts'
import { drawHex32, drawUuid } from '../../../lib/random.ts'
import { badRequest, json, refuseHosted, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import { strictText } from '../../../lib/python-bytes.ts'
import type { PublishedWorkflow } from '../../state/accounts.ts'
import type { Server } from '../../state/server.ts'
import type { HostedWorld } from '../../state/world.ts'
import { assetWithId } from '../../world/assets.ts'
import { isHosted } from '../../world/derived.ts'
import { resolvePath } from '../../world/user-folder.ts'
import { gather } from '../assets/library.ts'
import { accountStateOf, isoTime } from './account-state.ts'
import { isTexts, readFields } from './fields.ts'
import { refuseSize } from './saved-workflows.ts'

type Publishing = Static<typeof publishingSchema>

const describeAssets = (world: HostedWorld, ids: readonly string[]): Publishing['assets'] =>
  ids.map((id) => {
    const asset = assetWithId(world, id)
    const model = asset?.tags.includes('models') ?? false
    const [preview_url, storage_url] = ['', '']
    const name = asset?.name ?? ''
    return { id, name, preview_url, storage_url, model, public: false, in_library: true }
  })

const describe = (world: HostedWorld, one: PublishedWorkflow): Publishing => ({
  workflow_id: one.workflowId,
  share_id: one.shareId,
  listed: false,
  publish_time: isoTime(world, one.publishedMs),
  assets: describeAssets(world, one.assetIds),
})

const described = (world: HostedWorld, one: PublishedWorkflow): Reply =>
  json(JSON.stringify(describe(world, one)))

/** The file that a path names: its path, and its bytes if it exists. */
function fileAt(world: HostedWorld, { segment }: Request) {
  const path = resolvePath(segment) ?? ''
  return { path, bytes: world.state.userFolder.entries.get(path)?.bytes ?? undefined }
}

function publishing(world: HostedWorld, request: Request): Reply {
  const { path, bytes } = fileAt(world, request)
  const found = accountStateOf(world).published.get(path)
  return found === undefined || bytes === undefined
    ? refuseHosted('notFound')
    : described(world, found)
}

/** The text of a workflow in a file; undefined if it holds anything else. */
function workflowIn(bytes: Uint8Array): string | undefined {
  try {
    const value = readJson(strictText(bytes) ?? '')
    return isObject(value) ? writeJson(value) : undefined
  } catch {
    return undefined
  }
}

function publishWorkflow(world: HostedWorld, request: Request): Reply {
  const body = readFields(request, { asset_ids: isTexts })
  if ('status' in body) return body
  const { path, bytes } = fileAt(world, request)
  if (bytes === undefined) return refuseHosted('notFound')
  const text = workflowIn(bytes)
  if (text === undefined) return badRequest('The file is not a workflow.')
  const assetIds = [...new Set((body.get('asset_ids') as Json[]).map(String))]
  gather(world)
  const unknown = assetIds.find((id) => assetWithId(world, id) === undefined)
  if (unknown !== undefined) return badRequest('asset_ids names an unknown asset.')
  const state = accountStateOf(world)
  const earlier = state.published.get(path)
  if (earlier === undefined && state.published.size >= limits.savedWorkflows.value)
    return refuseHosted('accountFull', { limit: `${limits.savedWorkflows.value} published ones` })
  const size = utf8(text).length
  const refusal = refuseSize(world, size - (earlier?.size ?? 0))
  if (refusal !== undefined) return refusal
  const { random, nowMs } = world.state
  const made: PublishedWorkflow = {
    shareId: earlier?.shareId ?? drawHex32(random).slice(0, 12),
    workflowId: earlier?.workflowId ?? drawUuid(random),
    name: path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, ''),
    text,
    size,
    publishedMs: nowMs,
    assetIds,
  }
  state.published.set(path, made)
  state.workflowBytes += size - (earlier?.size ?? 0)
  return described(world, made)
}

function publishedWorkflow(_world: HostedWorld, { segment }: Request, { worlds }: Server): Reply {
  for (const world of worlds) {
    if (!isHosted(world)) continue
    for (const one of world.state.account?.published.values() ?? []) {
      if (one.shareId !== segment) continue
      const { name, text } = one
      const more = JSON.stringify(Object.assign(describe(world, one), { name }))
      return json(`${more.slice(0, -1)},"workflow_json":${text}}`)
    }
  }
  return refuseHosted('notFound')
}

export const publishedHandlers = { publishedWorkflow, publishing, publishWorkflow } as const
