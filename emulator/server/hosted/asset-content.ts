// The content of hosted assets [hosted-assets/content]: a redirect to a signed link, which is fetched without a key.

import type { Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { get } from '../../lib/bounded.ts'
import { refuseAsset, unknownAsset } from '../local/assets/replies.ts'
import type { HostedWorld } from '../state/world.ts'
import { assetWithId, touchAsset } from '../world/assets.ts'
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
