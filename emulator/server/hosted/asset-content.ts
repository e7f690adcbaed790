// The content of hosted assets and of their exports [hosted-assets/content, tasks/export-link]: a signed link, which is fetched
// without a key.

import { LINK_LIFETIME_S } from '../../../spec/server/files.ts'
import { json, type Reply } from '../../http/replies.ts'
import { prefixHeader } from '../../http/request-headers.ts'
import type { Request } from '../../http/requests.ts'
import { get } from '../../lib/bounded.ts'
import { refuseAsset, unknownAsset } from '../local/assets/replies.ts'
import type { HostedWorld } from '../state/world.ts'
import { assetWithId, touchAsset } from '../world/assets.ts'
import { timestamp } from '../world/derived.ts'
import { fileKey } from '../world/files.ts'
import { nameOf } from '../world/paths.ts'
import { ofAsset } from './assets/handlers.ts'
import { signedLink } from './signed-links.ts'

const redirect = (world: HostedWorld, { segment, headers }: Request): Reply => {
  const id = segment.toLowerCase()
  const asset = assetWithId(world, id)
  if (asset === undefined) return unknownAsset(world, id)
  const { key } = asset
  if (get(world.state.files, key) === undefined) return refuseAsset(world, 'fileGone')
  touchAsset(world, asset)
  const name = key.startsWith('models/') ? key : nameOf(key)
  return {
    status: 302,
    headers: {
      Location: signedLink(world, name, headers['host']),
      'Cache-Control': 'private, max-age=0',
      Vary: 'X-API-Key, Authorization',
    },
    body: '',
  }
}

export const hostedContent = ofAsset(redirect)

/** GET /assets/exports/<name>. */
export function assetExport(world: HostedWorld, { segment: name, headers }: Request): Reply {
  if (!/^[A-Za-z0-9_-]+\.zip$/.test(name)) return refuseAsset(world, 'exportName')
  const isThere = get(world.state.files, fileKey('output', '', name)) !== undefined
  if (!isThere || !name.startsWith('comfy-export-'))
    return refuseAsset(world, 'exportUnknown', { name })
  const sinceMs = Math.floor(timestamp(world) / 1000) * 1000
  const expires_at = new Date(sinceMs + LINK_LIFETIME_S * 1000).toISOString()
  const url = signedLink(world, name, headers['host'], headers[prefixHeader] ?? '')
  return json(JSON.stringify({ url, expires_at }))
}
