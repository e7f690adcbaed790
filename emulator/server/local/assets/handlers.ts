// The handlers of the asset paths. On a server without assets all of them refuse.

import { type Reply, refuse } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import type { World } from '../../state/world.ts'
import { assetByHash, assetFromHash } from './from-hash.ts'
import { listAssets } from './lists.ts'
import { assetTagCounts, listTags } from './tags.ts'
import {
  addAssetTags,
  assetContent,
  changeAssetMembers,
  deleteAsset,
  readAsset,
  removeAssetTags,
} from './one.ts'
import { refuseAsset } from './replies.ts'
import { assetScan, cancelAssetScan, pruneAssets, scanAssets, scanFirst } from './scan.ts'
import { uploadAsset } from './upload.ts'

type Handler = (world: World, request: Request) => Reply

const withAssets =
  (handle: Handler): Handler =>
  (world, request) => {
    if (!world.setup.options.assets) return refuseAsset(world, 'assetsOff')
    scanFirst(world)
    return handle(world, request)
  }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A handler of one asset. A path with anything but a UUID is unknown. */
const ofAsset = (handle: Handler): Handler => {
  const guarded = withAssets(handle)
  return (world, request) => {
    if (UUID.test(request.segment)) return guarded(world, request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    return isRead ? refuse('unknownPath') : refuse('methodNotAllowed', { Allow: 'GET,HEAD' })
  }
}

export const assetHandlers = {
  listAssets: withAssets(listAssets),
  uploadAsset: withAssets(uploadAsset),
  assetFromHash: withAssets(assetFromHash),
  assetByHash: withAssets(assetByHash),
  assetTagCounts: withAssets(assetTagCounts),
  scanAssets: withAssets(scanAssets),
  assetScan: withAssets(assetScan),
  cancelAssetScan: withAssets(cancelAssetScan),
  pruneAssets: withAssets(pruneAssets),
  readAsset: ofAsset(readAsset),
  changeAsset: ofAsset(changeAssetMembers),
  deleteAsset: ofAsset(deleteAsset),
  assetContent: ofAsset(assetContent),
  addAssetTags: ofAsset(addAssetTags),
  removeAssetTags: ofAsset(removeAssetTags),
  listTags: withAssets(listTags),
} as const
