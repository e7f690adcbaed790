// The endpoints of the Router: the handler of each, and the replies for all other requests.

import type { RouterEndpointName } from '../../../spec/server/endpoints.ts'
import { routerRoot } from '../../../spec/router/router.ts'
import { refuseRouter } from '../../http/replies.ts'
import { decodePart } from '../../http/requests.ts'
import { createSurface } from '../hosted/surface.ts'
import { cancel, result, status, submit } from './queue.ts'
import { estimate, run } from './runs.ts'
import { listModels, modelDetail, modelDocument, unknownModel } from './catalog.ts'

export const { answer, readsBody } = createSurface<RouterEndpointName>(
  'router',
  {
    routerModels: listModels,
    routerModel: modelDetail,
    routerDocument: modelDocument,
    routerRun: (world, request, _, id) => run(world, request, id),
    routerEstimate: estimate,
    routerSubmit: submit,
    routerStatus: status,
    routerResult: result,
    routerCancel: cancel,
  },
  {
    unknownPath: (world, path) =>
      unknownModel(world, decodePart(path.slice(routerRoot.length + 1))),
    wrongMethod: (headers) => refuseRouter('methodNotAllowed', {}, headers),
    unreadable: () => refuseRouter('invalidInput', { reason: 'The body is unreadable.' }),
    tooLarge: (limit) => refuseRouter('tooLarge', { limit }),
  },
)
