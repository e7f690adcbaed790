// The endpoints of OAuth: the handler of each, and the replies for all other requests below /oauth. They need no credential.

import type { OauthEndpointName } from '../../../../spec/server/endpoints.ts'
import { refuseOauth } from '../../../http/replies.ts'
import type { Admission, Server } from '../../state/server.ts'
import { createSurface } from '../surface.ts'
import { oauthAuthorize, oauthRegister, oauthToken } from './oauth.ts'

/** The world of the first account keeps the clients. */
export const admit = ({ worlds }: Server): Admission => ({ world: worlds[0] })

export const { answer, readsBody } = createSurface<OauthEndpointName>(
  'oauth',
  { oauthRegister, oauthAuthorize, oauthToken },
  {
    unknownPath: () => refuseOauth('unknownPath'),
    wrongMethod: (headers) => refuseOauth('methodNotAllowed', {}, headers),
    unreadable: () => refuseOauth('metadataInvalid'),
    tooLarge: () => refuseOauth('bodyTooLarge'),
  },
)
