// The handlers of hosted asset paths: those of local servers, over the assets of an account.

import { refuseHosted, type Reply } from '../../../http/replies.ts'
import type { Request } from '../../../http/requests.ts'
import { assetByHash, assetFromHash } from '../../local/assets/from-hash.ts'
import { listAssets } from '../../local/assets/lists.ts'
import {
  addAssetTags,
  changeAssetMembers,
  deleteAsset,
  readAsset,
  removeAssetTags,
} from '../../local/assets/one.ts'
import { assetTagCounts, listTags } from '../../local/assets/tags.ts'
import { uploadAsset } from '../../local/assets/upload.ts'
import type { Server } from '../../state/server.ts'
import type { HostedWorld } from '../../state/world.ts'
import { downloadAsset, remoteMetadata } from './downloads.ts'
import { exportAssets } from './exports.ts'
import { gather } from './library.ts'
import { importAssets, workflowAssets } from './published.ts'
import { cancelTask, listTasks, readTask } from './tasks.ts'

type Handler = (world: HostedWorld, request: Request, server: Server) => Reply

/** The request without empty parameters, which count as absent [http/hosted-empty-parameter]. */
function filled(request: Request): Request {
  if (!/=(?:&|$)/.test(request.query)) return request
  const pairs = [...new URLSearchParams(request.query)].filter(([, value]) => value !== '')
  return Object.assign({}, request, { query: new URLSearchParams(pairs).toString() })
}

/** A handler that finds all assets of its account. */
export const withAssets =
  (handle: Handler): Handler =>
  (world, request, server) => {
    gather(world)
    return handle(world, filled(request), server)
  }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A handler of one asset. Anything but a UUID names none. */
export const ofAsset = (handle: Handler): Handler => {
  const guarded = withAssets(handle)
  return (world, request, server) =>
    UUID.test(request.segment) ? guarded(world, request, server) : refuseHosted('notFound')
}

export const assetHandlers = {
  hostedAssets: withAssets(listAssets),
  hostedUpload: withAssets(uploadAsset),
  hostedFromHash: withAssets(assetFromHash),
  hostedByHash: withAssets(assetByHash),
  hostedTagCounts: withAssets(assetTagCounts),
  hostedReadAsset: ofAsset(readAsset),
  hostedChangeAsset: ofAsset(changeAssetMembers),
  hostedDeleteAsset: ofAsset(deleteAsset),
  hostedAddTags: ofAsset(addAssetTags),
  hostedRemoveTags: ofAsset(removeAssetTags),
  hostedTags: withAssets(listTags),
  remoteMetadata: withAssets(remoteMetadata),
  downloadAsset: withAssets(downloadAsset),
  exportAssets: withAssets(exportAssets),
  importAssets: withAssets(importAssets),
  workflowAssets: withAssets(workflowAssets),
  tasks: withAssets(listTasks),
  task: withAssets(readTask),
  cancelTask: withAssets(cancelTask),
} as const
