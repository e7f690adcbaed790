// Assets that others have published, and those that a workflow names.

import { isObject, type Json, type JsonObject, writeJson } from '../../../lib/json.ts'
import { get } from '../../../lib/bounded.ts'
import { json, type Reply } from '../../../http/replies.ts'
import { bodyJson, type Request } from '../../../http/requests.ts'
import { assetJson, refuseAsset, unknownAsset } from '../../local/assets/replies.ts'
import type { Asset } from '../../state/assets.ts'
import type { Server } from '../../state/server.ts'
import type { HostedWorld, World } from '../../state/world.ts'
import { addAsset, allAssets, assetWithId, isPublic, pathsOf } from '../../world/assets.ts'
import { put } from '../../../lib/bounded.ts'
import { addModel } from '../../world/installs.ts'
import { retain } from '../../world/upload-quota.ts'

/** The world of an account that has published an asset. */
const publisherOf = ({ worlds }: Server, id: string): World | undefined =>
  worlds.find(({ state }) =>
    [...(state.account?.published.values() ?? [])].some(({ assetIds }) => assetIds.includes(id)),
  )

/** POST /assets/import. */
export function importAssets(world: HostedWorld, request: Request, server: Server): Reply {
  const body = bodyJson(request)
  const ids = isObject(body) ? body.get('published_asset_ids') : undefined
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string'))
    return refuseAsset(world, 'assetBody')
  const found = ids.map((id) => {
    const publisher = publisherOf(server, id)
    return assetWithId(world, id) ?? (publisher && assetWithId(publisher, id) ? publisher : id)
  })
  const unknown = found.find((one) => typeof one === 'string')
  if (typeof unknown === 'string') return unknownAsset(world, unknown)
  const assets = ids.map((id, at) => {
    const one = found[at] as Asset | World
    const own = 'state' in one ? copy(world, one, id) : one
    return assetJson(world, own)
  })
  return json(writeJson(new Map([['assets', assets]])))
}

/** A copy of an asset of another account, with its file. */
function copy(world: HostedWorld, other: World, id: string): Asset {
  const asset = assetWithId(other, id) as Asset
  const { key, name, hash, tags, mimeType, userMetadata } = asset
  const known = allAssets(world).find((one) => one.key === key && one.name === name)
  if (known !== undefined) return known
  const file = get(other.state.files, key)
  if (file !== undefined && get(world.state.files, key) === undefined) {
    put(world.state.files, key, file)
    retain(world, file.content)
  }
  const [, folder, model] = /^models\/([^/]+)\/(.+)$/.exec(key) ?? []
  if (folder !== undefined && model !== undefined) addModel(world, { folder, name: model })
  const content = file?.content ?? null
  const given = { key, name, hash, tags, mimeType, userMetadata, content, size: asset.size }
  return addAsset(world, Object.assign(given, { isOfClient: true }))
}

/** All texts in a value. */
function* textsIn(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one)
  else if (isObject(value)) for (const one of value.values()) yield* textsIn(one)
}

/** POST /assets/from-workflow. */
export function workflowAssets(world: HostedWorld, request: Request): Reply {
  const body = bodyJson(request)
  const workflow = isObject(body) ? body.get('workflow_api_json') : undefined
  if (!isObject(body) || !isObject(workflow)) return refuseAsset(world, 'assetBody')
  const names = new Set(textsIn(workflow))
  const found = allAssets(world).filter((asset) => {
    const { loader } = pathsOf(asset)
    if (loader === null || !names.has(loader)) return false
    return body.get('owned') !== true || !isPublic(world, asset)
  })
  const assets = found.map((asset): JsonObject => {
    const isShared = isPublic(world, asset)
    return new Map<string, Json>([
      ['id', asset.id],
      ['name', asset.name],
      ['preview_url', assetJson(world, asset).get('preview_url') ?? ''],
      ['storage_url', `/api/assets/${asset.id}/content`],
      ['model', asset.key.startsWith('models/')],
      ['public', isShared],
      ['in_library', !isShared],
    ])
  })
  return json(writeJson(new Map([['assets', assets]])))
}
