// What the proxy to partners does for a hosted server: the handler of each endpoint, and the replies for all other requests.

import type { PartnerEndpointName } from '../../../spec/server/endpoints.ts'
import { json, refusePartner } from '../../http/replies.ts'
import { createSurface } from '../hosted/surface.ts'
import { readBalance, readConcurrency, readCustomer, readEvents } from './customers.ts'
import { readStorage } from './storage.ts'
import { cancel, poll, submit } from './tasks.ts'

export { admit } from './access.ts'

export const { answer, readsBody } = createSurface<PartnerEndpointName>(
  'partner',
  {
    partnerSubmit: submit,
    partnerPoll: poll,
    partnerCancel: cancel,
    partnerHealth: () => json('{"status":"ok"}'),
    createCustomer: readCustomer,
    readCustomer,
    customerBalance: readBalance,
    customerEvents: readEvents,
    customerConcurrency: readConcurrency,
    customerStorage: readStorage,
  },
  {
    unknownPath: () => refusePartner('notFound'),
    wrongMethod: (headers) => refusePartner('methodNotAllowed', {}, headers),
    unreadable: () => refusePartner('badRequest', { reason: 'The body is unreadable.' }),
    tooLarge: (limit) => refusePartner('tooLarge', { limit }),
  },
)
