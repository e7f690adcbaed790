// The endpoints of the hosted API v2: the handler of each, and the replies for all other requests.

import type { V2EndpointName } from '../../../spec/server/endpoints.ts'
import { refuseV2 } from '../../http/replies.ts'
import { createSurface } from '../hosted/surface.ts'
import { asset, byHash, content, deleteAsset, mintFromHash } from './assets.ts'
import { cancelJob, job, workflow } from './jobs.ts'
import { list } from './list.ts'
import { submit } from './submit.ts'
import { events } from './streams.ts'
import { upload } from './uploads.ts'

export const { answer, readsBody } = createSurface<V2EndpointName>(
  'v2',
  {
    v2Submit: submit,
    v2Jobs: list,
    v2Job: job,
    v2Workflow: workflow,
    v2Cancel: cancelJob,
    v2Events: events,
    v2Upload: upload,
    v2FromHash: mintFromHash,
    v2ByHash: byHash,
    v2Asset: asset,
    v2DeleteAsset: deleteAsset,
    v2Content: content,
  },
  {
    unknownPath: () => refuseV2('notFound'),
    wrongMethod: (headers) => refuseV2('methodNotAllowed', {}, null, headers),
    unreadable: () => refuseV2('invalidRequest', { reason: 'The body is unreadable.' }),
    tooLarge: (limit) => refuseV2('tooLarge', { limit }),
  },
)
